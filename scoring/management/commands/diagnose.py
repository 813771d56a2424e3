"""Shows how the reviewers of a closed round rated."""

import json
from argparse import ArgumentParser
from typing import IO, Any, cast

from django.db import transaction
from rich.console import Console
from rich.table import Table

from fartbench import audit
from fartbench.commands import RoundCommand, actor
from fartbench.numbers import number_text
from scoring.diagnostics import reviewer_diagnostics


class Command(RoundCommand):
    help = (
        "Show each reviewer's severity, minority votes and agreement. It flags, and never removes "
        "anybody."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--json", action="store_true", help="print the whole document")

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        document = reviewer_diagnostics(round_)
        with transaction.atomic():
            audit.record("reviewers diagnosed", actor=actor(), round_name=round_.name)
        if options["json"]:
            self.say(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
            return
        console = Console(file=cast("IO[str]", self.stdout))
        console.print(_ratings(document))
        console.print(_facts(document))
        for reviewer in document["reviewers"]:
            for flag in reviewer["flags"]:
                self.say(f"{reviewer['reviewer']}  {flag}")


def _ratings(document: dict[str, Any]) -> Table:
    table = Table(title=f"Ratings in {document['round']}")
    for heading in (
        "Reviewer",
        "Question",
        "n",
        "Severity",
        "Correlation with others",
        "Alpha gain without",
    ):
        table.add_column(heading)
    for reviewer in document["reviewers"]:
        for question, found in reviewer["ratings"].items():
            names = ("severity", "correlation_with_others", "alpha_gain_without")
            table.add_row(
                reviewer["reviewer"],
                question,
                str(found["n"]),
                *(_estimate(found[name]) for name in names),
            )
    return table


def _facts(document: dict[str, Any]) -> Table:
    table = Table(title="Facts and conduct")
    for heading in (
        "Reviewer",
        "Sheets",
        "Minority votes",
        "N/A",
        "Seconds per clip",
        "Left as unplayable",
    ):
        table.add_column(heading)
    for reviewer in document["reviewers"]:
        minority, seconds = reviewer["minority_votes"], reviewer.get("seconds_per_clip", {})
        table.add_row(
            reviewer["reviewer"],
            str(reviewer["sheets"]),
            f"{minority['count']} of {minority['n']}",
            str(sum(found["count"] for found in reviewer["na"].values())),
            f"{seconds['median']} (n = {seconds['n']})" if seconds.get("n") else "–",
            str(reviewer.get("playback", {}).get("left_as_unplayable", 0)),
        )
    return table


def _estimate(found: dict[str, Any]) -> str:
    if found["value"] is None:
        return f"undefined: {found['note']}"
    if found["low"] is None:
        return f"{number_text(found['value'], '.2f')} (no interval: {found['note']})"
    value, low, high = (number_text(found[name], ".2f") for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"
