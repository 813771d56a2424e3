"""What may change while a round is open: a reviewer, a blind copy; and what that does to closing
and scores.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from blinding.models import BlindingKey, Stimulus
from fartbench.models import AuditEntry, Round
from review.models import AnswerSheet, Reviewer
from tests.factories import CORE_R01
from tests.manifests import Lab

pytestmark = pytest.mark.django_db
REVIEWERS = ("a@example.org", "b@example.org", "c@example.org", "d@example.org")
WHY = ("--reason", "it was needed")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture
def round_(lab: Lab) -> Round:
    call_command("load_protocol", str(CORE_R01))
    call_command("create_round", "r1", "--protocol", "core-r01@1.0.0")
    call_command("import_clips", "r1", str(lab.manifest()))
    call_command("blind", "r1")
    call_command("set_cohort", "r1", *REVIEWERS)
    call_command("open_round", "r1")
    return Round.objects.get(name="r1")


def enter(lab: Lab, *reviewers: str) -> None:
    call_command("import_answers", "r1", str(lab.answer_file(lab.answers(reviewers))))


def stimulus_of(configuration: str, scene: str) -> str:
    key = BlindingKey.objects.get(
        sample__cell__configuration__name=configuration,
        sample__cell__scene=scene,
        stimulus__retirement=None,
    )
    return str(key.stimulus_id)


@pytest.fixture
def scores(capsys: pytest.CaptureFixture[str]) -> Callable[[], dict[str, dict[str, object]]]:
    def scores() -> dict[str, dict[str, object]]:
        call_command("close_round", "r1")
        capsys.readouterr()
        call_command("score", "r1", "--json")
        return {
            line["configuration"]: line
            for line in json.loads(capsys.readouterr().out)["leaderboard"]
        }

    return scores


def test_a_replaced_reviewer_s_sheets_stay_and_count_for_nothing(
    round_: Round,
    lab: Lab,
    scores: Callable[[], dict[str, dict[str, object]]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    enter(lab, *REVIEWERS[:3])
    rows = lab.answers(REVIEWERS[3:])
    for row in rows[:2]:
        row["event"] = "unclear"
    call_command("import_answers", "r1", str(lab.answer_file(rows[:2])))
    call_command("replace_reviewer", "r1", REVIEWERS[3], "new@example.org", *WHY)
    assert "/i/" in capsys.readouterr().out
    assert Reviewer.objects.get(email=REVIEWERS[3]).sheets.count() == 2
    enter(lab, "new@example.org")
    alpha = scores()["alpha"]
    assert alpha["rank"] == 1
    assert alpha["factual_score"] == "8"
    assert AuditEntry.objects.get(action="reviewer replaced").details["reason"] == "it was needed"


def test_a_replaced_copy_has_a_new_id_and_is_asked_about_again(
    round_: Round, lab: Lab, scores: Callable[[], dict[str, dict[str, object]]]
) -> None:
    enter(lab, *REVIEWERS)
    old = stimulus_of("alpha", "r01-lift")
    call_command("replace_copy", "r1", old, *WHY)
    new = stimulus_of("alpha", "r01-lift")
    assert new != old
    assert (
        Stimulus.objects.get(pk=new).path.read_bytes()
        == Stimulus.objects.get(pk=old).path.read_bytes()
    )
    with pytest.raises(CommandError, match="sheets are missing"):
        call_command("close_round", "r1")
    assert AnswerSheet.objects.filter(stimulus_id=old).count() == 4
    rows = [
        row | {"event": "no"}
        for row in lab.answers(REVIEWERS)
        if (row["configuration"], row["scene"]) == ("alpha", "r01-lift")
    ]
    call_command("import_answers", "r1", str(lab.answer_file(rows)))
    assert scores()["alpha"]["factual_score"] == "6"


def test_a_clip_declared_not_reviewable_leaves_its_configuration_unranked(
    round_: Round, lab: Lab, scores: Callable[[], dict[str, dict[str, object]]]
) -> None:
    call_command("declare_not_reviewable", "r1", stimulus_of("beta", "r01-toast"), *WHY)
    rows = [
        row
        for row in lab.answers(REVIEWERS)
        if (row["configuration"], row["scene"]) != ("beta", "r01-toast")
    ]
    call_command("import_answers", "r1", str(lab.answer_file(rows)))
    found = scores()
    assert found["alpha"]["rank"] == 1
    assert found["beta"]["rank"] is None
    assert found["beta"]["unranked_because"] == "r01-toast not reviewable"
    assert found["beta"]["scenes"]["r01-toast"]["status"] == "not_reviewable"  # type: ignore[index]


def test_a_secondary_reviewer_changes_no_score(
    round_: Round, lab: Lab, scores: Callable[[], dict[str, dict[str, object]]]
) -> None:
    call_command("add_secondary", "r1", "second@example.org")
    enter(lab, *REVIEWERS)
    rows = [row | {"event": "no", "cause": "no"} for row in lab.answers(["second@example.org"])]
    call_command("import_answers", "r1", str(lab.answer_file(rows)))
    assert {name: line["factual_score"] for name, line in scores().items()} == {
        "alpha": "8",
        "beta": "8",
    }


@pytest.mark.parametrize(
    "words",
    [
        ["replace_copy", "r1", "nosuchid", *WHY],
        ["declare_not_reviewable", "r1", "nosuchid", *WHY],
        ["replace_reviewer", "r1", "nobody@example.org", "new@example.org", *WHY],
        ["replace_reviewer", "r1", REVIEWERS[0], REVIEWERS[1], *WHY],
    ],
)
def test_what_is_not_there_is_refused(round_: Round, words: list[str]) -> None:
    entries = AuditEntry.objects.count()
    with pytest.raises(CommandError) as caught:
        call_command(*words)
    assert caught.value.returncode == 1
    assert AuditEntry.objects.count() == entries


def test_an_excluded_clip_does_not_keep_a_round_from_opening(
    lab: Lab, scores: Callable[[], dict[str, dict[str, object]]]
) -> None:
    call_command("load_protocol", str(CORE_R01))
    call_command("create_round", "r1", "--protocol", "core-r01@1.0.0")
    call_command("import_clips", "r1", str(lab.manifest()))
    call_command("exclude_clip", "r1", "--configuration", "beta", "--scene", "r01-lift", *WHY)
    call_command("blind", "r1")
    call_command("set_cohort", "r1", *REVIEWERS)
    call_command("open_round", "r1")
    rows = [
        row
        for row in lab.answers(REVIEWERS)
        if (row["configuration"], row["scene"]) != ("beta", "r01-lift")
    ]
    call_command("import_answers", "r1", str(lab.answer_file(rows)))
    assert scores()["beta"]["unranked_because"] == "r01-lift not reviewable"
