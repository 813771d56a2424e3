"""A closed round on the command line: its scores, its release, its export."""

import csv
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from pytest_django import DjangoDbBlocker

from fartbench.models import AuditEntry, Round
from scoring.models import Release
from tests.commands import Run
from tests.kept import kept_rows
from tests.manifests import Lab
from tests.small_lab import REVIEWERS, make_closed, small_lab

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def _rows(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    with kept_rows(django_db_blocker):
        make_closed(small_lab(tmp_path_factory.mktemp("lab")))
        yield


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_scores_of_a_round_are_those_of_its_rules(run: Run) -> None:
    document = json.loads(run("score", "--round", "r1", "--json"))
    assert document["round"] == "r1"
    assert (document["protocol"]["name"], document["protocol"]["version"]) == ("core-r01", "1.0.0")
    lines = {line["configuration"]: line for line in document["leaderboard"]}
    assert [line["configuration"] for line in document["leaderboard"]] == ["alpha", "gamma", "beta"]
    assert {name: (line["rank"], line["factual_score"]) for name, line in lines.items()} == {
        "alpha": (1, "8"), "gamma": (2, "6"), "beta": (3, "5"),
    }  # fmt: skip
    assert (lines["gamma"]["earned"], lines["gamma"]["possible"], lines["gamma"]["delivered"]) == (
        "6",
        6,
        3,
    )
    assert lines["gamma"]["scenes"]["r01-toast"] == {"status": "refused", "reason": "policy"}
    lift = lines["beta"]["scenes"]["r01-lift"]
    assert lift["status"] == "scored"
    assert lift["event"] == {"consensus": "no", "votes": {"yes": 0, "no": 4, "unclear": 0, "na": 0}}
    assert lift["cause"] == {"consensus": "na", "votes": {"yes": 0, "no": 0, "unclear": 0, "na": 4}}
    squat = lines["beta"]["scenes"]["r01-squat"]
    assert squat["cause"] == {
        "consensus": "split",
        "votes": {"yes": 2, "no": 0, "unclear": 2, "na": 0},
    }
    assert lines["beta"]["scenes_all_right"] == "2"


def test_publishing_freezes_the_scores(run: Run) -> None:
    document = json.loads(run("score", "r1", "--json"))
    assert "/rounds/r1/" in run("publish", "r1")
    release = Release.objects.get()
    assert release.scores == document
    assert not release.demonstration
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.update(scores={})


def test_the_export_names_protocol_and_digest_on_every_row_and_no_address(
    run: Run, lab: Lab
) -> None:
    out = lab.folder / "deep" / "out"
    run("export", "--round", "r1", "--out", out)
    digest = Round.objects.get(name="r1").protocol.digest
    tables = {path.name: rows_of(path) for path in out.glob("*.csv")}
    assert {name: len(rows) for name, rows in tables.items()} == {
        "answers.csv": 44 * 6, "clips.csv": 12, "configurations.csv": 3, "leaderboard.csv": 3,
    }  # fmt: skip
    assert {row["protocol_digest"] for rows in tables.values() for row in rows} == {digest}
    everything = b"".join(path.read_bytes() for path in out.iterdir())
    assert not any(address.encode() in everything for address in REVIEWERS)
    for line in (out / "SHA256SUMS").read_text().splitlines():
        wanted, name = line.split("  ")
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == wanted
    assert AuditEntry.objects.filter(action="round exported", round_name="r1").count() == 1


def test_an_export_does_not_write_over_anything(run: Run, refused: Run, lab: Lab) -> None:
    assert "not an empty folder" in refused("export", "r1", "--out", lab.folder)
    assert "not an empty folder" in refused("export", "r1", "--out", lab.manifest())


def test_a_clip_that_a_published_round_has_shown_cannot_enter_another(
    run: Run, refused: Run, lab: Lab
) -> None:
    run("publish", "r1")
    run("create_round", "r2", "--protocol", "core-r01@1.0.0")
    run("import_clips", "r2", lab.manifest())
    run("blind", "r2")
    run("set_cohort", "r2", *REVIEWERS)
    assert "the published round 'r1' has shown this clip already" in refused("open_round", "r2")


def test_cells_that_a_spreadsheet_would_run_are_guarded(run: Run, lab: Lab) -> None:
    run("create_round", "r2", "--protocol", "core-r01@1.0.0", "--scene", "r01-lift")
    lab.rows = [lab.rows[0], {"configuration": "delta", "scene": "r01-lift", "replicate": 1,
                              "outcome": "refused",
                              "reason": '=HYPERLINK("x")'}]  # fmt: skip
    run("import_clips", "r2", lab.manifest())
    run("blind", "r2")
    run("set_cohort", "r2", *REVIEWERS)
    run("open_round", "r2")
    run("close_round", "r2", "--incomplete", "--reason", "test")
    run("export", "r2", "--out", lab.folder / "out")
    rows = rows_of(lab.folder / "out" / "clips.csv")
    assert [row["reason"] for row in rows if row["configuration"] == "delta"] == [
        '\'=HYPERLINK("x")'
    ]


def test_a_round_without_all_scenes_has_no_ranks(run: Run, lab: Lab) -> None:
    run("create_round", "r2", "--protocol", "core-r01@1.0.0", "--scene", "r01-lift")
    lab.rows = lab.rows[:1]
    run("import_clips", "r2", lab.manifest())
    run("blind", "r2")
    run("set_cohort", "r2", *REVIEWERS)
    run("open_round", "r2")
    run("import_answers", "r2", lab.answer_file(lab.answers(REVIEWERS)))
    run("close_round", "r2")
    (line,) = json.loads(run("score", "r2", "--json"))["leaderboard"]
    assert (line["rank"], line["factual_score"]) == (None, "2")
