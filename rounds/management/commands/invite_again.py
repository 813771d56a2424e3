"""The command of the step `invite_again`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
