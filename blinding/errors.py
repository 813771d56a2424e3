"""What blinding refuses."""

from fartbench.errors import BadInput, Refusal


class ClipsNotBlindable(BadInput):
    """Clips of a round that no blind copy can be made of; each is named with its reason.

    ``re_encoded`` says that the round's copies are all re-encoded as it is, so that this does not
    help.
    """

    def __init__(self, round_name: str, faults: list[str], *, re_encoded: bool) -> None:
        super().__init__(f"Round {round_name!r}", faults, "the other clips have their copies")
        leave_out = f"“exclude_clip {round_name} --configuration NAME --scene KEY --reason TEXT”"
        self.args = (
            f"{self}\nLeave these out with {leave_out}, and run “blind” again."
            if re_encoded
            else f"{self}\nAll clips of a round are treated alike. Either re-encode them all with "
            f"“normalise {round_name} --reason TEXT”, or leave single ones out with "
            f"{leave_out}, "
            "which leaves their configurations unranked.",
        )


class StoredClipChanged(Refusal):
    """The raw clip in storage is not what was imported."""


class ClipTooLarge(Refusal):
    """A blind copy is larger than the protocol lets a round's files be."""


class NotPlayable(Refusal):
    """The coding of a clip is one that not every browser plays."""


class TraceLeft(Refusal):
    """A blind copy in which the leak scan still finds something."""


class BlindingIsSettled(Refusal):
    """The round has been opened: its blind copies are fixed."""


class NothingToNormalise(Refusal):
    """A round cannot be normalised as asked."""


class ExclusionRefused(Refusal):
    """A clip cannot be declared not reviewable as asked."""


class BlindCopyMissing(BadInput):
    """Stimuli whose stored file is missing or is not what it was."""
