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


class PromptRefused(Refusal):
    """A prompt that cannot be rendered, audited or frozen as asked."""


class RequestChanged(Refusal):
    """A retry whose bytes are not those of the first try."""


class RetiredModel(Refusal):
    """A model that its maker has shut down."""


class PriceMissing(Refusal):
    """A ceiling is set and a configuration has no known price: what it would cost cannot be kept
    below it.
    """


class NotForOperators(Refusal):
    """Something that cannot be done to a sample in its state."""


class ConfigurationInUse(Refusal):
    """A changed file of a configuration that clips were bought with."""


class UnknownConfiguration(Refusal):
    """No configuration has this name."""


class VerdictRefused(Refusal):
    """A verdict on a scenario that is not asked for, or says too little."""


class VerdictsRefused(BadInput):
    """A file of verdicts with faults; nothing of it was taken."""


class NotReviewed(Refusal):
    """Something was to be generated from scenarios that experts have not accepted."""
