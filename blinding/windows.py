"""Cutting windows out of a rollout, blind like any clip. No Django here.

A window is re-encoded to a protocol's common format: it may begin at any picture, and carries no trace of the file that
it came from. Two windows that are compared are one file, with a grey card between them.
"""

from __future__ import annotations

from pathlib import Path

from blinding.copying import CopyResult
from blinding.normalise import CARD_S, CommonFormat, Cut, normalise
from fartbench.errors import Refusal
from fartbench.media.probe import probe
from fartbench.scenarios.units import SLACK_S, Window


class WindowMissing(Refusal):
    """The rollout ends before the window does: there is nothing to judge, and a held picture is no picture."""


def cut(src: Path, dst: Path, *, taken: Cut, format: CommonFormat) -> CopyResult:  # noqa: A002
    """Write what is ``taken`` of a rollout to the blind MP4 file ``dst``, in ``format`` but of its own length.

    Raises WindowMissing when the rollout is too short, and what normalise() raises.
    """
    length = probe(src).duration_s
    for begin_s, end_s in taken.pieces:
        if not 0 <= begin_s < end_s or length + SLACK_S < end_s:
            raise WindowMissing(
                f"it lasts {length:.2f} s; there is no window from {begin_s:g} s to {end_s:g} s, and none is made up"
            )
    return normalise(src, dst, format=format, taken=taken)


def written(windows: tuple[Window, ...]) -> str:
    """Return windows as a short text, such as ``30-60`` or ``0-30 30-60``: seconds of the rollout."""
    return " ".join(f"{one.begin_s:g}-{one.end_s:g}" for one in windows)


def pieces_of(text: str) -> tuple[tuple[float, float], ...]:
    """Return the spans (s) that a text of `written` says."""
    return tuple((float(begin), float(end)) for begin, end in (one.split("-") for one in text.split()))


def in_own_time(windows: tuple[Window, ...]) -> list[dict[str, object]]:
    """Return what each window is and where it lies in its own file, in seconds."""
    found: list[dict[str, object]] = []
    at = 0.0
    for one in windows:
        length = one.end_s - one.begin_s
        found.append({"role": one.role, "begin_s": at, "end_s": at + length})
        at += length + CARD_S
    return found
