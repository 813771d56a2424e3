"""Krippendorff's alpha with missing answers, and its intervals. No Django here.

Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability; Krippendorff 2019, Content
Analysis, ch. 12. With n_uc the number of reviewers who gave clip u the answer c, m_u = sum_c n_uc,
and only the clips with m_u >= 2 ("pairable"):

    o_ck = sum_u n_uc (n_uk - [c = k]) / (m_u - 1),   n_c = sum_k o_ck,   n = sum_c n_c
    alpha = 1 - (n - 1) sum_ck o_ck d_ck / sum_ck n_c n_k d_ck

where d is [c != k] for nominal answers, and (x_c - x_k)^2 otherwise: x are the values themselves at
the interval level and the mid-ranks cumsum(n)_c - n_c / 2 at the ordinal level, which is
Krippendorff's ordinal difference.

Four reviewers and five answers make only 120 different pairable answer patterns, so everything here
works on patterns and on how often each occurs. Answers that nobody gave have n_c = 0 and move no
mid-rank, so they are left out: of the 81 numbers of an estimate few occur. The pairs of clips with
equally many answers are added up as whole numbers, and only those few sums are divided by m_u - 1,
in ascending order of m_u: so the order of the clips changes no digit, and any number of reviewers
is counted exactly.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fartbench.numbers import number_text
from scoring.stats.estimate import Estimate, Undefined
from scoring.stats.intervals import Floats, jackknife_interval

Integers = NDArray[np.int64]

ALPHA_BOUNDS = (-1.0, 1.0)
# Intervals cover too rarely where fewer answers than this lie outside the commonest one, or where
# so large a share of all answers is the same (`simulation.validate`).
FEWEST_UNCOMMON = 50
UNEVEN, NEARLY_CONSTANT = 0.8, 0.9
CELLS_AT_ONCE = 4_000_000  # of a table of groups and patterns: 32 MB


class Level(StrEnum):
    """How far apart two different answers are."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


@dataclass(frozen=True, slots=True)
class Patterns:
    """The pairable clips, as the answer patterns that occur.

    answers: (V,) the columns of the table that occur; counts: (K, V) how many reviewers gave each
    of these answers; pattern: (U,) which of the K each pairable clip has; clip: (U,) its row in the
    table; pairs: (K, V * V) n_uc (n_uk - [c = k]), whole numbers; partners: (K,) m_u - 1.
    """

    answers: Integers
    counts: Integers
    pattern: Integers
    clip: Integers
    pairs: Floats
    partners: Integers

    @property
    def clips(self) -> int:
        """The number of pairable clips."""
        return self.pattern.size

    @property
    def times(self) -> Integers:
        """(K,) how many clips have each pattern."""
        return np.bincount(self.pattern, minlength=len(self.counts))


def applicability_counts(counts: ArrayLike, not_applicable: ArrayLike) -> Integers:
    """(clips, 2) counts of answered and N/A: the table whose nominal alpha is the agreement on
    applicability.

    counts: (clips, V) of answers; not_applicable: (clips,) how many reviewers said N/A, for
    whatever reason.
    """
    return np.stack(
        [np.asarray(counts, dtype=np.int64).sum(axis=1), np.asarray(not_applicable, np.int64)],
        axis=1,
    )


def alpha(
    counts: ArrayLike,
    level: Level,
    *,
    configurations: ArrayLike,
    values: ArrayLike | None = None,
) -> Estimate | Undefined:
    """Krippendorff's alpha with the interval of leaving out one configuration after the other.

    n is the number of pairable clips. Undefined when no clip has two answers, or all answers are
    equal. `note` warns when there are few answers, or when most of them are the same.

    counts: (clips, V) non-negative whole numbers, over the full domain in its order;
    configurations: (clips,) labels; values: (V,) numbers of the answers at the interval level
    (0..V-1 when left out). ValueError for other shapes.
    """
    patterns = find_patterns(counts)
    labels = np.asarray(configurations)
    if labels.shape != (len(np.asarray(counts)),):
        raise ValueError(
            f"{labels.shape} configurations do not match {np.asarray(counts).shape} counts."
        )
    return alpha_warned(alpha_jackknife(patterns, level, labels, values), patterns)


def find_patterns(counts: ArrayLike) -> Patterns:
    """The patterns of a (clips, V) table of counts; ValueError unless they are non-negative whole
    numbers.
    """
    table = np.asarray(counts)
    if table.ndim != 2 or table.dtype.kind not in "iu" or (table < 0).any():  # noqa: PLR2004
        raise ValueError(
            f"Counts must be a (clips, answers) table of whole numbers, not {table.dtype} "
            f"{table.shape}."
        )
    table = table.astype(np.int64)
    answered = table.sum(axis=1)
    clip = np.flatnonzero(answered >= 2)  # noqa: PLR2004
    _, first, pattern = np.unique(
        _pattern_keys(table[clip]), return_index=True, return_inverse=True
    )
    answers = np.flatnonzero(table[clip].any(axis=0))
    found = table[clip][first][:, answers]
    pairs = found[:, :, None] * (found[:, None, :] - np.eye(answers.size, dtype=np.int64))
    flat = pairs.reshape(len(found), answers.size**2).astype(float)
    return Patterns(answers, found, pattern, clip, flat, found.sum(axis=1) - 1)


def _pattern_keys(table: Integers) -> Integers:
    """One number per row that is equal for equal rows; rows that would overflow it are numbered
    instead.
    """
    base = int(table.max(initial=0)) + 1
    if base ** table.shape[1] < 2**62:
        return table @ (base ** np.arange(table.shape[1], dtype=np.int64))
    return np.unique(table, axis=0, return_inverse=True)[1].reshape(-1)


def alpha_value(
    patterns: Patterns, level: Level, values: ArrayLike | None = None
) -> float | Undefined:
    """Alpha alone, or why it is undefined."""
    if patterns.clips == 0:
        return Undefined("no clip has two answers")
    found = float(_alphas(patterns.times[None, :], patterns, level, values)[0])
    return Undefined("all answers are equal", patterns.clips) if math.isnan(found) else found


def alpha_jackknife(
    patterns: Patterns, level: Level, configurations: ArrayLike, values: ArrayLike | None = None
) -> Estimate | Undefined:
    """Alpha with the delete-one-configuration jackknife over the G configurations that have a
    pairable clip.

    configurations: (clips,) labels of all rows of the table that the patterns come from. G - 1
    degrees of freedom.
    """
    value = alpha_value(patterns, level, values)
    if isinstance(value, Undefined):
        return value
    _, member = np.unique(np.asarray(configurations)[patterns.clip], return_inverse=True)
    left_out = [
        _alphas(patterns.times - times, patterns, level, values)
        for times in _times_by_group(patterns, member)
    ]
    return jackknife_interval(value, np.concatenate(left_out), patterns.clips, bounds=ALPHA_BOUNDS)


def _times_by_group(patterns: Patterns, member: Integers) -> Iterator[Integers]:
    """Yield (B, K) how many clips of each group have each pattern, so many groups at once that
    the table stays small.

    member: (U,) the group of each pairable clip, from 0 on.
    """
    kinds = len(patterns.counts)
    groups = int(member.max()) + 1
    at_once = max(1, CELLS_AT_ONCE // kinds)
    order = np.argsort(member, kind="stable")
    for start in range(0, groups, at_once):
        size = min(at_once, groups - start)
        first, last = np.searchsorted(member[order], [start, start + size])
        clips = order[first:last]
        cell = (member[clips] - start) * kinds + patterns.pattern[clips]
        yield np.bincount(cell, minlength=size * kinds).reshape(size, kinds)


def _alphas(times: Integers, patterns: Patterns, level: Level, values: ArrayLike | None) -> Floats:
    """(B,) alphas of (B, K) clips with each pattern, nan where fewer than two different answers
    are left.
    """
    categories = patterns.counts.shape[1]
    observed = _coincidences(times, patterns).reshape(-1, categories, categories)
    given = times.astype(np.float64) @ patterns.counts.astype(np.float64)
    total = given.sum(axis=1)
    distance = _distances(
        given, level, patterns.answers if values is None else np.asarray(values)[patterns.answers]
    )
    disagreement = (observed * distance).sum(axis=(1, 2))
    by_chance = (given[:, :, None] * given[:, None, :] * distance).sum(axis=(1, 2))
    varied = (given > 0).sum(axis=1) > 1
    safe = np.where(varied & (by_chance > 0), by_chance, np.nan)
    return np.asarray(1 - (total - 1) * disagreement / safe)


def _coincidences(times: Integers, patterns: Patterns) -> Floats:
    """(B, V * V) coincidences o_ck of (B, K) clips with each pattern.

    Sums of pairs are whole numbers below 2^53, which a float holds exactly in any order.
    """
    found = np.zeros((len(times), patterns.pairs.shape[1]))
    for partners in np.unique(patterns.partners):
        rows = patterns.partners == partners
        found += times[:, rows].astype(np.float64) @ patterns.pairs[rows] / partners
    return found


def _distances(given: Floats, level: Level, values: ArrayLike) -> Floats:
    """(B or 1, V, V) squared differences between answers, whose numbers are `values`."""
    categories = given.shape[1]
    if level is Level.NOMINAL:
        return np.asarray(1 - np.eye(categories)[None])
    if level is Level.ORDINAL:
        at = np.cumsum(given, axis=1) - given / 2
    else:
        at = np.asarray(values, dtype=np.float64)[None, :]
    return np.square(at[:, :, None] - at[:, None, :])


def alpha_warned(estimate: Estimate | Undefined, patterns: Patterns) -> Estimate | Undefined:
    """The estimate, with a warning where the answers are too few or too much alike for its
    interval.
    """
    if isinstance(estimate, Undefined) or estimate.low is None:
        return estimate
    if warning := _warning(patterns.times @ patterns.counts):
        return replace(estimate, note=f"interval unreliable: {warning}")
    return estimate


def _warning(by_answer: Integers) -> str:
    """What is wrong with (V,) how often each answer was given; empty where nothing is."""
    commonest, every = int(by_answer.max()), int(by_answer.sum())
    share = commonest / every
    same = f"{number_text(share, '.0%')} are the same"
    if share >= NEARLY_CONSTANT:
        return f"nearly constant answers ({same})"
    if every - commonest < FEWEST_UNCOMMON:
        return f"few answers ({every}, {every - commonest} of them not the commonest one)"
    return f"uneven answers ({same})" if share >= UNEVEN else ""
