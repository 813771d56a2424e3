"""Krippendorff's alpha: published values, a literal second route, and what it says where it is not
defined.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoring.stats.agreement import (
    Level,
    alpha,
    alpha_jackknife,
    alpha_value,
    applicability_counts,
    find_patterns,
)
from scoring.stats.estimate import Undefined
from scoring.stats.intervals import jackknife_error
from tests.scoring.vectors import load_vector

POINTS = load_vector("krippendorff_points")
CLIPS = load_vector("krippendorff_100_clips")
SMALL = load_vector("krippendorff_intervals_2011")


def count_answers(answers, domain):
    """(clips, V) counts of each answer of `domain` from a row of answers per clip; None is a
    missing answer.
    """
    return np.array([[row.count(value) for value in domain] for row in answers], dtype=np.int64)


def patterns_of(raters_by_units, domain):
    return find_patterns(count_answers(list(zip(*raters_by_units, strict=True)), domain))


def krippendorff_2011():
    case = next(case for case in POINTS["cases"] if case["name"] == "K2011-D")
    return patterns_of(case["data"], case["domain"])


def literal_alpha(rows, domain, level):
    """Alpha by its definition as observed over expected disagreement of pairs, ordinal differences
    summed out.
    """
    units = [[answer for answer in row if answer is not None] for row in rows]
    units = [unit for unit in units if len(unit) >= 2]
    pool = [answer for unit in units for answer in unit]

    def difference(one, other):
        if level is Level.NOMINAL:
            return float(one != other)
        if level is Level.INTERVAL:
            return float(one - other) ** 2
        low, high = sorted((domain.index(one), domain.index(other)))
        between = sum(pool.count(domain[at]) for at in range(low, high + 1))
        return (between - (pool.count(one) + pool.count(other)) / 2) ** 2

    def pairs(unit):
        return sum(
            difference(a, b) for i, a in enumerate(unit) for j, b in enumerate(unit) if i != j
        )

    observed = sum(pairs(unit) / (len(unit) - 1) for unit in units) / len(pool) if pool else 0
    expected = pairs(pool) / (len(pool) * (len(pool) - 1)) if pool else 0
    return 1 - observed / expected if expected else None


@pytest.mark.parametrize(
    "case", POINTS["cases"], ids=lambda case: f"{case['name']}-{case['level']}"
)
def test_published_values(case):
    found = alpha_value(
        patterns_of(case["data"], case["domain"]), Level(case["level"]), case["domain"]
    )
    assert found == pytest.approx(case["alpha"], abs=1e-12)
    assert case["published"] is None or round(found, 3) == case["published"]


@pytest.mark.parametrize("case", POINTS["degenerate"], ids=lambda case: case["name"])
def test_degenerate_data_are_undefined_never_one_or_zero(case):
    found = alpha_value(patterns_of(case["data"], case["domain"]), Level.NOMINAL)
    if case["alpha"] is None:
        assert isinstance(found, Undefined)
        assert found.reason in {"all answers are equal", "no clip has two answers"}
    else:
        assert found == case["alpha"]


tables = st.lists(
    st.lists(st.sampled_from([None, 1, 2, 3, 4, 5]), min_size=4, max_size=4), min_size=1, max_size=9
)


@settings(max_examples=150, deadline=None)
@given(tables, st.sampled_from(Level))
def test_alpha_equals_its_definition_written_out(rows, level):
    domain = [1, 2, 3, 4, 5]
    found = alpha_value(find_patterns(count_answers(rows, domain)), level, domain)
    expected = literal_alpha(rows, domain, level)
    if expected is None:
        assert isinstance(found, Undefined)
    else:
        assert found == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from(Level), st.randoms(use_true_random=False))
def test_order_of_clips_and_lone_answers_change_nothing(rows, level, rand):
    before = alpha_value(find_patterns(count_answers(rows, [1, 2, 3, 4, 5])), level)
    mixed = [*rows, [None, 5, None, None], [None] * 4]
    rand.shuffle(mixed)
    assert alpha_value(find_patterns(count_answers(mixed, [1, 2, 3, 4, 5])), level) == before


@pytest.mark.parametrize("question", ["rating", "factual"])
def test_a_hundred_clips_with_the_jackknife_over_configurations(question):
    case = CLIPS[question]
    counts = count_answers(case["data"], case["domain"])
    found = alpha(counts, Level(case["level"]), configurations=CLIPS["config"])
    assert found.value == pytest.approx(case["alpha"], abs=1e-12)
    assert (found.low, found.high) == pytest.approx(case["config_jack"], abs=1e-12)
    assert found.n == case["pairable"]
    assert found.method == f"jackknife over {case['configs']} configurations"
    assert found.note == ""


@pytest.mark.parametrize("question", ["rating", "factual"])
def test_a_hundred_clips_left_out_one_by_one(question):
    case = CLIPS[question]
    patterns = find_patterns(count_answers(case["data"], case["domain"]))
    level = Level(case["level"])
    found = alpha_jackknife(patterns, level, range(100))
    assert found.n == 80
    each = [
        alpha_value(find_patterns(np.delete(patterns.counts[patterns.pattern], at, 0)), level)
        for at in range(80)
    ]
    assert jackknife_error(np.array(each)) == pytest.approx(case["clip_jack_se"], abs=1e-12)


@pytest.mark.parametrize("level", [Level.NOMINAL, Level.ORDINAL])
def test_intervals_of_the_small_published_example(level):
    jackknife = alpha_jackknife(krippendorff_2011(), level, range(12))
    assert jackknife.low == pytest.approx(SMALL[level]["jack"][0], abs=1e-12)
    assert jackknife.high == 1.0  # the limit beyond 1 is cut


def test_few_configurations_have_the_same_kind_of_interval_as_many():
    case = CLIPS["rating"]
    counts = count_answers(case["data"], case["domain"])
    for configurations in (2, 5, 9, 10, 25):
        found = alpha(counts, Level.ORDINAL, configurations=np.arange(100) % configurations)
        assert found.method == f"jackknife over {configurations} configurations"
        assert found.low < found.value < found.high


def of_25(rows, domain):
    """Alpha of these clips, the configurations of which are 25."""
    labels = np.arange(len(rows)) % 25
    return alpha(count_answers(rows, domain), Level.NOMINAL, configurations=labels)


def test_nearly_constant_answers_are_warned_of_however_many_there_are():
    rows = [["yes"] * 4] * 90 + [["yes", "yes", "no", "no"]] * 10
    for found in (of_25(rows, ["yes", "no"]), of_25(rows * 10, ["yes", "no"])):
        assert found.low < found.value < found.high
        assert found.note == "interval unreliable: nearly constant answers (95% are the same)"


def test_few_answers_are_called_few_and_not_constant():
    """The Squat's “people” of the demonstration: 3, 5, 4, 4 and 4 answers of 1 to 5."""
    rows = [[1, 1, 2, 2], [1, 2, 2, 2], [3, 3, 3, 4], [3, 4, 5, 4], [4, 5, 5, 5]]
    counts = count_answers(rows, [1, 2, 3, 4, 5])
    found = alpha(counts, Level.ORDINAL, configurations=range(5))
    assert found.note == ("interval unreliable: few answers (20, 15 of them not the commonest one)")


def test_uneven_answers_are_warned_of_and_even_ones_are_not():
    alike, mixed = [["yes"] * 4], [["yes", "no", "no", "no"], ["no", "yes", "no", "yes"]]
    found = of_25(alike * 60 + mixed * 20, ["yes", "no"])
    assert found.note == ""
    found = of_25(alike * 60 + mixed * 12, ["yes", "no"])
    assert found.note == "interval unreliable: uneven answers (82% are the same)"


def test_an_interval_that_hangs_on_one_configuration_is_not_estimable():
    rows = [["yes"] * 4] * 40 + [["yes", "no", "no", "no"]]
    configurations = [*(number % 10 for number in range(40)), 10]
    found = alpha(count_answers(rows, ["yes", "no"]), Level.NOMINAL, configurations=configurations)
    assert (found.low, found.high, found.method) == (None, None, "not estimable")
    assert "undefined" in found.note


def test_perfect_agreement_and_single_clips_have_a_value_without_interval():
    perfect = of_25([["yes"] * 4, ["no"] * 4] * 20, ["yes", "no"])
    assert (perfect.value, perfect.low) == (1.0, None)
    single = of_25([["yes", "no"]], ["yes", "no"])
    assert (single.value, single.low, single.n) == (0.0, None, 1)
    assert single.note == "an interval needs clips of at least two configurations"


def test_undefined_alpha_says_why_and_how_many_clips_there_were():
    def undefined(counts):
        return alpha(counts, Level.NOMINAL, configurations=range(len(counts)))

    assert undefined(np.zeros((3, 2), dtype=int)) == Undefined("no clip has two answers", 0)
    assert undefined(np.zeros((0, 5), dtype=int)) == Undefined("no clip has two answers", 0)
    assert undefined(np.array([[4, 0], [3, 0]])) == Undefined("all answers are equal", 2)


def test_applicability_is_its_own_question():
    counts = np.array([[4, 0], [0, 0], [1, 1], [2, 0]])
    table = applicability_counts(counts, [0, 4, 2, 2])
    assert table.tolist() == [[4, 0], [0, 4], [2, 2], [2, 2]]
    answers = [["a"] * 4, ["n"] * 4, ["a", "a", "n", "n"], ["a", "a", "n", "n"]]
    assert alpha_value(find_patterns(table), Level.NOMINAL) == pytest.approx(
        literal_alpha(answers, [], Level.NOMINAL)
    )


def test_the_full_domain_and_many_reviewers_or_answers_are_fine():
    rand = np.random.default_rng(8)
    wide = rand.multinomial(
        12, np.full(40, 1 / 40), size=8
    )  # too many patterns for one 64-bit number each
    rows = [[answer for answer, count in enumerate(row) for _ in range(count)] for row in wide]
    found = alpha_value(find_patterns(wide), Level.INTERVAL)
    assert found == pytest.approx(literal_alpha(rows, list(range(40)), Level.INTERVAL), abs=1e-10)


@pytest.mark.parametrize("level", Level)
def test_answers_that_nobody_gave_change_nothing(level):
    counts = count_answers(CLIPS["rating"]["data"], CLIPS["rating"]["domain"])
    wide, given = np.zeros((len(counts), 11), dtype=np.int64), [1, 2, 5, 6, 9]
    wide[:, given] = counts
    found = alpha(wide, level, configurations=CLIPS["config"], values=range(11))
    assert found == alpha(counts, level, configurations=CLIPS["config"], values=given)


@given(st.integers(2, 6), st.integers(0, 2**31))
def test_permuting_nominal_answers_changes_nothing(categories, seed):
    rand = np.random.default_rng(seed)
    counts = rand.multinomial(4, np.full(categories, 1 / categories), size=12)
    here = alpha_value(find_patterns(counts), Level.NOMINAL)
    assume(not isinstance(here, Undefined))
    there = alpha_value(find_patterns(counts[:, rand.permutation(categories)]), Level.NOMINAL)
    assert there == pytest.approx(here, abs=1e-12)


def test_input_that_is_no_table_of_counts_is_an_error():
    for bad in (np.zeros(3, dtype=int), np.zeros((2, 2)), np.array([[1, -1]])):
        with pytest.raises(ValueError, match="Counts must be"):
            find_patterns(bad)
    with pytest.raises(ValueError, match="configurations do not match"):
        alpha(np.array([[2, 2], [1, 3]]), Level.NOMINAL, configurations=["a"])
