"""The report that a smoke test ends in."""

from typing import Any

from fartbench.commands import RoundCommand
from fartbench.models import RoundState
from review.models import AnswerSheet, MistakeReport
from scoring.records import tally
from scoring.records.reading import read_round
from scoring.reports.smoke import smoke_report
from scoring.steps import refuse_unless


class Command(RoundCommand):
    help = "Say what a small round shows about the instrument: six points, comments, scales to drop or to revise."

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        refuse_unless(round_, "smoke_report", RoundState.LOCKED, RoundState.PUBLISHED)
        report = smoke_report(tally(read_round(round_)))
        if not report["points"]:
            self.say(f"{round_.protocol} says nothing of smoke tests.")
            return
        if report["is_smoke_test"]:
            self.say(
                f"A smoke test: {report['reviewers']} of the {report['official_needs']} reviewers that official "
                "figures need. Nothing here is official."
            )
        for point in report["points"]:
            self.say(f"{point['label']}: {point['verdict']} ({point['evidence']})")
        for pair in report["redundant"]:
            figure = f"correlation {pair['correlation']:.2f} on {pair['n']} clips"
            self.say(f"Say the same: {' and '.join(pair['questions'])}, {figure}")
        for one in report["revise"]:
            self.say(f"To be revised: {one['question']}, alpha {one['alpha']['value']:.2f}")
        self._comments(round_.pk)

    def _comments(self, round_: int) -> None:
        mistakes = MistakeReport.objects.filter(sheet__stimulus__round=round_).select_related("sheet__reviewer")
        for found in mistakes.order_by("pk"):
            self.say(f"{found.sheet.reviewer.code} on {found.sheet.stimulus_id}: {found.text}")
        unplayable = AnswerSheet.objects.filter(stimulus__round=round_, unplayable_at__isnull=False)
        for sheet in unplayable.select_related("reviewer").order_by("pk"):
            self.say(f"{sheet.reviewer.code} on {sheet.stimulus_id}: would not play: {sheet.unplayable_reason}")
