"""The command of a step: its name, help, arguments and words are those of the step."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.management import CommandError

from fartbench.commands import REFUSED, RoundCommand, actor
from fartbench.models import Round
from fartbench.storable import whole_number
from generation.manifest import CellKey
from generation.models import SampleState
from rounds.step import Done, Field, Step, Values
from rounds.steps import STEPS


class StepCommand(RoundCommand):
    """A command named as a step."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.help = f"{self.step.title}. {self.step.words}".format(
            clip="clip", stimulus="clip", scene="scene"
        )

    @property
    def step(self) -> Step:
        """The step of the command's name."""
        return STEPS[self._name()]

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        for field in self.step.fields:
            _add_argument(parser, field)

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        values = self.values(options)
        is_due = round_.state in self.step.states and self.step.done(round_, values) is None
        if is_due and (note := self.step.note(round_)):
            self.say(note)
        done = self.step.perform(round_, actor(), values, self.work)
        for link in done.links:
            self.say(f"{link.email} is {link.code}: {link.url}")
        for line in (done.words, *done.details):
            self.say(line)

    def values(self, options: dict[str, Any]) -> Values:
        """Return the values of the step's fields."""
        return {field.name: _value_of(field, options) for field in self.step.fields}

    def work(self, round_: Round, actor: str, values: Values, /) -> Done:
        """Do what the step does; a command may do here what the button leaves to workers."""
        return self.step.run(round_, actor, values)


def _add_argument(parser: ArgumentParser, field: Field) -> None:
    if field.kind == "samples":
        return  # a page has boxes to choose among cells; a command takes them all
    label = field.label.format(clip="clip", stimulus="clip", scene="scene")
    option = field.name if field.is_positional else f"--{field.name}"
    if field.kind == "cell":
        parser.add_argument("--configuration", required=True)
        parser.add_argument("--scene", required=True)
        parser.add_argument("--replicate", type=int, default=1)
    elif field.kind == "amount":
        parser.add_argument(option, type=_amount, metavar="USD", help=label)
    elif field.kind == "check":
        parser.add_argument(option, action="store_true", help=label)
    elif field.kind == "number":
        parser.add_argument(option, type=_positive, metavar="N", help=label)
    elif field.kind == "outcome":
        outcomes = [state.value for state in SampleState.without_clip()]
        parser.add_argument(option, required=True, choices=outcomes, help=label)
    elif field.is_positional:
        parser.add_argument(option, metavar=field.name.upper(), help=label)
    else:
        parser.add_argument(option, required=field.is_required, default="", help=label)


def _value_of(field: Field, options: dict[str, Any]) -> Any:
    if field.kind == "cell":
        return CellKey(options["configuration"], options["scene"], options["replicate"])
    if field.kind == "samples":
        return None
    value = options[field.name]
    return _opened(value) if field.kind == "file" else value


def _opened(path: str) -> File[bytes]:
    if Path(path).exists() and not Path(path).is_file():
        # A pipe or a device might never end.
        raise CommandError(f"{path} cannot be read: it is not a file.", returncode=REFUSED)
    try:
        return File(Path(path).open("rb"), name=path)
    except OSError as error:
        raise CommandError(
            f"{path} cannot be read: {error.strerror}.", returncode=REFUSED
        ) from error


def _amount(text: str) -> Decimal:
    try:
        usd = Decimal(text)
    except InvalidOperation:
        usd = Decimal(-1)
    if not usd.is_finite() or usd < 0:
        raise ArgumentTypeError(f"{text!r} is not an amount in US dollars, such as 25.00")
    return usd


def _positive(text: str) -> int:
    number = whole_number(text)
    if not number:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return number
