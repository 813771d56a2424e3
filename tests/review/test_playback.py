"""How much of a clip a player's report amounts to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.errors import BadPlayback
from review.playback import is_played, parse_playback, union_length

times = st.floats(0, 10, allow_nan=False)
ranges = st.lists(st.tuples(times, times), max_size=12)


@given(ranges)
def test_the_union_is_what_counting_small_steps_gives(found: list[tuple[float, float]]) -> None:
    steps = 2000
    hit = sum(any(a <= (n + 0.5) / 200 < b for a, b in found) for n in range(steps)) / 200
    assert union_length(found, end=10.0) == pytest.approx(hit, abs=0.02 * (len(found) + 1))


@given(ranges)
def test_more_play_is_never_less(found: list[tuple[float, float]]) -> None:
    assert union_length([*found, (2.0, 3.0)], end=10.0) >= union_length(found, end=10.0)


@pytest.mark.parametrize(
    ("covered", "full_plays", "expected"),
    [
        ([[[0, 8]]], 1, True),
        ([[[0, 7.84]]], 1, True),
        ([[[0, 7.83]]], 1, False),
        ([[[0, 100]]], 1, True),
        ([[[0, 8]]], 2, False),
        ([[[0, 8]], [[0, 4], [4, 8]]], 2, True),
        ([], 0, True),
        ([], 1, False),
        ([[[4, 0], [8, 4]]], 1, False),
    ],
)
def test_full_plays(covered: Any, full_plays: int, expected: bool) -> None:
    assert (
        is_played({"covered": covered}, duration=8, full_plays=full_plays, fraction=0.98)
        is expected
    )


@pytest.mark.parametrize(
    "report",
    [
        {"covered": [[[0, float("nan")]]]},
        {"covered": [[[0, 1, 2]]]},
        {"covered": [[[-1, 1]]]},
        {"plays": -1},
        {"volume": 1.5},
        {"user_agent": "x"},
        {"errors": ["x"] * 9},
        {"covered": [[[0, 1]] * 61]},
    ],
)
def test_what_no_player_here_reports_is_refused(report: dict[str, Any]) -> None:
    with pytest.raises(BadPlayback):
        parse_playback(report)


def test_a_stored_report_is_bounded_and_means_the_same() -> None:
    report = {
        "covered": [[[0, 8]]],
        "plays": 2,
        "stalls": 0,
        "viewport": [360, 740],
        "errors": ["DECODE"],
    }
    assert parse_playback(parse_playback(report)) == parse_playback(report)
