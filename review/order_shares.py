"""Orders in which each reviewer sees a share of the clips, of which there are too many for one. No Django here.

Every clip goes to the same number of reviewers; every reviewer gets as many clips as any other, give or take one, and
of each configuration as evenly as can be. Which clips are shared between which reviewers is drawn from the seed.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Sequence

from review.order import ClipFactors, OrderRefused, Orders, balanced_orders, measure_balance


def shared_orders(
    clips: Sequence[ClipFactors], reviewers: int, looks: int, seed: str, *, effort: float = 1.0
) -> Orders:
    """Return one order for each reviewer in which each clip stands in ``looks`` of them; 0, or as many as there are,
    gives everybody everything. Equal arguments give equal orders. Raises OrderRefused as `balanced_orders` does, and
    when a reviewer would get nothing.
    """
    if not 0 < looks < reviewers:
        return balanced_orders(clips, reviewers, seed, effort=effort)
    shares = dealt(clips, reviewers, looks, seed)
    if not all(shares):
        raise OrderRefused(f"{len(clips)} clips that {looks} look at are too few for {reviewers} reviewers.")
    orders = tuple(
        balanced_orders(share, 1, f"{seed}|share {number}", effort=effort / reviewers).orders[0]
        for number, share in enumerate(shares)
    )
    return Orders(orders, measure_balance(clips, orders))


def dealt(clips: Sequence[ClipFactors], reviewers: int, looks: int, seed: str) -> list[list[ClipFactors]]:
    """Return what each reviewer gets: a clip goes to who has the fewest, then to who has the fewest of its kind."""
    draw = random.Random(int.from_bytes(hashlib.sha256(f"{seed}|shares".encode()).digest(), "big")).random  # noqa: S311
    shares: list[list[ClipFactors]] = [[] for _ in range(reviewers)]
    of_configuration: Counter[tuple[int, str]] = Counter()
    for clip in sorted(clips, key=lambda one: (one.configuration, one.scene, one.id)):
        ranked = sorted(
            range(reviewers),
            key=lambda one: (len(shares[one]), of_configuration[one, clip.configuration], draw()),
        )
        for reviewer in ranked[:looks]:
            shares[reviewer].append(clip)
            of_configuration[reviewer, clip.configuration] += 1
    return shares
