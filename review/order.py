"""Balanced presentation orders: who sees which clip when. No Django here.

A perfect first-order carry-over over clips needs as many reviewers as clips, so the two factors
behind the clips are balanced instead: the configuration and the scene, both as opaque labels (this
module never learns what they stand for).

Clips are dealt into passes in which every configuration occurs at most once and the scenes are
equally frequent; reviewers start at different passes, so that a clip falls in another part of each
session; inside the passes a search (`review.order_search`) removes bad neighbours and evens out
carry-over and positions.

Everything follows from the seed through `random.Random.random()` alone, whose stream Python
promises to keep. The stored order is the record, and the seed explains it.
"""

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fartbench.errors import Refusal
from review.order_balance import (
    Balance,
    ClipFactors,
    measure_balance,
)
from review.order_repair import finished
from review.order_search import Layout, improve

__all__ = [
    "Balance",
    "ClipFactors",
    "OrderRefused",
    "Orders",
    "balanced_orders",
    "extra_order",
    "measure_balance",
]

Item = TypeVar("Item")
Rand = Callable[[], float]
Order = list[int]  # clip numbers, first shown first

SWAPS_PER_PLACE = 600
MOST_SWAPS = 500_000


class OrderRefused(Refusal):
    """The clips cannot be put in order at all: there is none, one is listed twice, or there is no
    reviewer.
    """


@dataclass(frozen=True, slots=True)
class Orders:
    """One order (clip ids, first shown first) per reviewer, and the balance of them all."""

    orders: tuple[tuple[str, ...], ...]
    balance: Balance


def balanced_orders(
    clips: Sequence[ClipFactors], reviewers: int, seed: str, *, effort: float = 1.0
) -> Orders:
    """Orders for a whole cohort of `reviewers`, each holding every clip once.

    The same clips (in whatever sequence), number and seed give the same orders. `effort` scales the
    number of swaps tried; 1.0 takes about two seconds for 100 clips and four reviewers. Sets in
    which bad neighbours cannot be avoided still get orders, and the balance says so. Raises
    OrderRefused without clips or reviewers, or for an id given twice.
    """
    if reviewers < 1:
        raise OrderRefused(f"Orders were asked for {reviewers} reviewers; at least one is needed.")
    clips = _sorted(clips)
    layout, passes = _dealt(clips, seed)
    rand = _stream(seed, "cohort", str(reviewers))
    starts = [
        round(reviewer * len(passes) / reviewers) % len(passes) for reviewer in range(reviewers)
    ]
    dealt = [_session(passes, start, rand) for start in starts]
    found = improve(layout, dealt, rand, swaps=_swaps(len(clips) * reviewers, effort))
    orders = _named(clips, finished(layout, found, [], rand))
    return Orders(orders, measure_balance(clips, orders))


def extra_order(
    clips: Sequence[ClipFactors],
    earlier: Sequence[Sequence[str]],
    seed: str,
    reviewer: str,
    *,
    effort: float = 1.0,
) -> tuple[str, ...]:
    """An order for one more reviewer, who replaces another or comes beside the cohort; `earlier`
    ones stay as they are.

    `seed` is the one of the round, `reviewer` any label that is this reviewer's own; `earlier`
    holds the orders to be balanced with (ids no longer among `clips`, like replaced blind copies,
    are passed over). Raises OrderRefused as `balanced_orders` does.
    """
    clips = _sorted(clips)
    number = {clip.id: index for index, clip in enumerate(clips)}
    fixed = [[number[name] for name in order if name in number] for order in earlier]
    layout, passes = _dealt(clips, seed)
    rand = _stream(seed, "extra", reviewer)
    dealt = [_session(passes, _fairest_start(passes, fixed), rand)]
    found = improve(layout, dealt, rand, swaps=_swaps(len(clips), effort), fixed=fixed)
    return _named(clips, finished(layout, found, fixed, rand))[0]


def _sorted(clips: Sequence[ClipFactors]) -> list[ClipFactors]:
    """The clips by id, so that the sequence in which a database gives them changes nothing."""
    if not clips:
        raise OrderRefused(
            "There is no clip to put in order; a round needs at least one delivered clip."
        )
    twice = sorted(name for name, count in Counter(clip.id for clip in clips).items() if count > 1)
    if twice:
        raise OrderRefused(
            f"Clip {twice[0]} is listed more than once; a reviewer is shown each clip once."
        )
    return sorted(clips, key=lambda clip: clip.id)


def _named(clips: Sequence[ClipFactors], orders: Iterable[Order]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(clips[number].id for number in order) for order in orders)


def _stream(*words: str) -> Rand:
    digest = hashlib.sha256("|".join(words).encode()).digest()
    return random.Random(int.from_bytes(digest, "big")).random  # noqa: S311 - reproducible; the seed is the secret


def _shuffled(items: Iterable[Item], rand: Rand) -> list[Item]:
    """Fisher-Yates on `random()` alone: Python does not promise that `random.shuffle` stays the
    same.
    """
    result = list(items)
    for last in range(len(result) - 1, 0, -1):
        other = int(rand() * (last + 1))
        result[last], result[other] = result[other], result[last]
    return result


def _swaps(places: int, effort: float) -> int:
    return int(min(SWAPS_PER_PLACE * places, MOST_SWAPS) * effort)


# --- dealing into passes
# ----------------------------------------------------------------------


def _dealt(clips: Sequence[ClipFactors], seed: str) -> tuple[Layout, list[Order]]:
    """The factors as numbers, in an order drawn from the seed, and the clips dealt into passes.

    S configurations make a group, whose rows of scenes are a cyclic Latin square: in each pass they
    show all S scenes. Every group, and every further S passes for replicates, has the scenes in an
    order of its own: with one order for all, configurations k and k + S would show the same scene
    in every pass and so could never follow each other.
    """
    rand = _stream(seed, "passes")
    configurations = _numbered({clip.configuration for clip in clips}, rand)
    scenes = _numbered({clip.scene for clip in clips}, rand)
    layout = Layout(
        [configurations[clip.configuration] for clip in clips],
        [scenes[clip.scene] for clip in clips],
        len(configurations),
        len(scenes),
    )
    replicates: defaultdict[tuple[int, int], Order] = defaultdict(list)
    for number in _shuffled(range(len(clips)), rand):
        replicates[layout.configuration[number], layout.scene[number]].append(number)
    turns = max(map(len, replicates.values()))
    groups = -(-len(configurations) // len(scenes))
    column = [[_shuffled(range(len(scenes)), rand) for _ in range(turns)] for _ in range(groups)]
    passes: list[Order] = [[] for _ in range(len(scenes) * turns)]
    for (configuration, scene), numbers in replicates.items():
        group = configuration // len(scenes)
        for replicate, number in enumerate(numbers):
            turn = (
                replicate + group
            ) % turns  # groups with few clips do not all crowd into the first passes
            place = (column[group][turn][scene] + configuration) % len(scenes)
            passes[len(scenes) * turn + place].append(number)
    return layout, passes


def _numbered(labels: set[str], rand: Rand) -> dict[str, int]:
    return {label: number for number, label in enumerate(_shuffled(sorted(labels), rand))}


def _session(passes: Sequence[Order], start: int, rand: Rand) -> list[Order]:
    return [_shuffled(members, rand) for members in [*passes[start:], *passes[:start]]]


def _fairest_start(passes: Sequence[Order], fixed: Sequence[Order]) -> int:
    """The starting pass that brings the clips' mean positions over `fixed` and this order nearest
    to the middle.
    """
    clips = sum(map(len, passes))
    off_centre = [0] * clips  # twice the distance from the middle, summed over the orders
    for order in fixed:
        for place, clip in enumerate(order):
            off_centre[clip] += 2 * place + 1 - len(order)

    def unfairness(start: int) -> int:
        total = before = 0
        for members in [*passes[start:], *passes[:start]]:
            middle = 2 * before + len(members) - clips
            total += sum((off_centre[clip] + middle) ** 2 for clip in members)
            before += len(members)
        return total

    return min(range(len(passes)), key=unfairness)
