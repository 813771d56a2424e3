"""The cells of a round by scene, by configuration, or all of them. No Django here."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scoring.records import Integers, Tally
from scoring.stats.estimate import Estimate, Undefined
from scoring.stats.intervals import clustered_wilson, wilson


def every_row(votes: Tally) -> Integers:
    """Return the places of all cells."""
    return np.arange(len(votes.configuration))


def rows_by_scene(votes: Tally) -> Iterator[tuple[str, Integers]]:
    """Yield each scene of the round with the places of its cells."""
    yield from _grouped(votes.scene, votes.record.scenes)


def rows_by_configuration(votes: Tally) -> Iterator[tuple[str, Integers]]:
    """Yield each configuration with the places of its cells."""
    yield from _grouped(votes.configuration, votes.names)


def _grouped(member: Integers, names: tuple[str, ...]) -> Iterator[tuple[str, Integers]]:
    # One sort and one cut, however many groups there are.
    order = np.argsort(member, kind="stable")
    ends = np.cumsum(np.bincount(member, minlength=len(names)))
    yield from zip(names, np.split(order, ends)[: len(names)], strict=True)


def share_of(passed: NDArray[np.bool_], configurations: Integers) -> Estimate | Undefined:
    """Return the share of clips that passed: Wilson's interval, clustered where several
    configurations are counted.

    Of one configuration alone it speaks of other clips of that configuration.
    """
    if np.unique(configurations).size > 1:
        return clustered_wilson(passed, configurations)
    return wilson(int(passed.sum()), passed.size)
