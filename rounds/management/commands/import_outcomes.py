"""The command of the step `import_outcomes`."""

from rounds.commands import StepCommand


class Command(StepCommand):
    """It has nothing beyond the step."""
