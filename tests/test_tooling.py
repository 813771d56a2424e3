"""The lock files, the commands of the Makefile, and the contract of pure modules."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import grimp
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.layers import PureContract

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def _pins(lock: str) -> dict[str, Version]:
    found = re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE)
    return {name: Version(version) for name, version in found}


@pytest.mark.parametrize(
    "lock", ["requirements.lock", "requirements-dev.lock", "requirements-weights.lock"]
)
def test_a_lock_file_names_no_host_and_pins_every_package_by_hash(lock: str):
    text = (ROOT / lock).read_text()
    entries = text.replace("\\\n", " ").splitlines()
    assert "//" not in text
    assert entries
    assert [
        entry
        for entry in entries
        if not re.fullmatch(r"[a-z0-9-]+==\S+( +--hash=sha256:[0-9a-f]{64})+", entry)
    ] == []


def test_tests_run_on_the_very_versions_that_the_product_runs_on():
    runtime, dev = _pins("requirements.lock"), _pins("requirements-dev.lock")
    assert runtime.items() <= dev.items()


def test_what_pytorch_takes_besides_is_what_the_tests_have_already():
    dev, weights = _pins("requirements-dev.lock"), _pins("requirements-weights.lock")
    assert {name: weights[name] for name in weights.keys() & dev.keys()}.items() <= dev.items()
    wanted = [
        Requirement(line) for line in PYPROJECT["project"]["optional-dependencies"]["weights"]
    ]
    (torch,) = (one for one in wanted if one.name not in weights)
    assert (torch.name, [one.operator for one in torch.specifier]) == ("torch", ["=="])
    assert "torch" not in {*dev, *weights}


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("requirements.lock", PYPROJECT["project"]["dependencies"]),
        ("requirements-dev.lock", PYPROJECT["dependency-groups"]["dev"]),
    ],
)
def test_a_lock_file_has_what_the_project_asks_for(lock: str, wanted: list[str]):
    pins = _pins(lock)
    asked = [Requirement(line) for line in wanted]
    assert [
        str(one) for one in asked if one.name not in pins or pins[one.name] not in one.specifier
    ] == []


@pytest.mark.parametrize(
    ("folders", "lock"),
    [
        (PYPROJECT["tool"]["importlinter"]["root_packages"], "requirements.lock"),
        (["tests"], "requirements-dev.lock"),
    ],
)
def test_every_package_that_is_imported_is_in_the_lock_file(folders: list[str], lock: str):
    distributions, pins = packages_distributions(), _pins(lock)
    ours = {*PYPROJECT["tool"]["importlinter"]["root_packages"], "tests"}
    imported = {
        name
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        for name in _imports(path)
    }
    extras = {
        Requirement(line).name for line in PYPROJECT["project"]["optional-dependencies"]["weights"]
    }
    foreign = imported - ours - extras - sys.stdlib_module_names
    homes = {
        name: {canonicalize_name(home) for home in distributions.get(name, [name])}
        for name in foreign
    }
    assert {name for name, candidates in homes.items() if candidates.isdisjoint(pins)} == set()
    assert foreign


def _imports(path: Path) -> set[str]:
    """Return the first part of every absolute import in a file."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [
        node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
    ]
    return {name.split(".")[0] for name in names}


def _make(*arguments: str) -> str:
    """Return what make prints, whether or not another make runs these tests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_make_help_lists_every_command_there_is():
    targets = re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert re.findall(r"^  make (\S+)", _make("help"), re.MULTILINE) == targets


@pytest.mark.parametrize(("serve", "ending"), [("0", "demo --no-serve\n"), ("1", "demo\n")])
def test_make_demo_serves_unless_told_not_to(serve: str, ending: str):
    assert _make("--dry-run", "demo", f"SERVE={serve}").endswith(ending)


def test_a_module_that_promises_to_do_without_django_and_reaches_it_is_found(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    sources = {
        "__init__": "",
        "keeps": '"""Arithmetic. No Django here."""\nimport math',
        "breaks": '"""Arithmetic. No Django here."""\nfrom halls import models',
        "models": '"""Rows."""\nimport django',
    }
    (tmp_path / "halls").mkdir()
    for name, source in sources.items():
        (tmp_path / "halls" / f"{name}.py").write_text(source)
    graph = grimp.build_graph("halls", include_external_packages=True, cache_dir=None)
    contract = PureContract("pure", {}, {"forbidden_modules": ["django", "redis"]})
    check = contract.check(graph, verbose=False)
    assert check.metadata == {
        "promising": ["halls.breaks", "halls.keeps"],
        "chains": [("halls.breaks", "halls.models", "django")],
    }
    assert not check.kept
    contract.render_broken_contract(check)
    assert "halls.breaks -> halls.models -> django" in capsys.readouterr().out


VULNERABLE = {
    "name": "left",
    "version": "1.0",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}],
}
CLEAN, SKIPPED = (
    {"name": "right", "version": "2.0", "vulns": []},
    {"name": "middle", "skip_reason": "not found"},
)


@pytest.mark.parametrize(
    ("report", "status", "words"),
    [
        ({"dependencies": [CLEAN]}, 0, "no known vulnerability in 1 packages"),
        ({"dependencies": [CLEAN, VULNERABLE]}, 1, "left 1.0: PYSEC-1, mended in 1.1"),
        (
            {"dependencies": [CLEAN, SKIPPED]},
            3,
            "AUDIT NOT MADE of some.lock: the database knows nothing of 1 of 2",
        ),
        (None, 3, "AUDIT NOT MADE of some.lock: ConnectionError"),
    ],
)
def test_an_audit_that_could_not_be_made_is_never_taken_for_a_good_one(
    report: dict | None, status: int, words: str, tmp_path: Path
):
    (tmp_path / "report").write_text(json.dumps(report) if report else "")
    (tmp_path / "log").write_text("Traceback\nConnectionError: no route\n")
    command = [
        sys.executable,
        ROOT / ".ci/audit_report.py",
        "some.lock",
        tmp_path / "report",
        tmp_path / "log",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert words in done.stdout + done.stderr
