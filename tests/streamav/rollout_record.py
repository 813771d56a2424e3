"""Rounds of rollouts as columns, with scripted answers and measurements: no database and no
rendering, any size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from django.conf import settings

from fartbench.protocol import Protocol, ProtocolFile, form_for, load_protocol
from fartbench.protocol.rollouts.forms import asked
from fartbench.protocol.rollouts.schema import Scenario
from fartbench.protocol.rollouts.units import units
from measuring.continuity import Window
from measuring.measurement import Measurement
from scoring.records import (
    DELIVERED,
    MISSING,
    AnswerBook,
    CellRecord,
    ConfigurationRecord,
    MeasuredRecord,
    ReviewerRecord,
    RoundRecord,
    Sheets,
    WindowRecord,
)

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0"
Answers = Mapping[str, str]
Script = Callable[[str, str, WindowRecord, int], Answers]
"""What a reviewer (by number) answers about a window of a configuration's rollout of a scenario."""


@cache
def streamav() -> ProtocolFile:
    """Return the protocol's file, read once."""
    return load_protocol(FOLDER)


def windows_of(protocol: Protocol, cell: int, scenario: Scenario) -> list[WindowRecord]:
    """Return every window of a rollout over its horizons, one for each form that is asked about
    it.
    """
    assert protocol.rollouts is not None
    found: dict[tuple[str, str, float], WindowRecord] = {}
    for horizon in scenario.horizons_s:
        for unit in units(protocol.rollouts.units, scenario, horizon_s=horizon):
            for one in asked(protocol.rollouts.forms, scenario, unit):
                key = (one.form, unit.place, unit.end_s)
                name = f"w-{cell}-{len(found)}"
                found.setdefault(
                    key,
                    WindowRecord(cell, name, one.form, unit.kind, unit.place, unit.end_s, "b" * 64),
                )
    return list(found.values())


def make_round(
    script: Script,
    *,
    configurations: Sequence[str] = ("alpha", "beta"),
    scenarios: Sequence[str] | None = None,
    reviewers: int = 1,
    measured: Callable[[int, str, Scenario], list[MeasuredRecord]] = lambda *_: [],
    failed: Mapping[tuple[str, str], str] | None = None,
) -> RoundRecord:
    """Return a round in which ``script`` answers every form; ``failed`` rollouts have their reason.

    ``measured`` gives what machines measured of a cell (its place, its configuration, its
    scenario).
    """
    loaded = streamav()
    protocol, rollouts = loaded.protocol, loaded.protocol.rollouts
    assert rollouts is not None
    asked_for = [one for one in rollouts.scenarios if scenarios is None or one.key in scenarios]
    cells, windows, measurements = [], [], []
    for name in sorted(configurations):
        for scenario in asked_for:
            place, reason = len(cells), (failed or {}).get((name, scenario.key))
            outcome = DELIVERED if reason is None else "failed"
            cells.append(
                CellRecord(name, scenario.key, 1, outcome, reason or "", raw_sha256="a" * 64)
            )
            if reason is None:
                windows += windows_of(protocol, place, scenario)
                measurements += measured(place, name, scenario)
    return RoundRecord(
        name="rollouts",
        protocol=protocol,
        protocol_digest=loaded.digest,
        scenes=tuple(one.key for one in asked_for),
        replicates=1,
        seed="seed",
        opened_at="2026-01-01T00:00:00Z",
        closed_at="2026-02-01T00:00:00Z",
        incomplete_reason="",
        cells=tuple(cells),
        configurations=tuple(
            ConfigurationRecord(name, name.title(), "", "imported", "", "streaming", True)
            for name in configurations
        ),
        reviewers=tuple(ReviewerRecord(f"R-{number}", "primary") for number in range(reviewers)),
        sheets=_sheets(protocol, cells, windows, reviewers, script),
        windows=tuple(windows),
        measurements=tuple(measurements),
    )


def _sheets(
    protocol: Protocol,
    cells: list[CellRecord],
    windows: list[WindowRecord],
    reviewers: int,
    script: Script,
) -> Sheets:
    book = AnswerBook(protocol)
    codes = {question: book.codes(question) for question in book.questions}
    keys = {form: form_for(protocol, form).keys for form in {window.form for window in windows}}
    places = [(number, reviewer) for number in range(len(windows)) for reviewer in range(reviewers)]
    answers = np.full((len(places), len(codes)), MISSING, np.int8)
    column = {question: number for number, question in enumerate(book.questions)}
    for row, (number, reviewer) in enumerate(places):
        window = windows[number]
        cell = cells[window.cell]
        given = script(cell.configuration, cell.scene, window, reviewer)
        for key in keys[window.form]:
            answers[row, column[key]] = codes[key][given[key]]
    return Sheets(
        cell=np.array([windows[number].cell for number, _ in places], np.int64),
        reviewer=np.array([reviewer for _, reviewer in places], np.int64),
        answers=answers,
        source=["simulated"] * len(places),
        measured=[False] * len(places),
        locked_at=["2026-01-15T12:00:00Z"] * len(places),
        digest=[f"{number:064x}" for number in range(len(places))],
        window=[number for number, _ in places],
    )


@cache
def smooth(score: float, seconds: int) -> list[dict[str, float]]:
    """Return windows at every second that all have one score."""
    return [Window(float(at), 0.0, 0.0, 0.0, 0, score).as_json() for at in range(2, seconds - 1)]


def signals(
    place: int, scenario: Scenario, *, score: float = 100.0, fps: float = 20.0
) -> list[MeasuredRecord]:
    """Return what the signal tools would have stored of a rollout whose boundaries all have one
    score.
    """
    windows = smooth(score, int(scenario.duration_s))
    evidence = {"boundaries": len(windows), "source": "logged", "windows": windows}
    found = [
        MeasuredRecord(
            place,
            "boundary",
            "",
            Measurement("NBC", score, "points", "continuity", "1", evidence=evidence),
        ),
        MeasuredRecord(place, "full", "", Measurement("FPS", fps, "fps", "log", "1")),
        MeasuredRecord(place, "full", "", Measurement("TTFC", 36 / fps, "s", "log", "1")),
    ]
    for update in scenario.updates:
        window = Window(update.at_s, 0.0, 0.0, 0.0, 0, score).as_json()
        value = Measurement(
            "PVC", 1 + 4 * score / 100, "points", "continuity", "1", evidence=window
        )
        found.append(MeasuredRecord(place, "prompt", update.id, value))
    return found
