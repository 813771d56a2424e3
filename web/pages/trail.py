"""The audit trail as staff reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from fartbench.models import AuditEntry

# The digest of a sheet or vote could be compared with guesses of what was answered while its round
# is open. Older entries state the seed of clips that this program drew: with it they can be drawn
# again and recognised.
NOT_SHOWN = {
    "sheet locked": {"digest"},
    "vote locked": {"digest"},
    "clips commissioned": {"seed"},
    "judge answered": {"digest"},
}
_CLIP_BY_CLIP = (
    "sheet locked",
    "sheet ended as unplayable",
    "mistake reported",
    "vote locked",
    "vote ended as unplayable",
    "judge answered",
    "rollout measured",
)
_SHOWN_LENGTH = 240


@dataclass(frozen=True, slots=True)
class TrailLine:
    """An entry with its details as short texts."""

    entry: AuditEntry
    details: tuple[tuple[str, str], ...]


def entries(round_name: str = "") -> QuerySet[AuditEntry]:
    """Return the entries, the newest first, of one round or of all."""
    found = AuditEntry.objects.order_by("-sequence")
    return found.filter(round_name=round_name) if round_name else found


def steps_of(round_name: str) -> QuerySet[AuditEntry]:
    """Return what was done with a round, the newest first, without what its reviewers do clip by
    clip.
    """
    return entries(round_name).exclude(action__in=_CLIP_BY_CLIP)


def trail_line(entry: AuditEntry) -> TrailLine:
    """Return an entry for reading."""
    shown = ((name, _short(value)) for name, value in shown_details(entry).items())
    return TrailLine(entry, tuple((name, text) for name, text in shown if text))


def shown_details(entry: AuditEntry) -> dict[str, Any]:
    """Return the details of an entry that staff may read."""
    hidden = NOT_SHOWN.get(entry.action, set())
    return {name: value for name, value in entry.details.items() if name not in hidden}


def _short(value: Any) -> str:
    if isinstance(value, dict):
        text = ", ".join(f"{name}: {part}" for name, part in value.items())
    elif isinstance(value, list):
        text = ", ".join(map(str, value))
    else:
        text = str(value)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}…"
