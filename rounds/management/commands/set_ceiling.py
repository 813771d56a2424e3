"""The command of the step `set_ceiling`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
