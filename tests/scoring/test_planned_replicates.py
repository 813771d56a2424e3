"""A scene counts with the mean over its planned clips; what could not be reviewed is missing.

Source of the expected numbers: the rule of the method page, “A refused, failed or lost clip earns
0 of its 2 points”, applied to each replicate and added up by hand or in fractions here.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.records import Sheets
from scoring.reports.ranking import ranking_report
from scoring.scores.standings import results_of
from tests.scoring.record_factory import SCENES, make_record

NO_EVENT = {"event": ["no"] * 4, "cause": ["na:no_event"] * 4, "detail": ["na:no_event"] * 4}
OUTCOMES = ("delivered", "refused", "failed", "lost", "not_reviewable", "not_generated")


def without(record, outcomes):
    """The round as if the clips in ``outcomes`` (by configuration, scene, replicate) had no copy to
    review.
    """
    cells = tuple(
        replace(cell, outcome=outcome, stimulus="")
        if (outcome := outcomes.get((cell.configuration, cell.scene, cell.replicate)))
        else cell
        for cell in record.cells
    )
    sheets = record.sheets
    there = np.array([bool(cells[place].stimulus) for place in sheets.cell], dtype=bool)

    def taken(values):
        return [value for value, is_there in zip(values, there, strict=True) if is_there]

    return replace(
        record,
        cells=cells,
        sheets=Sheets(
            sheets.cell[there],
            sheets.reviewer[there],
            sheets.answers[there],
            *(
                taken(getattr(sheets, name))
                for name in ("source", "measured", "locked_at", "digest")
            ),
        ),
    )


def standings_of(record):
    return {one.configuration: one for one in results_of(record).standings}


@pytest.mark.parametrize("outcome", ["refused", "failed", "lost"])
def test_refusing_every_second_clip_costs_half_of_the_points(outcome):
    record = make_record(configurations=("delivers", "refuser"), replicates=2)
    found = standings_of(without(record, {("refuser", s, 2): outcome for s in SCENES}))
    assert (found["refuser"].score, found["refuser"].scenes_all_right) == (4, 2)
    # What was delivered was all right: coverage is no quality.
    assert (found["refuser"].earned, found["refuser"].possible) == (8, 8)
    assert (found["delivers"].rank, found["refuser"].rank) == (1, 2)


def test_a_clip_that_was_not_reviewable_is_missing_and_its_configuration_unranked():
    record = make_record(configurations=("one", "other"), replicates=2)
    found = standings_of(without(record, {("other", SCENES[0], 2): "not_reviewable"}))
    assert found["other"].score == 8
    assert (found["other"].rank, found["one"].rank) == (None, 1)


def test_a_configuration_that_refuses_takes_the_rank_sets_from_no_one():
    record = make_record(configurations=("a", "b", "refuser"), replicates=2)
    outcomes = {("refuser", scene, 2): "refused" for scene in SCENES}
    report = ranking_report(results_of(without(record, outcomes)))
    assert set(report["rank_sets"]) == {"a", "b", "refuser"}
    assert report["sureness_note"] == ""


def test_releases_of_format_1_took_the_mean_over_scored_clips():
    record = make_record(configurations=("delivers", "refuser"), replicates=2)
    record = without(record, {("refuser", scene, 2): "refused" for scene in SCENES})
    found = standings_of(replace(record, format=1))
    assert (found["refuser"].score, found["refuser"].rank) == (8, 1)


@st.composite
def rounds(draw):
    """A round in which any clip may have any outcome, and any cell no event."""
    names, replicates = ("a", "b", "c", "d", "e"), draw(st.integers(1, 3))
    wrong = draw(st.sets(st.tuples(st.sampled_from(names), st.sampled_from(SCENES))))
    record = make_record(
        configurations=names, replicates=replicates, votes=dict.fromkeys(wrong, NO_EVENT)
    )
    places = [(cell.configuration, cell.scene, cell.replicate) for cell in record.cells]
    fates = draw(st.lists(st.sampled_from(OUTCOMES), min_size=len(places), max_size=len(places)))
    outcomes = {
        place: fate for place, fate in zip(places, fates, strict=True) if fate != "delivered"
    }
    return without(record, outcomes), wrong, outcomes


@settings(max_examples=40, deadline=None)
@given(rounds())
def test_a_score_is_the_sum_of_means_over_the_clips_that_count(drawn):
    record, wrong, outcomes = drawn
    for name, standing in standings_of(record).items():
        total, missing = Fraction(0), False
        for scene in SCENES:
            fates = [outcomes.get((name, scene, n)) for n in range(1, record.replicates + 1)]
            counts = [fate for fate in fates if fate in (None, "refused", "failed", "lost")]
            missing = missing or len(counts) < len(fates)
            points = 0 if (name, scene) in wrong else 2
            total += Fraction(points * counts.count(None), len(counts)) if counts else 0
        assert standing.score == total
        assert (standing.rank is None) == missing


@settings(max_examples=25, deadline=None)
@given(rounds())
def test_what_was_not_reviewable_changes_no_interval_of_others_but_by_missing(drawn):
    record, _, outcomes = drawn
    report = ranking_report(results_of(record))
    for line in report["leaderboard"]:
        interval, name = line["score_interval"], line["configuration"]
        scenes = [
            scene
            for scene in SCENES
            if any(
                outcomes.get((name, scene, n)) in (None, "refused", "failed", "lost")
                for n in range(1, record.replicates + 1)
            )
        ]
        if len(scenes) < len(SCENES):
            assert interval["low"] is None
            assert interval["note"]
        if interval["low"] is not None:
            assert interval["low"] <= interval["value"] <= interval["high"]
            assert interval["value"] == pytest.approx(float(Fraction(line["factual_score"])))


def test_clips_that_were_not_reviewable_are_no_zeros_in_the_intervals_of_others():
    """By least squares over the 17 values that there are."""
    names = ("a", "b", "c", "d", "e")
    wrong = {("a", SCENES[0]): NO_EVENT, ("b", SCENES[1]): NO_EVENT}
    record = make_record(configurations=names, votes=wrong)
    gone = {("e", scene, 1): "not_reviewable" for scene in SCENES[:3]}
    [line] = [
        one
        for one in ranking_report(results_of(without(record, gone)))["leaderboard"]
        if one["configuration"] == "c"
    ]
    table = np.full((5, 4), 2.0)
    table[0, 0] = table[1, 1] = 0
    table[4, :3] = np.nan
    rows, columns = np.nonzero(~np.isnan(table))
    design = np.zeros((rows.size, 9))
    design[np.arange(rows.size), rows] = design[np.arange(rows.size), 5 + columns] = 1
    values = table[rows, columns]
    effects, _, rank, _ = np.linalg.lstsq(design, values, rcond=None)
    freedom = rows.size - int(rank)
    variance = ((values - design @ effects) ** 2).sum() / freedom
    assert freedom == 9
    known = [row[~np.isnan(row)] for row in table]
    shares = np.array([(row.sum() + 0.5) / (2 * row.size + 1) for row in known])
    # Two points of a clip cannot vary more than twice as much as two answers.
    answers = 8 / min(2, variance / np.mean(2 * shares * (1 - shares)))
    # Wilson's lower limit of a full share, with t(.975, 9) of Student's table.
    low = 8 * answers / (answers + 2.262157**2)
    assert line["score_interval"]["low"] == pytest.approx(low, abs=1e-5)
