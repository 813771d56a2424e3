"""Orders in which each reviewer sees a share of the clips, of which there are too many for one. No
Django here.

Every clip is given to the same number of reviewers; every reviewer gets as many clips as any other,
give or take one, and of each configuration as evenly as can be. Which clips are shared between
which reviewers is drawn from the seed. Clips that one person is to compare stay together, and are
dealt before the others, which even them out.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from review.order import ClipFactors, OrderRefused, Orders, balanced_orders, measure_balance


def shared_orders(
    clips: Sequence[ClipFactors],
    reviewers: int,
    looks: int,
    seed: str,
    *,
    together: Mapping[str, str] | None = None,
    effort: float = 1.0,
) -> Orders:
    """Return one order for each reviewer in which each clip is in ``looks`` of them; 0, or as
    many as there are, gives everybody everything. Clips with the same label in ``together`` go to
    the same reviewers. Equal arguments give equal orders. Raises OrderRefused as `balanced_orders`
    does, and when a reviewer would get nothing.
    """
    if not 0 < looks < reviewers:
        return balanced_orders(clips, reviewers, seed, effort=effort)
    shares = dealt(_groups(clips, together or {}), reviewers, looks, seed)
    if not all(shares):
        raise OrderRefused(
            f"{len(clips)} clips that {looks} look at are too few for {reviewers} reviewers."
        )
    orders = tuple(
        balanced_orders(share, 1, f"{seed}|share {number}", effort=effort / reviewers).orders[0]
        for number, share in enumerate(shares)
    )
    return Orders(orders, measure_balance(clips, orders))


def _groups(clips: Sequence[ClipFactors], together: Mapping[str, str]) -> list[list[ClipFactors]]:
    """Return the clips in groups that stay together, the largest first; most clips are a group of
    their own.
    """
    groups: dict[tuple[bool, str], list[ClipFactors]] = defaultdict(list)
    for clip in sorted(clips, key=lambda one: (one.configuration, one.scene, one.id)):
        groups[clip.id in together, together.get(clip.id, clip.id)].append(clip)
    return sorted(groups.values(), key=len, reverse=True)


def dealt(
    groups: Sequence[list[ClipFactors]], reviewers: int, looks: int, seed: str
) -> list[list[ClipFactors]]:
    """Return what each reviewer gets: a group is given to who has the fewest clips, then of its
    configuration.
    """
    digest = hashlib.sha256(f"{seed}|shares".encode()).digest()
    draw = random.Random(int.from_bytes(digest, "big")).random  # noqa: S311 - seeded, to be drawn again
    shares: list[list[ClipFactors]] = [[] for _ in range(reviewers)]
    of_configuration: Counter[tuple[int, str]] = Counter()
    for group in groups:
        configuration = group[0].configuration
        ranked = sorted(
            range(reviewers),
            key=lambda one: (len(shares[one]), of_configuration[one, configuration], draw()),
        )
        for reviewer in ranked[:looks]:
            shares[reviewer] += group
            of_configuration[reviewer, configuration] += len(group)
    return shares
