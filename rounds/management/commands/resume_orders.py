"""The command of the step `resume_orders`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
