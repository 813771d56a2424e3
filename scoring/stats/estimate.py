"""What every statistic returns: a value with its interval and n, or the reason why there is none.

No Django here.
"""

import hashlib
from dataclasses import dataclass

CONFIDENCE = 0.95
NO_WIDTH = 1e-10  # of an interval, relative to its value: less is not seen in what is published
NOT_ESTIMABLE = "not estimable"
NO_VARIATION = "no variation: both limits are the value itself"


@dataclass(frozen=True, slots=True)
class Undefined:
    """A statistic that these data do not determine. It is shown as the reason, never as a
    number.
    """

    reason: str
    n: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95% interval. Limits that do not differ are no interval: it is not
    estimable then.

    `n` is the number of observations the value rests on (clips, unless the function says otherwise)
    and `method` names the interval. When the value exists but its interval cannot be estimated,
    `low` and `high` are both None and `note` says why; otherwise `note` is empty or a warning to
    print beside the interval.
    """

    value: float
    low: float | None
    high: float | None
    n: int
    method: str
    note: str = ""

    def __post_init__(self) -> None:
        """Hold the invariant: both limits or none, and a reason where there is none."""
        if (self.low is None) != (self.high is None) or (self.low is None and not self.note):
            raise ValueError(
                f"An estimate needs both limits, or neither and a note that says why: {self}"
            )
        if self.low is None or self.high is None:
            return
        if self.high - self.low <= NO_WIDTH * max(1.0, abs(self.value)):
            without = {"low": None, "high": None, "method": NOT_ESTIMABLE, "note": NO_VARIATION}
            for name, value in without.items():
                object.__setattr__(self, name, value)


def without_interval(value: float, n: int, reason: str) -> Estimate:
    """A value whose interval is not estimable, and why."""
    return Estimate(value, None, None, n, NOT_ESTIMABLE, reason)


def cut(limit: float, bounds: tuple[float, float]) -> float:
    """A limit moved to the nearest value that is possible."""
    return float(min(max(limit, bounds[0]), bounds[1]))


def derived_seed(seed: str, *words: str) -> int:
    """A 32-bit seed for one resampling, from the release's seed and the words that name what is
    resampled.

    So the draws of one configuration do not depend on which others there are.
    """
    return int.from_bytes(hashlib.sha256("|".join((seed, *words)).encode()).digest()[:4], "big")
