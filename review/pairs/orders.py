"""Who is asked about each blind pair, in which order, and which clip is on the left. No Django
here.

Each pair is given to the reviewers who have the fewest; every reviewer starts at another place of
the list, and no configuration comes twice running where that can be avoided. Sides are balanced
within each pair, and over all tasks for each configuration: tasks left over are turned along the
trails of Euler's walk, which leaves no configuration more than one task on the left above its tasks
on the right.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from review.pairs.meetings import hashed


@dataclass(frozen=True, slots=True)
class Bout:
    """A pair of clips, with the opaque label of the configuration behind each."""

    id: str
    clips: tuple[str, str]
    configurations: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Task:
    """A pair that one reviewer is asked about; ``left`` says which of its two clips is on the
    left, 0 or 1.
    """

    bout: str
    reviewer: str
    left: int


def share_out(
    bouts: Sequence[Bout],
    reviewers: Sequence[str],
    *,
    each: int,
    seed: str,
    earlier: Sequence[Task] = (),
) -> list[Task]:
    """Return the tasks that are missing until ``each`` of the ``reviewers`` are asked about every
    pair, in order.

    ``earlier`` are the tasks of these reviewers so far, in their order; they stay as they are. The
    tasks of one reviewer come in the order in which they are to be done. The same arguments give
    the same tasks.
    """
    asked = _asked(bouts, reviewers, each=each, seed=seed, earlier=earlier)
    lefts = _sides(bouts, asked, seed=seed, earlier=earlier)
    known = {bout.id: bout for bout in bouts}
    tasks: list[Task] = []
    for place, reviewer in enumerate(reviewers):
        own = [known[bout] for bout, person in asked if person == reviewer]
        last = [task.bout for task in earlier if task.reviewer == reviewer and task.bout in known][
            -1:
        ]
        start = place * len(own) // len(reviewers)
        ordered = _apart([*own[start:], *own[:start]], known[last[0]] if last else None)
        tasks += [Task(bout.id, reviewer, lefts[bout.id, reviewer]) for bout in ordered]
    return tasks


def _asked(
    bouts: Sequence[Bout],
    reviewers: Sequence[str],
    *,
    each: int,
    seed: str,
    earlier: Sequence[Task],
) -> list[tuple[str, str]]:
    """The new (pair, reviewer)s, the pairs in an order that the seed alone knows."""
    load = Counter(task.reviewer for task in earlier)
    have: defaultdict[str, set[str]] = defaultdict(set)
    for task in earlier:
        have[task.bout].add(task.reviewer)
    asked = []
    for bout in sorted(bouts, key=lambda one: hashed(seed, "order", one.id)):
        free = [reviewer for reviewer in reviewers if reviewer not in have[bout.id]]
        lots = {reviewer: (load[reviewer], hashed(seed, bout.id, reviewer)) for reviewer in free}
        chosen = sorted(free, key=lots.__getitem__)[: max(0, each - len(have[bout.id]))]
        load.update(chosen)
        asked += [(bout.id, reviewer) for reviewer in chosen]
    return asked


def _sides(
    bouts: Sequence[Bout], asked: Sequence[tuple[str, str]], *, seed: str, earlier: Sequence[Task]
) -> dict[tuple[str, str], int]:
    """Which clip is on the left in each new task."""
    people: defaultdict[str, list[str]] = defaultdict(list)
    for name, reviewer in asked:
        people[name].append(reviewer)
    lean = Counter[str]()  # of a pair: how much more often its first clip stood on the left
    for task in earlier:
        lean[task.bout] += 1 if task.left == 0 else -1
    lefts: dict[tuple[str, str], int] = {}
    odd: list[tuple[Bout, str]] = []
    for bout in bouts:
        turn = sorted(people[bout.id], key=lambda reviewer: hashed(seed, "side", bout.id, reviewer))
        while turn and (lean[bout.id] or len(turn) > 1):
            left = 1 if lean[bout.id] > 0 else 0
            lean[bout.id] += 1 if left == 0 else -1
            lefts[bout.id, turn.pop()] = left
        if turn:
            odd.append((bout, turn[0]))
    turned = _turned([bout for bout, _ in odd], _balance(bouts, lean))
    return lefts | {
        (bout.id, reviewer): left for (bout, reviewer), left in zip(odd, turned, strict=True)
    }


def _balance(bouts: Sequence[Bout], lean: Mapping[str, int]) -> Counter[str]:
    """How much more often each configuration is on the left than on the right."""
    balance: Counter[str] = Counter()
    for bout in bouts:
        balance[bout.configurations[0]] += lean[bout.id]
        balance[bout.configurations[1]] -= lean[bout.id]
    return balance


def _turned(bouts: Sequence[Bout], balance: Counter[str]) -> list[int]:
    """The side of each pair, so that every configuration is on the left as often as on the right,
    give or take one.

    The pairs are walked along as the edges of a graph, from odd configurations first: a walk leaves
    a configuration as often as it comes to it, but at its ends. It is taken in the direction that
    suits what was before.
    """
    free: defaultdict[str, list[int]] = defaultdict(list)
    for place, bout in enumerate(bouts):
        for configuration in bout.configurations:
            free[configuration].append(place)
    sides = [-1] * len(bouts)
    for start in sorted(free, key=lambda name: (len(free[name]) % 2 == 0, name)):
        while trail := _trail(bouts, free, sides, start):
            first, last = start, trail[-1][1]
            if balance[first] > balance[last]:
                for place, _ in trail:
                    sides[place] = 1 - sides[place]
                first, last = last, first
            balance[first] += first != last
            balance[last] -= first != last
    return sides


def _trail(
    bouts: Sequence[Bout], free: Mapping[str, list[int]], sides: list[int], start: str
) -> list[tuple[int, str]]:
    """A walk along unused pairs until there is none left; where it comes from is the left side."""
    trail: list[tuple[int, str]] = []
    here = start
    while True:
        while free[here] and sides[free[here][-1]] >= 0:
            free[here].pop()
        if not free[here]:
            return trail
        place = free[here].pop()
        sides[place] = bouts[place].configurations.index(here)
        here = bouts[place].configurations[1 - sides[place]]
        trail.append((place, here))


def _apart(bouts: Sequence[Bout], before: Bout | None) -> list[Bout]:
    """The pairs with no configuration twice running where that can be avoided, else near the order
    given.

    Of the pairs that may come, one whose configurations have the most left to come is placed first:
    they are hardest to keep apart at the end.
    """
    left = Counter(name for bout in bouts for name in bout.configurations)
    waiting, ordered = list(bouts), []
    while waiting:
        last = set(before.configurations) if before else set()
        fits = [bout for bout in waiting if not last & set(bout.configurations)] or waiting
        before = max(fits, key=lambda bout: sum(left[name] for name in bout.configurations))
        waiting.remove(before)
        left.subtract(before.configurations)
        ordered.append(before)
    return ordered


@dataclass(frozen=True, slots=True)
class PairBalance:
    """How even a plan is. ``fewest`` and ``most`` are meetings of two configurations that can meet,
    over all scenes; ``side`` is the largest difference of a configuration's tasks on the left and
    right; ``running`` counts configurations that come twice running.
    """

    pairs: int
    tasks: int
    fewest: int
    most: int
    side: int
    running: int


def measure(
    bouts: Sequence[Bout], tasks: Sequence[Task], could_meet: Iterable[frozenset[str]]
) -> PairBalance:
    """Measure a plan; ``tasks`` are in the order of each reviewer, ``could_meet`` are the
    configurations in twos.
    """
    known = {bout.id: bout for bout in bouts}
    met = Counter(frozenset(bout.configurations) for bout in bouts)
    meetings = [met[two] for two in set(could_meet)]
    lean: Counter[str] = Counter()
    running, last = 0, dict[str, Bout]()
    for task in tasks:
        bout = known[task.bout]
        lean[task.bout] += 1 if task.left == 0 else -1
        if before := last.get(task.reviewer):
            running += bool(set(before.configurations) & set(bout.configurations))
        last[task.reviewer] = bout
    balance = _balance(bouts, lean)
    return PairBalance(
        pairs=len(bouts),
        tasks=len(tasks),
        fewest=min(meetings, default=0),
        most=max(meetings, default=0),
        side=max(map(abs, balance.values()), default=0),
        running=running,
    )
