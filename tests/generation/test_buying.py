"""Buying a clip from a provider: the states of a sample, what is written down, and that nothing is bought twice."""

from collections.abc import Iterator

import pytest

from generation.models import Sample, SampleState, Submission
from generation.standin import StandIn
from tests.generation.buying import bought, only_sample, running_stand_in, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with running_stand_in(monkeypatch) as running:
        yield running


def test_a_clip_is_bought_and_stored_untouched(stand_in: StandIn) -> None:
    bought("seedance-2.5")
    work()
    sample = only_sample()
    assert sample.state == SampleState.DELIVERED, sample.reason
