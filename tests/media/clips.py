"""Small clips of every kind, made with the packaged ffmpeg once a run and kept for all tests."""

import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from fartbench.media.ffmpeg import ffmpeg_binary

PICTURE = "testsrc2=size=160x96:rate=24:duration=1.5"
SOUND = "sine=frequency=440:sample_rate=48000:duration=1.5"
_FOLDER = TemporaryDirectory(prefix="fartbench-clips-")

X265 = ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none")
VP9 = ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8")
X264 = ("-c:v", "libx264", "-preset", "veryfast", "-g", "12")
AAC = ("-c:a", "aac")
KINDS: dict[str, tuple[str, ...]] = {
    "h264_aac.mp4": (*X264, *AAC),
    "h264_aac.mov": (*X264, *AAC),
    "h264_aac.mkv": (*X264, *AAC),
    "fragmented.mp4": (*X264, *AAC, "-movflags",
                       "frag_keyframe+empty_moov+default_base_moof+delay_moov"),
    "old_fragmented.mp4": (*X264, *AAC, "-movflags", "frag_keyframe+empty_moov"),
    "h264_mp3.mp4": (*X264, "-c:a", "libmp3lame"),
    "h264_opus.mp4": (*X264, "-c:a", "libopus"),
    "mono_44100.mp4": (*X264, *AAC, "-ac", "1", "-ar", "44100"),
    "silent.mp4": (*X264, "-an"),
    "hevc_hvc1.mp4": (*X265, "-tag:v", "hvc1", *AAC),
    "hevc_hev1.mp4": (*X265, "-tag:v", "hev1", *AAC),
    "av1_opus.mp4": ("-c:v", "libsvtav1", "-preset", "12", "-c:a", "libopus"),
    "av1_opus.webm": ("-c:v", "libsvtav1", "-preset", "12", "-c:a", "libopus"),
    "vp9_opus.webm": (*VP9, "-c:a", "libopus"),
    "vp9_opus.mp4": (*VP9, "-c:a", "libopus"),
    "vp9_vorbis.webm": (*VP9, "-c:a", "libvorbis"),
    "vp8_vorbis.webm": ("-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libvorbis"),
    "open_gop.mp4": (*X264, "-x264-params", "open-gop=1:bframes=3:aud=1:repeat-headers=1", *AAC),
    "ntsc.mp4": (*X264, "-r", "30000/1001", *AAC),
    "mpeg4_flac.mp4": ("-c:v", "mpeg4", "-c:a", "flac"),
}  # fmt: skip
COPYABLE = sorted(set(KINDS) - {"vp9_vorbis.webm", "vp8_vorbis.webm", "mpeg4_flac.mp4"})


def ffmpeg(*arguments: object) -> bytes:
    """Run ffmpeg and return what it wrote to its standard output; fail when it fails."""
    command = [str(ffmpeg_binary()), "-nostdin", "-v", "error", "-y", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True).stdout


@cache
def clip(name: str) -> Path:
    """Return the clip of a kind by its name, made on first use. Treat it as read-only."""
    path = Path(_FOLDER.name) / name
    ffmpeg("-f", "lavfi", "-i", PICTURE, "-f", "lavfi", "-i", SOUND, *KINDS[name], path)
    return path
