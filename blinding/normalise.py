"""Re-encoding every clip of a round to one common format, so that not even technical facts tell them apart. No Django
here.

Coding is at a constant rate with a fixed pattern of pictures; what is left to differ is the picture and the sound
themselves.
"""

import errno
import os
import re
import subprocess
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import ffmpeg

from blinding.copying import CopyResult, NotCopyable, finish, write_copy
from blinding.scrub.nal import SMALLEST_FILLER
from fartbench.media.bounds import BOUNDS
from fartbench.media.errors import MediaTimeout
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.media.probe import MediaFacts, facts
from fartbench.media.reading import open_bytes, read_movie, sniff
from fartbench.media.sandbox import call_apart

SECONDS = 240.0
PATTERN = "scenecut=0:bframes=2:b-adapt=0:ref=3:weightp=0:weightb=0"
"""Encoder settings under which every clip has the same order and kinds of pictures."""
BUFFER_S = 0.5
"""How much of the bit rate (s) single pictures may borrow from others."""
CARD_S = 1.0
"""How long the grey card between two pieces stands, in seconds."""
_DISK_FULL = 256 - errno.ENOSPC  # the status that ffmpeg ends with
_DEMUXERS = {"mp4": "mov", "matroska": "matroska"}


@dataclass(frozen=True, slots=True)
class CommonFormat:
    """The one format of a normalised round: picture size (pixels), exact frame rate ("24/1"), length (s), rates (bits
    per second)."""

    width: int
    height: int
    frame_rate: str
    seconds: float
    video_bit_rate: int = 6_000_000
    audio_bit_rate: int = 128_000
    key_spacing: int = 24

    @property
    def pictures(self) -> int:
        """How many pictures a clip has."""
        return round(Fraction(self.frame_rate) * Fraction(self.seconds).limit_denominator(1_000_000))

    @property
    def picture_bytes(self) -> int:
        """How many bytes the coded pictures of every clip are filled up to: the bit rate, and what its buffer may run
        over."""
        return round(self.video_bit_rate * (self.seconds + BUFFER_S) / 8) + 2 * SMALLEST_FILLER * self.pictures


@dataclass(frozen=True, slots=True)
class Cut:
    """What of a clip is taken: pieces from one second to another, one after the other, and whether they are seen, heard
    or both. Between two pieces stands a grey card of CARD_S; what is not seen is black, what is not heard is silent.
    """

    pieces: tuple[tuple[float, float], ...]
    shown: Literal["video", "audio", "both"] = "both"

    @property
    def seconds(self) -> float:
        """How long it is, cards included."""
        return sum(end - begin for begin, end in self.pieces) + CARD_S * (len(self.pieces) - 1)


def normalise(
    src: Path,
    dst: Path,
    *,
    format: CommonFormat,  # noqa: A002 - the word of the protocol file
    taken: Cut | None = None,
) -> CopyResult:
    """Re-encode ``src``, or what is ``taken`` of it, to the common format and write the blind MP4 copy to ``dst``.

    Pictures are fitted into the frame with black bars, time is resampled to the frame rate, and a clip that is too
    short holds its last picture; sound becomes 48 kHz stereo, silent where there is none. Sound is Opus and pictures
    are H.264, both at a constant rate. Raises what blind_copy() raises, and MediaTimeout when encoding takes too long.
    """
    program = str(ffmpeg_binary())
    taken = taken or Cut(((0.0, format.seconds),))
    wanted = [asdict(replace(format, seconds=taken.seconds)), list(taken.pieces), taken.shown]
    return finish(
        src, dst, lambda partial: call_apart(_normalise_here, src, partial, program, *wanted, seconds=SECONDS)
    )


def _normalise_here(  # noqa: PLR0917 - what is sent to the sandbox
    path: Path, target: str, program: str, wanted: dict[str, Any], pieces: list[Any], shown: Any
) -> dict[str, Any]:
    common, taken = CommonFormat(**wanted), Cut(tuple((begin, end) for begin, end in pieces), shown)
    encoded = Path(f"{target}.encoded")
    try:
        with open_bytes(path) as data:
            raw = facts(path, data, read_movie(path, data), BOUNDS)
            demuxer = _DEMUXERS[sniff(path, data)]
        encode(path, encoded, command(path, encoded, demuxer, raw, common, taken), program)
        return write_copy(path, encoded, Path(target), picture_bytes=common.picture_bytes)
    finally:
        encoded.unlink(missing_ok=True)


def encode(path: Path, encoded: Path, arguments: list[str], program: str) -> None:
    try:
        done = subprocess.run(
            [program, *arguments],
            capture_output=True,
            timeout=SECONDS - 10,
            check=False,
            env={"PATH": os.environ.get("PATH", "")},
        )
    except subprocess.TimeoutExpired as fault:
        raise MediaTimeout(path, f"could not be re-encoded within {SECONDS - 10:g} s.") from fault
    if done.returncode == _DISK_FULL:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if done.returncode or not encoded.is_file():
        raise NotCopyable(path, f"could not be re-encoded: {_first_fault(done.stderr.decode('utf-8', 'replace'))}.")


def _first_fault(said: str) -> str:
    """Return what ffmpeg complained of first: all else follows from it. Without the part of ffmpeg that says so."""
    first = re.sub(r"^(\[[^\]]*\]\s*)+", "", said.strip().partition("\n")[0])
    return first.strip().rstrip(".") or "no reason given"


def command(  # noqa: PLR0917
    path: Path, encoded: Path, demuxer: str, raw: MediaFacts, common: CommonFormat, taken: Cut
) -> list[str]:
    """Return the arguments of ffmpeg that encode one clip: the demuxer fixed, only files read, nothing but picture and
    sound taken."""
    # Filters stay when a picture comes in another size or form: made anew they would begin to count at zero.
    source = ffmpeg.input(
        f"file:{path}", f=demuxer, protocol_whitelist="file", max_pixels=BOUNDS.pixels, threads=1, reinit_filter=0
    )
    seen = [_seen(one, span, common, taken.shown) for one, span in _parts(_pictures(source, common), taken)]
    heard = [_heard(one, span) for one, span in _parts(_sound(source, raw, taken.shown), taken, "asplit")]
    picture = _joined(seen, _card(common), v=1, a=0)
    sound = _joined(heard, _silence().filter("atrim", end=CARD_S), v=0, a=1)
    out = ffmpeg.output(picture, sound, f"file:{encoded}", **_coding(common)).global_args(
        "-nostdin", "-v", "error", "-xerror"
    )
    arguments: list[str] = out.get_args()
    return ["-y", *arguments]


def _pictures(source: Any, common: CommonFormat) -> Any:
    """Return the picture on the common clock, its last one held for ever."""
    steady = source["v:0"].filter("setpts", "PTS-STARTPTS").filter("fps", fps=common.frame_rate, start_time=0)
    return steady.filter("tpad", stop=-1, stop_mode="clone")


def _sound(source: Any, raw: MediaFacts, shown: str) -> Any:
    start = max(0.0, (raw.audio_start or 0.0) - raw.video_start)
    heard = source["a:0"] if raw.has_audio and shown != "video" else _silence()
    return (
        heard.filter("asetpts", f"PTS-STARTPTS+{start:.6f}/TB")
        .filter("aresample", 48000, **{"async": 1, "first_pts": 0})
        .filter("aformat", sample_fmts="flt", channel_layouts="stereo")
    )


def _silence() -> Any:
    return ffmpeg.input("anullsrc=r=48000:cl=stereo", f="lavfi")["a:0"]


def _parts(stream: Any, taken: Cut, splitter: str = "split") -> list[tuple[Any, tuple[float, float]]]:
    """Return the stream once for each piece that is taken of it."""
    if len(taken.pieces) == 1:
        return [(stream, taken.pieces[0])]
    split = stream.filter_multi_output(splitter, len(taken.pieces))
    return [(split[place], span) for place, span in enumerate(taken.pieces)]


def _seen(picture: Any, span: tuple[float, float], common: CommonFormat, shown: str) -> Any:
    first, stop = (round(Fraction(common.frame_rate) * Fraction(at).limit_denominator(1_000_000)) for at in span)
    fitted = (
        picture.filter("trim", start_frame=first, end_frame=stop)
        .filter("setpts", "PTS-STARTPTS")
        .filter(
            "scale",
            common.width,
            common.height,
            force_original_aspect_ratio="decrease",
            flags="bicubic+accurate_rnd",
            out_color_matrix="bt709",
            out_range="tv",
        )
        .filter("pad", common.width, common.height, "(ow-iw)/2", "(oh-ih)/2", eval="frame")
    )
    return _even(fitted.filter("drawbox", color="black", t="fill") if shown == "audio" else fitted)


def _even(picture: Any) -> Any:
    return (
        picture.filter("setsar", 1)
        .filter("format", "yuv420p")
        .filter("setparams", color_primaries="bt709", color_trc="bt709", colorspace="bt709", range="tv")
    )


def _card(common: CommonFormat) -> Any:
    """Return the grey that stands between two pieces."""
    size = f"{common.width}x{common.height}"
    return _even(ffmpeg.input(f"color=c=gray:s={size}:r={common.frame_rate}:d={CARD_S:g}", f="lavfi")["v:0"])


def _heard(sound: Any, span: tuple[float, float]) -> Any:
    begin, end = span
    return (
        sound.filter("atrim", start=begin)
        .filter("asetpts", "PTS-STARTPTS")
        .filter("apad")
        .filter("atrim", end=end - begin)
    )


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
