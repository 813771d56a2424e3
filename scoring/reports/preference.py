"""What blind pairs say of the configurations: FartElo, wins, ties, and how even the sides were. No
Django here.

It is shown beside every score and is in none. Only the primary cohort counts. “Both bad” is half a
win for each, as a tie is, and is counted apart too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fartbench.protocol import Pairs
from scoring.records import RoundRecord
from scoring.report_classes.base import ReportedEstimate
from scoring.report_classes.pairs import EloLine, EloTable, Meeting, PairQuestion, PreferenceReport
from scoring.reports.shape import reported, rounded
from scoring.stats.estimate import Estimate
from scoring.stats.intervals import clustered_wilson
from scoring.stats.preference import Battles, Group, rate, win_chance

RESULTS = {"a": 1.0, "b": 0.0, "tie": 0.5, "both_bad": 0.5}


@dataclass(frozen=True, slots=True)
class Battle:
    """A vote that counts: the configurations on the left and right, and the outcome (a, b, tie,
    both_bad).
    """

    a: str
    b: str
    outcome: str
    pair: str
    scene: str
    reviewer: str


def battles_of(record: RoundRecord, question: str) -> list[Battle]:
    """Return the primary cohort's votes on one question, with the configurations behind the
    clips.
    """
    pairs, primary = record.protocol.pairs, set(record.primary)
    if pairs is None:
        return []
    return [
        Battle(
            record.cell_of[vote.a].configuration, record.cell_of[vote.b].configuration,
            pairs.outcome(question, vote.answer), vote.pair, vote.scene, vote.reviewer,
        )
        for vote in record.pair_votes
        if vote.question == question and vote.reviewer in primary
    ]  # fmt: skip


def preference_report(record: RoundRecord) -> PreferenceReport:
    """Return the report on every question about pairs, by key; empty for a protocol without
    pairs.
    """
    pairs = record.protocol.pairs
    if pairs is None:
        return PreferenceReport(questions={})
    names = sorted({cell.configuration for cell in record.cells if cell.stimulus})
    return PreferenceReport(
        questions={
            question.key: _question(pairs, question.key, battles_of(record, question.key), names)
            for question in pairs.questions
        }
    )


def _question(
    pairs: Pairs, key: str, found: Sequence[Battle], names: Sequence[str]
) -> PairQuestion:
    question = pairs.question(key)
    groups = rate(_columns(found, names)) if found else []
    compared = [group for group in groups if group.battles]
    compared_names = {names[item] for group in compared for item in group.items}
    pairs_voted, voters = {battle.pair for battle in found}, {battle.reviewer for battle in found}
    has_both_bad = pairs.answer(key, "both_bad")
    return PairQuestion(
        label=question.label,
        wording=question.wording,
        votes=len(found),
        pairs=len(pairs_voted),
        reviewers=len(voters),
        tie_rate=_share(found, {"tie", "both_bad"}),
        both_bad_rate=_share(found, {"both_bad"}) if has_both_bad else None,
        left_rate=_left_share(found),
        groups=[_group(group, names, found) for group in compared],
        not_compared=sorted(set(names) - compared_names),
        matrix=_matrix(found, compared, names),
    )


def _columns(found: Sequence[Battle], names: Sequence[str]) -> Battles:
    number = {name: place for place, name in enumerate(names)}
    left = [number[battle.a] for battle in found]
    right = [number[battle.b] for battle in found]
    results = [RESULTS[battle.outcome] for battle in found]
    pairs = np.unique([battle.pair for battle in found], return_inverse=True)[1]
    scenes = np.unique([battle.scene for battle in found], return_inverse=True)[1]
    return Battles(
        left=np.array(left, dtype=np.int64),
        right=np.array(right, dtype=np.int64),
        result=np.array(results),
        pair=pairs.astype(np.int64),
        scene=scenes.astype(np.int64),
        items=len(names),
    )


def _share(found: Sequence[Battle], outcomes: set[str]) -> ReportedEstimate:
    hits = [battle.outcome in outcomes for battle in found]
    return reported(clustered_wilson(hits, [battle.pair for battle in found], by="pair"))


def _left_share(found: Sequence[Battle]) -> ReportedEstimate:
    """How often the clip on the left won, of the votes that chose one: near a half where sides do
    not matter.
    """
    decided = [battle for battle in found if battle.outcome in {"a", "b"}]
    return _share(decided, {"a"})


def _group(group: Group, names: Sequence[str], found: Sequence[Battle]) -> EloTable:
    counts: defaultdict[str, dict[str, int]] = defaultdict(_none)
    for battle in found:
        for name, won, lost in ((battle.a, "a", "b"), (battle.b, "b", "a")):
            counts[name][_way(battle.outcome, won, lost)] += 1
    return EloTable(
        battles=group.battles,
        regularised=group.regularised,
        configurations=[
            EloLine(configuration=names[item], elo=reported(elo), **counts[names[item]])
            for item, elo in zip(group.items, group.elo, strict=True)
        ],
    )


def _none() -> dict[str, int]:
    return {"won": 0, "lost": 0, "tied": 0, "both_bad": 0}


def _way(outcome: str, won: str, lost: str) -> str:
    return {won: "won", lost: "lost", "tie": "tied", "both_bad": "both_bad"}[outcome]


def _matrix(
    found: Sequence[Battle], groups: Sequence[Group], names: Sequence[str]
) -> dict[str, dict[str, Meeting]]:
    """For every two configurations that met: how the row fared, and the share that its strength
    lets expect.
    """
    elo = {
        names[item]: estimate.value
        for group in groups
        for item, estimate in zip(group.items, group.elo, strict=True)
        if isinstance(estimate, Estimate)
    }
    matrix: defaultdict[str, dict[str, dict[str, int]]] = defaultdict(dict)
    for battle in found:
        for row, column, won, lost in (
            (battle.a, battle.b, "a", "b"),
            (battle.b, battle.a, "b", "a"),
        ):
            matrix[row].setdefault(column, _none())[_way(battle.outcome, won, lost)] += 1
    return {
        row: {
            column: _meeting(matrix[row][column], win_chance(elo[row], elo[column]))
            for column in elo
            if column in matrix[row]
        }
        for row in elo
        if row in matrix
    }


def _meeting(counts: dict[str, int], expected: float) -> Meeting:
    n = sum(counts.values())
    share = (counts["won"] + (counts["tied"] + counts["both_bad"]) / 2) / n
    return Meeting(**counts, n=n, share=rounded(share), expected=rounded(expected))
