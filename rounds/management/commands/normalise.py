"""The command of the step `normalise`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
