"""What is worth knowing of a clip that is taken as it is: one short sentence each. No Django here.

A note is not a fault. The clip is a result all the same: no one trims or repairs it. Each note
reads on from the clip's name, such as "has no sound track. It is reviewed as it is."
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from fartbench.media.playable import is_playable
from fartbench.media.probe import MediaFacts
from fartbench.protocol.rollouts.units import SLACK_S
from fartbench.protocol.schema import Clip as ClipRule

AS_IT_IS = "It is reviewed as it is."
HDR_TRANSFERS = {16: "PQ", 18: "HLG"}
"""Transfer characteristics of high dynamic range (ITU-T H.273, table 3)."""
ORDINALS = ("", "first", "second", "third", "fourth")
_CHROMA = re.compile(r"yuva?j?(4\d\d)p|nv(16|24)")
_BITS = re.compile(r"p0?(9|1\d)(?:le|be)$")


@dataclass(frozen=True)
class Expected:
    """What the protocol expects of a clip.

    ``judged_up_to_s`` is the last moment (s) of a rollout that is judged.
    """

    clip: ClipRule
    judged_up_to_s: float | None = None


def clip_notes(facts: MediaFacts, expected: Expected) -> list[str]:
    """Return the notes on one clip, in the order in which a person would want to know them."""
    notes = (note(facts, expected) for note in NOTES)
    return [note for note in notes if note]


def note_sound(facts: MediaFacts, expected: Expected) -> str:
    """Say that the sound is missing, or that there is some where none was asked for."""
    if not facts.has_audio and expected.clip.audio != "none":
        return f"has no sound track. {AS_IT_IS}"
    if facts.has_audio and expected.clip.audio == "none":
        return f"has a sound track, and the protocol asks for none. {AS_IT_IS}"
    return ""


def note_length(facts: MediaFacts, expected: Expected) -> str:
    """Say that a clip is too short or too long, or that a rollout ends before what is judged of
    it.
    """
    lasts = f"lasts {facts.duration_s:.1f} s"
    if expected.judged_up_to_s is not None and facts.duration_s + SLACK_S < expected.judged_up_to_s:
        return (
            f"{lasts} and is judged up to {expected.judged_up_to_s:g} s, so “blind” will refuse "
            "it: "
            "import a complete one with --replace and --reason, or leave it out with "
            "“exclude_clip”."
        )
    rule = expected.clip
    if abs(facts.duration_s - rule.duration_s) > rule.duration_tolerance_s:
        return (
            f"{lasts}; the protocol asks for {rule.duration_s:g} s, give or take "
            f"{rule.duration_tolerance_s:g} s. "
            f"{AS_IT_IS}"
        )
    return ""


def note_shape(facts: MediaFacts, expected: Expected) -> str:
    """Say that a clip, as it is shown, does not have the shape asked for."""
    if expected.clip.has_shape(facts.shown_width, facts.shown_height):
        return ""
    size = f"{facts.shown_width} x {facts.shown_height}"
    return f"is shown {size}, which is not {expected.clip.aspect_ratio}. {AS_IT_IS}"


def note_picture_tracks(facts: MediaFacts, _: Expected) -> str:
    """Say which of several picture tracks is shown."""
    return _choice("picture", facts.video_tracks, facts.video_track, facts.default_video_track)


def note_sound_tracks(facts: MediaFacts, _: Expected) -> str:
    """Say which of several sound tracks is played."""
    return _choice("sound", facts.audio_tracks, facts.audio_track, facts.default_audio_track)


def _choice(kind: str, count: int, taken: int, default: int | None) -> str:
    if count < 2:  # noqa: PLR2004 - one track leaves no choice
        return ""
    words = f"has {count} {kind} tracks. The {_ordinal(taken)} is taken, as browsers do"
    if taken > 1:
        return f"{words}: the file switches the ones before it off."
    if default is not None and default != taken:
        return (
            f"{words}; the {_ordinal(default)} is marked as default, and players such as VLC and "
            "mpv play that one."
        )
    return f"{words}."


def _ordinal(place: int) -> str:
    return ORDINALS[place] if place < len(ORDINALS) else f"{place}th"


def note_coding(facts: MediaFacts, _: Expected) -> str:
    """Say that some browsers do not play a clip's codecs, chroma or depth."""
    if not is_playable(facts.video_codec, facts.audio_codec):
        codecs = " and ".join(filter(None, (facts.video_codec, facts.audio_codec)))
        words = f"is coded as {codecs}, which not every browser plays."
        return f"{words} Only a round that re-encodes its clips can show it."
    # Every AV1 decoder plays 10 bits a colour: they are part of its main profile.
    depth = [] if facts.video_codec == "av1" else _depth(facts.pix_fmt)
    special = [*_chroma(facts.pix_fmt), *depth]
    if not special:
        return ""
    coding = f"is coded in {' and '.join(special)}"
    if facts.video_codec == "h264":
        return f"{coding} H.264. Safari and Firefox on Windows do not play it."
    return f"{coding}. Some browsers do not play it."


def _chroma(pix_fmt: str) -> list[str]:
    if pix_fmt.startswith(("gbr", "rgb", "bgr", "argb", "abgr")):
        return ["RGB"]
    match = _CHROMA.match(pix_fmt)
    name = (match[1] or {"16": "422", "24": "444"}[match[2]]) if match else "420"
    return [] if name == "420" else [":".join(name)]


def _depth(pix_fmt: str) -> list[str]:
    match = _BITS.search(pix_fmt)
    return [f"{match[1]}-bit"] if match else []


def note_alpha(facts: MediaFacts, _: Expected) -> str:
    """Say that a clip has transparent parts."""
    words = "has an alpha channel. Its blind copy is refused where that makes parts transparent."
    return words if facts.has_alpha else ""


def note_range(facts: MediaFacts, _: Expected) -> str:
    """Say that a clip is of high dynamic range."""
    name = HDR_TRANSFERS.get(facts.transfer)
    if name is None:
        return ""
    return f"is HDR ({name}). Its colours and brightness differ between screens and browsers."


def note_frame_rate(facts: MediaFacts, _: Expected) -> str:
    """Say that the frames of a clip are not evenly spaced."""
    if not facts.variable_frame_rate:
        return ""
    average = facts.frame_count / facts.video_duration_s if facts.video_duration_s else 0.0
    return f"has a variable frame rate, {average:.4g} frames a second on average. {AS_IT_IS}"


NOTES: tuple[Callable[[MediaFacts, Expected], str], ...] = (
    note_sound,
    note_length,
    note_shape,
    note_picture_tracks,
    note_sound_tracks,
    note_coding,
    note_alpha,
    note_range,
    note_frame_rate,
)
