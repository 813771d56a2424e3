"""The command of the step `exclude_clip`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
