"""How the windows that are cut out of a rollout are written down. No Django here.

A window is re-encoded to a protocol's common format: it may begin at any picture, and carries no
trace of the file that it came from. Two windows that are compared are one file, with a grey card
between them.
"""

from __future__ import annotations

from blinding.common_format import CARD_S
from fartbench.protocol.rollouts.units import Window


def written(windows: tuple[Window, ...]) -> str:
    """Return windows as a short text, such as ``30-60`` or ``0-30 30-60``: seconds of the
    rollout.
    """
    return " ".join(f"{one.begin_s:g}-{one.end_s:g}" for one in windows)


def pieces_of(text: str) -> tuple[tuple[float, float], ...]:
    """Return the spans (s) that a text of `written` says."""
    return tuple(
        (float(begin), float(end)) for begin, end in (one.split("-") for one in text.split())
    )


def in_own_time(windows: tuple[Window, ...]) -> list[dict[str, object]]:
    """Return what each window is and where it lies in its own file, in seconds."""
    found: list[dict[str, object]] = []
    at = 0.0
    for one in windows:
        length = one.end_s - one.begin_s
        found.append({"role": one.role, "begin_s": at, "end_s": at + length})
        at += length + CARD_S
    return found
