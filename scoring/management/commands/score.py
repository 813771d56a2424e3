"""Shows the scores of a closed round."""

import json
from argparse import ArgumentParser
from typing import IO, Any, cast

from django.db import transaction
from rich.console import Console
from rich.table import Table

from fartbench import audit
from fartbench.commands import RoundCommand, actor
from fartbench.models import RoundState
from scoring.document import scores_document
from scoring.factual_score import Standing
from scoring.results import round_results
from scoring.standings import RoundResults
from scoring.steps import refuse_unless


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
        results = round_results(round_)
        if options["json"]:
            self.say(json.dumps(scores_document(results), indent=2, ensure_ascii=False))
        else:
            Console(file=cast("IO[str]", self.stdout)).print(_table(results))


def _table(results: RoundResults) -> Table:
    scoring, weighted = results.protocol.scoring, results.protocol.scoring.is_weighted
    table = Table(title=f"{results.record.name} on {results.protocol.label}")
    of_points = () if weighted else ("Scenes all right",)
    for heading in ("Rank", "Configuration", f"{scoring.score_label} of {results.total}", *of_points, "Delivered", ""):
        table.add_column(heading)
    for standing in results.standings:
        score = f"{float(standing.score):.1f}" if weighted else _points(standing)
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
