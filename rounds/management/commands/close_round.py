"""The command of the step `close_round`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
