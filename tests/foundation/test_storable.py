"""What comes from outside is stored as it can be, or not at all."""

import pytest

from fartbench.storable import whole_number


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("999999999", 999_999_999)])
def test_plain_digits_are_a_number(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize(
    "text",
    ["", " 1", "1\n", "-1", "+1", "1.0", "1_0", "1e3", "²", "\u0663", "1000000000", "9" * 5000],
)
def test_nothing_else_is(text: str) -> None:
    assert whole_number(text) is None
