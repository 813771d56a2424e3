"""Configurations as data: all that are commissioned, their prices and limits, and files that are
refused.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from fartbench.datafiles import DataError
from generation.cells import lay_out
from generation.configurations import (
    ConfigurationError,
    cost_of,
    estimate,
    parse_configuration,
    read_configurations,
)
from generation.configurations.loader import FOLDER
from generation.configuring import load_configurations
from generation.errors import ConfigurationInUse
from generation.models import Configuration, Sample
from generation.prompts import ADAPTERS
from generation.providers.port import Usage
from tests import factories

EVERY = [loaded.file for loaded in read_configurations()]


def content(name: str = "seedance-2.5", **changes: Any) -> dict[str, Any]:
    return {**dict(YAML(typ="safe").load((FOLDER / f"{name}.yaml").read_text())), **changes}


def test_there_are_23_active_and_two_legacy_ones() -> None:
    tracks = [file.track for file in EVERY]
    assert (tracks.count("core-av"), tracks.count("legacy"), len(tracks)) == (23, 2, 25)
    assert all((file.retired_on is None) == (file.track == "core-av") for file in EVERY)


@pytest.mark.parametrize("file", EVERY, ids=lambda file: file.name)
def test_each_is_fixed_as_the_protocol_says(file: Any) -> None:
    assert (file.fixed.duration_s, file.fixed.aspect_ratio, file.fixed.reference_media) == (
        8.0,
        "16:9",
        "none",
    )
    assert file.fixed.negative_prompt in ("sent empty", "none exposed")
    assert file.prompt_adapter in ADAPTERS
    lengths = {
        str(value).rstrip("s")
        for name, value in file.parameters.items()
        if name.startswith(("duration", "seconds"))
    }
    assert lengths == {"8"}
    assert estimate(file) == (
        None if file.price.per_second is None else Decimal(file.price.per_second) * 8
    )
    assert file.price.per_second is None or file.price.source is not None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"parameters": {"duration": 8, "prompt_upsampling": True}},
            "no parameter 'prompt_upsampling'",
        ),
        ({"provider": "nobody"}, "provider 'nobody'"),
        ({"track": "Core AV"}, "track: "),
        ({"colour": "red"}, "colour: unknown key"),
        ({"track": "legacy"}, "says when it was retired"),
        ({"price": {"id": "x", "per_second": "0.4"}}, "a price needs its source"),
        ({"price": {"id": "x", "per_second": "cheap"}}, "is not an amount"),
        ({"seed": {"parameter": "random_seed"}}, "no seed parameter"),
    ],
)
def test_a_file_with_a_fault_is_refused_in_words(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        parse_configuration(content(**changes), source="a file")


@pytest.mark.parametrize("text", ["name: [", "a: 1\na: 2", "\xff"])
def test_what_is_no_yaml_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.yaml").write_bytes(text.encode("latin-1"))
    with pytest.raises(DataError, match=r"bad\.yaml"):
        read_configurations(tmp_path)


def test_the_best_known_cost_is_taken_and_no_two_are_mixed() -> None:
    price = parse_configuration(content(), source="x").price
    kinds = [
        cost_of(price, Usage(usd=Decimal("1.5"), output_tokens=7), seconds=8),
        cost_of(price, Usage(usd_ticks=10**10), seconds=8),
        cost_of(price, Usage(output_tokens=100_000), seconds=8),
        cost_of(price, Usage(), seconds=8),
        cost_of(
            price.model_copy(update={"per_second": None}), Usage(credits=Decimal(3)), seconds=8
        ),
    ]
    assert [(cost.basis, cost.usd) for cost in kinds] == [
        ("reported", Decimal("1.5")),
        ("reported", Decimal(1)),
        ("computed", Decimal("1.07")),
        ("estimated", Decimal("1.848")),
        ("unknown", None),
    ]


@pytest.mark.django_db
class TestLoading:
    def write(self, folder: Path, **changes: Any) -> Path:
        path = folder / "seedance-2.5.yaml"
        with path.open("w") as file:
            YAML().dump(content(**changes), file)
        return path

    def test_loading_again_changes_nothing(self, tmp_path: Path) -> None:
        path = self.write(tmp_path)
        assert load_configurations(folder=path, actor="test").added == ["seedance-2.5"]
        assert load_configurations(folder=path, actor="test").unchanged == ["seedance-2.5"]
        assert Configuration.objects.get().file == parse_configuration(content(), source="x")

    def test_a_changed_file_is_taken_while_nothing_was_bought_with_it(self, tmp_path: Path) -> None:
        load_configurations(folder=self.write(tmp_path), actor="test")
        load_configurations(folder=self.write(tmp_path, label="Other"), actor="test")
        assert Configuration.objects.get().label == "Other"

    def test_what_something_was_bought_with_stays(self, tmp_path: Path) -> None:
        load_configurations(folder=self.write(tmp_path), actor="test")
        lay_out(factories.make_round(scenes=["r01-lift"]), Configuration.objects.get())
        Sample.objects.update(state="refused", reason="by the provider")
        with pytest.raises(ConfigurationInUse, match=r"seedance-2\.5"):
            load_configurations(folder=self.write(tmp_path, label="Other"), actor="test")
        assert Configuration.objects.get().label == "Seedance 2.5"
