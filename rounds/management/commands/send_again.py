"""The command of the step `send_again`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
