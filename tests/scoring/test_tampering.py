"""Rows that are edited behind the program's back: guards refuse each edit, and where they were
lifted it is noticed.

Every edit that docs/threat-model.md speaks of is a row of a table here. What cannot be noticed is
named there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from fartbench import writeonce
from fartbench.errors import Refusal
from fartbench.models import Round
from generation.cells import note_limitation
from generation.manifest import CellKey
from judging.asking import Outcome, _store
from judging.freezing import freeze_judge
from judging.models import JudgeRun, RunState
from judging.working import chosen_models
from operations.backup import verifying
from review.models import PairTask
from review.pairs.entering import VoteEntry, enter_votes
from rounds import opening as rounds
from scoring.models import Release
from tests.factories import stored_copy
from tests.kept import kept
from tests.pairs import open_pair_round
from tests.scoring.rows import make_published_round

RIGHT = {
    "event": "yes",
    "cause": "yes",
    "detail": "yes",
    "sound": "4",
    "timing": "4",
    "people": "4",
}


Act = Callable[[Round], None]


def make_closed(before_opening: Act = lambda _: None, while_open: Act = lambda _: None) -> str:
    """A closed round with locked sheets, votes, an answer of a judge, and a note about a cell."""
    round_ = open_pair_round(
        configurations=("alpha", "beta", "gamma"),
        scenes=("r01-lift", "r01-squat"),
        before_opening=before_opening,
    )
    enter_votes(
        round=round_,
        entries=[VoteEntry(task.member.reviewer, task.pair_id,
                           "a") for task in PairTask.objects.filter(
            pair__round=round_).select_related("member__reviewer")],
        source="simulated",
    )  # fmt: skip
    (model,) = chosen_models(round_, ["gemini-3.8-flash"], [])
    freeze_judge(round_=round_, model=model, actor="test")
    JudgeRun.objects.update(state=RunState.ASKING)
    for run in JudgeRun.objects.select_related("judge__round"):
        _store(run, RunState.ANSWERED, Outcome(RunState.ANSWERED, "answered", answers=RIGHT))
    note_limitation(
        round_=round_, cell=CellKey("beta", "r01-lift", 1), note="a safety system", actor="test"
    )
    while_open(round_)
    rounds.close_round(round_=Round.objects.get(pk=round_.pk), actor="test")
    return round_.name


def make_rows() -> dict[str, str]:
    return {"closed": make_closed(), "published": make_published_round(
        scenes=["r01-lift"], configurations=("alpha", "beta"),
        name="shown").round.name}  # fmt: skip


names = kept(make_rows)
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """These rows have no raw clips behind them; files are tests/operations/test_backup.py's."""
    monkeypatch.setattr(verifying, "_content_faults", lambda _: iter(()))


def swapped(table: str, column: str, one: str, other: str, free: str) -> tuple[str, ...]:
    """Return statements that swap a column of two rows; ``free`` is a value that no row has
    meanwhile.
    """
    first, second = (
        f"(SELECT {column} FROM kept_values WHERE which = {name})" for name in ("'one'", "'other'")
    )
    return (
        "CREATE TEMPORARY TABLE kept_values AS "
        f"SELECT 'one' AS which, {column} FROM {table} WHERE {one} "
        f"UNION ALL SELECT 'other' AS which, {column} FROM {table} WHERE {other}",
        "CREATE TEMPORARY TABLE kept_rows AS "
        f"SELECT 'one' AS which, id FROM {table} "
        f"WHERE {one} UNION ALL SELECT 'other' AS which, id FROM {table} WHERE {other}",
        f"UPDATE {table} SET {column} = {free} WHERE id = (SELECT id FROM kept_rows WHERE which = "
        "'one')",
        f"UPDATE {table} SET {column} = {first} WHERE id = (SELECT id FROM kept_rows WHERE which = "
        "'other')",
        f"UPDATE {table} SET {column} = {second} WHERE id = (SELECT id FROM kept_rows WHERE which "
        "= 'one')",
        "DROP TABLE kept_values",
        "DROP TABLE kept_rows",
    )


ROUND = "(SELECT id FROM fartbench_round WHERE name = '{closed}')"
CELL = (
    "(SELECT c.id FROM generation_cell c JOIN generation_configuration k ON k.id = "
    "c.configuration_id "
    f"WHERE c.round_id = {ROUND} AND k.name = '{{name}}' AND c.scene = 'r01-lift')"
)


def cell(name: str) -> str:
    return CELL.replace("{name}", name)


def sample(name: str) -> str:
    return f"(SELECT id FROM generation_sample WHERE cell_id = {cell(name)})"


STIMULI = f"(SELECT id FROM blinding_stimulus WHERE round_id = {ROUND})"
SHEET = f"(SELECT MIN(id) FROM review_answersheet WHERE stimulus_id IN {STIMULI})"
VOTE = f"""(SELECT MIN(v.id) FROM review_vote v JOIN review_pairtask t ON t.id = v.task_id
  JOIN review_pair p ON p.id = t.pair_id WHERE p.round_id = {ROUND})"""
RUN = (
    "(SELECT MIN(r.id) FROM judging_judgerun r JOIN judging_judge j ON j.id = r.judge_id WHERE "
    f"j.round_id = {ROUND})"
)
MEMBER = f"(SELECT MIN(id) FROM review_cohortmember WHERE round_id = {ROUND})"
LATER = "'2031-02-03 04:05:06+00:00'"
CONFIGURATION = "generation_configuration"
NAMED = "(SELECT id FROM generation_configuration WHERE name = '{}')"
FIRST = f"(SELECT MIN(id) FROM blinding_stimulus WHERE round_id = {ROUND})"
KEY = f"""(SELECT b.id FROM blinding_blindingkey b JOIN blinding_stimulus s ON s.id = b.stimulus_id
  WHERE s.round_id = {ROUND} AND b.sample_id = {{sample}})"""

EDITS: dict[str, tuple[str, ...]] = {
    # whose clip is whose
    "names of two configurations are swapped": swapped(CONFIGURATION, "name", "name = 'alpha'",
                                                       "name = 'beta'", "'x'"),
    "tracks change": (f"UPDATE {CONFIGURATION} SET track = 'legacy' WHERE name = 'alpha'",),
    "a label changes": (f"UPDATE {CONFIGURATION} SET label = 'best' WHERE name = 'alpha'",),
    "a provider changes": (f"UPDATE {CONFIGURATION} SET provider = 'kling' WHERE name = 'alpha'",),
    "a model changes": (f"UPDATE {CONFIGURATION} SET model_id = 'x' WHERE name = 'alpha'",),
    "parameters change": (f"UPDATE {CONFIGURATION} SET parameters = '{{{{\"a\": 1}}}}' WHERE name "
                          "= 'alpha'",),
    "cells of two configurations are swapped": (
        f"UPDATE generation_cell SET scene = 'x' WHERE id = {cell('alpha')}",
        f"UPDATE generation_cell SET configuration_id = {NAMED.format('alpha')} WHERE id = "
        f"{cell('beta')}",
        f"UPDATE generation_cell SET configuration_id = {NAMED.format('beta')}, scene = 'r01-lift' "
        "WHERE scene = 'x'",
    ),
    "a cell gets another scene": ("UPDATE generation_cell SET scene = 'r01-chair' WHERE id = "
                                  f"{cell('alpha')}",),
    "keys of two configurations are swapped": swapped(
        "blinding_blindingkey", "sample_id", f"id = {KEY.replace('{sample}', sample('alpha'))}",
        f"id = {KEY.replace('{sample}', sample('beta'))}", sample("alpha"),
    ),
    "an outcome changes": (
        "UPDATE generation_sample SET state = 'failed', reason = 'x', clip_id = NULL WHERE id = "
        f"{sample('alpha')}",
    ),
    "raw clips are swapped": swapped(
        "generation_sample", "clip_id", f"id = {sample('alpha')}", f"id = {sample('beta')}",
        f"(SELECT clip_id FROM generation_sample WHERE id = {sample('gamma')})",
    ),
    "a raw clip is another file": (
        f"UPDATE generation_clip SET sha256 = '{'e' * 64}' "
        f"WHERE id = (SELECT clip_id FROM generation_sample WHERE id = {sample('alpha')})",
    ),
    "a cost changes": (
        "UPDATE generation_sample SET cost_usd = 9, cost_basis = 'reported' WHERE id = "
        f"{sample('alpha')}",
    ),
    "a model version changes": ("UPDATE generation_sample SET model_version = 'v9' WHERE id = "
                                f"{sample('alpha')}",),
    "a blind copy is another file": (
        f"UPDATE blinding_stimulus SET sha256 = '{{other}}' WHERE id = {FIRST}",
    ),
    "what is said of a clip changes": (
        f"UPDATE blinding_stimulus SET context = '{{{{\"target\": \"x\"}}}}' WHERE id = {FIRST}",
    ),
    "a clip is left out": (
        "INSERT INTO blinding_notreviewable (sample_id, reason, declared_at) VALUES "
        f"({sample('alpha')}, 'x', {LATER})",
        f"DELETE FROM blinding_blindingkey WHERE id = {KEY.replace('{sample}', sample('alpha'))}",
    ),
    "a clip is retired": (
        "INSERT INTO review_retirement (stimulus_id, outcome, reason, retired_at) "
        f"SELECT MIN(id), 'not_reviewable', 'x', {LATER} FROM blinding_stimulus WHERE round_id = "
        f"{ROUND}",
    ),
    # who answers
    "a reviewer is replaced": (
        f"UPDATE review_cohortmember SET role = 'replaced', left_at = {LATER} WHERE id = {MEMBER}",
    ),
    "a reviewer becomes secondary": ("UPDATE review_cohortmember SET role = 'secondary' WHERE id "
                                     f"= {MEMBER}",),
    "a reviewer's code changes": (
        f"UPDATE review_reviewer SET code = 'R-XXXXX' "
        f"WHERE id = (SELECT reviewer_id FROM review_cohortmember WHERE id = {MEMBER})",
    ),
    "two orders are swapped": swapped(
        "review_assignment", "position", f"member_id = {MEMBER} AND position = 1",
        f"member_id = {MEMBER} AND position = 2", "999",
    ),
    # the round
    "its seed changes": (f"UPDATE fartbench_round SET seed = 'x' WHERE id = {ROUND}",),
    "its secret changes": (f"UPDATE fartbench_round SET secret = '{'c' * 64}' WHERE id = {ROUND}",),
    "its secret goes": (f"UPDATE fartbench_round SET secret = '' WHERE id = {ROUND}",),
    "its secret and the commitment change": (
        f"UPDATE fartbench_round SET secret = '{'c' * 64}', secret_sha256 = '{'d' * 64}' WHERE id "
        f"= {ROUND}",
    ),
    "it was opened at another time": (f"UPDATE fartbench_round SET opened_at = {LATER} WHERE id = "
                                      f"{ROUND}",),
    "it was closed at another time": (f"UPDATE fartbench_round SET closed_at = {LATER} WHERE id = "
                                      f"{ROUND}",),
    "it is open again": (f"UPDATE fartbench_round SET state = 'reviewing' WHERE id = {ROUND}",),
    "it was never closed": ("UPDATE fartbench_round SET state = 'reviewing', closed_at = NULL "
                            f"WHERE id = {ROUND}",),
    "it was closed incomplete": ("UPDATE fartbench_round SET incomplete_reason = 'x' WHERE id = "
                                 f"{ROUND}",),
    "it was normalised": ("UPDATE fartbench_round SET normalised_because = 'x' WHERE id = "
                          f"{ROUND}",),
    "it has other replicates": (f"UPDATE fartbench_round SET replicates = 2 WHERE id = {ROUND}",),
    "its protocol says nothing": (
        "UPDATE fartbench_protocolversion SET content = '{{}}' WHERE id = "
        f"(SELECT protocol_id FROM fartbench_round WHERE id = {ROUND})",
    ),
    "its protocol says something else": (
        "UPDATE fartbench_protocolversion SET content = '{protocol}' WHERE id = "
        f"(SELECT protocol_id FROM fartbench_round WHERE id = {ROUND})",
    ),
    # answers
    "an answer changes": (f"UPDATE review_answer SET value = 'no' WHERE sheet_id = {SHEET} AND "
                          "question = 'event'",),
    "an answer goes": (f"DELETE FROM review_answer WHERE sheet_id = {SHEET} AND question = "
                       "'event'",),
    "playback changes": (f"UPDATE review_answersheet SET playback = '{{{{\"plays\": 9}}}}' WHERE "
                         f"id = {SHEET}",),
    "a lock was later": (f"UPDATE review_answersheet SET locked_at = {LATER} WHERE id = {SHEET}",),
    "a sheet was begun later": (f"UPDATE review_answersheet SET started_at = {LATER} WHERE id = "
                                f"{SHEET}",),
    "a sheet came from elsewhere": ("UPDATE review_answersheet SET source = 'imported' WHERE id = "
                                    f"{SHEET}",),
    "a sheet has another digest": (f"UPDATE review_answersheet SET digest = '{'f' * 64}' WHERE id "
                                   f"= {SHEET}",),
    "a sheet is not locked any more": (
        f"UPDATE review_answersheet SET locked_at = NULL, digest = '' WHERE id = {SHEET}",
    ),
    "a sheet goes": (
        f"DELETE FROM review_answer WHERE sheet_id = {SHEET}",
        f"DELETE FROM review_answersheet WHERE id = {SHEET}",
    ),
    "a vote changes": (f"UPDATE review_vote SET answer = 'b' WHERE id = {VOTE}",),
    "a vote was begun later": (f"UPDATE review_vote SET started_at = {LATER} WHERE id = {VOTE}",),
    "a vote goes": (f"DELETE FROM review_vote WHERE id = {VOTE}",),
    "sides of a pair are swapped": (
        f"UPDATE review_pairtask SET swapped = NOT swapped "
        f"WHERE id = (SELECT task_id FROM review_vote WHERE id = {VOTE})",
    ),
    "what a judge said changes": (
        f"UPDATE judging_judgerun SET answers = '{{{{\"event\": \"no\"}}}}' WHERE id = {RUN}",
    ),
    "what a judge cost changes": (f"UPDATE judging_judgerun SET cost_usd = 9 WHERE id = {RUN}",),
    "a judge's run goes": (f"DELETE FROM judging_judgerun WHERE id = {RUN}",),
    "a judge's run was never answered": (
        f"UPDATE judging_judgerun SET state = 'error', answers = NULL WHERE id = {RUN}",
    ),
    "a judge was frozen as something else": (
        f"UPDATE judging_judge SET content = '{{{{}}}}' WHERE round_id = {ROUND}",
    ),
    # the trail
    "an entry changes": ("UPDATE fartbench_auditentry SET actor = 'x' WHERE sequence = 2",),
    "an entry goes": ("DELETE FROM fartbench_auditentry WHERE sequence = 2",),
    "the newest entry goes": (
        "DELETE FROM fartbench_auditentry WHERE sequence = (SELECT MAX(sequence) FROM "
        "fartbench_auditentry)",
    ),
    "the head goes": ("DELETE FROM fartbench_audithead",),
    "the head is another": (f"UPDATE fartbench_audithead SET hash = '{'b' * 64}'",),
    "entries are swapped": (
        "UPDATE fartbench_auditentry SET sequence = 1000000 WHERE sequence = 2",
        "UPDATE fartbench_auditentry SET sequence = 2 WHERE sequence = 3",
        "UPDATE fartbench_auditentry SET sequence = 3 WHERE sequence = 1000000",
    ),
}  # fmt: skip

# No guard: this note may be changed until a round is published. The trail says by whom, and so it
# is noticed.
UNGUARDED = {
    "a note about a cell changes": (
        f"UPDATE generation_cell SET limitation = 'x' WHERE id = {cell('beta')}",
    ),
    "a note about a cell goes": (
        f"UPDATE generation_cell SET limitation = '' WHERE id = {cell('beta')}",
    ),
}

ADDED = {
    "pages show what was not published": (
        "INSERT INTO scoring_releasedocument (release_id, name, content) SELECT r.id, 'x', '{{}}' "
        "FROM scoring_release r JOIN fartbench_round f ON f.id = r.round_id WHERE f.name = "
        "'{published}'",
    ),
    "a release is added": (
        "INSERT INTO scoring_release (round_id, number, created_at, scores, digest, manifest, "
        "demonstration, correction_reason) SELECT id, 7, opened_at, '{{}}', '', '{{}}', FALSE, '' "
        "FROM fartbench_round WHERE name = '{closed}'",
    ),
    "a note is added to a cell of a release": (
        "UPDATE generation_cell SET limitation = 'x' WHERE round_id = "
        "(SELECT id FROM fartbench_round WHERE name = '{published}')",
    ),
}
RELEASE = (
    "(SELECT r.id FROM scoring_release r JOIN fartbench_round f ON f.id = r.round_id WHERE f.name "
    "= '{published}')"
)
PUBLISHED = {
    "what a page shows changes": (
        f"UPDATE scoring_releasedocument SET content = '{{{{}}}}' "
        f"WHERE release_id = {RELEASE} AND name = 'leaderboard'",
    ),
    "what a page shows goes": (
        f"DELETE FROM scoring_releasedocument WHERE release_id = {RELEASE} AND name = "
        "'leaderboard'",
    ),
    "scores change": (f"UPDATE scoring_release SET scores = '{{{{}}}}' WHERE id = {RELEASE}",),
    "the manifest changes": (f"UPDATE scoring_release SET manifest = '{{manifest}}' WHERE id = "
                             f"{RELEASE}",),
    "the digest changes": (f"UPDATE scoring_release SET digest = '{'a' * 64}' WHERE id = "
                           f"{RELEASE}",),
    "it is a demonstration": ("UPDATE scoring_release SET demonstration = NOT demonstration WHERE "
                              f"id = {RELEASE}",),
    "its number changes": (f"UPDATE scoring_release SET number = 7 WHERE id = {RELEASE}",),
    "it was made at another time": (f"UPDATE scoring_release SET created_at = {LATER} WHERE id = "
                                    f"{RELEASE}",),
    "it goes": (
        f"DELETE FROM scoring_releasedocument WHERE release_id = {RELEASE}",
        f"DELETE FROM scoring_release WHERE id = {RELEASE}",
    ),
    "it was published at another time": (
        "UPDATE fartbench_round SET published_at = {later} WHERE name = '{published}'",
    ),
    "it was never published": (
        "UPDATE fartbench_round SET published_at = NULL, state = 'locked' WHERE name = "
        "'{published}'",
    ),
}  # fmt: skip


def statements(edit: tuple[str, ...], rows: dict[str, str]) -> Iterator[str]:
    release = Release.objects.get(round__name=rows["published"])
    other, _ = stored_copy(b"another copy")
    protocol = Round.objects.get(name=rows["closed"]).protocol.content | {"title": "Another"}
    for text in edit:
        yield text.format(
            **rows, other=other, later=LATER, protocol=as_json(protocol),
            manifest=as_json(release.manifest | {"program": {}}),
        )  # fmt: skip


def as_json(content: Any) -> str:
    return json.dumps(content).replace("'", "''")


def execute(edit: tuple[str, ...], rows: dict[str, str]) -> None:
    for statement in statements(edit, rows):
        with connection.cursor() as cursor:
            cursor.execute(statement)


def lifted(edit: tuple[str, ...], rows: dict[str, str]) -> None:
    """Make an edit as somebody does who rules the database, and put the guards back."""
    connection.check_constraints()
    writeonce.uninstall()
    execute(edit, rows)
    connection.check_constraints()
    writeonce.install()


def noticed() -> list[str]:
    """Return what “verify_data”, and with it “verify_audit”, says."""
    return list(verifying.data_faults())


def test_untouched_rows_are_called_whole(names: dict[str, str]) -> None:
    assert noticed() == []
    release = rounds.publish(round_=Round.objects.get(name=names["closed"]), actor="test")
    assert noticed() == []
    assert release.number == 1


@pytest.mark.parametrize("edit", [*EDITS, *PUBLISHED, *ADDED])
def test_the_database_itself_refuses_it(edit: str, names: dict[str, str]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        execute((EDITS | PUBLISHED | ADDED)[edit], names)


@pytest.mark.parametrize("edit", [*EDITS, *UNGUARDED])
def test_where_the_guards_were_lifted_it_is_noticed_and_not_published(
    edit: str, names: dict[str, str]
) -> None:
    lifted((EDITS | UNGUARDED)[edit], names)
    assert noticed() != []
    with pytest.raises((Refusal, Round.DoesNotExist)):
        rounds.publish(
            round_=Round.objects.select_related("protocol").get(name=names["closed"]), actor="test"
        )


@pytest.mark.parametrize("edit", [*PUBLISHED, *ADDED])
def test_a_published_page_that_was_changed_is_noticed(edit: str, names: dict[str, str]) -> None:
    lifted((PUBLISHED | ADDED)[edit], names)
    assert noticed() != []
