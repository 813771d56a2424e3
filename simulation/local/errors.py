"""What the built-in renderer declines. No Django here."""

from fartbench.errors import Refusal


class TakeImpossible(Refusal):
    """A take asks for something that its scene or a video file cannot have."""


class RenderFailed(Refusal):
    """The clip could not be written; nothing was left behind."""
