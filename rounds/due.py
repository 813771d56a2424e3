"""Which step of a round is due, and why, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from blinding.models import BlindCopy, NotReviewable, Stimulus
from blinding.services import BLIND
from fartbench.models import Job, JobState, Round, RoundState
from generation.models import Sample, SampleState
from measuring.models import MeasurementRow
from review.models import AnswerSheet, Assignment, CohortMember, Role
from review.pairs.selectors import due_tasks
from rounds.step import BEFORE_OPENING

# What was commissioned and has no outcome yet; what stopped there continues when an operator has
# decided something.
STOPPED = (SampleState.BLOCKED, SampleState.LOST_UNCERTAIN)
_UNDER_WAY = (SampleState.READY, *SampleState.in_flight(), SampleState.OUTPUT_READY)
ON_ORDER = Q(state__in=(*_UNDER_WAY, *STOPPED)) | (
    Q(state=SampleState.PLANNED) & ~Q(generation_seed="")
)


# Of a rollout there are many copies. A round gets its stimuli when all have all of theirs; the key
# is not asked, which tells whose clip a stimulus is.
_HALF_COPIED = ~Q(cell__round__unit_plan={}) & ~Exists(
    Stimulus.objects.filter(round=OuterRef("cell__round"))
)


@dataclass(frozen=True)
class Due:
    """What a round waits for: the step with this ``key``, empty when people can only wait, and why
    it is due.
    """

    key: str
    words: str


def due_step(round_: Round) -> Due | None:
    """Return the step that brings the round on, or None when it is published."""
    return due_steps([round_])[round_.pk]


def due_steps(rounds: Sequence[Round]) -> dict[int, Due | None]:
    """Return the step that is due in each round, by key: a fixed number of queries for any number
    of rounds.
    """
    before = [round_.pk for round_ in rounds if round_.state in BEFORE_OPENING]
    reviewing = [round_.pk for round_ in rounds if round_.state == RoundState.REVIEWING]
    measured = [
        round_.pk
        for round_ in rounds
        if round_.state == RoundState.LOCKED and round_.protocol.rules.rollouts is not None
    ]
    counts = (
        _Counts.read(before, reviewing, measured) if before or reviewing or measured else _Counts()
    )
    return {round_.pk: _due(round_, counts) for round_ in rounds}


@dataclass(frozen=True)
class _Counts:
    """What is there and what is missing, by round."""

    samples: Counter[int] = field(default_factory=Counter)
    waiting: Counter[int] = field(default_factory=Counter)
    ordered: Counter[int] = field(default_factory=Counter)
    stopped: Counter[int] = field(default_factory=Counter)
    uncopied: Counter[int] = field(default_factory=Counter)
    copying: Counter[str] = field(default_factory=Counter)
    reviewed: Counter[int] = field(default_factory=Counter)
    members: Counter[int] = field(default_factory=Counter)
    sheets: Counter[int] = field(default_factory=Counter)
    votes: Counter[int] = field(default_factory=Counter)
    unmeasured: Counter[int] = field(default_factory=Counter)

    @classmethod
    def read(cls, before: list[int], reviewing: list[int], measured: list[int]) -> _Counts:
        samples = Sample.objects.filter(cell__round__in=before)
        excluded = Exists(NotReviewable.objects.filter(sample=OuterRef("pk")))
        reviewed = samples.filter(~excluded, state=SampleState.DELIVERED)
        uncopied = reviewed.filter(
            ~Exists(BlindCopy.objects.filter(sample=OuterRef("pk"))) | _HALF_COPIED
        )
        return cls(
            samples=_by_round(samples, "cell__round"),
            waiting=_by_round(
                samples.exclude(state__in=SampleState.outcomes()).exclude(ON_ORDER), "cell__round"
            ),
            ordered=_by_round(samples.filter(ON_ORDER), "cell__round"),
            stopped=_by_round(samples.filter(ON_ORDER, state__in=STOPPED), "cell__round"),
            uncopied=_by_round(uncopied, "cell__round"),
            copying=_being_copied(before),
            reviewed=_by_round(reviewed, "cell__round"),
            members=_by_round(CohortMember.objects.filter(round__in=before), "round"),
            sheets=_by_round(due_assignments(reviewing), "member__round"),
            votes=_by_round(due_tasks(reviewing), "member__round"),
            unmeasured=_by_round(unmeasured(measured), "cell__round") if measured else Counter(),
        )


def _being_copied(rounds: Sequence[int]) -> Counter[str]:
    """Return how many clips workers have to copy or are copying, by the round's name."""
    names = Round.objects.filter(pk__in=rounds).values("name")
    jobs = Job.objects.filter(
        kind=BLIND, state__in=(JobState.DUE, JobState.RUNNING), round_name__in=names
    )
    return Counter(jobs.values_list("round_name", flat=True))


def _by_round(rows: QuerySet[Any], key: str) -> Counter[int]:
    return Counter(dict(rows.order_by().values_list(key).annotate(rows=Count("pk"))))


def unmeasured(rounds: Sequence[int]) -> QuerySet[Sample]:
    """Return the rollouts of these rounds (by key) that no machine has measured yet."""
    rows = MeasurementRow.objects.filter(sample=OuterRef("pk"))
    return Sample.objects.filter(~Exists(rows), cell__round__in=rounds, state=SampleState.DELIVERED)


def due_assignments(rounds: Sequence[int]) -> QuerySet[Assignment]:
    """Return what the primary cohorts of these rounds (by key) still have to end."""
    ended = AnswerSheet.objects.filter(
        reviewer=OuterRef("member__reviewer"), stimulus=OuterRef("stimulus")
    )
    return Assignment.objects.filter(
        ~Exists(ended.exclude(locked_at=None, unplayable_at=None)),
        member__round__in=rounds,
        member__role=Role.PRIMARY,
        stimulus__retirement=None,
    )


def _due(round_: Round, counts: _Counts) -> Due | None:
    if round_.state == RoundState.PUBLISHED:
        return None
    if round_.state == RoundState.LOCKED and counts.unmeasured[round_.pk]:
        return Due("measure", f"{counts.unmeasured[round_.pk]} rollouts are not measured yet")
    if round_.state == RoundState.LOCKED:
        return Due("publish", "the round is closed and its figures can be published")
    if round_.state == RoundState.REVIEWING:
        missing = {"sheets": counts.sheets[round_.pk], "votes on pairs": counts.votes[round_.pk]}
        left = [f"{count} {what}" for what, count in missing.items() if count]
        if not left:
            return Due("close_round", "every answer is there")
        return Due("", f"{' and '.join(left)} are still missing; “close_round” comes after that")
    return _due_before_opening(round_, counts)


def _due_before_opening(round_: Round, counts: _Counts) -> Due:
    key, rules = round_.pk, round_.protocol.rules
    clip, bring = rules.words.clip, "import_clips" if rules.rollouts is None else "commission"
    if not counts.samples[key]:
        other = (
            "“commission” buys them from providers"
            if rules.rollouts is None
            else "“import_clips” takes in your own"
        )
        return Due(bring, f"the round has no {clip}s yet ({other})")
    if waiting := counts.waiting[key]:
        return Due(
            bring,
            f"{waiting} cells have no outcome yet (“mark_cell” sets one that brought no {clip})",
        )
    if counts.ordered[key]:
        return _on_order(counts.ordered[key], counts.stopped[key], clip)
    return _due_when_all_came(round_, counts, clip)


def _due_when_all_came(round_: Round, counts: _Counts, clip: str) -> Due:
    if not counts.reviewed[round_.pk]:
        others = "“import_clips --replace --reason” takes in others for those without a blind copy"
        return Due(
            "",
            f"no cell brought a {clip} that is reviewed, so the round cannot be opened ({others})",
        )
    if without := counts.uncopied[round_.pk]:
        return _to_be_copied(without, counts.copying[round_.name], clip)
    if not counts.members[round_.pk]:
        return Due("set_cohort", "no reviewers are named yet")
    return Due("open_round", "everything is there")


def _to_be_copied(without: int, copying: int, clip: str) -> Due:
    if copying:
        return Due("", f"{without} {clip}s wait for their blind copies, and workers make them")
    return Due("blind", f"{without} {clip}s have no blind copy yet")


def _on_order(ordered: int, stopped: int, clip: str) -> Due:
    if stopped:
        words = (
            f"{stopped} {clip}s on order wait for an operator; the page of the round's orders says "
            "for what"
        )
        return Due("", words)
    return Due("", f"{ordered} {clip}s are on order, and workers bring them")


def due_in_words(round_: Round) -> str:
    """Return the due step as a sentence for a refusal."""
    due = due_step(round_)
    if due is None:
        return "No step is left."
    command = (
        f"Next step: “{due.key} {round_.name}”, because " if due.key else "Nothing for you to do: "
    )
    return f"{command}{due.words}."
