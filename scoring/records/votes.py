"""A locked vote on a pair as scores and releases know it. No Django here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PairVote:
    """One locked vote: ``a`` and ``b`` are the stimuli that the reviewer saw on the left and right,
    ``answer`` is in the words of the protocol; ``locked_at`` is ISO 8601 in UTC.
    """

    pair: str
    question: str
    scene: str
    a: str
    b: str
    reviewer: str
    answer: str
    source: str
    measured: bool
    locked_at: str
    digest: str
    playback_sha256: str = ""
