"""The command of the step `replace_reviewer`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
