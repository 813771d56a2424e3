"""The command of the step `declare_not_reviewable`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
