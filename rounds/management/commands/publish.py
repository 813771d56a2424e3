"""The command of the step `publish`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
