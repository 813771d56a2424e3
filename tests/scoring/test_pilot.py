"""A whole pilot of Core v0.1: 8 tests x 3 configurations x 3 replicates, three simulated reviewers,
to the end.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from blinding.models import BlindingKey
from fartbench.models import Round
from fartbench.protocol import Response
from generation.cells import configuration_named, lay_out
from generation.models import Sample, SampleState
from review.models import AnswerSheet, Source, Vote
from review.pairs.entering import VoteEntry, enter_votes
from review.pairs.selectors import live_tasks
from review.services import SheetEntry, enter_sheets, report_mistake, set_cohort
from rounds import opening as rounds
from rounds.errors import CannotOpen
from rounds.pairs import plan_pairs
from scoring.errors import ReleaseRefused
from scoring.models import Release
from scoring.release.verifying import verify_release
from tests.factories import (
    CORE_V01,
    make_protocol,
    make_round,
    make_staff,
    pilot_answers,
    reviewers_of,
)
from tests.scoring.rows import make_filled_round
from web.pages.results import ClipResult, SceneResults

pytestmark = pytest.mark.django_db

CONFIGURATIONS = ("local-clear", "local-late", "local-mute")
RATINGS = {"local-clear": 4, "local-late": 2, "local-mute": 1}


def answer_pilot(round_: Round) -> None:
    """Lock a simulated sheet of every reviewer on every clip; each configuration fails in a way of
    its own.
    """
    keys = BlindingKey.objects.filter(stimulus__round=round_).select_related(
        "stimulus", "sample__cell__configuration"
    )
    entries = [
        SheetEntry(reviewer, key.stimulus, sheet_of(key.sample, key.stimulus.scene, seat))
        for key in keys
        for seat, reviewer in enumerate(reviewers_of(round_))
    ]
    enter_sheets(round=round_, entries=entries, source=Source.SIMULATED)


def vote_for_the_better(round_: Round) -> None:
    """Let everybody prefer the configuration that is rated higher, in every pair."""
    keys = BlindingKey.objects.filter(stimulus__round=round_)
    whose = dict(keys.values_list("stimulus_id", "sample__cell__configuration__name"))
    tasks = live_tasks(round_).select_related("pair__first", "pair__second", "member__reviewer")
    entries = [
        VoteEntry(
            task.member.reviewer,
            task.pair_id,
            "a" if RATINGS[whose[a]] > RATINGS[whose[b]] else "b",
        )
        for task in tasks
        for a, b in [(task.clip_a.pk, task.clip_b.pk)]
    ]
    enter_votes(round=round_, entries=entries, source=Source.SIMULATED)


def sheet_of(sample: Sample, scene: str, seat: int) -> dict[str, Response]:
    name, replicate = sample.cell.configuration.name, sample.cell.replicate
    level = RATINGS[name] - (1 if (replicate + seat) % 3 == 0 else 0)
    form = make_protocol(CORE_V01).form(scene)
    changes = {
        one.question: str(level)
        for one in form.protocol.scoring.dimensions
        if form.asks(one.question)
    }
    if name == "local-late":
        changes |= {"f_out_of_window": "yes", "f_av_desync": "yes" if seat else "no"}
    if name == "local-mute" and scene != "fb-c06":
        absent = "na:no_event"
        changes |= {
            "event_present": "no",
            "event_count": "0",
            "correct_actor": absent,
            "source_clear": absent,
        }
        changes |= {
            "compliant_events": "0",
            "first_fart_time": absent,
            "wetness": absent,
            "cloth": absent,
        }
        changes |= {"f_no_event": "yes"}
    return pilot_answers(scene, **changes)


@pytest.fixture
def release() -> Release:
    round_ = make_filled_round(
        name="pilot", configurations=CONFIGURATIONS, protocol=make_protocol(CORE_V01), replicates=3
    )
    rounds.open_round(round_=round_, actor="test")
    plan_pairs(round_=round_, actor="test")
    answer_pilot(round_)
    vote_for_the_better(round_)
    rounds.close_round(round_=round_, actor="test")
    return rounds.publish(round_=round_, actor="test")


@pytest.mark.engine("sqlite")  # rows of this kind are made and guarded on both engines elsewhere
def test_a_whole_pilot_is_scored_published_verified_and_shown(
    release: Release, client: Client
) -> None:
    assert (
        AnswerSheet.objects.filter(locked_at__isnull=False, impression_at__isnull=False).count()
        == 72 * 3
    )
    check_scores(release)
    check_pairs(release)
    check_files(release)
    check_pages(client)


def check_scores(release: Release) -> None:
    lines = {line["configuration"]: line for line in release.scores["leaderboard"]}
    assert [line["configuration"] for line in release.scores["leaderboard"]] == list(CONFIGURATIONS)
    assert {name: line["rank"] for name, line in lines.items()} == {
        name: rank for rank, name in enumerate(CONFIGURATIONS, 1)
    }
    assert {line["delivered"] for line in lines.values()} == {24}
    assert release.scores["maturity"] == "pilot"
    # Every third sheet is one point lower, so each clip of "local-clear" has 25 x (4 + 4 + 3) / 3.
    assert lines["local-clear"]["fartscore"] == "275/3"
    ranking = release.document("configuration/local-late")
    assert ranking["score_interval"]["n"] == 24
    mute = release.document("configuration/local-mute")
    capped = [clip.get("cap") for scene in mute["scenes"].values() for clip in scene["replicates"]]
    # 25 x 2 / 3 lies below the ceiling of 20 already
    assert capped == [None] * 24
    assert mute["reports"]["failure_codes"]["f_no_event"]["held"] == 21
    assert mute["reports"]["metrics"]["fcr"]["value"] == pytest.approx(3 / 24)
    late = release.document("configuration/local-late")["reports"]["failure_codes"]
    assert (late["f_out_of_window"]["held"], late["f_av_desync"]["held"]) == (24, 24)
    points = {point["key"]: point["verdict"] for point in release.document("smoke")["points"]}
    assert points["safety_conflicts"] == "met"


def check_pairs(release: Release) -> None:
    (question,) = release.document("preference")["questions"].values()
    (group,) = question["groups"]
    assert [line["configuration"] for line in group["configurations"]] == list(CONFIGURATIONS)
    # Every two configurations meet once in each of the eight tests, and three reviewers see each
    # pair.
    assert Vote.objects.filter(locked_at__isnull=False).count() == 3 * 8 * 3


def check_files(release: Release) -> None:
    verified = verify_release(release.folder)
    assert verified.digest == release.digest
    assert verified.answers == 72 * 3 * 36
    plots = {path.name for path in (release.folder / "plots").iterdir()}
    assert {
        "leaderboard.svg",
        "dimensions.svg",
        "failure_codes.svg",
        "agreement.svg",
        "ratings.svg",
    } <= plots
    header = (release.folder / "clips.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert {
        "event_count_median",
        "f_no_event_consensus",
        "fartscore",
        "cap",
        "cost_basis",
        "limitation",
    } <= set(header)
    assert "first_fart_time_3.4" not in header
    spoil(release.folder)
    with pytest.raises(ReleaseRefused, match=r"clips\.csv was changed"):
        verify_release(release.folder)


def spoil(folder: Path) -> None:
    """Give a clip another score."""
    table = folder / "clips.csv"
    table.write_bytes(table.read_bytes().replace(b"275/3", b"95", 1))


def check_pages(client: Client) -> None:
    def page(name: str, *args: Any) -> str:
        response = client.get(reverse(name, args=args))
        assert response.status_code == 200, (name, args)
        return str(response.content.decode())

    board = page("leaderboard", "pilot")
    assert "FARTScore of 100" in board
    assert "development data. These results never become official ones." in board
    assert "Scenes all right" not in board
    tests = page("tests", "pilot")
    for words in (
        "Score per test",
        "OUT_OF_WINDOW",
        "24 of 24",
        "Flatulatory Compliance Rate",
        "not reported:",
        "Prompt clarity",
    ):
        assert words in tests, words
    assert "FARTScore" in page("configuration", "pilot", "local-late")
    for name in ("ratings", "agreement", "coverage", "releases"):
        page(name, "pilot")
    page("scene", "pilot", "fb-c06")
    method = page("method", "core-v0.1", "0.1.0")
    for words in (
        "22%",
        "Silent test with an audible event",
        "not asked",
        "Perceived Wetness Index",
    ):
        assert words in method, words
    specification = page("specification", "core-v0.1", "0.1.0", "fb-c06")
    assert "5 of 7" in specification
    file = client.get(reverse("specification-file", args=["core-v0.1", "0.1.0", "fb-c06"]))
    assert b"".join(file.streaming_content).startswith(b"# The canonical specification")  # type: ignore[attr-defined]
    state = page("state")
    assert "core-v0.1@0.1.0" in state
    assert "Pilot" in state


def test_the_clips_of_a_pilot_never_serve_an_official_round() -> None:
    """Whoever imports development data into an official round is told so when it is to be
    opened.
    """
    official = make_filled_round(name="official", configurations=("alpha",), scenes=["r01-lift"])
    pilot = make_round(name="early", scenes=["fb-c02"], protocol=make_protocol(CORE_V01))
    lay_out(pilot, configuration_named("alpha")[0])
    used = Sample.objects.get(cell__round=pilot)
    used.state, used.clip = SampleState.DELIVERED, Sample.objects.get(cell__round=official).clip
    used.save()
    with pytest.raises(
        CannotOpen,
        match="alpha/r01-lift/1: this clip is development data of the pilot round 'early'",
    ):
        rounds.open_round(round_=official, actor="test")


def test_a_smoke_test_with_one_reviewer_ends_in_its_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    round_ = make_filled_round(
        name="smoke", configurations=CONFIGURATIONS, scenes=["fb-c02"],
        protocol=make_protocol(CORE_V01),
        replicates=3, cohort=False,
    )  # fmt: skip
    set_cohort(round=round_, emails=["one@example.org"], actor="test")
    rounds.open_round(round_=round_, actor="test")
    answer_pilot(round_)
    report_mistake(
        sheet=AnswerSheet.objects.filter(stimulus__round=round_)[0], text="Is a cough a reaction?"
    )
    rounds.close_round(round_=round_, actor="test")
    call_command("smoke_report", "smoke")
    said = capsys.readouterr().out
    assert "1 of the 3 reviewers that official figures need. Nothing here is official." in said
    assert "Reviewer agreement: unknown (one reviewer has nobody to agree with)" in said
    assert "Is a cough a reaction?" in said
    assert said.count(": met (") + said.count(": not met (") + said.count(": unknown (") == 6
    release = rounds.publish(round_=round_, actor="test")
    alike = [line for line in said.splitlines() if line.startswith("Say the same: ")]
    assert alike and all(line.endswith(" on 9 clips") for line in alike)
    admin = Client()
    admin.force_login(make_staff())
    reported = admin.post(
        reverse("staff-diagnostics", args=["smoke"]), {"reason": "a test"}
    ).content.decode()
    assert "Is a cough a reaction?" in reported[reported.index("What they reported") :]
    page = Client().get(reverse("tests", args=["smoke"])).content.decode()
    table = page[page.index('aria-label="Scales that say the same"') :]
    assert table[: table.index("</table>")].count("<tr>") == 1 + len(alike)
    board = Client().get(reverse("leaderboard", args=["smoke"])).content.decode()
    assert (
        "Smoke test:" in board
        and "Nothing is ranked: the round has 1 of the 8 scenes of its protocol." in board
    )
    assert release.scores["smoke_test"] is True


def test_there_is_no_specification_of_what_is_not_there(client: Client) -> None:
    make_protocol(CORE_V01)
    for args in (["core-v0.1", "0.1.0", "fb-c09"], ["core-v0.2", "0.1.0", "fb-c01"]):
        assert client.get(reverse("specification", args=args)).status_code == 404
        assert client.get(reverse("specification-file", args=args)).status_code == 404


def test_a_test_of_a_board_names_a_ceiling_once_and_is_sorted_by_its_mean() -> None:
    test = make_protocol(CORE_V01).rules.scene("fb-c01")

    def clip(score: int, cap: str = "") -> ClipResult:
        return ClipResult(
            test, 1, "delivered", "", (), {"stimulus": "x"}, Fraction(score), Fraction(80), cap
        )

    shown = SceneResults(
        test, (clip(50, "Wrong actor"), clip(20, "No event"), clip(50, "Wrong actor"), clip(80))
    )
    assert [(reason, len(held)) for reason, held in shown.capped] == [
        ("Wrong actor", 2),
        ("No event", 1),
    ]
    assert (shown.sort_value, shown.mean_shown) == (50.0, "50.0")
