"""What measuring refuses."""

from fartbench.errors import Refusal


class NothingToMeasure(Refusal):
    """A round whose protocol has no rollouts."""


class WeightsUnreadable(Refusal):
    """A file of weights is not what it should be."""
