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

from fartbench.numbers import number_text, shown_number
from scoring.report_classes.base import ReportedEstimate

UNDEFINED = "–"


@dataclass(frozen=True, slots=True)
class Figure:
    """An estimate in words. ``value`` is a dash where it is undefined; ``reach`` is empty where
    there is no interval.

    ``note`` says why a value or interval is missing, or warns of it; ``method`` names the interval.
    ``n`` is None where a release of an older format does not give it.
    """

    value: str
    reach: str
    n: int | None
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
    count = format_html(' <span class="figure__n">n = {}</span>', found.n)
    return format_html(
        '<span class="figure"><b>{}</b>{}{}{}</span>',
        found.value,
        reach if found.reach else "",
        "" if found.n is None else count,
        note if found.note else "",
    )


def figure(
    stored: ReportedEstimate | Mapping[str, Any], *, percent: bool = False, digits: int = 2
) -> Figure:
    """Write an estimate of a report, or its JSON, for people; shares as per cent."""
    if not isinstance(stored, ReportedEstimate):
        stored = ReportedEstimate.of_document(stored)
    if stored.value is None:
        return Figure(UNDEFINED, "", stored.n, stored.note, "")
    reach = ""
    if stored.low is not None and stored.high is not None:
        low, high = _written(stored.low, percent, digits), _written(stored.high, percent, digits)
        reach = f"{low} to {high}"
    written = _written(stored.value, percent, digits)
    return Figure(written, reach, stored.n, stored.note, stored.method)


def stored_figure(
    stored: ReportedEstimate | Mapping[str, Any] | float | None, *, digits: int = 2
) -> Figure:
    """Write what is an estimate's document now, and was a bare number in releases of format 1."""
    if isinstance(stored, Mapping | ReportedEstimate):
        return figure(stored, digits=digits)
    if stored is None:
        return Figure(UNDEFINED, "", None, "", "")
    return Figure(_written(stored, False, digits), "", None, "published without one", "")


def _written(value: float, percent: bool, digits: int) -> str:
    return f"{shown_number(value * 100, '.0f')}%" if percent else shown_number(value, f".{digits}f")


def difference_in_words(found: Mapping[str, Any]) -> str:
    """Say what a difference of two scores means at this sample size
    (`scoring.reports.sureness`), and whether any two can be told apart.
    """
    beyond = found["difference_beyond_chance"]
    if beyond is None:
        return (
            "How large a difference between two scores must be to be more than chance cannot be "
            f"said here: {found['note']}."
        )
    reach = number_text(beyond, ".1f")
    if "apart" not in found:  # the release was published before pairs were counted
        return (
            f"Two scores must lie more than {reach} points apart before chance alone would be a "
            "poor explanation."
        )
    if not found["apart"]:
        return (
            f"No two of these {found['n']} configurations can be told apart: two scores must lie "
            f"more than {reach} points apart before chance alone would be a poor explanation, when "
            "every pair is looked at. With other clips of the same configurations, any of them "
            "could change places."
        )
    pairs = found["pairs"]
    return (
        f"Two scores must lie more than {reach} points apart before chance alone would be a poor "
        f"explanation, when every pair is looked at. {found['apart']} of the {pairs} "
        f"pair{'' if pairs == 1 else 's'} do{'es' if pairs == 1 else ''}; with other clips of the "
        "same configurations, the others could change places."
    )
