"""A note on a cell that cannot be compared stands beside its result, in the release too, and
changes no figure.
"""

import csv

import pytest
from django.core.management import CommandError, call_command

from fartbench.models import AuditEntry
from generation.models import Cell
from rounds import opening as rounds
from scoring.release.verifying import verify_release
from tests.scoring.rows import make_locked_round

pytestmark = pytest.mark.django_db

CELL = ("--configuration", "alpha", "--scene", "r01-lift")


def test_a_note_is_kept_logged_and_released_and_changes_no_score() -> None:
    round_ = make_locked_round()
    call_command("limit_cell", round_.name, *CELL, "--note", " its filter lowered the sound ")
    call_command(
        "limit_cell", round_.name, *CELL, "--note", "its filter lowered the sound"
    )  # again changes nothing
    assert (
        AuditEntry.objects.get(action="cell limited").details["note"]
        == "its filter lowered the sound"
    )
    release = rounds.publish(round_=round_, actor="test")
    verify_release(release.folder)
    with (release.folder / "clips.csv").open(encoding="utf-8", newline="") as file:
        noted = {
            (row["configuration"], row["scene"]): row["limitation"] for row in csv.DictReader(file)
        }
    assert noted.pop(("alpha", "r01-lift")) == "its filter lowered the sound"
    assert set(noted.values()) == {""}
    assert {line["factual_score"] for line in release.scores["leaderboard"]} == {"8"}
    with pytest.raises(CommandError, match="is published"):
        call_command("limit_cell", round_.name, *CELL, "--note", "too late")


def test_a_note_can_be_taken_back_and_a_cell_that_is_not_there_is_named() -> None:
    round_ = make_locked_round()
    call_command("limit_cell", round_.name, *CELL, "--note", "a mistake")
    call_command("limit_cell", round_.name, *CELL, "--note", "")
    assert not Cell.objects.exclude(limitation="").exists()
    with pytest.raises(CommandError, match="has no cell alpha/r01-lift/7 yet"):
        call_command("limit_cell", round_.name, *CELL, "--replicate", "7", "--note", "x")
