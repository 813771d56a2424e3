"""The command of the step `mark_cell`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
