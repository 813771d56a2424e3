"""The states of a sample and the ways between them. No Django here.

A way that is not listed does not exist: anyone who wants to take it is refused, whatever brought
them there.
"""

from __future__ import annotations

WAYS: dict[str, frozenset[str]] = {
    "planned": frozenset({"ready", "delivered", "refused", "failed", "lost", "not_generated"}),
    "ready": frozenset(
        {"queued", "blocked", "refused", "failed", "lost", "not_generated", "planned"}
    ),
    "queued": frozenset({"submitting", "ready", "blocked", "not_generated"}),
    "submitting": frozenset({"accepted", "ready", "blocked", "refused", "uncertain"}),
    "uncertain": frozenset({"accepted", "ready", "lost_uncertain", "refused", "blocked"}),
    # Only an operator leads out of here, or the acceptance itself, should it turn up after all.
    "lost_uncertain": frozenset({"accepted", "ready", "lost"}),
    "blocked": frozenset({"ready", "failed", "lost", "not_generated", "refused"}),
    "accepted": frozenset({"accepted", "running", "output_ready", "refused", "failed", "blocked"}),
    "running": frozenset({"running", "output_ready", "refused", "failed", "blocked"}),
    "output_ready": frozenset({"output_ready", "delivered", "refused", "failed", "lost"}),
    **{
        outcome: frozenset()
        for outcome in ("delivered", "refused", "failed", "lost", "not_generated")
    },
}

# What may be sent again by itself: only what was surely not accepted.
RETRIES = 5
BACKOFF_S = (5.0, 20.0, 60.0, 180.0, 600.0)


def may_go(before: str, after: str) -> bool:
    """Say whether a sample may go from one state to another.

    Raises KeyError for a state that does not exist.
    """
    return after in WAYS[before]


def backoff_s(tries: int, retry_after_s: float | None) -> float:
    """Return how long to wait after the given number of tries, in seconds: never less than the
    provider asks for.
    """
    own = BACKOFF_S[min(tries, len(BACKOFF_S)) - 1]
    if retry_after_s is None:
        return own
    return max(retry_after_s, 1.0)


def look_again_s(age_s: float) -> float:
    """Return how long to wait until the next look at a job of this age, in seconds."""
    return 5.0 if age_s < 30 else 10.0 if age_s < 120 else 20.0  # noqa: PLR2004
