"""The rooms of the house: every one is listed where it must be, and no circle of imports goes
unseen.
"""

import re
import tomllib

import grimp
import pytest
from django.conf import settings

from tests.layers import ROOMS, ROOT, NoFileCirclesContract

IMPORT_RULES = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
CONTRACTS = {contract["id"]: contract for contract in IMPORT_RULES["contracts"]}


def test_every_room_has_a_layer_and_is_searched_for_circles():
    layers = [room for layer in CONTRACTS["layers"]["layers"] for room in layer.split(" | ")]
    assert sorted(layers) == sorted(ROOMS)
    assert set(IMPORT_RULES["root_packages"]) == ROOMS
    assert set(CONTRACTS["folders"]["ancestors"]) == ROOMS


def test_what_pretends_what_writes_scenarios_and_the_api_are_on_top_so_that_nothing_imports_them():
    assert set(CONTRACTS["layers"]["layers"][0].split(" | ")) == {"simulation", "authoring", "api"}


def test_every_room_is_installed_typed_and_shipped():
    assert {app.partition(".")[0] for app in settings.INSTALLED_APPS} >= ROOMS
    makefile = (ROOT / "Makefile").read_text()
    assert set(re.findall(r"^APPS := (.*)$", makefile, re.MULTILINE)[0].split()) == ROOMS
    assert set(re.findall(r"^!(\w+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)) >= ROOMS
    assert (
        set(
            re.findall(
                r"^COPY (\w+) \w+$", (ROOT / "deploy" / "Dockerfile").read_text(), re.MULTILINE
            )
        )
        >= ROOMS
    )


def test_the_map_for_newcomers_has_a_line_for_every_room():
    rows = re.findall(
        r"^\| `(\w+)/` \|",
        (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert sorted(rows) == sorted(ROOMS)


@pytest.mark.parametrize(
    ("sources", "is_circle"),
    [
        ({"first": "from halls import second", "second": "import math"}, False),
        (
            {
                "first": "from halls import second",
                "second": "def late():\n    from halls import first",
            },
            True,
        ),
        ({"first": "import math", "second": "import math"}, False),
    ],
)
def test_a_file_that_imports_itself_through_another_is_found_even_when_it_does_so_late(
    sources, is_circle, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "halls").mkdir()
    for name, source in {"__init__": "", **sources}.items():
        (tmp_path / "halls" / f"{name}.py").write_text(source)
    contract = NoFileCirclesContract("files", {}, {})
    check = contract.check(grimp.build_graph("halls", cache_dir=None), verbose=False)
    assert check.kept == (not is_circle)
    contract.render_broken_contract(check)
    assert ("halls.first -> halls.second -> halls.first" in capsys.readouterr().out) == is_circle
