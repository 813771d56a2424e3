"""Deleting a round that came to nothing, and keeping one of which something has to be kept."""

from __future__ import annotations

import pytest

from fartbench.models import AuditEntry, Round
from generation.cells import lay_out
from generation.commissioning import commission
from generation.models import Cell, Sample, SampleEvent, SampleState
from generation.verdicts import waive_verdicts
from review.models import CohortMember, Invite
from review.services import set_cohort
from rounds.deleting import delete_round, why_kept
from rounds.errors import CannotDelete
from simulation.configurations import local_configurations
from tests.factories import make_protocol, make_round
from tests.scoring.rows import make_locked_round, make_open_round
from tests.streamav.small import FOLDER as ROLLOUTS

pytestmark = pytest.mark.django_db
LIFT = ["r01-lift"]


def test_all_of_a_draft_goes_and_the_trail_keeps_that_it_was_there() -> None:
    round_ = make_round(name="spring", scenes=LIFT)
    commission(round_=round_, configurations=local_configurations()[:2], actor="test")
    set_cohort(round=round_, emails=[f"p{n}@example.org" for n in range(4)], actor="test")
    other = make_round(name="other", scenes=LIFT)
    lay_out(other, local_configurations()[0])
    assert why_kept(round_) == ""
    delete_round(round_=round_, actor="ada")
    assert list(Round.objects.values_list("name", flat=True)) == ["other"]
    assert Cell.objects.count() == Sample.every.count() == 1
    assert not CohortMember.objects.exists()
    assert not Invite.objects.exists()
    entry = AuditEntry.objects.get(action="round deleted")
    assert (entry.details["cells"], entry.details["reviewers"]) == (2, 4)


def test_a_round_that_was_opened_stays() -> None:
    for round_ in (
        make_open_round(scenes=LIFT),
        make_locked_round(scenes=LIFT, configurations=("c",)),
    ):
        with pytest.raises(CannotDelete, match="It was opened"):
            delete_round(round_=round_, actor="ada")


def test_orders_and_decisions_are_kept() -> None:
    round_ = make_round(scenes=LIFT)
    lay_out(round_, local_configurations()[0])
    SampleEvent.objects.create(
        sample=Sample.objects.get(),
        actor="test",
        before=SampleState.PLANNED,
        after=SampleState.READY,
    )
    assert "Clips were ordered" in why_kept(round_)
    waived = make_round(protocol=make_protocol(ROLLOUTS))
    waive_verdicts(round_=waived, reason="a pilot", actor="ada")
    with pytest.raises(CannotDelete, match="without experts' verdicts"):
        delete_round(round_=waived, actor="ada")
    assert Round.objects.count() == 2
