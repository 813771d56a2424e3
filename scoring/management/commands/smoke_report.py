"""The report that a smoke test ends in."""

from typing import Any

from fartbench.commands import RoundCommand
from fartbench.models import RoundState
from fartbench.numbers import number_text
from fartbench.rounds import refuse_unless
from review.comments import comments_of
from scoring.records import tally
from scoring.records.reading import read_round
from scoring.reports.smoke import smoke_report


class Command(RoundCommand):
    help = (
        "Say what a small round shows about the instrument: six points, comments, scales to drop "
        "or to revise."
    )

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        refuse_unless(round_, "smoke_report", RoundState.LOCKED, RoundState.PUBLISHED)
        report = smoke_report(tally(read_round(round_)))
        if not report.points:
            self.say(f"{round_.protocol} says nothing of smoke tests.")
            return
        if report.is_smoke_test:
            self.say(
                f"A smoke test: {report.reviewers} of the {report.official_needs} reviewers "
                "that official "
                "figures need. Nothing here is official."
            )
        for point in report.points:
            self.say(f"{point.label}: {point.verdict} ({point.evidence})")
        for pair in report.redundant:
            figure = f"correlation {number_text(pair.correlation, '.2f')} on {pair.n} clips"
            self.say(f"Say the same: {' and '.join(pair.questions)}, {figure}")
        for one in report.revise:
            self.say(
                f"To be revised: {one.question}, alpha {number_text(one.alpha.value or 0, '.2f')}"
            )
        for comment in comments_of(round_):
            self.say(f"{comment.reviewer} on {comment.stimulus}: {comment.text}")
