"""Cutting a window out of a rollout, blind like any clip. No Django here.

A window is re-encoded to a protocol's common format: it may begin at any picture, and carries no trace of the file that
it came from.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from blinding.copying import CopyResult
from blinding.normalise import CommonFormat, normalise
from fartbench.errors import Refusal
from fartbench.media.probe import probe

SLACK_S = 0.25
"""How much shorter than asked a rollout may be: less than half a second, the finest thing a window is judged by."""


class WindowMissing(Refusal):
    """The rollout ends before the window does: there is nothing to judge, and a held picture is no picture."""


def cut(src: Path, dst: Path, *, begin_s: float, end_s: float, format: CommonFormat) -> CopyResult:  # noqa: A002
    """Write a rollout's seconds from ``begin_s`` to ``end_s`` to the blind MP4 file ``dst``, in ``format`` but of that
    length.

    Raises WindowMissing when the rollout is too short, and what normalise() raises.
    """
    length = probe(src).duration_s
    if not 0 <= begin_s < end_s or length + SLACK_S < end_s:
        raise WindowMissing(f"{src.name} lasts {length:.2f} s; there is no window from {begin_s:g} s to {end_s:g} s.")
    return normalise(src, dst, format=replace(format, seconds=end_s - begin_s), begin_s=begin_s)
