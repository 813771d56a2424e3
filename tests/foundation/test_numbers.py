"""A number that rounds to nothing has no sign."""

import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from hypothesis import given
from hypothesis import strategies as st

from fartbench.numbers import exact_number, number_text, shown_number, signed_zeros
from scoring.release.rollouts.tables import number
from scoring.reports.shape import rounded
from web.pages.figures import figure

SPECS = (".0f", ".1f", ".2f", ".3g", "g", "")
TINY = (-0.0, -0.001, -0.0049, -1e-12)
ROOT = Path(settings.BASE_DIR)
# Format specifications of numbers in f-strings, by what is formatted.
FORMATTED = re.compile(r"\{([^{}]*?):[<>^]?\d*\.(?:\d+|\{\w+\})[fg%]\}")
MAY_BE_NEGATIVE = re.compile(
    r"value|correlation|alpha|\blow\b|\bhigh\b|slope|amount|score|signal|degradation|ceiling'"
)

NEVER_NEGATIVE = re.compile(r"abs\(|p_value")


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(SPECS))
def test_nothing_but_the_sign_of_zero_changes(value, spec):
    text = number_text(value, spec)
    assert not re.fullmatch(r"-0(\.0+)?", text)
    with signed_zeros():
        assert number_text(value, spec) in {text, f"-{text}"}
    assert shown_number(value, spec) == text.replace("-", "−")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_an_exact_number_is_read_back_to_the_last_bit(value):
    assert float(exact_number(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.0, "3"), (2.5, "2.5"), (-0.0, "0"), (1234567.5, "1234567.5"), (0.1, "0.1")],
)
def test_an_exact_number_has_no_needless_point(value, text):
    assert exact_number(value) == text


@pytest.mark.parametrize("value", [*TINY, Decimal("-0.001"), Fraction(-1, 1000)])
def test_zero_has_no_sign(value):
    assert number_text(value, ".2f") == shown_number(value, ".2f") == "0.00"


@pytest.mark.parametrize("value", TINY)
def test_no_page_or_table_writes_a_negative_zero(value):
    document = {
        "value": value,
        "low": value,
        "high": 0.5,
        "n": 8,
        "note": "",
        "method": "bootstrap",
    }
    written = figure(document)
    assert (written.value, written.reach) == ("0.00", "0.00 to 0.50")
    assert figure(document, percent=True).value == "0%"
    assert Template("{{ value|floatformat:2 }}").render(Context({"value": value})) == "0.00"
    assert str(rounded(-0.0)) == number(-0.0) == "0.0"


def formatted_without_help(path):
    """Yield what a module formats by itself though it may be negative."""
    for match in FORMATTED.finditer(path.read_text(encoding="utf-8")):
        if MAY_BE_NEGATIVE.search(match[1]) and not NEVER_NEGATIVE.search(match[1]):
            yield f"{path.relative_to(ROOT)}: {match[0]}"


def test_what_may_be_negative_is_formatted_by_the_one_helper():
    paths = [
        path
        for room in ("scoring", "measuring", "judging", "simulation")
        for path in (ROOT / room).rglob("*.py")
    ]
    assert [line for path in paths for line in formatted_without_help(path)] == []
