"""What the review refuses about pairs, one class per refusal."""

from __future__ import annotations

from fartbench.errors import BadInput
from review.drafts import VoteDraft
from review.errors import ReviewRefusal


class NoPairs(ReviewRefusal):
    """The protocol of the round has no pairs."""


class NotYourPair(ReviewRefusal):
    """The reviewer is not asked about the pair. Whether there is such a pair at all is not said."""

    def __init__(self) -> None:
        super().__init__("There is no such pair among your reviews.")


class PairNotDue(ReviewRefusal):
    """An earlier pair, or a clip of the reviewer's list, is still to be done."""

    def __init__(self) -> None:
        super().__init__(
            "This pair is not due yet: do the clips of your list and the earlier pairs first."
        )


class VoteEnded(ReviewRefusal):
    """The vote is locked, or ended as unplayable, and takes no change."""

    def __init__(self) -> None:
        super().__init__(
            "This pair is done: its answer is locked, or a clip was reported as not playing."
        )


class VoteLockedOtherwise(VoteEnded):
    """The vote was locked before, with another answer; ``stored`` is that one, and stays."""

    def __init__(self, question: str, stored: str) -> None:
        self.question, self.stored = question, stored
        ReviewRefusal.__init__(
            self,
            "This pair was locked before, perhaps in another window, with another answer. The "
            "locked answer is shown "
            "and stays. What you sent now was not kept.",
        )


class StaleVote(ReviewRefusal):
    """The draft was changed elsewhere since; ``current`` is what is stored."""

    def __init__(self, current: VoteDraft) -> None:
        self.current = current
        super().__init__(
            "This answer was changed in another window or on another device. "
            "The newer one is kept; look at it before you go on."
        )


class UnknownAnswer(ReviewRefusal):
    """An answer that the question does not have, or none where one is needed."""


class PairNotPlayed(ReviewRefusal):
    """The recorded playback of a clip of the pair is less than the protocol asks for."""

    def __init__(self, full_plays: int) -> None:
        times = "once" if full_plays == 1 else f"{full_plays} times"
        super().__init__(
            f"Each of the two clips has to be played {times} in full before the answer can be "
            "locked. "
            "If one will not play, report that instead."
        )


class BadVotes(BadInput):
    """Whole votes that cannot be entered, each fault named; nothing of them was taken."""
