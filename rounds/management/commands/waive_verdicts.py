"""The command of the step `waive_verdicts`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
