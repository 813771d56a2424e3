"""What the review refuses to do, one class per refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fartbench.errors import BadInput, Refusal
from fartbench.protocol import Response, Violation
from review.drafts import Draft


class ReviewRefusal(Refusal):
    """The base of all refusals of the review."""


class NotYourAssignment(ReviewRefusal):
    """The stimulus is not assigned to this reviewer.

    Whether there is such a stimulus at all is not said.
    """

    def __init__(self) -> None:
        super().__init__("There is no such clip among your reviews.")


class RoundNotOpen(ReviewRefusal):
    """The round takes no answers (now)."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Round {name} is not open for review, so nothing can be answered in it.")


class NotYetDue(ReviewRefusal):
    """An earlier clip of the order has neither been ended nor set aside."""

    def __init__(self) -> None:
        super().__init__(
            "This clip is not due yet: end the earlier ones of your list, or set them aside, first."
        )


class SheetEnded(ReviewRefusal):
    """The sheet is locked, or ended as unplayable, and takes no change."""


class AlreadyLocked(SheetEnded):
    """The sheet was locked before."""

    def __init__(self) -> None:
        super().__init__(
            "This sheet is locked. A mistake can be reported beside it, and changes nothing in it."
        )


class LockedOtherwise(AlreadyLocked):
    """The sheet was locked before, with other answers; ``stored`` are those, by question, and
    stay.
    """

    def __init__(self, stored: Mapping[str, Response], different: Sequence[str]) -> None:
        self.stored = dict(stored)
        ReviewRefusal.__init__(
            self,
            "This sheet was locked before, perhaps in another window, with other answers to: "
            f"{', '.join(different)}. The locked answers are shown and stay. What you sent now was "
            "not kept; "
            "if it is right, report the mistake beside the sheet.",
        )


class AlreadyUnplayable(SheetEnded):
    """The sheet was ended as unplayable before."""

    def __init__(self) -> None:
        super().__init__(
            "This clip was reported as not playing, which ended its sheet. Ask staff for a new "
            "copy."
        )


class StaleDraft(ReviewRefusal):
    """The draft was changed elsewhere since; ``current`` is what is stored."""

    def __init__(self, current: Draft) -> None:
        self.current = current
        super().__init__(
            "These answers were changed in another window or on another device. "
            "The newer ones are kept; look at them before you go on."
        )


class TooManyNotes(ReviewRefusal):
    """More was noted or asked for than anybody needs; nothing of it was kept."""


class InvalidAnswers(ReviewRefusal):
    """Answers that the form does not allow; nothing of them was stored."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        self.violations = list(violations)
        super().__init__("; ".join(str(violation) for violation in violations))


class NotPlayed(ReviewRefusal):
    """The recorded playback does not amount to the full plays that the protocol asks for."""

    def __init__(self, full_plays: int) -> None:
        times = "once" if full_plays == 1 else f"{full_plays} times"
        super().__init__(
            f"The clip has to be played {times} in full before its sheet can be locked. "
            "If it will not play, report that instead."
        )


class ToolsTooSoon(ReviewRefusal):
    """Frame steps, loops or half speed came before the first impression was kept."""

    def __init__(self) -> None:
        super().__init__(
            "Frame steps, loops and half speed open once the first impression is kept."
        )


class BadPlayback(ReviewRefusal):
    """A playback record that no player of this site makes."""


class BadSheets(BadInput):
    """Whole sheets that cannot be entered, each fault named; nothing of them was taken."""


class CohortRefused(ReviewRefusal):
    """The addresses given cannot be the cohort of this round."""


class AccessRefused(ReviewRefusal):
    """Nobody of this name whose access could be taken, or no reason for it."""


class FormsMissing(ReviewRefusal):
    """The rule rows of a protocol's forms are not written."""


class OrdersRefused(ReviewRefusal):
    """The orders of a round cannot be drawn from what was given, or are drawn already."""


class TrainingRefused(ReviewRefusal):
    """No training clips can be made of this."""


class InviteRefused(ReviewRefusal):
    """The base of the reasons why an invite link does not open."""


class InviteUnknown(InviteRefused):
    """No invite has this token."""

    def __init__(self) -> None:
        super().__init__(
            "This invite link is not known here. Check that it was copied whole, or ask for a new "
            "one."
        )


class InviteUsed(InviteRefused):
    """The invite was opened before, and its reviewer has begun."""

    def __init__(self) -> None:
        super().__init__(
            "This invite link was opened before, and the reviewer it was made for has agreed to "
            "take part. The link "
            "stops working then, so that it is of no use to others. If you are that reviewer, log "
            "in with your "
            "password or return code. If you have neither, ask the person who invited you for a "
            "new link: your "
            "answers are kept."
        )


class InviteAddressWrong(InviteRefused):
    """An invite of a person who has begun was opened without the address that it was made for."""

    def __init__(self) -> None:
        super().__init__(
            "This is not the address that you were invited with. The link still works: try again."
        )


class InviteExpired(InviteRefused):
    """The invite is too old."""

    def __init__(self) -> None:
        super().__init__("This invite link has expired. Ask for a new one.")


class InviteRevoked(InviteRefused):
    """The invite was withdrawn, usually because a newer one was made."""

    def __init__(self) -> None:
        super().__init__(
            "This invite link was replaced by a newer one. Use the newest you were sent."
        )
