"""What a token may be allowed, and what an account must be for it. No Django here."""

from __future__ import annotations

from enum import StrEnum


class Scope(StrEnum):
    """What a token allows; its account's rights bound it besides."""

    ROUNDS_READ = "rounds:read"
    ROUNDS_WRITE = "rounds:write"
    RESULTS_READ = "results:read"
    SPEND = "spend"
    MEMBERS = "members"
    ADMIN = "admin"

    @property
    def words(self) -> str:
        """What it allows, in words."""
        return _WORDS[self]


_WORDS = {
    Scope.ROUNDS_READ: "read protocols, configurations, rounds, their progress and their work",
    Scope.ROUNDS_WRITE: "make rounds, send clips, and take rounds from step to step",
    Scope.RESULTS_READ: "read the results of closed rounds; what unblinds needs a reason",
    Scope.SPEND: "order clips from providers and ask AI judges, under a ceiling",
    Scope.MEMBERS: "read who reviews, invite, replace and shut out reviewers",
    Scope.ADMIN: "load protocols and configurations, and read the audit trail",
}


class Role(StrEnum):
    """Which accounts may call an operation: as for the pages of the same work."""

    EVERYONE = "everyone"
    STAFF = "staff"
    ADMIN = "admin"
