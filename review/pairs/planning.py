"""Planning the pairs of an open round: drawn from what is there, stored, and gone on with when it
is asked again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

from django.db import transaction

from blinding.models import Stimulus
from fartbench import audit
from fartbench.models import Round, RoundState
from fartbench.protocol import digest_of
from fartbench.protocol.pairs import PairQuestion
from fartbench.round_secret import secret_of
from review.errors import OrdersRefused, RoundNotOpen
from review.models import CohortMember, Pair, PairTask, Role
from review.pairs.meetings import Clip, Contender, alike, plan_meetings
from review.pairs.orders import Bout, PairBalance, Task, measure, share_out
from review.pairs.selectors import live_pairs, live_tasks, pair_rules
from review.services.forms import write_pair_form

ROWS_PER_STATEMENT = 200
Factors = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Extent:
    """How far pairs are planned: see `review.pairs.meetings.plan_meetings`."""

    meetings: int | None
    count: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Planned:
    """How much was added to a plan."""

    pairs: int
    tasks: int


@transaction.atomic
def plan_pairs(
    *,
    round: Round,
    factors: Factors,
    leagues: Factors,
    actor: str,
    meetings: int | None = None,
    most: int | None = None,
) -> Planned:
    """Add what is missing: pairs until all meet often enough, and tasks until enough of the cohort
    see each pair.

    ``factors`` and ``leagues`` give every stimulus opaque labels of what made it, and of what it is
    compared with. ``meetings`` is how often every two configurations meet in a scene, by default
    what the protocol says of that or of the count of pairs; ``most`` bounds the pairs of a scene
    and league. What is planned stays; planning the same again changes nothing. Raises NoPairs,
    RoundNotOpen, or OrdersRefused.
    """
    round = Round.objects.select_for_update(no_key=True).select_related("protocol").get(pk=round.pk)
    rules = pair_rules(round)
    if round.state != RoundState.REVIEWING:
        raise RoundNotOpen(round.name)
    clips = _clips(round, factors, leagues)
    write_pair_form(round.protocol)
    extent = _Extent(meetings or rules.meetings, None if meetings else rules.count, most)
    new: list[Pair] = []
    for question in rules.questions:
        new += _new_pairs(round, question, clips, extent)
    Pair.objects.bulk_create(new, batch_size=ROWS_PER_STATEMENT)
    tasks = _new_tasks(round, factors, each=rules.reviewers)
    PairTask.objects.bulk_create(tasks, batch_size=ROWS_PER_STATEMENT)
    if new or tasks:
        audit.record(
            "pairs planned",
            actor=actor,
            round_name=round.name,
            pairs=len(new),
            tasks=len(tasks),
            plan=plan_digest(round),
        )
    return Planned(len(new), len(tasks))


def plan_digest(round: Round) -> str:
    """Return the SHA-256 over all pairs of a round and who is asked about each, as the rows say."""
    pairs = Pair.objects.filter(round=round).order_by("pk")
    tasks = PairTask.objects.filter(pair__round=round).order_by("pair_id", "member__place")
    return digest_of(
        {
            "pairs": [
                list(row)
                for row in pairs.values_list("pk", "question", "scene", "first_id", "second_id")
            ],
            "tasks": [
                list(row)
                for row in tasks.values_list(
                    "pair_id", "member__reviewer__code", "position", "swapped"
                )
            ],
        }
    )


def _clips(round: Round, factors: Factors, leagues: Factors) -> list[Clip]:
    stimuli = Stimulus.objects.filter(round=round, retirement=None)
    rows = list(stimuli.values_list("id", "scene", "form", "place", "end_s"))
    if missing := {row[0] for row in rows} - (set(factors) & set(leagues)):
        raise OrdersRefused(
            f"{len(missing)} stimuli of round {round} have no factor, so no pairs can be planned."
        )
    return [
        Clip(
            Contender(name, factors[name], scene, leagues[name]),
            form.partition(".")[0],
            place,
            end_s or 0.0,
        )
        for name, scene, form, place, end_s in rows
    ]


def _new_pairs(
    round: Round, question: PairQuestion, clips: Sequence[Clip], extent: _Extent
) -> Iterable[Pair]:
    pairs = live_pairs(round).filter(question=question.key)
    earlier = pairs.order_by("planned_at", "pk").values_list("first", "second")
    seed = f"{secret_of(round)}|{question.key}"
    contenders = alike(clips, question.form, seed=seed)
    scene = {clip.id: clip.scene for clip in contenders}
    for one, other in plan_meetings(contenders, seed=seed, earlier=earlier, **asdict(extent)):
        yield Pair(
            round=round, question=question.key, scene=scene[one], first_id=one, second_id=other
        )


def _new_tasks(round: Round, factors: Factors, *, each: int) -> list[PairTask]:
    members = {
        member.reviewer.code: member
        for member in round.members.filter(role=Role.PRIMARY, left_at=None).select_related(
            "reviewer"
        )
    }
    shared = share_out(
        _bouts(round, factors),
        list(members),
        each=each,
        seed=secret_of(round),
        earlier=_tasks(round),
    )
    positions = Counter[str]()
    for code, member in members.items():
        last = (
            PairTask.objects.filter(member=member)
            .order_by("-position")
            .values_list("position", flat=True)
            .first()
        )
        positions[code] = last or 0
    return [_task(members, positions, task) for task in shared]


def _task(members: Mapping[str, CohortMember], positions: Counter[str], task: Task) -> PairTask:
    positions[task.reviewer] += 1
    return PairTask(
        member=members[task.reviewer],
        pair_id=task.bout,
        position=positions[task.reviewer],
        swapped=task.left == 1,
    )


def _bouts(round: Round, factors: Factors) -> list[Bout]:
    pairs = live_pairs(round).order_by("planned_at", "pk").values_list("pk", "first", "second")
    return [Bout(pk, (one, other), (factors[one], factors[other])) for pk, one, other in pairs]


def _tasks(round: Round) -> list[Task]:
    rows = live_tasks(round).values_list("pair", "member__reviewer__code", "swapped")
    return [Task(pair, code, int(swapped)) for pair, code, swapped in rows]


def balance_of(round: Round, factors: Factors, leagues: Factors) -> PairBalance:
    """Return how even the plan of a round is. It names no configuration."""
    clips = [clip.contender for clip in _clips(round, factors, leagues)]
    could_meet = {
        frozenset((one.configuration, other.configuration))
        for one, other in combinations(clips, 2)
        if one.configuration != other.configuration
        and (one.scene, one.league) == (other.scene, other.league)
    }
    return measure(_bouts(round, factors), _tasks(round), could_meet)
