"""The command of the step `pause_orders`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
