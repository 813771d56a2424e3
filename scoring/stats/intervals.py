"""Intervals for shares, for statistics with a jackknife or bootstrap, and for scores over scenes.
No Django here.

Which one is used where, and how often each covers the truth, is checked by `make
validate`.
"""

import math
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.stats.estimate import CONFIDENCE, Estimate, Undefined, cut, without_interval

Floats = NDArray[np.float64]

UPPER = 0.5 + CONFIDENCE / 2
MOST_UNDEFINED = 0.05
EQUAL = 1e-12  # values nearer to each other than this differ by rounding only
ROUNDING = 1e-24  # squares below this share of the data's own are rounding errors
FEWEST_CONFIGURATIONS = 4
ANYTHING = (-np.inf, np.inf)


def wilson(successes: int, n: int) -> Estimate | Undefined:
    """The share `successes / n` with its score interval (Wilson 1927, J. American Statistical
    Association 22).

    ValueError unless 0 <= successes <= n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} is not a share.")
    if n == 0:
        return Undefined("nothing was counted")
    low, high = score_limits(successes / n, n, float(_special().ndtri(UPPER)))
    return Estimate(successes / n, low, high, n, "Wilson")


def clustered_wilson(
    successes: ArrayLike, clusters: ArrayLike, *, by: str = "configuration"
) -> Estimate | Undefined:
    """A share of clips, or pairs, that come in clusters; `by` names what a cluster is.

    Wilson's interval with n / deff for n and t with G - 1 degrees of freedom for z, where deff, at
    least 1, is the ratio of the between-cluster variance of the share to the binomial one (Kish
    1965, Survey Sampling; Dean & Pagano 2015, J. Survey Statistics and Methodology 3). With one
    clip per cluster it is plain Wilson.

    successes: (n,) from 0 to 1, such as 1/2 for a tie; clusters: (n,) labels of any kind.
    ValueError when the shapes differ.
    """
    hit = np.asarray(successes, dtype=np.float64)
    labels, member = np.unique(np.asarray(clusters), return_inverse=True)
    if hit.shape != member.shape:
        raise ValueError(f"{hit.shape} answers do not match {member.shape} clusters.")
    n, groups = hit.size, labels.size
    if n == 0:
        return Undefined("nothing was counted")
    share = float(hit.sum()) / n
    if n == groups:
        low, high = score_limits(share, n, float(_special().ndtri(UPPER)))
        return Estimate(share, low, high, n, "Wilson")
    if groups < 2:  # noqa: PLR2004
        return without_interval(share, n, f"all are from one {by}")
    off = np.bincount(member, weights=hit - share, minlength=groups)
    binomial = share * (1 - share) / n
    between = groups / (groups - 1) * float(off @ off) / n**2
    deff = max(1.0, between / binomial) if binomial > 0 else 1.0
    low, high = score_limits(share, n / deff, student_t(groups - 1))
    return Estimate(share, low, high, n, f"Wilson, clustered by {by}")


def _special() -> ModuleType:
    # A web process shows figures that were computed before: it starts, and lives, without this.
    import scipy.special  # noqa: PLC0415

    return scipy.special


def score_limits(share: float, n: float, z: float) -> tuple[float, float]:
    """Both limits of Wilson's interval of a share of `n` answers, at `z` standard errors."""
    spread = z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * float(np.sqrt(share * (1 - share) / n + spread / (4 * n)))
    return (
        0.0 if share == 0 else max(0.0, middle - half),
        1.0 if share == 1 else min(1.0, middle + half),
    )  # fmt: skip


def student_t(freedom: float) -> float:
    """The upper limit, in standard errors, of a two-sided 95% t interval."""
    return float(_special().stdtrit(freedom, UPPER))


def t_chance(t: Floats, freedom: ArrayLike) -> Floats:
    """The chance that Student's t is below `t`, for each."""
    return np.asarray(_special().stdtr(freedom, t))


def mean_interval(
    values: ArrayLike, *, bounds: tuple[float, float] = ANYTHING, of: str = "cases"
) -> Estimate | Undefined:
    """The mean of (n,) independent values with Student's t interval, cut to `bounds`.

    `of` names what is counted. Without variation the interval is not estimable.
    """
    known = np.asarray(values, dtype=np.float64)
    n = known.size
    if n == 0:
        return Undefined(f"no {of.removesuffix('s')} has a value")
    value = math.fsum(known) / n  # the same in whichever order the values come
    if n == 1:
        return without_interval(value, 1, f"an interval needs at least two {of}")
    error = float(known.std(ddof=1)) / n**0.5
    if error <= EQUAL * max(1.0, abs(value)):
        return without_interval(value, n, f"no variation: all {of} have the same value")
    reach = student_t(n - 1) * error
    low, high = cut(value - reach, bounds), cut(value + reach, bounds)
    return Estimate(value, low, high, n, f"Student's t over {n} {of}")


def jackknife_interval(
    value: float,
    left_out: ArrayLike,
    n: int,
    *,
    bounds: tuple[float, float] = ANYTHING,
    of: str = "configurations",
) -> Estimate:
    """A statistic with the interval of the jackknife that leaves out one configuration at a time,
    or one of what `of` names.

    se^2 = (G - 1) / G x sum (value without g - their mean)^2, and t with G - 1 degrees of freedom
    (Tukey 1958, Annals of Mathematical Statistics 29; Efron & Tibshirani 1993, ch. 11). It speaks
    of others of their kind before these reviewers, and needs no random numbers.

    left_out: (G,) the statistic without each of them, nan where it is undefined then.
    """
    values = np.asarray(left_out, dtype=np.float64)
    groups = values.size
    if groups < 2:  # noqa: PLR2004
        whose = "clips of at least two" if of == "configurations" else "at least two"
        return without_interval(value, n, f"an interval needs {whose} {of}")
    if np.isnan(values).any():
        return without_interval(value, n, f"without one of the {of} the statistic is undefined")
    error = jackknife_error(values)
    if error <= EQUAL * max(1.0, abs(value)):
        return without_interval(
            value, n, f"no variation: the statistic is the same without any {of.removesuffix('s')}"
        )
    reach = student_t(groups - 1) * error
    low, high = cut(value - reach, bounds), cut(value + reach, bounds)
    return Estimate(value, low, high, n, f"jackknife over {groups} {of}")


def jackknife_error(left_out: Floats, weights: Floats | None = None) -> float:
    """The jackknife standard error of (G,) leave-one-out values; `weights` says how often each of
    them occurs.
    """
    times = np.ones_like(left_out) if weights is None else weights
    groups = float(times.sum())
    off = left_out - float(times @ left_out) / groups
    return float(np.sqrt((groups - 1) / groups * float(times @ off**2)))


def pooled_two_way(
    values: ArrayLike, *, total: bool = False, bounds: tuple[float, float] = ANYTHING
) -> list[Estimate | Undefined]:
    """Each configuration's mean over its scenes (or `total`) at one value per scene, with a pooled
    t interval.

    The residual of the additive model configuration + scene is pooled over all configurations;
    complete data have (C - 1)(S - 1) degrees of freedom (Fisher 1925; Scheffe 1959, The Analysis of
    Variance, ch. 4). The scenes are fixed: the interval speaks of these scenes. Fewer than four
    configurations or no residual: not estimable.

    values: (C, S), nan for a cell without a value; returns C estimates, n = the scenes with a
    value. A row without any is Undefined; `total` is meant for rows without gaps (ValueError
    otherwise).
    """
    table = np.asarray(values, dtype=np.float64)
    known = ~np.isnan(table)
    if total and not known.all():
        raise ValueError("A total over scenes needs a value in every scene.")
    variance, freedom = two_way_residual(table, known)
    reason = _two_way_reason(int(known.any(axis=1).sum()), variance, freedom)
    method = f"two-way pooled t, {freedom} degrees of freedom"

    def estimate(row: Floats) -> Estimate | Undefined:
        n = row.size
        if n == 0:
            return Undefined("no scene has a value")
        scale = n if total else 1
        value = float(row.mean()) * scale
        if reason:
            return without_interval(value, n, reason)
        reach = student_t(freedom) * float(np.sqrt(variance / n)) * scale
        return Estimate(value, cut(value - reach, bounds), cut(value + reach, bounds), n, method)

    return [estimate(row[there]) for row, there in zip(table, known, strict=True)]


def two_way_residual(table: Floats, known: NDArray[np.bool_]) -> tuple[float, int]:
    """The residual variance of row + column effects, with gaps, and its degrees of freedom.

    Rows are swept out first, so that only S normal equations are solved whatever the number of
    rows.
    """
    filled = np.where(known, table, 0.0)
    sizes = np.maximum(known.sum(axis=1, keepdims=True), 1)
    swept = np.where(known, filled - filled.sum(axis=1, keepdims=True) / sizes, 0.0)
    share = known / sizes
    normal = np.diag(known.sum(axis=0).astype(np.float64)) - known.T.astype(np.float64) @ share
    effects, _, rank, _ = np.linalg.lstsq(normal, swept.sum(axis=0), rcond=1e-10)
    residual = np.where(known, swept - effects + (share @ effects)[:, None], 0.0)
    freedom = int(known.sum()) - int(known.any(axis=1).sum()) - int(rank)
    squares, size = float((residual**2).sum()), float((filled**2).sum())
    return (squares / freedom if freedom > 0 and squares > ROUNDING * size else 0.0), freedom


def _two_way_reason(configurations: int, variance: float, freedom: int) -> str:
    if configurations < FEWEST_CONFIGURATIONS:
        return (
            f"{configurations} configurations; a pooled interval needs at least "
            f"{FEWEST_CONFIGURATIONS}"
        )
    if freedom < 1:
        return "one scene only: nothing to estimate the variation from"
    return "" if variance else "no variation beyond the levels of scenes and configurations"
