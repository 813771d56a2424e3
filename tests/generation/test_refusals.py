"""What is refused before anything is sent, in words that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from fartbench.models import Round
from generation import buying
from generation.commissioning import commission
from generation.configurations.loader import FOLDER
from generation.configuring import load_configurations, named
from generation.errors import CannotCommission, PriceMissing, PromptRefused, RetiredModel
from generation.models import Configuration, Sample, SampleState
from generation.providers.order import KeyMissing
from simulation.stand_ins.providers import StandIn
from tests import factories
from tests.generation.buying import freeze, running_stand_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with running_stand_in(monkeypatch) as running:
        yield running


def frozen(name: str) -> tuple[Round, list[Configuration]]:
    load_configurations(folder=FOLDER / f"{name}.yaml", actor="test")
    round_ = factories.make_round(scenes=["r01-lift"])
    configurations = named([name])
    freeze(round_, configurations)
    return round_, configurations


def refused(
    round_: Round, configurations: list[Configuration], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        commission(round_=round_, configurations=configurations, actor="test")
    assert not Sample.objects.exclude(state=SampleState.PLANNED).exists()


def test_a_missing_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STAND_IN_URL", raising=False)
    monkeypatch.delenv("ARK_API_KEY", raising=False)
    refused(*frozen("seedance-2.5"), KeyMissing, "ARK_API_KEY")


def test_a_retired_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STAND_IN_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    refused(*frozen("sora-2"), RetiredModel, "shut down by OpenAI on 2026-09-24")


def test_a_price_that_nobody_knows_under_a_ceiling(stand_in: StandIn) -> None:
    round_, configurations = frozen("kling-4.0")
    buying.set_ceilings(round_, {"": Decimal(100)}, "ada")
    refused(round_, configurations, PriceMissing, "kling-4.0 has no known price")


def test_a_prompt_over_the_limit_is_never_cut(stand_in: StandIn) -> None:
    round_, (configuration,) = frozen("seedance-2.0-fast")
    content = {**configuration.content, "prompt_limit": {"units": "utf16", "at_most": 100}}
    Configuration.objects.update(content=content, digest="1" * 64)
    refused(round_, named([configuration.name]), PromptRefused, "takes 100. It is not cut")


def test_a_prompt_that_is_not_frozen(stand_in: StandIn) -> None:
    load_configurations(folder=FOLDER / "seedance-2.5.yaml", actor="test")
    round_ = factories.make_round(scenes=["r01-lift"])
    refused(round_, named(["seedance-2.5"]), PromptRefused, "no prompt for r01-lift")


def on_track(configuration: Configuration, track: str) -> list[Configuration]:
    content = {**configuration.content, "track": track}
    Configuration.objects.update(content=content, digest=track.ljust(64, "0"))
    return named([configuration.name])


@pytest.mark.parametrize("track", ["sbd", "composed-av", "raw", "max", "local"])
def test_a_track_that_the_protocol_only_defines(stand_in: StandIn, track: str) -> None:
    """The pilot's document, section 3: these tracks are deferred, or outside the pilot."""
    _, (configuration,) = frozen("seedance-2.5")
    pilot = factories.make_round(
        protocol=factories.make_protocol(factories.CORE_V01), scenes=["fb-c01"]
    )
    labels = {one.key: one.label for one in pilot.protocol.rules.tracks}
    refused(
        pilot, on_track(configuration, track), CannotCommission, f"on the track “{labels[track]}”"
    )


def test_a_track_that_the_protocol_does_not_have(stand_in: StandIn) -> None:
    round_, (configuration,) = frozen("seedance-2.5")
    words = "has none of that name: its tracks are core-av, legacy"
    refused(round_, on_track(configuration, "platinum"), CannotCommission, words)


def test_a_configuration_known_by_name_alone(stand_in: StandIn) -> None:
    made = Configuration.objects.create(name="somebody", label="Somebody", provider="fal")
    refused(
        factories.make_round(scenes=["r01-lift"]), [made], CannotCommission, "load_configurations"
    )
