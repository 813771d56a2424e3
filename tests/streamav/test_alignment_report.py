"""Human alignment of a round of rollouts: from votes on blind pairs of windows to the table in the
release.
"""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.template.loader import render_to_string
from scipy.stats import spearmanr

from review.pairs.meetings import Contender, plan_meetings
from scoring.records import RoundRecord
from scoring.records.votes import PairVote
from scoring.release.contents import write_release
from scoring.release.kinds import documents_of
from scoring.release.loading import load_record, read_manifest
from scoring.release.manifest import Issue
from scoring.release.verifying import verify_release
from tests.streamav.rollout_record import make_round, streamav
from tests.streamav.scripts import drawn
from web.pages.alignment import alignment_lines, sources_of

ISSUE = Issue(
    1,
    "http://example.org/rounds/rollouts/",
    demonstration=True,
    audit={"sequence": 1, "hash": "0" * 64},
)
QUALITY = {"north": 1.6, "east": 2.4, "south": 3.4, "west": 4.4}
SCENARIOS = ("cave-survey-p", "cave-survey-i", "frog-pond-p", "frog-pond-i")
QUESTIONS = {question.key: question for question in streamav().protocol.pairs.questions}


def windows_asked(record: RoundRecord, key: str, place: str) -> dict[str, str]:
    """Return the windows that one question about pairs can be asked about: by stimulus, the
    configuration.
    """
    form = QUESTIONS[key].form
    return {
        window.stimulus: record.cells[window.cell].configuration
        for window in record.windows
        if window.form.partition(".")[0] == form
        and window.place == place
        and window.end_s in (30.0, 60.0, 180.0)
    }


def voted(record: RoundRecord, key: str, place: str, *, wrong: float = 0.0) -> tuple[PairVote, ...]:
    """Let three people vote on 24 pairs as the systems' qualities say, the sides turned for the
    second of them.
    """
    whose = windows_asked(record, key, place)
    clips = [Contender(name, system, record.cell_of[name].scene) for name, system in whose.items()]
    random, votes = np.random.default_rng(5), []
    for number, (one, other) in enumerate(plan_meetings(clips, meetings=2, seed=key)[:24]):
        for reviewer in range(3):
            a, b = (other, one) if reviewer == 1 else (one, other)
            gap = QUALITY[whose[a]] - QUALITY[whose[b]] + random.normal(0, wrong)
            answer = "tie" if abs(gap) < 0.1 else "a" if gap > 0 else "b"
            scene = record.cell_of[a].scene
            votes.append(PairVote(f"{key}-{number}", key, scene, a, b, f"R-{reviewer}", answer,
                                  "simulated",
                                  False, "2026-01-15T12:00:00Z", f"{len(votes):064x}"))  # fmt: skip
    return tuple(votes)


@pytest.fixture(scope="module")
def record() -> RoundRecord:
    def script(name: str, scene: str, window: Any, reviewer: int) -> dict[str, str]:
        return drawn(name, scene, window, reviewer, quality=QUALITY[name])

    made = make_round(script, configurations=tuple(QUALITY), scenarios=SCENARIOS, reviewers=3)
    return replace(made, pair_votes=voted(made, "vq", "2") + voted(made, "pvrl", "P1", wrong=2.0))


@pytest.fixture(scope="module")
def report(record: RoundRecord) -> dict[str, Any]:
    return documents_of(record).reports["reports"]["alignment"]


def of_question(report: dict[str, Any], key: str) -> dict[str, Any]:
    return next(one for one in report["questions"] if one["question"] == key)


def test_every_question_stands_with_its_metric_beside_the_published_range(
    report: dict[str, Any],
) -> None:
    """arXiv:2608.26336v1, §E: 17 metrics, Spearman from 0.77 to 0.94."""
    assert len(report["questions"]) == report["published"]["metrics"] == 17
    assert (report["published"]["lowest"], report["published"]["highest"]) == (0.77, 0.94)
    assert {one["metric"] for one in report["questions"]} == {
        one.metric for one in QUESTIONS.values()
    }
    empty = of_question(report, "hdf")
    assert (empty["pairs"], empty["readings"]["people"]["note"]) == (0, "no pair was voted on")


def test_people_who_see_what_the_metric_measures_agree_with_it(
    report: dict[str, Any], record: RoundRecord
) -> None:
    found = of_question(report, "vq")
    assert (found["metric"], found["pairs"], found["votes"], found["annotators"]) == (
        "VQ",
        24,
        72,
        3,
    )
    order = sorted(QUALITY, key=QUALITY.__getitem__)
    rates = [found["systems"][name]["win_rate"]["value"] for name in order]
    assert rates == sorted(rates)
    assert (rates[0], rates[-1], found["ceiling"]["value"]) == (0, 1, 1)
    assert {one["win_rate"]["n"] for one in found["systems"].values()} == {12}
    assert found["readings"]["people"]["value"] == pytest.approx(1)
    assert found["readings"]["people"]["n"] == 4


def test_a_metric_where_lower_is_better_is_turned_round_and_correlated_by_hand(
    report: dict[str, Any], record: RoundRecord
) -> None:
    found = of_question(report, "pvrl")
    columns = documents_of(record).scores["readings"][0]["systems"]
    score = {one["configuration"]: one["columns"]["180"]["all"]["PVRL"]["value"] for one in columns}
    won: dict[str, list[float]] = {name: [] for name in QUALITY}
    by_pair: dict[str, list[PairVote]] = {}
    for vote in record.pair_votes:
        if vote.question == "pvrl":
            by_pair.setdefault(vote.pair, []).append(vote)
    for votes in by_pair.values():
        winners = ["" if v.answer == "tie" else record.cell_of[v.a if v.answer == "a" else v.b].configuration
                   for v in votes]  # fmt: skip
        most = max(set(winners), key=winners.count)
        decided = most if winners.count(most) >= 2 else ""
        for name in {
            record.cell_of[votes[0].a].configuration,
            record.cell_of[votes[0].b].configuration,
        }:
            won[name].append(0.5 if not decided else float(name == decided))
    rates = {name: float(np.mean(values)) for name, values in won.items()}
    shown = {name: one["win_rate"]["value"] for name, one in found["systems"].items()}
    assert shown == pytest.approx(rates)
    names = sorted(rates)
    by_hand = spearmanr([rates[name] for name in names], [-score[name] for name in names]).statistic
    assert found["readings"]["people"]["value"] == pytest.approx(by_hand)


def test_votes_on_windows_come_back_from_the_release(record: RoundRecord, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    write_release(folder, documents_of(record), streamav().content, ISSUE)
    loaded, _ = load_record(folder, read_manifest(folder))
    assert loaded.pair_votes == record.pair_votes
    assert verify_release(folder) is not None
    assert (
        documents_of(loaded).reports["reports"]["alignment"]
        == documents_of(record).reports["reports"]["alignment"]
    )


def test_the_table_of_the_release_says_the_same(
    record: RoundRecord, report: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    write_release(folder, documents_of(record), streamav().content, ISSUE)
    rows = {
        row["metric"]: row
        for row in csv.DictReader((folder / "alignment.csv").read_text().splitlines())
    }
    assert len(rows) == 17
    found = of_question(report, "pvrl")
    assert float(rows["PVRL"]["value"]) == found["readings"]["people"]["value"]
    assert (rows["PVRL"]["pairs"], rows["PVRL"]["annotators"]) == ("24", "3")
    assert (rows["VQ"]["ceiling"], rows["VQ"]["published_highest"]) == ("1.0", "0.94")
    assert (rows["HDF"]["value"], rows["HDF"]["method"]) == ("", "no pair was voted on")


def test_the_page_shows_interval_ceiling_and_the_published_range_as_such(
    report: dict[str, Any],
) -> None:
    context = {
        "round": {"name": "rollouts"},
        "rules": streamav().protocol,
        "release": {"number": 1},
        "lines": alignment_lines(report),
        "sources": sources_of(report),
        "published": report["published"],
    }
    page = re.sub(r"\s+", " ", render_to_string("scoring/alignment.html", context))
    assert "Published reference, not measured here: from 0.77 to 0.94 over 17 metrics" in page
    assert "Spearman's ρ with the scores of people" in page
    assert "Which picture is of better quality?" in page
    assert re.search(
        r'<th scope="row"><a href="[^"]*">west</a></th><td><span class="figure"><b>1.00</b> '
        r'<span class="figure__reach" title="95% interval: Wilson[^"]*">0.\d\d to 1.00</span> '
        r'<span class="figure__n">n = 12</span></span></td>',
        page,
    )
    (vq,) = (line for line in alignment_lines(report) if line.metric == "VQ")
    assert [name for name, _ in vq.systems] == ["west", "south", "east", "north"]
    assert vq.ceiling.value == "1.00"
