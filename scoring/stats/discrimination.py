"""Whether a judge tells clips apart: Somers' D of its ratings given people's, within scenes. No
Django here.

Over all pairs of clips of one scene that people rated differently, D is the share of pairs that the
judge orders alike less the share that it orders oppositely; pairs that it rates alike stay in the
denominator (Somers 1962, American Sociological Review 27). A judge that says the same of every clip
has exactly 0, and so has one that knows only the scene. (D + 1) / 2 is the chance of ordering a
pair rightly, ties counting half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.stats.estimate import Estimate, Undefined
from scoring.stats.intervals import EQUAL, Floats, jackknife_interval

Integers = NDArray[np.int64]
BOUNDS = (-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Ordering:
    """D with its jackknife interval over configurations, and the pairs and configurations it rests
    on. ``is_constant`` says that D is the same without any configuration, as for a judge that is
    always or never right: then it has no interval.
    """

    d: Estimate | Undefined
    pairs: int
    configurations: int
    is_constant: bool = False


def somers_d(
    human: ArrayLike, judge: ArrayLike, scene: ArrayLike, configuration: ArrayLike
) -> Ordering:
    """Return how a judge orders clips; each argument is (n,), one entry per clip.

    The interval leaves out one configuration after the other (`jackknife_interval`).
    """
    h, j = (np.asarray(values, dtype=np.float64) for values in (human, judge))
    scenes = np.unique(np.asarray(scene), return_inverse=True)[1]
    names, member = np.unique(np.asarray(configuration), return_inverse=True)
    order, differ = _against_all(h, j, scenes)
    score, pairs = _total(order), _total(differ)
    if not pairs:
        return Ordering(
            Undefined("no two clips of a scene differ in people's ratings", h.size), 0, names.size
        )
    within_order, within_differ = _within(h, j, scenes, member, names.size)
    score_of = np.bincount(member, weights=order, minlength=names.size) - within_order
    pairs_of = np.bincount(member, weights=differ, minlength=names.size) - within_differ
    left_score, left_pairs = score - score_of, pairs - pairs_of
    left_out = np.divide(
        left_score, left_pairs, out=np.full(names.size, np.nan), where=left_pairs > 0
    )
    d = jackknife_interval(score / pairs, left_out, pairs, bounds=BOUNDS)
    is_constant = left_out.size > 1 and bool(np.ptp(left_out) <= EQUAL)
    return Ordering(d, pairs, names.size, is_constant)


def _total(each: Floats) -> int:
    return round(float(each.sum())) // 2  # every pair was met from both of its ends


def _against_all(h: Floats, j: Floats, scenes: Integers) -> tuple[Floats, Floats]:
    """Return for each clip, against all clips of its scene: how many are ordered alike less
    oppositely, and how many people rated differently. Ratings take few values, so clips are counted
    and not paired.
    """
    order, differ = np.zeros(h.size), np.zeros(h.size)
    for place in range(int(scenes.max(initial=-1)) + 1):
        rows = np.flatnonzero(scenes == place)
        levels, level = np.unique(h[rows], return_inverse=True)
        marks, mark = np.unique(j[rows], return_inverse=True)
        counts = np.zeros((levels.size, marks.size))
        np.add.at(counts, (level, mark), 1)
        above = np.sign(levels[:, None] - levels[None, :])
        higher = np.sign(marks[:, None] - marks[None, :])
        order[rows] = (above @ counts @ higher.T)[level, mark]
        differ[rows] = (np.abs(above) @ counts.sum(axis=1))[level]
    return order, differ


def _within(
    h: Floats, j: Floats, scenes: Integers, member: Integers, groups: int
) -> tuple[Floats, Floats]:
    """Return the pairs that both ends of which are one configuration's: replicates of a scene.

    They leave but once.
    """
    order, differ = np.zeros(groups), np.zeros(groups)
    cells = member * (int(scenes.max(initial=0)) + 1) + scenes
    sorted_rows = np.argsort(cells, kind="stable")
    starts = np.flatnonzero(np.diff(cells[sorted_rows], prepend=-1))
    for rows in np.split(sorted_rows, starts[1:]):
        if rows.size > 1:
            above = np.sign(h[rows][:, None] - h[rows][None, :])
            higher = np.sign(j[rows][:, None] - j[rows][None, :])
            order[member[rows[0]]] += float((above * higher).sum()) / 2
            differ[member[rows[0]]] += float(np.abs(above).sum()) / 2
    return order, differ
