"""Estimates as pages write them."""

import pytest

from web.pages.figures import figure


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [
        (-0.004, 2, "0.00"),
        (-0.005001, 2, "−0.01"),
        (-0.4, 0, "0"),
        (0.0, 2, "0.00"),
        (-10.0, 1, "−10.0"),
    ],
)
def test_what_rounds_to_nothing_has_no_sign_and_what_does_not_has_a_minus(
    value: float, digits: int, written: str
):
    found = figure(
        {"value": value, "low": value, "high": value, "n": 5, "note": "", "method": "t"},
        digits=digits,
    )
    assert (found.value, found.reach) == (written, f"{written} to {written}")
