"""How balanced a set of presentation orders is: the figures that are stored and shown to admins. No
Django here.

The criterion is first-order carry-over (Williams 1949, Australian Journal of Scientific Research A
2), counted over the two factors of a clip, its configuration and its scene.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class ClipFactors:
    """A clip to place: its opaque id and the labels of its two factors.

    Replicates share both labels.
    """

    id: str
    configuration: str
    scene: str


@dataclass(frozen=True, slots=True)
class CarryOver:
    """How often one level of a factor directly follows another one, over all orders.

    `low`, `high` and `mean` are counts of an ordered pair of different levels, `squares` the sum of
    the squared deviations from the mean; `least_high` and `least_squares` are the values below
    which no orders of this size can go: with T transitions over M pairs and f the fraction of T/M,
    ceil(T/M) and M f (1 - f).
    """

    low: int
    high: int
    mean: float
    squares: float
    least_high: int
    least_squares: float


@dataclass(frozen=True, slots=True)
class Balance:
    """The balance figures of a set of orders; JSON-able through `dataclasses.asdict`.

    Neighbour counts are totals over all orders. A mean position is the mean over the orders of
    (place + 1/2) / clips, so 0.5 is ideal; the ranges are (lowest, highest) over clips,
    configurations and scenes. A carry-over is None when the factor has fewer than two levels.
    `feasible` is False when bad neighbours could not be or were not avoided, or two orders are
    equal; `reasons` then says why, in words.
    """

    clips: int
    orders: int
    same_configuration_neighbours: int
    same_scene_neighbours: int
    configuration_carry_over: CarryOver | None
    scene_carry_over: CarryOver | None
    clip_position: tuple[float, float]
    configuration_position: tuple[float, float]
    scene_position: tuple[float, float]
    all_different: bool
    feasible: bool
    reasons: tuple[str, ...]


def measure_balance(clips: Sequence[ClipFactors], orders: Sequence[Sequence[str]]) -> Balance:
    """The balance figures of orders of `clips` (at least one of each), made just now or stored
    before.

    Every order is a sequence of clip ids; KeyError for an id that is not among `clips`.
    """
    factors = {clip.id: clip for clip in clips}
    configurations = [[factors[name].configuration for name in order] for order in orders]
    scenes = [[factors[name].scene for name in order] for order in orders]
    all_different = len({tuple(order) for order in orders}) == len(orders)
    reasons = (
        *_neighbour_reasons("configuration", configurations),
        *_neighbour_reasons("scene", scenes),
        *(
            ()
            if all_different
            else ("two orders are equal: so few clips have fewer different orders than asked for",)
        ),
    )
    return Balance(
        clips=len(clips),
        orders=len(orders),
        same_configuration_neighbours=sum(map(equal_neighbours, configurations)),
        same_scene_neighbours=sum(map(equal_neighbours, scenes)),
        configuration_carry_over=_carry_over(configurations),
        scene_carry_over=_carry_over(scenes),
        clip_position=_position_range(orders),
        configuration_position=_position_range(configurations),
        scene_position=_position_range(scenes),
        all_different=all_different,
        feasible=not reasons,
        reasons=reasons,
    )


def equal_neighbours(labels: Iterable[object]) -> int:
    """How many places hold the same label as the place before."""
    return sum(left == right for left, right in pairwise(labels))


def unavoidable_neighbours(labels: Sequence[object]) -> int:
    """The least number of equal neighbours that any sequence of these labels has: 2 x commonest -
    all - 1, or none.
    """
    return max(0, 2 * max(Counter(labels).values()) - len(labels) - 1)


def _neighbour_reasons(factor: str, orders: Sequence[Sequence[str]]) -> Iterable[str]:
    found = sum(map(equal_neighbours, orders))
    if not found:
        return
    commonest, least = max(Counter(orders[0]).values()), unavoidable_neighbours(orders[0])
    if least:
        yield (
            f"one {factor} has {commonest} of {len(orders[0])} clips: "
            f"each order has at least {least} neighbours of the same {factor}"
        )
    if more := found - least * len(orders):
        yield (
            f"{more} neighbours of the same {factor} are left in all orders; the counts alone do "
            "not force them"
        )


def _carry_over(orders: Sequence[Sequence[str]]) -> CarryOver | None:
    levels = len(set(orders[0]))
    if levels < 2:  # noqa: PLR2004 - nothing can follow something else
        return None
    counts = Counter(pair for order in orders for pair in pairwise(order) if pair[0] != pair[1])
    total, pairs = counts.total(), levels * (levels - 1)
    fraction = (total % pairs) / pairs
    return CarryOver(
        low=min(counts.values()) if len(counts) == pairs else 0,
        high=max(counts.values()),
        mean=total / pairs,
        squares=sum(count * count for count in counts.values()) - total * total / pairs,
        least_high=math.ceil(total / pairs),
        least_squares=pairs * fraction * (1 - fraction),
    )


def _position_range(orders: Sequence[Sequence[str]]) -> tuple[float, float]:
    """The lowest and highest mean position of a label over all orders."""
    places: defaultdict[str, list[float]] = defaultdict(list)
    for order in orders:
        for place, label in enumerate(order):
            places[label].append((place + 0.5) / len(order))
    means = [math.fsum(found) / len(found) for found in places.values()]
    return min(means), max(means)
