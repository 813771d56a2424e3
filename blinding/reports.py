"""What blinding leaves: the staff's report on the technical fingerprint of a round's files."""

from __future__ import annotations

from typing import Any

from blinding.fingerprint import report
from blinding.models import BlindCopy
from fartbench.models import Round


def fingerprint_of(round_: Round) -> dict[str, Any]:
    """Return how far the technical facts of the round's blind files tell its configurations apart,
    as JSON.

    Where a figure cannot be had (fewer than two configurations, or one with a single file),
    ``not_estimable`` says so.
    """
    copies = BlindCopy.objects.filter(sample__cell__round=round_).order_by("pk")
    rows = list(copies.values_list("sample__cell__configuration__name", "technical"))
    try:
        found = report(rows).as_json()
    except ValueError as error:
        found = {"not_estimable": str(error), "files": len(rows)}
    return {"round": round_.name, "normalised": round_.is_normalised, **found}
