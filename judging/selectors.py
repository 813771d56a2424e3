"""How far the judges of a round are.

Their answers are read by `scoring` alone, once people's are locked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q, Sum

from fartbench.models import Round
from judging.models import Judge, JudgeRun, RunState


@dataclass(frozen=True, slots=True)
class Progress:
    """A judge, how many of its runs stand where, and what it cost so far."""

    judge: Judge
    states: Counter[str]
    cost_usd: Decimal | None

    @property
    def total(self) -> int:
        return self.states.total()

    @property
    def ended(self) -> int:
        return sum(self.states[state] for state in RunState.ended())

    @property
    def in_words(self) -> str:
        """Return the counts for people."""
        return ", ".join(f"{self.states[s]} {s.label.lower()}" for s in RunState if self.states[s])


def questions_of(round_: Round) -> tuple[int, int]:
    """Return how many questions to judges of the round have ended, and how many there are."""
    ended = Count("pk", filter=Q(state__in=RunState.ended()))
    counts = JudgeRun.objects.filter(judge__round=round_).aggregate(ended=ended, total=Count("pk"))
    return counts["ended"], counts["total"]


def left_open(round_: Round) -> str:
    """Return in words what judges were not asked, and cannot be once the round is published; empty
    if nothing.
    """
    ended, total = questions_of(round_)
    if ended < total:
        return f"{total - ended} of {total} questions to AI judges are open."
    rules = round_.protocol.rules.judges
    if rules and not total:
        return f"None of the {len(rules.models)} AI judges that the protocol names was asked."
    return ""


def progress_of(round_: Round) -> list[Progress]:
    """Return every judge of the round with its counts, which say nothing of any answer."""
    counts = JudgeRun.objects.filter(judge__round=round_).values("judge", "state").order_by()
    states: dict[int, Counter[str]] = {}
    for row in counts.annotate(n=Count("pk")):
        states.setdefault(row["judge"], Counter())[row["state"]] = row["n"]
    costs = dict(
        JudgeRun.objects.filter(judge__round=round_)
        .values_list("judge")
        .annotate(total=Sum("cost_usd"))
        .order_by()
    )
    return [
        Progress(judge, states.get(judge.pk, Counter()), costs.get(judge.pk))
        for judge in Judge.objects.filter(round=round_).defer("content")
    ]
