"""Opens a round for review."""

from typing import Any

from fartbench.commands import RoundCommand, actor, moment
from rounds.opening import open_round


class Command(RoundCommand):
    help = "Open a round: the protocol is frozen, the orders are drawn, reviewers may begin."

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        if round_.opened_at is not None:
            self.say(
                f"Round {round_.name} is open already, since {moment(round_.opened_at)}. Nothing "
                "was changed."
            )
            return
        open_round(round_=round_, actor=actor())
        self.say(f"Round {round_.name} is open for review.")
