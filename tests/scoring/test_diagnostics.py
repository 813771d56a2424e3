"""Reviewer diagnostics: severities that are known, a reviewer who answers at random, and a round
read from rows.
"""

import json
from random import Random

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from scoring.diagnostics import reviewer_diagnostics
from scoring.diagnostics.document import diagnostics_document
from scoring.diagnostics.severity import correlation_with_others, severities
from scoring.records import tally
from scoring.stats.estimate import Undefined
from tests.scoring.record_factory import SCENES, make_record
from tests.scoring.rows import make_locked_round, make_open_round

NAMES = tuple(f"c{number:02}" for number in range(25))


@pytest.fixture(scope="module")
def document():
    """Reviewer R-1 rates a point lower, R-3 answers at random."""
    random = Random(7)
    votes = {}
    for name in NAMES:
        for scene in SCENES:
            quality = random.gauss(3, 1)
            seen = [quality + random.gauss(0, 0.5) - (reviewer == 1) for reviewer in range(3)]
            ratings = [str(min(5, max(1, round(value)))) for value in seen]
            votes[name, scene] = {
                "sound": [*ratings, random.choice("12345")],
                "event": ["yes", "yes", "yes", "no" if random.random() < 0.25 else "yes"],
            }
    return diagnostics_document(tally(make_record(configurations=NAMES, votes=votes)), {})


def test_a_reviewer_who_answers_at_random_is_flagged_and_nobody_else(document):
    flags = {reviewer["reviewer"]: reviewer["flags"] for reviewer in document["reviewers"]}
    assert [len(found) for found in flags.values()] == [0, 0, 0, 2]
    assert flags["R-3"][0].startswith("sound: alpha rises by ")
    assert flags["R-3"][1].startswith("sound: correlation with the others is ")


def test_a_harsh_reviewer_has_the_highest_severity_with_an_interval_above_zero(document):
    severity = [reviewer["ratings"]["sound"]["severity"] for reviewer in document["reviewers"]]
    assert max(range(4), key=lambda place: severity[place]["value"]) == 1
    assert severity[1]["low"] > 0
    assert sum(found["value"] for found in severity) == pytest.approx(0, abs=1e-8)


def test_minority_votes_are_those_of_one_against_three(document):
    last = document["reviewers"][3]
    assert (
        last["minority_votes"]["count"]
        == last["minority_votes"]["n"]
        == last["facts"]["event"]["minority_votes"]
        > 0
    )
    assert [reviewer["minority_votes"]["count"] for reviewer in document["reviewers"][:3]] == [
        0,
        0,
        0,
    ]
    agreement = last["facts"]["event"]["agreement_with_others"]
    assert (agreement["n"], agreement["value"]) == (100, 1 - last["minority_votes"]["count"] / 100)


def test_the_sensitivity_table_has_everybody_and_without_each(document):
    alpha = document["sensitivity"]["alpha"]["sound"]
    assert list(alpha) == ["everybody", "R-0", "R-1", "R-2", "R-3"]
    assert alpha["R-3"]["value"] > alpha["everybody"]["value"]
    gates = document["sensitivity"]["gates"]["event"]
    # Without the one who says no at times all three others say yes; without another, her no breaks
    # the quorum.
    assert (gates["everybody"], gates["R-3"]) == (100, 100)
    assert gates["R-0"] == 100 - document["reviewers"][3]["minority_votes"]["n"]


def test_severity_solves_additive_ratings_exactly_even_with_gaps():
    clips, reviewers = np.array([1.0, 2.0, 3.0, 4.0, 2.5, 3.5]), np.array([0.5, -0.25, -0.25])
    ratings = clips[:, None] - reviewers
    ratings[0, 0] = ratings[3, 2] = ratings[4, 1] = np.nan
    found = severities(ratings, np.arange(6))
    assert [estimate.value for estimate in found.severity] == pytest.approx(reviewers)
    assert found.sd == pytest.approx([0, 0, 0], abs=1e-12)


def test_the_severity_of_complete_ratings_is_the_difference_of_means():
    ratings = np.random.RandomState(3).randint(1, 6, size=(40, 4)).astype(float)
    found = severities(ratings, np.repeat(np.arange(10), 4))
    expected = ratings.mean() - ratings.mean(axis=0)
    assert [estimate.value for estimate in found.severity] == pytest.approx(expected)


def test_the_correlation_is_pearson_s_and_its_interval_leaves_out_configurations():
    random = np.random.RandomState(5)
    ratings = np.clip(np.round(3 + random.normal(size=(60, 1)) + random.normal(size=(60, 4))), 1, 5)
    groups = np.repeat(np.arange(15), 4)
    found = correlation_with_others(ratings, 2, groups)
    others = np.delete(ratings, 2, axis=1).mean(axis=1)
    assert found.value == pytest.approx(np.corrcoef(ratings[:, 2], others)[0, 1])
    left_out = [np.corrcoef(ratings[groups != g, 2], others[groups != g])[0, 1] for g in range(15)]
    error = np.sqrt(14 / 15 * np.sum((left_out - np.mean(left_out)) ** 2))
    assert (found.high - found.value) / error == pytest.approx(2.1447866879)


@pytest.mark.parametrize("record", [
    make_record(configurations=("only",)), make_record(locked=0), make_record(locked=1),
    make_record(locked=3),
])  # fmt: skip
def test_rounds_that_say_little_have_defined_diagnostics(record):
    document = diagnostics_document(tally(record), {})
    json.dumps(document, allow_nan=False)
    assert not any(reviewer["flags"] for reviewer in document["reviewers"])


def test_equal_ratings_have_no_correlation():
    assert correlation_with_others(np.full((30, 4), 3.0), 0, np.arange(30)) == Undefined(
        "all ratings are equal", 30
    )


@pytest.mark.django_db
class TestFromRows:
    def test_the_document_names_reviewers_by_code_and_how_they_went_about_it(self) -> None:
        round_ = make_locked_round({("alpha", "r01-lift"): {"sound": "2"}})
        document = reviewer_diagnostics(round_)
        codes = [
            member.reviewer.code
            for member in round_.members.select_related("reviewer").order_by("place")
        ]
        assert [reviewer["reviewer"] for reviewer in document["reviewers"]] == codes
        first = document["reviewers"][0]
        assert first["sheets"] == 8
        assert first["playback"] == {
            "measured": 0, "not_measured": 8, "left_as_unplayable": 0, "muted": 0, "replayed": 0,
        }  # fmt: skip
        assert first["seconds_per_clip"] == {"median": None, "n": 0}

    def test_an_open_round_is_refused(self) -> None:
        round_ = make_open_round(scenes=["r01-lift"])
        with pytest.raises(CommandError, match="“diagnose” is out of order") as caught:
            call_command("diagnose", round_.name)
        assert caught.value.returncode == 1

    def test_by_command(self, capsys: pytest.CaptureFixture[str]) -> None:
        round_ = make_locked_round(scenes=["r01-lift"])
        call_command("diagnose", round_.name)
        assert "Severity" in capsys.readouterr().out
        call_command("diagnose", round_.name, "--json")
        assert json.loads(capsys.readouterr().out)["round"] == round_.name
