"""What opening, closing, scoring and publishing refuse."""

from fartbench.errors import BadInput, Refusal


class CannotOpen(BadInput):
    """A round that is not ready to be reviewed; each reason is named."""


class SheetsMissing(Refusal):
    """A round cannot be closed complete while sheets are missing; the message says whose."""


class AnswersRefused(BadInput):
    """Answers with faults; every one is named and nothing was taken."""


class ExportRefused(Refusal):
    """A folder that an export cannot be written to."""


class RoundAltered(BadInput):
    """Rows of a closed round that are not what was opened, locked or recorded; each is named, nothing is aggregated."""

    def __init__(self, round_name: str, faults: list[str]) -> None:
        super().__init__(f"Round {round_name!r} is not what was opened and locked, and is not aggregated", faults)


class TrailBroken(BadInput):
    """An audit trail with entries removed or changed, or that tells something else than the rows; each is named."""


class ReleaseRefused(BadInput):
    """A folder that is no release, or not the one its manifest describes; each file that is wrong is named."""

    def __init__(self, folder: object, faults: list[str]) -> None:
        super().__init__(f"The release in {folder} does not hold", faults)


class BackupRefused(BadInput):
    """A folder that is no backup, or a backup that is not whole; each part that is wrong is named."""

    def __init__(self, folder: object, faults: list[str]) -> None:
        super().__init__(f"The backup in {folder} cannot be used", faults)


class BackupIncomplete(Refusal):
    """A backup that holds all that was there, while storage lacked some; each file is named."""

    def __init__(self, missing: list[str]) -> None:
        lines = "\n".join(f"  {file}" for file in missing)
        super().__init__(f"The backup holds all that was there, but storage lacks what rows name:\n{lines}")


class InstallationInUse(Refusal):
    """A restore into an installation that has rows of its own; nothing was changed."""


class DataFaulty(Refusal):
    """Rows or files of this installation that are not what they were; each is named."""

    def __init__(self, faults: list[str]) -> None:
        lines = "\n".join(f"  {fault}" for fault in faults)
        super().__init__(f"This installation is not what it was:\n{lines}")


class CorrectionRefused(Refusal):
    """A correction without a reason, or of a round that has no release yet."""


class ClipsUnderReview(BadInput):
    """A release would show clips that reviewers of another round are still to see blind; each is named."""


class UnknownStimulus(Refusal):
    """The round has no stimulus of this id."""


class NothingToMeasure(Refusal):
    """A round whose protocol has no rollouts."""


class ReleaseBlocked(BadInput):
    """Results that may still change: something was not measured, or an evaluator failed; each is named."""


class NothingWhole(Refusal):
    """What compares answers about whole clips was asked of a round of rollouts, which are judged window by window."""
