"""A release cut into the parts that pages show, each small enough to be read for one visitor. No Django here.

``leaderboard`` is the scores document without the clips; ``configuration/NAME`` holds one configuration's line with its
clips, and its part of every report; each report stands under its own key, without its parts by configuration.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scoring.release.contents import Documents

LEADERBOARD = "leaderboard"
PER_CONFIGURATION = "by_configuration"


def configuration_document(name: str) -> str:
    """Return the name of the document of a configuration."""
    return f"configuration/{name}"


def page_documents(documents: Documents) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each document with its name."""
    reports = documents.reports["reports"]
    lines = documents.scores["leaderboard"]
    short = [{key: value for key, value in line.items() if key != "scenes"} for line in lines]
    yield LEADERBOARD, {**documents.scores, "leaderboard": short}
    for key, report in reports.items():
        yield key, without_configurations(report)
    ranking = {line["configuration"]: line for line in reports["overall_ranking"]["leaderboard"]}
    for line in lines:
        name = line["configuration"]
        yield (
            configuration_document(name),
            {
                **line,
                "score_interval": ranking[name]["score_interval"],
                "reports": {
                    key: found for key, report in reports.items() if (found := _part(report, name)) is not None
                },
            },
        )


def without_configurations(report: Any) -> Any:
    """Return a report without what it says of each configuration, at any depth."""
    if not isinstance(report, dict):
        return report
    return {key: without_configurations(value) for key, value in report.items() if key != PER_CONFIGURATION}


def _part(report: dict[str, Any], name: str) -> Any:
    if PER_CONFIGURATION in report:
        return report[PER_CONFIGURATION][name]
    questions = report.get("questions", {})
    parts = {key: found[PER_CONFIGURATION][name] for key, found in questions.items() if PER_CONFIGURATION in found}
    return parts or None
