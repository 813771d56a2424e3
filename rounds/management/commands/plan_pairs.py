"""The command of the step `plan_pairs`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
