"""Re-encoding every clip of a round to one common format, so that not even technical facts tell them apart. No Django
here.

Coding is at a constant rate with a fixed pattern of pictures; what is left to differ is the picture and the sound
themselves.
"""

import os
import subprocess
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

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


def normalise(
    src: Path,
    dst: Path,
    *,
    format: CommonFormat,  # noqa: A002 - the word of the protocol file
    begin_s: float = 0.0,
) -> CopyResult:
    """Re-encode ``src`` from ``begin_s`` on to the common format and write the blind MP4 copy of that to ``dst``.

    Pictures are fitted into the frame with black bars, time is resampled to the frame rate, and a clip that is too
    short holds its last picture; sound becomes 48 kHz stereo, silent where there is none. Sound is Opus and pictures
    are H.264, both at a constant rate. Raises what blind_copy() raises, and MediaTimeout when encoding takes too long.
    """
    program = str(ffmpeg_binary())
    wanted = [asdict(format), begin_s]
    return finish(
        src, dst, lambda partial: call_apart(_normalise_here, src, partial, program, *wanted, seconds=SECONDS)
    )


def _normalise_here(path: Path, target: str, program: str, wanted: dict[str, Any], begin_s: float) -> dict[str, Any]:
    common = CommonFormat(**wanted)
    encoded = Path(f"{target}.encoded")
    try:
        with open_bytes(path) as data:
            raw = facts(path, data, read_movie(path, data), BOUNDS)
            demuxer = _DEMUXERS[sniff(path, data)]
        _encode(path, encoded, command(path, encoded, demuxer, raw, common, begin_s), program)
        return write_copy(path, encoded, Path(target), picture_bytes=common.picture_bytes)
    finally:
        encoded.unlink(missing_ok=True)


def _encode(path: Path, encoded: Path, arguments: list[str], program: str) -> None:
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
    if done.returncode or not encoded.is_file():
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise NotCopyable(path, f"could not be re-encoded: {said[-1] if said else 'no reason given'}.")


def command(  # noqa: PLR0917
    path: Path, encoded: Path, demuxer: str, raw: MediaFacts, common: CommonFormat, begin_s: float
) -> list[str]:
    """Return the arguments of ffmpeg that encode one clip: the demuxer fixed, only files read, nothing but picture and
    sound taken."""
    first = round(Fraction(common.frame_rate) * Fraction(begin_s).limit_denominator(1_000_000))
    source = ffmpeg.input(f"file:{path}", f=demuxer, protocol_whitelist="file", max_pixels=BOUNDS.pixels, threads=1)
    start = max(0.0, (raw.audio_start or 0.0) - raw.video_start)
    picture = (
        source["v:0"]
        .filter("setpts", "PTS-STARTPTS")
        .filter("fps", fps=common.frame_rate, start_time=0)
        .filter("tpad", stop=-1, stop_mode="clone")
        .filter("trim", start_frame=first, end_frame=first + common.pictures)
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
        .filter("pad", common.width, common.height, "(ow-iw)/2", "(oh-ih)/2")
        .filter("setsar", 1)
        .filter("format", "yuv420p")
        .filter("setparams", color_primaries="bt709", color_trc="bt709", colorspace="bt709", range="tv")
    )
    sound = source["a:0"] if raw.has_audio else ffmpeg.input("anullsrc=r=48000:cl=stereo", f="lavfi")["a:0"]
    sound = (
        sound.filter("asetpts", f"PTS-STARTPTS+{start:.6f}/TB")
        .filter("aresample", 48000, **{"async": 1, "first_pts": 0})
        .filter("aformat", sample_fmts="flt", channel_layouts="stereo")
        .filter("atrim", start=begin_s)
        .filter("asetpts", "PTS-STARTPTS")
        .filter("apad")
        .filter("atrim", end=common.seconds)
    )
    out = ffmpeg.output(picture, sound, f"file:{encoded}", **_coding(common)).global_args(
        "-nostdin", "-v", "error", "-xerror"
    )
    arguments: list[str] = out.get_args()
    return ["-y", *arguments]


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
