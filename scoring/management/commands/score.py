"""Shows the scores of a closed round."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import IO, Any, cast

from django.db import transaction
from rich.console import Console
from rich.table import Table

from fartbench import audit
from fartbench.commands import RoundCommand, actor
from fartbench.models import RoundState
from fartbench.numbers import number_text
from fartbench.rounds import refuse_unless
from scoring.records.reading import read_round
from scoring.release.kinds import documents_of
from scoring.rollouts.results import EVERY_TRACK, why_empty
from scoring.scores.factual_score import Standing
from scoring.scores.standings import RoundResults


class Command(RoundCommand):
    help = "Show the scores of a closed round, as a table or as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--json", action="store_true", help="print the scores document")

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        refuse_unless(round_, "score", RoundState.LOCKED, RoundState.PUBLISHED)
        if round_.state == RoundState.LOCKED:
            with transaction.atomic():
                audit.record("scores previewed", actor=actor(), round_name=round_.name)
        documents = documents_of(read_round(round_))
        if options["json"]:
            self.say(json.dumps(documents.scores, indent=2, ensure_ascii=False))
        else:
            of_rollouts = round_.protocol.rules.rollouts is not None
            table = _columns(documents.scores) if of_rollouts else _table(documents.results)
            Console(file=cast("IO[str]", self.stdout)).print(table)


def _columns(scores: Mapping[str, Any]) -> Table:
    """Return a line for each metric and a column for each system, over the whole rollouts, as the
    first source says.
    """
    whole, systems = scores["horizons_s"][-1], scores["readings"][0]["systems"]
    table = Table(title=f"{scores['round']}: {len(scores['metrics'])} metrics, no overall score")
    for heading in ("Metric", "Better", *(system["configuration"] for system in systems)):
        table.add_column(heading)
    for metric in scores["metrics"]:
        found = [system["columns"][whole][EVERY_TRACK][metric["code"]] for system in systems]
        table.add_row(metric["code"], metric["better"], *map(_value, found))
    return table


def _value(found: Mapping[str, Any]) -> str:
    if found["value"] is None:
        return why_empty(found)
    return (
        f"{number_text(found['value'], '.3g')} (n = "
        f"{found['n']}){', provisional' if found['provisional'] else ''}"
    )


def _table(results: RoundResults) -> Table:
    scoring, weighted = results.protocol.scoring, results.protocol.scoring.is_weighted
    table = Table(title=f"{results.record.name} on {results.protocol.label}")
    of_points = () if weighted else ("Scenes all right",)
    for heading in (
        "Rank",
        "Configuration",
        f"{scoring.score_label} of {results.total}",
        *of_points,
        "Delivered",
        "",
    ):
        table.add_column(heading)
    for standing in results.standings:
        score = number_text(standing.score, ".1f") if weighted else _points(standing)
        table.add_row(
            str(standing.rank or "–"),
            standing.configuration,
            score,
            *(() if weighted else (str(standing.scenes_all_right),)),
            str(standing.delivered),
            standing.unranked_because,
        )
    return table


def _points(standing: Standing) -> str:
    return f"{standing.score} ({standing.earned}/{standing.possible})"
