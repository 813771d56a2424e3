"""What the steps of a round refuse."""

from fartbench.errors import BadInput, Refusal


class CannotOpen(BadInput):
    """A round that is not ready to be reviewed; each reason is named."""


class SheetsMissing(Refusal):
    """A round cannot be closed complete while sheets are missing; the message says whose."""


class AnswersRefused(BadInput):
    """Answers with faults; every one is named and nothing was taken."""


class UnknownStimulus(Refusal):
    """The round has no stimulus of this id."""


class TextRefused(Refusal):
    """A text with characters that command a terminal or hide."""


class ReasonMissing(Refusal):
    """A step that needs a reason and got none."""


class CannotDelete(Refusal):
    """A round of which something has to be kept."""
