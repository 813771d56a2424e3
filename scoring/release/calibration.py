"""The calibration of AI judges as tables, from the report on them. No Django here.

Empty cells are unknown or undefined; confusion tables, and why something is undefined, stand in
``reports.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.records import RoundRecord
from scoring.release.rows import Cell, RowOfCells, every_row


def judge_fact_rows(record: RoundRecord, report: Mapping[str, Any]) -> Iterator[RowOfCells]:
    """Yield a row per judge, factual question and scene; the scene is empty over all of them."""
    for judge in report.get("judges", ()):
        for question, found in judge["facts"].items():
            lenient = found.get("leniency", {"overall": {}, "by_scene": {}})
            parts = [("", found["overall"], lenient["overall"])]
            parts += [
                (scene, part, lenient["by_scene"].get(scene, {}))
                for scene, part in found["by_scene"].items()
            ]
            for scene, part, leniency in parts:
                needed = f"{found['threshold']['part']}/{found['threshold']['of']}"
                where = (*every_row(record), judge["judge"], question, scene)
                yield (
                    *where,
                    *_fact(part, needed),
                    *_values(leniency, "value", "low", "high", "n"),
                )


def _fact(part: Mapping[str, Any], needed: str) -> RowOfCells:
    out, commonest = part["left_out"], part["commonest"]
    return (
        part["n"],
        part["agreed"],
        *_values(part["share"], "value", "low", "high"),
        needed,
        part["verdict"],
        commonest["answer"],
        *_values(commonest["share"], "value"),
        *_values(part["human_ceiling"], "value", "low", "high", "n"),
        *(out[way] for way in ("split", "na", "incomplete", "not_asked")),
    )


def judge_rating_rows(record: RoundRecord, report: Mapping[str, Any]) -> Iterator[RowOfCells]:
    """Yield a row per judge and scale."""
    for judge in report.get("judges", ()):
        for question, found in judge["ratings"].items():
            ordering, best = found["discrimination"], found["best_constant"]
            yield (
                *every_row(record),
                judge["judge"],
                question,
                *(found[name] for name in ("n", "missing", "not_asked")),
                *_values(found["mae"], "value", "low", "high"),
                *_values(best, "rating"),
                *_values(best["mae"], "value", "low", "high"),
                *_values(best["skill"], "value", "low", "high"),
                *_values(ordering["d"], "value", "low", "high"),
                ordering["pairs"],
                ordering["configurations"],
                found["reads"],
            )


def _values(document: Mapping[str, Any], *names: str) -> tuple[Cell, ...]:
    found = (document.get(name) for name in names)
    return tuple(repr(value) if isinstance(value, float) else value for value in found)
