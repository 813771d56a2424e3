"""The blind pairs of the demonstration: scripted reviewers prefer the clip that they saw as the better one."""

from __future__ import annotations

from collections.abc import Mapping

from blinding.models import BlindingKey
from fartbench.models import Round
from generation.models import Sample
from review.models import PairTask, Source
from review.pairs.entering import VoteEntry, enter_votes
from review.pairs.selectors import due_tasks, pair_rules
from scoring.demo.simulation import Temper, simulated_preference
from scoring.pairs import plan_pairs


def plan_and_vote(round_: Round, tempers: Mapping[str, Temper], actor: str) -> None:
    """Plan the pairs of an open round, if its protocol has any, and let the reviewers with these addresses vote."""
    if round_.protocol.rules.pairs is None:
        return
    plan_pairs(round_=round_, actor=actor)
    keys = BlindingKey.objects.filter(stimulus__round=round_).select_related("sample__cell__configuration")
    samples = {key.stimulus_id: key.sample for key in keys}
    due = due_tasks([round_.pk]).filter(member__reviewer__email__in=tempers)
    due = due.select_related("pair__first", "pair__second", "member__reviewer").order_by("member__place", "position")
    entries = [
        VoteEntry(
            task.member.reviewer,
            task.pair_id,
            _vote(round_, task, tempers[task.member.reviewer.email], samples[task.clip_a.pk], samples[task.clip_b.pk]),
        )
        for task in due
    ]
    if entries:
        enter_votes(round=round_, entries=entries, source=Source.SIMULATED)


def _vote(round_: Round, task: PairTask, temper: Temper, a: Sample, b: Sample) -> str:
    return simulated_preference(
        pair_rules(round_),
        task.pair.question,
        round_.protocol.form(task.pair.scene),
        (a.truth or {}, b.truth or {}),  # the built-in provider always knows it
        temper=temper,
        seed=f"{round_.name}/{task.member.reviewer.email}/{a.cell}/{b.cell}",
    )
