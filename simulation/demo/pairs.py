"""The blind pairs of the demonstration: scripted reviewers prefer the clip that they saw as the
better one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from blinding.models import BlindingKey
from fartbench.models import Round
from generation.models import Sample
from review.models import PairTask, Source
from review.pairs.entering import VoteEntry, enter_votes
from review.pairs.selectors import due_tasks, pair_rules
from rounds.pairs import plan_pairs
from simulation.demo.simulation import Temper, simulated_preference

Prefer = Callable[[PairTask, Temper, str], str]
"""What a reviewer of a temper answers about a pair, by a seed."""


def plan_and_vote(
    round_: Round, tempers: Mapping[str, Temper], actor: str, prefer: Prefer | None = None
) -> None:
    """Plan the pairs of an open round, if its protocol has any, and let the reviewers with these
    addresses vote.

    Without ``prefer`` they compare whole clips that the built-in provider drew.
    """
    if round_.protocol.rules.pairs is None:
        return
    plan_pairs(round_=round_, actor=actor)
    keys = BlindingKey.objects.filter(stimulus__round=round_).select_related(
        "sample__cell__configuration"
    )
    samples = {key.stimulus_id: key.sample for key in keys}
    prefer = prefer or partial(_prefers, round_, samples)
    due = due_tasks([round_.pk]).filter(member__reviewer__email__in=tempers)
    due = due.select_related("pair__first", "pair__second", "member__reviewer").order_by(
        "member__place", "position"
    )
    entries = []
    for task in due:
        entries.append(
            VoteEntry(
                task.member.reviewer,
                task.pair_id,
                prefer(task, tempers[task.member.reviewer.email], _seed(round_, task, samples)),
            )
        )
    if entries:
        enter_votes(round=round_, entries=entries, source=Source.SIMULATED)


def _seed(round_: Round, task: PairTask, samples: Mapping[str, Sample]) -> str:
    a, b = samples[task.clip_a.pk], samples[task.clip_b.pk]
    return f"{round_.name}/{task.member.reviewer.email}/{a.cell}/{b.cell}"


def _prefers(
    round_: Round, samples: Mapping[str, Sample], task: PairTask, temper: Temper, seed: str
) -> str:
    a, b = samples[task.clip_a.pk], samples[task.clip_b.pk]
    return simulated_preference(
        pair_rules(round_),
        task.pair.question,
        round_.protocol.form(task.pair.scene),
        (a.truth or {}, b.truth or {}),  # the built-in provider always knows it
        temper=temper,
        seed=seed,
    )
