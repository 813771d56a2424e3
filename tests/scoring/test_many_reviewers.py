"""Alpha is exact at any number of reviewers, and a round of many of them can be scored."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from scoring.stats.agreement import Level, alpha, alpha_value, find_patterns

# krippendorff 0.9.0 (PyPI): alpha(value_counts=answers_of(n), value_domain=[1, 2, 3, 4, 5],
# level_of_measurement="nominal" / "ordinal" / "interval").
BY_KRIPPENDORFF_0_9_0 = {
    4: (0.3318185506775948, 0.7997441963887443, 0.7987936166170604),
    43: (0.48149146426799927, 0.843621552698469, 0.8412583932154476),
    44: (0.4608697298649038, 0.8406057967886765, 0.8339563997732835),
    100: (0.46474827147418385, 0.8374696910312251, 0.8355005754875278),
    500: (0.4671839207898616, 0.8335296931363532, 0.8295272418133792),
}


def answers_of(reviewers: int) -> np.ndarray:
    """(60, 5) counts of 60 clips, each answered by another number of reviewers from 2 on."""
    counts = np.zeros((60, 5), dtype=np.int64)
    for clip in range(60):
        for reviewer in range(2 + (clip * 37) % (reviewers - 1)):
            counts[clip, min(4, clip % 5 + (reviewer * reviewer + clip) % 7 // 3)] += 1
    return counts


def exact_alpha(counts: np.ndarray, level: Level) -> Fraction:
    """Krippendorff 2011, with fractions: clip by clip and pair of answers by pair of answers."""
    rows = [[int(n) for n in row] for row in counts if row.sum() >= 2]
    totals = [sum(column) for column in zip(*rows, strict=True)]
    observed, by_chance = Fraction(0), Fraction(0)
    for one, other in permutations(range(len(totals)), 2):
        distance = exact_distance(one, other, totals, level)
        by_chance += totals[one] * totals[other] * distance
        pairs = (Fraction(row[one] * row[other], sum(row) - 1) for row in rows)
        observed += sum(pairs, Fraction(0)) * distance
    return 1 - (sum(totals) - 1) * observed / by_chance


def exact_distance(one: int, other: int, totals: list[int], level: Level) -> Fraction:
    """The squared difference between two different answers."""
    if level is Level.NOMINAL:
        return Fraction(1)
    if level is Level.INTERVAL:
        return Fraction((one - other) ** 2)
    low, high = sorted((one, other))
    return (sum(totals[low : high + 1]) - Fraction(totals[low] + totals[high], 2)) ** 2


@pytest.mark.parametrize("reviewers", BY_KRIPPENDORFF_0_9_0)
@pytest.mark.parametrize("level", Level)
def test_alpha_is_that_of_another_program_up_to_500_reviewers(reviewers: int, level: Level) -> None:
    found = alpha_value(find_patterns(answers_of(reviewers)), level)
    assert found == pytest.approx(float(exact_alpha(answers_of(reviewers), level)), abs=1e-13)
    expected = BY_KRIPPENDORFF_0_9_0[reviewers][list(Level).index(level)]
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("most", [42, 43, 44, 60, 120, 500])
def test_a_clip_with_every_number_of_answers(most: int) -> None:
    """With 43 answers a clip the least common multiple of answers less one passes 63 bits."""
    rows = [[n - n // 2 % 2, n // 2 % 2] for n in range(2, most + 1)]
    found = alpha_value(find_patterns(np.array(rows)), Level.NOMINAL)
    assert found == pytest.approx(float(exact_alpha(np.array(rows), Level.NOMINAL)), abs=1e-13)


@pytest.mark.parametrize("reviewers", [60, 500])
def test_the_jackknife_is_alpha_without_each_configuration(reviewers: int) -> None:
    counts, configurations = answers_of(reviewers), np.arange(60) % 12
    found = alpha(counts, Level.ORDINAL, configurations=configurations)
    left_out = [
        float(exact_alpha(counts[configurations != one], Level.ORDINAL)) for one in range(12)
    ]
    error = np.sqrt(11 / 12 * np.square(left_out - np.mean(left_out)).sum())
    t = 2.200985160082949  # tables of Student's t, .975, 11 degrees of freedom: 2.201
    assert found.value + t * error == pytest.approx(found.high, abs=1e-12)
    assert found.value - t * error == pytest.approx(found.low, abs=1e-12)


def test_many_configurations_are_left_out_in_bounded_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts, configurations = answers_of(100), np.arange(60) % 20
    at_once = alpha(counts, Level.ORDINAL, configurations=configurations)
    monkeypatch.setattr("scoring.stats.agreement.CELLS_AT_ONCE", 100)
    assert alpha(counts, Level.ORDINAL, configurations=configurations) == at_once
