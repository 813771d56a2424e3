"""What judging refuses."""

from fartbench.errors import Refusal


class NoJudges(Refusal):
    """The round's protocol, or the command, names no such judge."""


class CannotFreeze(Refusal):
    """A judge that cannot be frozen now."""


class JudgeChanged(Refusal):
    """What would be sent is no longer what was frozen."""


class OverCeiling(Refusal):
    """The next question may cost more than is left."""


class ServicePaused(Refusal):
    """A judges' service that a person has to look at first."""


class AskAgainRefused(Refusal):
    """Nothing that may be asked again, or no reason for it."""
