"""Plans the blind pairs of an open round."""

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from fartbench.commands import RoundCommand, actor
from fartbench.storable import whole_number
from rounds.pairs import balance_of, plan_pairs


class Command(RoundCommand):
    help = (
        "Plan the blind pairs of an open round, or add what its plan lacks. What is planned stays."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--meetings",
            type=_positive,
            metavar="N",
            help="how often every two configurations meet in a scene; without it what the protocol "
            "says",
        )
        parser.add_argument(
            "--most",
            type=_positive,
            metavar="N",
            help="no more than so many pairs in a scene, the most useful first",
        )

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        planned = plan_pairs(
            round_=round_, actor=actor(), meetings=options["meetings"], most=options["most"]
        )
        balance = balance_of(round_)
        self.say(f"{planned.pairs} pairs and {planned.tasks} tasks were added.")
        self.say(
            f"Now {balance.pairs} pairs and {balance.tasks} tasks: two configurations meet "
            f"{balance.fewest} to "
            f"{balance.most} times, none is on one side more than {balance.side} times more often "
            "than on the "
            f"other, and {balance.running} tasks show a configuration twice running."
        )
        rules = round_.protocol.rules.pairs
        if (
            rules
            and rules.count
            and balance.pairs < rules.count * len(rules.questions)
            and not options["most"]
        ):
            self.say(
                f"The protocol asks for {rules.count} pairs of each of {len(rules.questions)} "
                "questions. There are "
                "fewer windows to compare here, and no reviewer is asked about the same two again."
            )


def _positive(text: str) -> int:
    number = whole_number(text)
    if not number:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return number
