"""The command of the step `add_secondary`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
