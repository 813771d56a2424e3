"""What commissioning and import refuse."""

from fartbench.errors import BadInput, Refusal


class ManifestRefused(BadInput):
    """A manifest with faults; every bad row is named and nothing of it was taken."""


class CellRefused(Refusal):
    """A cell that cannot be marked as asked."""


class ClipsAreSettled(Refusal):
    """The round is past the point where clips can be added or replaced."""


class CannotCommission(Refusal):
    """Configurations that no provider of this installation serves."""
