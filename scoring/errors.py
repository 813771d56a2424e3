"""What scoring, exporting and publishing refuse."""

from fartbench.errors import BadInput, Refusal


class ExportRefused(Refusal):
    """A folder that an export cannot be written to."""


class RoundAltered(BadInput):
    """Rows of a closed round that are not what was opened, locked or recorded; each is named,
    nothing is aggregated.
    """

    def __init__(self, round_name: str, faults: list[str]) -> None:
        super().__init__(
            f"Round {round_name!r} is not what was opened and locked, and is not aggregated", faults
        )


class ReleaseRefused(BadInput):
    """A folder that is no release, or not the one its manifest describes; each file that is wrong
    is named.
    """

    def __init__(self, folder: object, faults: list[str]) -> None:
        super().__init__(f"The release in {folder} does not hold", faults)


class CorrectionRefused(Refusal):
    """A correction without a reason, or of a round that has no release yet."""


class ClipsUnderReview(BadInput):
    """A release would show clips that reviewers of another round are still to see blind; each is
    named.
    """


class ReleaseBlocked(BadInput):
    """Results that may still change: something was not measured, or an evaluator failed; each is
    named.
    """


class NothingWhole(Refusal):
    """What compares answers about whole clips was asked of a round of rollouts, which are judged
    window by window.
    """
