"""Estimates as pages write them: never a number without its interval and n, and the HTML of each in
one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from fartbench.numbers import shown_number

UNDEFINED = "–"


@dataclass(frozen=True, slots=True)
class Figure:
    """An estimate in words. ``value`` is a dash where it is undefined; ``reach`` is empty where
    there is no interval.

    ``note`` says why a value or interval is missing, or warns of it; ``method`` names the interval.
    """

    value: str
    reach: str
    n: int
    note: str
    method: str

    @property
    def html(self) -> SafeString:
        return _html(self)


@lru_cache(maxsize=4096)
def _html(found: Figure) -> SafeString:
    method = f": {found.method}" if found.method else ""
    reach = format_html(
        ' <span class="figure__reach" title="95% interval{}">{}</span>', method, found.reach
    )
    why = "undefined: " if found.value == UNDEFINED else "" if found.reach else "no interval: "
    note = format_html(' <span class="figure__note">{}{}</span>', why, found.note)
    return format_html(
        '<span class="figure"><b>{}</b>{} <span class="figure__n">n = {}</span>{}</span>',
        found.value,
        reach if found.reach else "",
        found.n,
        note if found.note else "",
    )


def figure(document: Mapping[str, Any], *, percent: bool = False, digits: int = 2) -> Figure:
    """Write an estimate's document (`scoring.reports.shape`) for people; shares as per cent."""
    value, low, high = (document[name] for name in ("value", "low", "high"))
    if value is None:
        return Figure(UNDEFINED, "", document["n"], document["note"], "")
    reach = (
        ""
        if low is None
        else f"{_written(low, percent, digits)} to {_written(high, percent, digits)}"
    )
    written = _written(value, percent, digits)
    return Figure(written, reach, document["n"], document["note"], document["method"])


def _written(value: float, percent: bool, digits: int) -> str:
    return f"{shown_number(value * 100, '.0f')}%" if percent else shown_number(value, f".{digits}f")


def one_point_in_words(found: Mapping[str, Any]) -> str:
    """Say what a difference of one point means at this sample size
    (`scoring.reports.ranking.one_point`).
    """
    beyond = found["difference_beyond_chance"]
    if beyond is None:
        return f"What a difference of one point means cannot be said here: {found['note']}."
    if beyond > 1:
        return (
            "A difference of one point means little here: two scores must lie more than "
            f"{beyond:.1f} points apart "
            "before chance alone would be a poor explanation. With other clips of the same "
            "configurations, "
            "two that are closer could easily change places."
        )
    return (
        "A difference of one point means something here: chance alone makes a difference above "
        f"{beyond:.1f} points "
        "in fewer than 5 of 100 comparisons that were chosen beforehand."
    )
