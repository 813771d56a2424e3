"""Times as records and tables write them. No Django here."""

from __future__ import annotations

from datetime import UTC, datetime


def utc(time: datetime | None) -> str:
    """Return ISO 8601 in UTC, ending in Z; empty when there is no time."""
    if time:
        return time.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return ""
