"""What blinding refuses."""

from fartbench.errors import BadInput, Refusal


class ClipsNotBlindable(BadInput):
    """Clips of a round that no blind copy can be made of; each is named with its reason."""


class BlindingIsSettled(Refusal):
    """The round has been opened: its blind copies are fixed."""


class BlindCopyMissing(BadInput):
    """Stimuli whose stored file is missing or is not what it was."""
