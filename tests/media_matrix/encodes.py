"""Encoding the pattern: a picture codec, a sound codec, and the program and container that hold
both.
"""

import subprocess
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from fartbench.media.ffmpeg import ffmpeg_binary
from tests.media_matrix.pattern import Source, frame, sound

FOLDER = TemporaryDirectory(prefix="fartbench-matrix-")
PLAIN = Source()

X264 = (
    "-c:v",
    "libx264",
    "-preset",
    "ultrafast",
    "-qp",
    "18",
    "-g",
    "10",
    "-bf",
    "2",
    "-threads",
    "1",
)
X265 = (
    "-c:v", "libx265", "-preset", "ultrafast", "-qp", "20", "-tag:v", "hvc1",
    "-x265-params", "log-level=none:keyint=10:bframes=2:pools=none:frame-threads=1",
)  # fmt: skip
VPX = ("-deadline", "realtime", "-cpu-used", "8", "-b:v", "3M", "-g", "10", "-threads", "1")
VP8 = ("-c:v", "libvpx", *VPX)
VP9 = ("-c:v", "libvpx-vp9", *VPX)
AV1 = ("-c:v", "libsvtav1", "-preset", "8", "-crf", "10", "-g", "10", "-svtav1-params", "lp=1")
YUV420 = ("-pix_fmt", "yuv420p")


@dataclass(frozen=True, slots=True)
class Picture:
    """How a picture is encoded: ffmpeg's arguments and what it shows; ``clear`` gives it a
    transparent half.
    """

    arguments: tuple[str, ...]
    source: Source = PLAIN
    clear: bool = False


@dataclass(frozen=True, slots=True)
class Sound:
    """How a sound is encoded: ffmpeg's arguments, samples a second, and the layout of its
    channels.
    """

    arguments: tuple[str, ...]
    rate: int = 48_000
    layout: str = "stereo"


def _at(source: Source, *arguments: str) -> Picture:
    return Picture((*X264, *YUV420, *arguments), source)


PICTURES: dict[str, Picture] = {
    "h264": Picture((*X264, *YUV420)),
    "h264 no b": Picture((*X264, *YUV420, "-bf", "0")),
    "h264 all key": Picture((*X264, *YUV420, "-g", "1")),
    "h264 open gop": Picture(
        (*X264, *YUV420, "-x264-params", "open-gop=1:bframes=3:repeat-headers=1:aud=1")
    ),
    "h264 open groups": Picture(
        (*X264, *YUV420, "-x264-params", "open-gop=1:bframes=3:b-pyramid=none")
    ),
    "h264 444": Picture((*X264, "-pix_fmt", "yuv444p")),
    "h264 422": Picture((*X264, "-pix_fmt", "yuv422p")),
    "h264 10 bit": Picture((*X264, "-pix_fmt", "yuv420p10le")),
    "h264 wide bits": Picture((*X264, *YUV420, "-vf", "setsar=2")),
    "h264 tall bits": Picture((*X264, *YUV420, "-vf", "setsar=1/2")),
    "h264 odd size": Picture((*X264, "-pix_fmt", "yuv444p"), Source(161, 91)),
    "h264 odd 420": Picture((*X264, *YUV420), Source(162, 94)),
    "h264 tall": _at(Source(90, 160)),
    "h264 1 frame": _at(Source(frames=1, flash=0)),
    "h264 2 frames": _at(Source(frames=2, flash=0)),
    "h264 1 fps": _at(Source(rate=Fraction(1), frames=3, flash=1)),
    "h264 12 fps": _at(Source(rate=Fraction(12), frames=12, flash=6)),
    "h264 24 fps": _at(Source(rate=Fraction(24), frames=24)),
    "h264 ntsc film": _at(Source(rate=Fraction(24000, 1001), frames=24)),
    "h264 ntsc": _at(Source(rate=Fraction(30000, 1001), frames=30, flash=15)),
    "h264 30 fps": _at(Source(rate=Fraction(30), frames=30, flash=15)),
    "h264 50 fps": _at(Source(rate=Fraction(50), frames=50, flash=25)),
    "h264 ntsc 60": _at(Source(rate=Fraction(60000, 1001), frames=60, flash=30)),
    "h264 60 fps": _at(Source(rate=Fraction(60), frames=60, flash=30)),
    "hevc": Picture((*X265, *YUV420)),
    "hevc hev1": Picture((*X265, *YUV420, "-tag:v", "hev1")),
    "hevc 10 bit": Picture((*X265, "-pix_fmt", "yuv420p10le")),
    "hevc open groups": Picture((*X265[:-1], X265[-1] + ":open-gop=1:bframes=3", *YUV420)),
    "hevc wide bits": Picture((*X265, *YUV420, "-vf", "setsar=2")),
    "hevc odd size": Picture((*X265, "-pix_fmt", "yuv444p"), Source(161, 91)),
    "vp8": Picture((*VP8, *YUV420)),
    "vp8 clear": Picture((*VP8, "-pix_fmt", "yuva420p", "-auto-alt-ref", "0"), clear=True),
    "vp9": Picture((*VP9, *YUV420)),
    "vp9 clear": Picture((*VP9, "-pix_fmt", "yuva420p"), clear=True),
    "vp9 444": Picture((*VP9, "-pix_fmt", "yuv444p")),
    "vp9 10 bit": Picture((*VP9, "-pix_fmt", "yuv420p10le")),
    "vp9 odd size": Picture((*VP9, *YUV420), Source(161, 91)),
    "vp9 wide": Picture((*VP9, *YUV420, "-vf", "setsar=2")),
    "av1": Picture((*AV1, *YUV420)),
    "av1 10 bit": Picture((*AV1, "-pix_fmt", "yuv420p10le")),
    "av1 odd size": Picture((*AV1, *YUV420), Source(162, 94)),
    "av1 wide": Picture((*AV1, *YUV420, "-vf", "setsar=2")),
    "mpeg4": Picture(("-c:v", "mpeg4", "-q:v", "3", *YUV420)),
    "mjpeg": Picture(("-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p")),
    "prores": Picture(("-c:v", "prores_ks", "-profile:v", "0", "-pix_fmt", "yuv422p10le")),
}

LAYOUTS = {
    "mono": 1, "stereo": 2, "2.1": 3, "3.0": 3, "4.0": 4, "quad": 4, "5.0": 5, "5.1": 6, "6.1": 7,
    "7.1": 8,
}  # fmt: skip
AAC, OPUS, MP3 = ("-c:a", "aac"), ("-c:a", "libopus"), ("-c:a", "libmp3lame")
MULTI_OPUS = (*OPUS, "-mapping_family", "1")
AAC_RATES = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000)
MP3_RATES = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000)
OPUS_RATES = (8000, 12000, 16000, 24000, 48000)


def _sounds() -> dict[str, Sound]:
    table = {
        "aac": Sound(AAC), "opus": Sound(OPUS), "mp3": Sound(MP3), "vorbis": Sound(("-c:a",
                                                                                    "libvorbis")),
        "pcm": Sound(("-c:a", "pcm_s16le")), "pcm 24": Sound(("-c:a", "pcm_s24le")),
        "flac": Sound(("-c:a", "flac")),
        "alac": Sound(("-c:a", "alac")), "ac3": Sound(("-c:a", "ac3")), "eac3": Sound(("-c:a",
                                                                                       "eac3")),
        "opus 10 ms": Sound((*OPUS, "-frame_duration", "10")), "opus 60 ms": Sound((*OPUS,
                                                                                    "-frame_duration", "60")),
        "opus 2.5 ms": Sound((*OPUS, "-frame_duration", "2.5", "-application", "lowdelay")),
    }  # fmt: skip
    table |= {f"aac {layout}": Sound(AAC, layout=layout) for layout in LAYOUTS}
    table |= {
        f"opus {layout}": Sound(MULTI_OPUS, layout=layout)
        for layout in LAYOUTS
        if layout not in ("2.1", "4.0")
    }
    table |= {
        f"pcm {layout}": Sound(("-c:a", "pcm_s16le"), layout=layout)
        for layout in ("mono", "5.1", "7.1")
    }
    table |= {f"mp3 {layout}": Sound(MP3, layout=layout) for layout in ("mono", "stereo")}
    table |= {f"aac {rate} Hz": Sound(AAC, rate) for rate in AAC_RATES}
    table |= {f"mp3 {rate} Hz": Sound(MP3, rate) for rate in MP3_RATES}
    table |= {f"opus {rate} Hz": Sound(OPUS, rate) for rate in OPUS_RATES}
    return table


SOUNDS = _sounds()


def run(program: str, *arguments: object) -> None:
    """Run a program; raise with what it said when it fails."""
    command = [program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode > (
        1 if program == "mkvmerge" else 0
    ):  # mkvmerge ends with 1 after a warning
        words = (done.stdout + done.stderr).decode("utf-8", "replace")
        raise RuntimeError(f"{' '.join(command)}\n{words[-2000:]}")


def ffmpeg(*arguments: object) -> None:
    """Run the packaged ffmpeg; its errors raise."""
    run(str(ffmpeg_binary()), "-nostdin", "-hide_banner", "-v", "error", "-y", *arguments)


def _name(source: Source) -> str:
    rate = f"{source.rate.numerator}-{source.rate.denominator}"
    return f"{source.width}x{source.height}-{rate}-{source.frames}-{source.flash}"


@cache
def raw_picture(source: Source, clear: bool) -> Path:
    """Return a file of the source's raw frames."""
    path = Path(FOLDER.name) / f"{_name(source)}{'-clear' if clear else ''}.rgb"
    frames = [frame(source, number) for number in range(source.frames)]
    path.write_bytes(
        b"".join((with_clear_half(each) if clear else each).tobytes() for each in frames)
    )
    return path


@cache
def raw_sound(source: Source, rate: int) -> Path:
    """Return a file of the source's sound, mono floats."""
    path = Path(FOLDER.name) / f"{_name(source)}-{rate}.f32"
    path.write_bytes(sound(source, rate).tobytes())
    return path


def with_clear_half(picture: np.ndarray) -> np.ndarray:
    """Return an RGB frame with an alpha channel that hides its right half."""
    alpha = np.full((*picture.shape[:2], 1), 255, np.uint8)
    alpha[:, picture.shape[1] // 2 :] = 0
    return np.concatenate([picture, alpha], axis=2)


def picture_input(picture: Picture) -> list[object]:
    """Return ffmpeg's arguments that open the raw frames."""
    source = picture.source
    size = f"{source.width}x{source.height}"
    form = "rgba" if picture.clear else "rgb24"
    return [
        "-f", "rawvideo", "-pix_fmt", form, "-s", size, "-r", source.rate, "-i", raw_picture(source,
                                                                                             picture.clear)
    ]  # fmt: skip


def sound_input(source: Source, sound_: Sound) -> list[object]:
    """Return ffmpeg's arguments that open the raw sound."""
    return ["-f", "f32le", "-ar", sound_.rate, "-ac", 1, "-i", raw_sound(source, sound_.rate)]


def sound_coding(sound_: Sound) -> list[object]:
    """Return ffmpeg's arguments that put the same sound on every channel and encode it."""
    count = LAYOUTS[sound_.layout]
    pan = f"pan={sound_.layout}|" + "|".join(f"c{place}=c0" for place in range(count))
    return ["-af", pan, *sound_.arguments]


def encode(target: Path, picture: str, sound_: str, *more: object) -> None:
    """Encode a picture and a sound (empty for none) into ``target``; ``more`` are further arguments
    of the output.
    """
    seen = PICTURES[picture]
    inputs = picture_input(seen)
    coding: list[object] = [*seen.arguments]
    if sound_:
        heard = SOUNDS[sound_]
        inputs += sound_input(seen.source, heard)
        coding += sound_coding(heard)
    ffmpeg(*inputs, *coding, "-strict", "-2", *more, target)
