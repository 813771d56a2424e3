"""Battles collected elsewhere: each a vote on a planned pair, through the very checks of the page,
all or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from blinding.models import BlindingKey
from fartbench import audit
from fartbench.models import Round, RoundState
from fartbench.protocol import Pairs
from fartbench.rounds import refuse_unless
from fartbench.storage import file_sha256
from fartbench.tables import row_number
from review.models import PairTask, Reviewer, Source
from review.pairs.entering import VoteEntry, enter_votes, vote_faults
from review.pairs.selectors import live_tasks, pair_rules
from rounds.errors import AnswersRefused
from scoring.formats.fastchat import BattleRow, read_battles

Cell = tuple[str, int]  # configuration, replicate


@dataclass(frozen=True)
class _Index:
    """What the rows of a file may name."""

    rules: Pairs
    reviewers: Mapping[str, Reviewer]
    tasks: Mapping[tuple[int, str], PairTask]
    cells: Mapping[str, Cell]

    def pairs(self, row: BattleRow) -> list[PairTask]:
        """Return the pairs that a row may be about, a task of each: by id, else by scene and
        clips.
        """
        wanted = {(row.model_a, row.replicate_a), (row.model_b, row.replicate_b)}
        scene = row.scene or row.question_id
        question = row.question or (
            self.rules.questions[0].key if len(self.rules.questions) == 1 else ""
        )
        found = {}
        for (_, pair), task in self.tasks.items():
            is_named = pair == row.question_id
            cells = {self.cells[task.pair.first_id], self.cells[task.pair.second_id]}
            if is_named or (
                cells == wanted and (task.pair.scene, task.pair.question) == (scene, question)
            ):
                found[pair] = task
        return list(found.values())


def import_battles(*, round_: Round, path: Path, actor: str) -> int:
    """Enter a locked vote for each battle of ``path`` and return how many.

    A row names its judge by a reviewer's code or address, and its pair by ``question_id``, or by
    scene (``scene``, or ``question_id``), configurations and replicates. Raises NoPairs, and
    AnswersRefused naming every fault by row and field: nobody is entered for a pair that is not
    planned, or that the judge is not asked about.
    """
    refuse_unless(round_, "import_battles", RoundState.REVIEWING)
    rules, rows = pair_rules(round_), read_battles(path)
    with transaction.atomic():
        index = _index(round_, rules)
        faults: list[str] = []
        entries = [entry for row in rows if (entry := _entry(row, index, faults))]
        faults += vote_faults(round_, entries)
        if faults:
            raise AnswersRefused(str(path), sorted(faults, key=row_number))
        enter_votes(round=round_, entries=entries, source=Source.IMPORTED)
        audit.record(
            "battles imported",
            actor=actor,
            round_name=round_.name,
            votes=len(entries),
            file=file_sha256(path),
        )
    return len(entries)


def _entry(row: BattleRow, index: _Index, faults: list[str]) -> VoteEntry | None:
    reviewer = index.reviewers.get(row.judge.lower())
    if reviewer is None:
        faults.append(row.fault("judge", f"{row.judge!r} is not in the cohort of this round"))
        return None
    found = index.pairs(row)
    if len(found) != 1:
        what = (
            "several pairs are planned; name one by question_id"
            if found
            else "no such pair is planned"
        )
        faults.append(
            row.fault(
                "question_id",
                f"{row.model_a} and {row.model_b} in {row.scene or row.question_id!r}: {what}",
            )
        )
        return None
    task = index.tasks.get((reviewer.pk, found[0].pair_id))
    if task is None:
        faults.append(row.fault("judge", f"{row.judge} is not asked about this pair"))
        return None
    return _oriented(row, task, reviewer, index, faults)


def _oriented(
    row: BattleRow, task: PairTask, reviewer: Reviewer, index: _Index, faults: list[str]
) -> VoteEntry | None:
    """Return the vote in terms of what this reviewer has as A and B, whichever way round the file
    has them.
    """
    on_a, on_b = index.cells[task.clip_a.pk][0], index.cells[task.clip_b.pk][0]
    if {on_a, on_b} != {row.model_a, row.model_b}:
        faults.append(
            row.fault("model_a", f"pair {task.pair_id} is not of {row.model_a} and {row.model_b}")
        )
        return None
    outcome = row.outcome
    if on_a != row.model_a:
        outcome = {"a": "b", "b": "a"}.get(outcome, outcome)
    answer = index.rules.answer(task.pair.question, outcome)
    if answer is None:
        faults.append(
            row.fault("winner", f"the protocol has no answer for {outcome.replace('_', ' ')}")
        )
        return None
    return VoteEntry(reviewer, task.pair_id, answer, label=f"row {row.number}", at=row.at)


def _index(round_: Round, rules: Pairs) -> _Index:
    tasks = live_tasks(round_).select_related("pair__first", "pair__second", "member__reviewer")
    keys = BlindingKey.objects.filter(stimulus__round=round_).values_list(
        "stimulus_id", "sample__cell__configuration__name", "sample__cell__replicate"
    )
    members = round_.members.select_related("reviewer")
    return _Index(
        rules=rules,
        reviewers={
            key.lower(): m.reviewer for m in members for key in (m.reviewer.email, m.reviewer.code)
        },
        tasks={(task.member.reviewer_id, task.pair_id): task for task in tasks},
        cells={stimulus: (name, replicate) for stimulus, name, replicate in keys},
    )
