"""The command of the step `pause_judges`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
