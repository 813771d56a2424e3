"""All reports of a round in one document, in the order the protocol names them. No Django here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.report_classes.base import Report
from scoring.reports.agreement import agreement_report
from scoring.reports.coverage import coverage_report
from scoring.reports.gates import factual_success, gate_report, read_gates
from scoring.reports.human_ai import human_ai_report
from scoring.reports.metrics import metrics_report
from scoring.reports.observations import failure_codes_report, observations_report
from scoring.reports.preference import preference_report
from scoring.reports.ranking import ranking_report
from scoring.reports.ratings import ratings_report
from scoring.reports.scene_scores import scene_scores_report
from scoring.reports.smoke import smoke_report
from scoring.scores.standings import RoundResults

Maker = Callable[[], Report | dict[str, Any]]


def reports_document(results: RoundResults) -> dict[str, Any]:
    """Return every report that the round's protocol names, by key."""
    votes = results.tally
    made: dict[str, Maker] = {
        **(
            _weighted_reports(results)
            if results.protocol.scoring.is_weighted
            else _gate_reports(results)
        ),
        "ratings": lambda: ratings_report(votes),
        "agreement": lambda: agreement_report(votes),
        "coverage": lambda: coverage_report(votes),
        "human_ai_agreement": lambda: human_ai_report(votes),
        "overall_ranking": lambda: ranking_report(results),
        "preference": lambda: preference_report(results.record),
        "smoke": lambda: smoke_report(votes),
    }
    return {
        "round": results.record.name,
        "reviewers": len(results.record.primary),
        "reports": {
            report.key: {"label": report.label, **_document(made[report.key]())}
            for report in results.protocol.reports
            if report.key in made
        },
    }


def _document(report: Report | dict[str, Any]) -> dict[str, Any]:
    return report.document() if isinstance(report, Report) else report


def _gate_reports(results: RoundResults) -> dict[str, Maker]:
    votes = results.tally
    gates = read_gates(votes)
    event, cause = results.protocol.scoring.gates[0], primary_gate(results)
    return {
        "event_success": lambda: gate_report(gates[event], votes),
        "source_or_cause": lambda: gate_report(gates[cause], votes),
        "factual_success": lambda: factual_success(gates, votes),
    }


def _weighted_reports(results: RoundResults) -> dict[str, Maker]:
    votes = results.tally

    def metrics() -> dict[str, Any]:
        lines = ranking_report(results)["leaderboard"]
        return metrics_report(
            results, {line["configuration"]: line["score_interval"] for line in lines}
        )

    return {
        "test_scores": lambda: scene_scores_report(results),
        "observations": lambda: observations_report(votes),
        "failure_codes": lambda: failure_codes_report(votes),
        "metrics": metrics,
    }


def primary_gate(results: RoundResults) -> str:
    """Return the gate that the protocol marks as its primary causal question, or its last gate
    where none is.
    """
    gates = results.protocol.scoring.gates
    marked = (
        question.key
        for question in results.protocol.questions
        if question.primary and question.key in gates
    )
    return next(marked, gates[-1])
