"""A release of rollouts cut into the parts that pages show, each small enough for one visitor. No
Django here.

``summary`` says what the round was; ``columns/SOURCE/HORIZON/TRACK`` holds the columns of every
system; ``configuration/NAME`` one system: what was tested, its rollouts, curves and diagnostics;
``rollout/NAME/SCENARIO/N`` one rollout along its time; each report is below its own key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from measuring.continuity import Window, worst
from measuring.marks import MARKS
from scoring.records import CellRecord, MeasuredRecord
from scoring.release.documents import Documents
from scoring.release.pages import LEADERBOARD, SUMMARY, configuration_document
from scoring.rollouts.document import case_documents
from scoring.rollouts.results import EVERY_TRACK, RolloutResults

Document = dict[str, Any]
Pages = Iterator[tuple[str, Document]]
WORST = 8
FULL = 100.0
"""The score of a boundary at which nothing is lost."""


def columns_document(source: str, horizon: str, track: str) -> str:
    """Return the name of the document with the columns of every system."""
    return f"columns/{source}/{horizon}/{track}"


def rollout_document(name: str, scene: str, replicate: int) -> str:
    """Return the name of the document of one rollout."""
    return f"rollout/{name}/{scene}/{replicate}"


def page_documents(documents: Documents[RolloutResults]) -> Pages:
    """Yield each document with its name."""
    yield SUMMARY, _summary(documents)
    yield LEADERBOARD, {"configurations": _identities(documents.results)}
    yield from documents.reports["reports"].items()
    yield from _columns(documents.scores)
    yield from _systems(documents)
    yield from _rollouts(documents.results)


def _summary(documents: Documents[RolloutResults]) -> Document:
    record = documents.results.record
    scores = dict(documents.scores)
    readings = scores.pop("readings")
    first = readings[0]["systems"]
    waived = record.verdicts.get("waived") or {}
    families = {one.family for one in record.configurations if one.family}
    return {
        **scores,
        "sources": [reading["source"] for reading in readings],
        "scenes": list(record.scenes),
        "replicates": record.replicates,
        "reviewers": documents.reports["reviewers"],
        "cells": len(record.cells),
        "delivered": sum(system["delivered"] for system in first),
        "configurations": len(first),
        "windows": len(record.windows),
        "without_verdicts": waived.get("reason", ""),
        "leading": {"configurations": [], "n": 0},
        "families": sorted(families),
    }


def _identities(results: RolloutResults) -> list[Document]:
    return [
        {"name": one.name, "track": one.track, "family": one.family}
        for one in results.record.configurations
    ]


def _columns(scores: Mapping[str, Any]) -> Pages:
    for reading in scores["readings"]:
        for horizon in scores["horizons_s"]:
            whole = {
                one["configuration"]: one["columns"][horizon][EVERY_TRACK]
                for one in reading["systems"]
            }
            for track in scores["tracks"]:
                own = {
                    one["configuration"]: one["columns"][horizon][track]
                    for one in reading["systems"]
                }
                systems = {name: {**columns, **own[name]} for name, columns in whole.items()}
                yield columns_document(reading["source"], horizon, track), {"systems": systems}


def _systems(documents: Documents[RolloutResults]) -> Pages:
    results, reports = documents.results, documents.reports["reports"]
    identities = {found.name: asdict(found) for found in results.record.configurations}
    values = _values(results)
    for system in documents.scores["readings"][0]["systems"]:
        name = system["configuration"]
        yield (
            configuration_document(name),
            {
                **{key: system[key] for key in ("configuration", "cells", "delivered")},
                "columns": system["columns"][documents.scores["horizons_s"][-1]][EVERY_TRACK],
                "identity": identities[name],
                "rollouts": values[name],
                "curves": {
                    code: by_name[name] for code, by_name in _first(reports.get("trajectories",
                                                                                {})).items()
                },
                "diagnostics": _first(reports.get("appendix", {})).get(name),
            },
        )  # fmt: skip


def _first(report: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the first source says in a report."""
    return next(iter(report.get("readings", {}).values()), {})


def _values(results: RolloutResults) -> dict[str, list[Document]]:
    """Return each system's rollouts with the values of their metrics."""
    found: dict[str, dict[tuple[str, int], Document]] = defaultdict(dict)
    for case, code, value in case_documents(results, results.readings[0]):
        cell = case.cell
        one = found[cell.configuration].setdefault(
            (cell.scene, cell.replicate),
            {**_about(cell), "track": case.scenario.track, "values": {}},
        )
        one["values"][code] = {"value": value.value, "status": value.status, "reason": value.reason}
    return {name: list(rollouts.values()) for name, rollouts in found.items()}


def _about(cell: CellRecord) -> Document:
    return {
        "scene": cell.scene,
        "replicate": cell.replicate,
        "outcome": cell.outcome,
        "reason": cell.reason,
    }


def _rollouts(results: RolloutResults) -> Pages:
    scenarios = {scenario.key: scenario for scenario in results.scenarios}
    measured: dict[int, list[MeasuredRecord]] = defaultdict(list)
    for row in results.record.measurements:
        measured[row.cell].append(row)
    for place, cell in enumerate(results.record.cells):
        scenario = scenarios[cell.scene]
        times = {update.id: update.at_s for update in scenario.updates}
        yield (
            rollout_document(cell.configuration, cell.scene, cell.replicate),
            {**_about(cell), "seconds": scenario.duration_s, **timeline_of(measured[place], times)},
        )


def timeline_of(rows: Iterable[MeasuredRecord], prompts_s: Mapping[str, float]) -> Document:
    """Return what was measured of one rollout along its time.

    ``windows`` are the native boundaries; ``worst`` the lowest of those that lost points, none
    overlapping another; ``prompts`` where prompts arrived, with the picture's part of continuity
    there; ``flags`` marks in the sound.
    """
    windows, flags, why = [], [], "nothing was measured"
    prompts = {
        place: {"place": place, "at_s": at_s, "signal": None} for place, at_s in prompts_s.items()
    }
    for row in rows:
        found = row.found
        if row.unit == "boundary":
            windows, why = list(found.evidence.get("windows", ())), found.reason
        elif row.unit == "prompt" and row.place in prompts:
            prompts[row.place] |= {"signal": found.value, **found.evidence}
        elif found.metric == MARKS:
            flags = list(found.evidence.get("flags", ()))
    lossy = (Window(**window) for window in windows if window["score"] < FULL)
    return {
        "windows": windows,
        "worst": [one.as_json() for one in worst(lossy, WORST)],
        "prompts": list(prompts.values()),
        "flags": flags,
        "why_no_windows": why,
    }
