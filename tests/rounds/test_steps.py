"""What is due next, in words: also while workers bring what was commissioned."""

import pytest
from django.test import Client

from fartbench.models import Round
from fartbench.rounds import where_it_stands
from generation.cells import configuration_named, lay_out
from generation.commissioning import commission
from generation.models import Configuration, Sample, SampleState
from rounds.due import Due, due_step
from rounds.errors import CannotOpen
from rounds.opening import open_round
from simulation.configurations import local_configurations
from tests.factories import make_round, make_staff

pytestmark = pytest.mark.django_db


@pytest.fixture
def on_order() -> Round:
    """Return a round whose two clips were commissioned a moment ago."""
    local_configurations()
    round_ = make_round(scenes=["r01-lift", "r01-toast"])
    wanted = Configuration.objects.filter(name="local-modest")
    commission(round_=round_, configurations=wanted, seed=3, actor="test")
    round_.refresh_from_db()
    return round_


def test_while_clips_are_on_order_nothing_is_due_of_anybody(
    on_order: Round, client: Client
) -> None:
    assert due_step(on_order) == Due("", "2 clips are on order, and workers bring them")
    client.force_login(make_staff())
    assert (
        "Nothing for you to do: 2 clips are on order"
        in client.get(f"/staff/rounds/{on_order.name}/").text
    )
    assert "2 clips are on order" in client.get("/staff/").text


def test_what_stopped_on_its_way_is_an_operator_s(on_order: Round) -> None:
    Sample.objects.filter(pk=Sample.objects.first().pk).update(
        state=SampleState.BLOCKED, reason="asks"
    )
    step = due_step(on_order)
    assert step is not None
    assert step.words.startswith("1 clips on order wait for an operator")


def test_cells_that_nobody_ordered_are_to_be_imported(on_order: Round) -> None:
    lay_out(on_order, configuration_named("made-elsewhere")[0])
    assert due_step(on_order) == Due(
        "import_clips", "2 cells have no outcome yet (“mark_cell” sets one that brought no clip)"
    )


def test_a_round_without_clips_can_go_either_way() -> None:
    round_ = make_round(name="fresh")
    assert (
        where_it_stands(round_)
        == "Round 'fresh' is “Draft”. Next step: “import_clips fresh”, because the round has no "
        "clips yet (“commission” buys them from providers)."
    )


def test_when_no_cell_brought_a_clip_nobody_is_told_to_open_the_round(on_order: Round) -> None:
    Sample.objects.update(state=SampleState.FAILED, reason="no answer")
    step = due_step(on_order)
    assert step is not None and step.key == ""
    assert step.words.startswith(
        "no cell brought a clip that is reviewed, so the round cannot be opened"
    )
    with pytest.raises(CannotOpen, match="no cell brought a clip, so there is nothing to review"):
        open_round(round_=on_order, actor="test")
