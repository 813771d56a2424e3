"""What measuring refuses."""

from fartbench.errors import Refusal


class NothingToMeasure(Refusal):
    """A round whose protocol has no rollouts."""
