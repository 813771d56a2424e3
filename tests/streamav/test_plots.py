"""Plots of rollouts can be read: nothing lies on anything else, and the axis has its marks at any
length.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page

from scoring.records import RoundRecord
from scoring.records.judges import JudgeRecord, JudgeRunRecord
from scoring.release.kinds import documents_of, kind_of
from scoring.release.rollouts.plots import plots_of
from tests.streamav.rollout_record import streamav
from tests.streamav.scripts import drawn
from tests.web.test_rollout_pages import rollouts_record
from web.pages.judged_columns import judged_columns
from web.pages.timeline import ticks, timeline_plot

OVERLAPS = """() => {
  const texts = [...document.querySelectorAll("text")].map((one) => [one.textContent, one.getBoundingClientRect()]);
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom - 3 <= b.top || b.bottom - 3 <= a.top;
  const [edge] = [...document.querySelectorAll("svg")].map((one) => one.getBoundingClientRect());
  const found = texts.flatMap(([one, box], n) =>
    texts.slice(n + 1).filter(([, other]) => !apart(box, other)).map(([other]) => `${one} | ${other}`));
  const outside = texts.filter(([, box]) => box.right > edge.right || box.bottom > edge.bottom);
  return [...found, ...outside.map(([one]) => one)];
}"""


def long_rollout(seconds: float) -> dict[str, Any]:
    """Return the document of a rollout that is bad at every boundary, with a prompt at each sixth
    and marks.
    """
    whole = {"black": 0.5, "repeated": 0.5, "frozen_s": 1.25, "flashes": 2}
    windows = [{"at_s": seconds * n / 45, "score": float(n), **whole} for n in range(2, 44)]
    prompts = [{"place": f"P{n}", "at_s": n * seconds / 6, "signal": 4.56} for n in range(1, 6)]
    flags = [{"kind": "dropout", "at_s": seconds / 2, "amount": 0.25}]
    return {
        "seconds": seconds, "windows": windows, "worst": windows[::5], "prompts": prompts,
        "flags": flags,
        "why_no_windows": "",
    }  # fmt: skip


@pytest.mark.engine("sqlite")
def test_no_text_of_a_plot_lies_on_another_or_is_cut_off(new_page: Callable[..., Page]) -> None:
    documents = documents_of(rollouts_record())
    plots = plots_of(streamav().protocol, documents.scores, documents.reports)
    unseen = {
        "windows": [],
        "worst": [],
        "flags": [],
        "why_no_windows": "no chunk was logged, and no geometry is declared",
    }
    for seconds in (4.0, 29.0, 180.0):
        plots[f"timeline-{seconds}"] = timeline_plot("A rollout", long_rollout(seconds))
    plots["timeline-unseen"] = timeline_plot("A rollout", long_rollout(180.0) | unseen)
    page = new_page()
    for name, plot in plots.items():
        page.set_content(plot)
        assert page.evaluate(OVERLAPS) == [], name


@pytest.mark.parametrize(
    "seconds", [0.5, 1, 3.9, 4, 9.99, 25, 29.9, 30, 60, 95, 120, 180, 240, 250, 600, 3600]
)
def test_the_axis_of_a_rollout_has_marks_at_any_length(seconds: float) -> None:
    found = ticks(seconds)
    assert 3 <= len(found) <= 9
    assert found[0] == 0 and seconds * 0.6 < found[-1] <= seconds


def test_a_rollout_of_three_minutes_is_marked_where_prompts_arrive() -> None:
    assert ticks(180) == [0, 30, 60, 90, 120, 150, 180]


REFUSED = "retention-audio"


def judged(record: RoundRecord, quality: float) -> RoundRecord:
    """Return the record with a judge who answered every form but one."""
    runs = []
    for place, window in enumerate(record.windows):
        cell = record.cells[window.cell]
        answers = drawn(cell.configuration, cell.scene, window, 9, quality=quality)
        runs.append(
            JudgeRunRecord(window.cell, "answered", answers=answers, window=place)
            if window.form != REFUSED
            else JudgeRunRecord(window.cell, "blocked", code="safety", window=place)
        )
    judge = JudgeRecord("judy", "frozen", "a" * 64, "2026-01-02T00:00:00Z", {}, tuple(runs))
    return replace(record, judges=(judge,))


def test_a_judges_columns_stand_beside_the_peoples_without_calibration() -> None:
    record = judged(rollouts_record(), quality=4.5)
    documents = dict(kind_of(record.protocol).pages(documents_of(record)))
    (found,) = judged_columns(
        lambda names: {name: documents[name] for name in names}, record.protocol
    )
    forms = [window.form for window in record.windows]
    assert (found.judge, found.asked, found.answered) == (
        "judy",
        len(forms),
        len(forms) - forms.count(REFUSED),
    )
    assert found.systems == ("alpha", "beta", "gamma")
    assert len(found.columns) == 19  # as many as the paper has people or judges answer for
    (quality,) = (line for line in found.columns if line.metric.code == "VQ")
    for name, (people, own) in zip(found.systems, quality.cells, strict=True):
        for source, cell in (("people", people), ("judy", own)):
            value = documents[f"columns/{source}/180/all"]["systems"][name]["VQ"]["value"]
            assert cell.figure.value == f"{value:.2f}"
        assert float(own.figure.value) > float(people.figure.value)
    alone = dict(kind_of(record.protocol).pages(documents_of(rollouts_record())))
    assert (
        judged_columns(lambda names: {name: alone[name] for name in names}, record.protocol) == []
    )
