"""The command of the step `open_round`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
