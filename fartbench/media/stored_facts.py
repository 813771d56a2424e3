"""Reading facts of media that were stored earlier, when fewer of them were measured.

No Django here.
"""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any

from fartbench.media.coded_facts import UNSPECIFIED
from fartbench.media.probe import MediaFacts

_NAMES = frozenset(field.name for field in fields(MediaFacts))
_FIRST_FORMAT = frozenset({"width", "height", "pixel_aspect", "rotation", "has_audio"})
"""Of the facts that were always stored, those from which the later ones follow."""


def read_facts(stored: dict[str, Any]) -> MediaFacts | None:
    """Return stored facts, with what was not measured then filled in; None when they are not facts
    of a clip.
    """
    if not stored.keys() >= _FIRST_FORMAT:
        return None
    values = _filled_in(stored) | {name: value for name, value in stored.items() if name in _NAMES}
    return MediaFacts(**values) if values.keys() == _NAMES else None


def _filled_in(stored: dict[str, Any]) -> dict[str, Any]:
    """Return the facts that older rows do not have: one track of each kind, no alpha, the shape as
    it follows.
    """
    width, height = stored["width"], stored["height"]
    aspect = Fraction(stored["pixel_aspect"].replace(":", "/"))
    if aspect >= 1:
        width = round(width * aspect)
    else:
        height = round(height / aspect)
    if stored["rotation"] in (90, 270):
        width, height = height, width
    sound = int(stored["has_audio"])
    return {
        "shown_width": width,
        "shown_height": height,
        "mirrored": False,
        "video_tracks": 1,
        "video_track": 1,
        "default_video_track": None,
        "audio_tracks": sound,
        "audio_track": sound,
        "default_audio_track": None,
        "transfer": UNSPECIFIED,
        "has_alpha": False,
    }
