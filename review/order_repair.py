"""The last step of an order: avoidable bad neighbours are repaired, and no two orders stay equal.

No Django here. It draws from the stream of random numbers it is given, like all of
`review.order`.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from review.order_balance import equal_neighbours, unavoidable_neighbours
from review.order_search import Layout

Rand = Callable[[], float]
Order = list[int]  # clip numbers, first shown first

WALK_ROUNDS = 200
WALK_REACH = 100  # places: clips stay near their pass in large rounds
HALF = 0.5
DIFFERENT_TRIES = 5000
DIFFERENT_CHOICES = 40


def finished(
    layout: Layout, found: Sequence[Order], fixed: Sequence[Order], rand: Rand
) -> list[Order]:
    """The orders with avoidable bad neighbours repaired across passes, and no two of them equal if
    possible.
    """
    seen = {tuple(order) for order in fixed}
    finished = []
    for order in found:
        repaired = _repaired(layout, order, rand)
        different = _different(layout, repaired, seen, rand)
        seen.add(tuple(different))
        finished.append(different)
    return finished


def _badness(layout: Layout, order: Order) -> tuple[int, int]:
    """Neighbours from one configuration, then from one scene: compared in that order."""
    return (
        equal_neighbours(layout.configuration[clip] for clip in order),
        equal_neighbours(layout.scene[clip] for clip in order),
    )


def _repaired(layout: Layout, order: Order, rand: Rand) -> Order:
    """`order` with fewer bad neighbours, across passes if need be; as it is when it has only what
    it must have.
    """
    least = (unavoidable_neighbours(layout.configuration), unavoidable_neighbours(layout.scene))
    for start in (order, _interleaved(layout, order), order[::-1]):
        if _badness(layout, order) == least:
            break
        order = min(order, _walked(layout, start, rand), key=lambda each: _badness(layout, each))
    return order


def _walked(layout: Layout, order: Order, rand: Rand) -> Order:
    """A random walk that turns stretches around (2-opt: Croes 1958, Operations Research 6) where
    neighbours are bad.

    Turning a stretch changes its two outer pairs only, and it is turned when these do not get
    worse. Short stretches are more likely, so that clips stay near their pass.
    """
    line = [-1, *order, -1]
    last = len(order)

    def price(left: int, right: int) -> int:
        if left < 0 or right < 0:
            return 0
        same_scene = layout.scene[left] == layout.scene[right]
        return last * (layout.configuration[left] == layout.configuration[right]) + same_scene

    for _ in range(WALK_ROUNDS):
        bad = [place for place in range(1, last) if price(line[place], line[place + 1])]
        if not bad:
            break
        for place in bad:
            far = int(rand() * rand() * min(last, WALK_REACH))
            start, end = (
                (place + 1, min(place + 1 + far, last))
                if rand() < HALF
                else (max(place - far, 1), place)
            )
            outer, inner = (line[start - 1], line[end + 1]), (line[start], line[end])
            before = price(outer[0], inner[0]) + price(inner[1], outer[1])
            if price(outer[0], inner[1]) + price(inner[0], outer[1]) <= before:
                line[start : end + 1] = line[start : end + 1][::-1]
    return line[1:-1]


def _interleaved(layout: Layout, order: Order) -> Order:
    """The commonest configuration on every other place, then the next: as few equal neighbours as
    there can be.
    """
    counts = Counter(layout.configuration)
    ranked = sorted(
        order, key=lambda clip: (-counts[layout.configuration[clip]], layout.configuration[clip])
    )
    half = max((len(order) + 1) // 2, *counts.values())
    even, odd = ranked[:half], ranked[half:]
    return [clip for pair in zip(even, odd, strict=False) for clip in pair] + even[len(odd) :]


def _different(layout: Layout, order: Order, seen: set[tuple[int, ...]], rand: Rand) -> Order:
    """`order`, or when it is among `seen`, one that is not: the least bad of those met on a random
    walk.

    The first steps of the walk are repaired too, because chance alone seldom meets a good order of
    a tight set.
    """
    if tuple(order) not in seen:
        return order
    met: list[Order] = []
    candidate = order
    for attempt in range(DIFFERENT_TRIES):
        candidate = list(candidate)
        one, other = int(rand() * len(order)), int(rand() * len(order))
        candidate[one], candidate[other] = candidate[other], candidate[one]
        options = (
            [candidate, _repaired(layout, candidate, rand)]
            if attempt < DIFFERENT_CHOICES
            else [candidate]
        )
        met += [option for option in options if tuple(option) not in seen]
        if len(met) >= DIFFERENT_CHOICES:
            break
    return min(met, key=lambda each: _badness(layout, each), default=order)
