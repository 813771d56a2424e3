"""The arguments of ffmpeg that re-encode a clip, or pieces of one, to the common format. No Django
here.

All times are those of the file's own clock, moved so that a piece begins at zero: a clip whose
sound begins before its frames keeps the distance between the two. Where no frame is presented yet,
the first one is shown, as Chromium does; where none is presented any more, the last one. Sound that
is missing before, between or after is silence.

ffmpeg's own reading of turn, mirror, crop and pixel shape is used here; the proof takes them from
our reader.
"""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import ffmpeg

from blinding.common_format import BUFFER_S, CARD_S, CommonFormat, Cut
from blinding.source_view import SourceView
from fartbench.media.bounds import BOUNDS

PATTERN = "scenecut=0:bframes=2:b-adapt=0:ref=3:weightp=0:weightb=0"
"""Encoder settings under which every clip has the same order and kinds of frames."""
MICROSECONDS = 1_000_000
RATE = 48_000
LONGEST_GAP_S = Fraction(3, 100)
"""Sound whose times differ by less than this from its own length is played without a gap: clocks
jitter.
"""
QUEUED = 8
"""How many packets an input may read ahead: ffmpeg's own default."""


def command(  # noqa: PLR0917 - one value for each thing that decides what comes out
    path: Path,
    encoded: Path,
    view: SourceView,
    common: CommonFormat,
    taken: Cut,
    seeks: Sequence[Fraction | None],
) -> list[str]:
    """Return the arguments of ffmpeg that encode one clip: the demuxer fixed, only files read,
    nothing but frames and sound taken.

    ``seeks`` holds for each piece the moment (s, on the file's clock) to seek to, None for the
    start of the file.
    """
    frames: list[Any] = []
    sounds: list[Any] = []
    for number, ((begin, end), seek) in enumerate(zip(taken.pieces, seeks, strict=True)):
        source = _source(path, view, seek, number)
        start = view.origin + Fraction(begin).limit_denominator(MICROSECONDS)
        length = end - begin
        if taken.shown == "audio":
            frames.append(_plain(common, "black", length, number))
        else:
            frames.append(_frames(source, view, start, common, common.frames_in(length)))
        if taken.shown == "video" or view.audio is None:
            sounds.append(_silence(length, number))
        else:
            sounds.append(_sound(source, view, start, length))
    picture = _joined(frames, _plain(common, "gray", CARD_S, len(frames)), v=1, a=0)
    sound = _joined(sounds, _silence(CARD_S, len(sounds)), v=0, a=1)
    out = ffmpeg.output(picture, sound, f"file:{encoded}", **_coding(common)).global_args(
        "-nostdin", "-v", "error", "-xerror", "-copyts"
    )
    arguments: list[str] = out.get_args()
    return ["-y", *arguments]


def _source(path: Path, view: SourceView, seek: Fraction | None, number: int) -> Any:
    options: dict[str, Any] = _apart(number)
    if view.decoder:
        options["c:v"] = view.decoder
    if view.is_askew:
        options["noautorotate"] = None
    if seek is not None:
        options |= {"ss": f"{float(seek):.6f}", "noaccurate_seek": None}
    # Filters stay when a frame comes in another size or form: made anew they would begin to count
    # at zero.
    return ffmpeg.input(
        f"file:{path}",
        f=view.demuxer,
        protocol_whitelist="file",
        max_pixels=BOUNDS.pixels,
        threads=1,
        reinit_filter=0,
        **options,
    )


def _apart(number: int) -> dict[str, Any]:
    """Return an option that makes an input one of its own: inputs that are alike would be taken for
    the same.
    """
    return {"thread_queue_size": QUEUED + number}


def _frames(
    source: Any, view: SourceView, start: Fraction, common: CommonFormat, count: int
) -> Any:
    # On a clock of microseconds the move is exact to one. The last frame is held before the rate is
    # made even: at the end of a file that does not say how long its last frame lasts, that frame
    # would be dropped.
    steady = (
        source[str(view.video)]
        .filter("settb", "AVTB")
        .filter("setpts", f"PTS-{round(start * MICROSECONDS)}")
        .filter("tpad", stop=-1, stop_mode="clone")
        .filter("fps", fps=common.frame_rate, start_time=0)
        .filter("trim", end_frame=count)
    )
    return _even(_fitted(_over_black(steady, view), view, common))


def _over_black(frames: Any, view: SourceView) -> Any:
    if not view.has_alpha:
        return frames
    colour = {"in_color_matrix": view.colour} if view.colour else {}
    return (
        frames.filter("scale", **colour)
        .filter("format", "gbrap")
        .filter("premultiply", inplace=1)
        .filter("format", "gbrp")
    )


def _fitted(frames: Any, view: SourceView, common: CommonFormat) -> Any:
    """Return frames in square pixels, as large as fits, with black bars; as `CommonFormat.fit` says
    it.
    """
    width, height = common.width, common.height
    colour = {"in_color_matrix": view.colour} if view.colour and not view.has_alpha else {}
    return frames.filter(
        "scale",
        f"max(2,2*floor(min({width},{height}*dar)/2+0.5))",
        f"max(2,2*floor(min({height},{width}/dar)/2+0.5))",
        eval="frame",
        flags="bicubic+accurate_rnd",
        out_color_matrix="bt709",
        out_range="tv",
        **colour,
    ).filter("pad", width, height, "floor((ow-iw)/4)*2", "floor((oh-ih)/4)*2", eval="frame")


def _even(frames: Any) -> Any:
    """Return frames that say the same of themselves, whatever the clip's said."""
    return (
        frames.filter("setsar", 1)
        .filter("format", "yuv420p")
        .filter(
            "setparams",
            field_mode="prog",
            color_primaries="bt709",
            color_trc="bt709",
            colorspace="bt709",
            range="tv",
        )
    )


def _plain(common: CommonFormat, colour: str, length: float, number: int) -> Any:
    """Return frames of one colour: what is not shown, and the card between two pieces."""
    colours = f"color=c={colour}:s={common.width}x{common.height}:r={common.frame_rate}"
    source = ffmpeg.input(colours, f="lavfi", **_apart(number))
    return _even(source["v:0"].filter("trim", end_frame=common.frames_in(length)))


def _sound(source: Any, view: SourceView, start: Fraction, length: float) -> Any:
    heard = (
        source[str(view.audio)]
        .filter("asetpts", f"PTS-{float(start + view.early):.6f}/TB")
        .filter("atrim", start=0)
        .filter(
            "aresample", RATE, **{"async": 1, "first_pts": 0, "min_hard_comp": float(LONGEST_GAP_S)}
        )
        .filter("aformat", sample_fmts="flt")
    )
    if view.channels == 1:
        # One channel is heard from both sides at full level, as players do it; a mix would be 3 dB
        # softer.
        heard = heard.filter("aformat", channel_layouts="mono").filter(
            "channelmap", map="FC-FL|FC-FR", channel_layout="stereo"
        )
    return (
        heard.filter("aformat", channel_layouts="stereo").filter("apad").filter("atrim", end=length)
    )


def _silence(length: float, number: int) -> Any:
    source = ffmpeg.input(f"anullsrc=r={RATE}:cl=stereo", f="lavfi", **_apart(number))
    return source["a:0"].filter("atrim", end=length)


def _joined(pieces: list[Any], card: Any, **kinds: int) -> Any:
    """Return the pieces one after the other, the card between each two."""
    if len(pieces) == 1:
        return pieces[0]
    (first, *others), between = pieces, card
    if len(others) > 1:
        raise ValueError("a window has one piece, or two that are compared")
    return ffmpeg.concat(first, between, others[0], **kinds)


def _coding(common: CommonFormat) -> dict[str, Any]:
    rate = common.video_bit_rate
    return {
        "f": "mp4",
        "vcodec": "libx264",
        "preset": "medium",
        "profile:v": "high",
        "level": "4.1",
        "threads": 1,
        "video_bitrate": rate,
        "maxrate": rate,
        "bufsize": round(rate * BUFFER_S),
        "g": common.key_spacing,
        "x264-params": f"keyint={common.key_spacing}:min-keyint={common.key_spacing}:{PATTERN}",
        "acodec": "libopus",
        "audio_bitrate": common.audio_bit_rate,
        "vbr": "off",
        "map_metadata": -1,
        "map_chapters": -1,
    }
