"""Asks the AI judges of a round."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from fartbench.commands import REFUSED, WRONG_USE, RoundCommand, actor, progress
from fartbench.models import Round
from judging.asking import UNHEARD, ask_lost_again
from judging.errors import AskAgainRefused
from judging.files import read_judge
from judging.models import Judge, JudgeRun, RunState, Variant
from judging.planning import judging_plan
from judging.selectors import progress_of
from judging.telling import plan_lines
from judging.working import chosen_models, request_judging, set_ceiling, set_pace, work_through


class Command(RoundCommand):
    help = "Freeze the AI judges of an opened or closed round and ask each about every clip, once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--judge",
            action="append",
            default=[],
            dest="judges",
            metavar="NAME",
            help="only this one",
        )
        parser.add_argument(
            "--add",
            action="append",
            default=[],
            type=Path,
            metavar="FILE",
            help="a judge of your own, in YAML",
        )
        parser.add_argument(
            "--variant",
            choices=Variant.values,
            default=Variant.FROZEN,
            help="a sensitivity run beside the frozen one",
        )
        self._add_limits(parser)
        parser.add_argument(
            "--plan", action="store_true", help="say what it takes and costs, and ask nothing"
        )
        parser.add_argument(
            "--freeze-only", action="store_true", help="freeze, and leave the asking to workers"
        )
        parser.add_argument(
            "--ask-lost-again",
            action="store_true",
            help="ask again where a worker was lost or the service was not reached",
        )
        parser.add_argument("--reason", default="", help="why lost questions are asked again")

    @staticmethod
    def _add_limits(parser: ArgumentParser) -> None:
        parser.add_argument(
            "--at-once",
            type=_at_least(int, 1),
            metavar="N",
            help="questions a service gets at one time",
        )
        parser.add_argument(
            "--interval",
            type=_at_least(float, 0),
            metavar="S",
            help="seconds between two questions",
        )
        parser.add_argument(
            "--ceiling", metavar="USD", help="what the judges of the round may cost together"
        )

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        if options["ceiling"] is not None and not options["plan"]:
            set_ceiling(round_=round_, usd=_usd(options["ceiling"]), actor=actor())
        models = chosen_models(
            round_, options["judges"], [read_judge(path) for path in options["add"]]
        )
        if options["plan"]:
            self.say(
                "\n".join(plan_lines(judging_plan(round_, models, variant=options["variant"])))
            )
            return
        if options["ask_lost_again"]:
            self._ask_lost_again(round_, options)
        judges = request_judging(
            round_=round_, models=models, actor=actor(), variant=options["variant"]
        )
        for judge in judges:
            self.say(
                f"{judge}: frozen {judge.frozen_at:%Y-%m-%d %H:%M} UTC, SHA-256 {judge.digest}"
            )
        at_once = set_pace(models, at_once=options["at_once"], interval_s=options["interval"])
        if not options["freeze_only"]:
            self._ask(round_, judges, at_once)

    def _ask_lost_again(self, round_: Round, options: dict[str, Any]) -> None:
        runs = JudgeRun.objects.filter(judge__round=round_, state=RunState.ERROR, code__in=UNHEARD)
        lost = list(runs.select_related("judge__round"))
        if not options["reason"].strip():
            raise AskAgainRefused("Say why lost questions are asked again: --reason is empty.")
        self.say(
            f"{ask_lost_again(lost, actor=actor(), reason=options['reason'].strip())} lost "
            "questions are due again."
        )

    def _ask(self, round_: Round, judges: list[Judge], at_once: int) -> None:
        due = JudgeRun.objects.filter(judge__in=judges).exclude(state__in=RunState.ended()).count()
        with progress("Asking the judges", due) as advance:
            failed = work_through(
                round_, at_once=at_once, judges=judges, on_end=advance, on_wait=self.stderr.write
            )
        for found in progress_of(round_):
            if found.cost_usd is None:
                cost = ""
            else:
                cost = f", ${found.cost_usd:.4f}"
            self.say(f"{found.judge}: {found.in_words}{cost}")
        if failed:
            raise CommandError(
                "Not everything could be asked:\n  "
                + "\n  ".join(failed)
                + "\nFix that and run this again.",
                returncode=REFUSED,
            )


def _at_least(kind: type[int] | type[float], least: int) -> Callable[[str], int | float]:
    """Return a reader of numbers that are not less than ``least``."""

    def read(text: str) -> int | float:
        try:
            number = kind(text)
        except ValueError:
            number = kind(-1)
        if not least <= number < float("inf"):
            raise ArgumentTypeError(f"it takes a number from {least} on, not {text!r}")
        return number

    return read


def _usd(text: str) -> Decimal:
    try:
        usd = Decimal(text)
    except InvalidOperation:
        usd = Decimal(-1)
    if not usd.is_finite() or usd < 0:
        raise CommandError(
            f"--ceiling takes an amount in US dollars, not {text!r}.", returncode=WRONG_USE
        )
    return usd
