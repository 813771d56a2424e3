"""A release cut into the parts that pages show, each small enough to be read for one visitor. No
Django here.

``summary`` says what the round was and how it ended; ``leaderboard`` names every configuration,
best first, with what it can be filtered and sorted by; ``configuration/NAME`` holds one
configuration: its line, its clips and cells, what was tested, and its part of every report; each
report is below its own key, without its parts by configuration.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from scoring.records import ConfigurationRecord
from scoring.release.documents import Documents
from scoring.scores.standings import RoundResults

SUMMARY = "summary"
LEADERBOARD = "leaderboard"
RANKING = "overall_ranking"
PER_CONFIGURATION = "by_configuration"
_LINE_BY_LINE = ("leaderboard", "rank_sets")
LEADERS_NAMED = 3


def configuration_document(name: str) -> str:
    """Return the name of the document of a configuration."""
    return f"configuration/{name}"


def page_documents(documents: Documents[RoundResults]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each document with its name."""
    reports = documents.reports["reports"]
    identities = {found.name: found for found in documents.results.record.configurations}
    score = documents.results.protocol.scoring.rank_by[0]
    yield SUMMARY, _summary(documents)
    yield (
        LEADERBOARD,
        {
            "configurations": [
                _entry(line, identities, score) for line in documents.scores["leaderboard"]
            ]
        },
    )
    for key, report in reports.items():
        kept = {
            name: part
            for name, part in report.items()
            if key != RANKING or name not in _LINE_BY_LINE
        }
        yield key, without_configurations(kept)
    yield from _configurations(documents, identities)


def _summary(documents: Documents[RoundResults]) -> dict[str, Any]:
    record, ranking = documents.results.record, documents.reports["reports"][RANKING]
    scores = dict(documents.scores)
    lines = scores.pop("leaderboard")
    ranked = [line for line in lines if line["rank"] is not None]
    first = [
        line["configuration"] for line in ranked if line["rank"] == 1 and not line["ranked_apart"]
    ]
    families = {one.family for one in record.configurations if one.family}
    return {
        **scores,
        "scenes": list(record.scenes),
        "replicates": record.replicates,
        "reviewers": documents.reports["reviewers"],
        "total": ranking["total"],
        "cells": len(record.cells),
        "delivered": sum(line["delivered"] for line in lines),
        "configurations": len(lines),
        "ranked": len(ranked),
        "leading": {"configurations": first[:LEADERS_NAMED], "n": len(first)},
        "tracks": sorted({found.track for found in record.configurations}),
        "families": sorted(families),
        "one_point": ranking["one_point"],
        "sureness_note": ranking["sureness_note"],
    }


def _entry(
    line: dict[str, Any], identities: dict[str, ConfigurationRecord], score: str
) -> dict[str, Any]:
    found = identities[line["configuration"]]
    return {
        "name": found.name,
        "track": found.track,
        "family": found.family,
        "score": float(Fraction(line[score])),
    }


def _configurations(
    documents: Documents[RoundResults], identities: dict[str, ConfigurationRecord]
) -> Iterator[tuple[str, dict[str, Any]]]:
    reports = documents.reports["reports"]
    ranking = {line["configuration"]: line for line in reports[RANKING]["leaderboard"]}
    cells = defaultdict(list)
    for cell in documents.results.record.cells:
        cells[cell.configuration].append(
            {key: value for key, value in asdict(cell).items() if key != "configuration"}
        )
    for line in documents.scores["leaderboard"]:
        name = line["configuration"]
        yield (
            configuration_document(name),
            {
                **line,
                "cohort": documents.results.record.cohort,
                "score_interval": ranking[name]["score_interval"],
                "rank_set": (reports[RANKING]["rank_sets"] or {}).get(name),
                "identity": asdict(identities[name]),
                "cells": cells[name],
                "reports": {
                    key: found
                    for key, report in reports.items()
                    if (found := _part(report, name)) is not None
                },
            },
        )


def without_configurations(report: Any) -> Any:
    """Return a report without what it says of each configuration, at any depth."""
    if not isinstance(report, dict):
        return report
    return {
        key: without_configurations(value)
        for key, value in report.items()
        if key != PER_CONFIGURATION
    }


def _part(report: dict[str, Any], name: str) -> Any:
    if PER_CONFIGURATION in report:
        return report[PER_CONFIGURATION][name]
    questions = report.get("questions") or report.get("metrics") or {}
    parts = {
        key: found[PER_CONFIGURATION][name]
        for key, found in questions.items()
        if PER_CONFIGURATION in found
    }
    return parts or None
