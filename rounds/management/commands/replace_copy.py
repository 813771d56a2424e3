"""The command of the step `replace_copy`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
