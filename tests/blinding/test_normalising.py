"""A normalised copy shows and plays what the clip does, and one that does not is refused."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from blinding import reencoding
from blinding.common_format import Box, CommonFormat, Cut
from blinding.copying import NotCopyable
from blinding.frame_likeness import ClipFrames, CopyFrames, compare_frames
from blinding.normalise import normalise
from blinding.normalised_proof import NormalisedProof
from blinding.source_view import DEMUXERS, decoded_frames, presented
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.media.probe import probe
from tests.media.clips import ffmpeg

COMMON = CommonFormat(160, 90, "24/1", 1.0, video_bit_rate=400_000)
MOVING = "testsrc2=s=160x90:r=24:d=1.2"
SPOKEN = "aevalsrc='0.4*sin(2*PI*t*(200+300*t))|0.3*sin(2*PI*t*(900-400*t))':d=1.2:s=48000"
H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-crf", "16")
FLASH = "color=c=black:s=160x90:r=24:d=1.2,drawbox=c=white:t=fill:enable='eq(n\\,12)'"
BEEP = "aevalsrc='0.5*sin(2*PI*1000*t)*between(t\\,0.5\\,0.55)':d=1.2:s=48000"


def made(path: Path, *coding: str, picture: str = MOVING, sound: str = SPOKEN) -> Path:
    """Write a clip of that picture and sound in a coding."""
    ffmpeg("-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sound, *coding, path)
    return path


def normalised(path: Path, out: Path, common: CommonFormat = COMMON) -> NormalisedProof:
    """Normalise a clip and return what was proven."""
    proof = normalise(path, out, format=common).proof
    assert proof.holds
    return proof


def reencoded(path: Path, out: Path) -> None:
    """Do the same in this process, where faults can be planted."""
    whole = Cut(((0.0, COMMON.seconds),))
    reencoding.reencode(
        path, out, str(ffmpeg_binary()), COMMON, whole, seconds=60.0, may_be_short=True
    )


def flash_to_beep(path: Path) -> float:
    """Return how long after the first bright frame the first loud sample comes, in seconds."""
    demuxer = DEMUXERS["matroska" if path.suffix in {".mkv", ".webm"} else "mp4"]
    flash = next(
        presented(frame)
        for frame in decoded_frames(path, demuxer, 0)
        if frame.to_ndarray(format="gray").mean() > 128
    )
    for frame in decoded_frames(path, demuxer, 1):
        loud = abs(frame.to_ndarray()).max(axis=0) > 0.2
        if loud.any():
            return float(presented(frame) - flash) + int(loud.argmax()) / frame.sample_rate
    raise AssertionError("no beep")


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of a moving picture and of two tones that glide, one on each side."""
    return made(tmp_path_factory.mktemp("clip") / "clip.mp4", *H264, "-c:a", "aac", "-b:a", "256k")


class TestOffset:
    @pytest.mark.parametrize(
        ("suffix", "late", "seconds"),
        [
            (".mp4", "picture", "0.25"),
            (".mp4", "sound", "0.25"),
            (".mkv", "picture", "0.013"),
            (".mkv", "sound", "-0.2"),
        ],
    )
    def test_flash_to_beep_is_as_in_the_clip_whichever_begins_first(
        self, tmp_path, suffix, late, seconds
    ):
        whole = made(tmp_path / "whole.mp4", *H264, "-c:a", "aac", picture=FLASH, sound=BEEP)
        moved = tmp_path / f"moved{suffix}"
        first, second = (seconds, "0") if late == "picture" else ("0", seconds)
        inputs = ("-itsoffset", first, "-i", whole, "-itsoffset", second, "-i", whole)
        ffmpeg(*inputs, "-map", "0:v", "-map", "1:a", "-c", "copy", moved)
        normalised(moved, tmp_path / "out.mp4", replace(COMMON, seconds=1.5))
        assert flash_to_beep(tmp_path / "out.mp4") == pytest.approx(
            flash_to_beep(moved), abs=0.5 / 24
        )

    def test_the_first_frame_is_shown_until_the_picture_begins(self, tmp_path):
        white = made(
            tmp_path / "white.mp4", *H264, "-c:a", "aac", picture="color=c=white:s=160x90:r=24:d=1"
        )
        late = tmp_path / "late.mp4"
        ffmpeg(
            "-itsoffset",
            "0.5",
            "-i",
            white,
            "-i",
            white,
            "-map",
            "0:v",
            "-map",
            "1:a",
            "-c",
            "copy",
            late,
        )
        normalised(late, tmp_path / "out.mp4")
        frame = next(decoded_frames(tmp_path / "out.mp4", "mov", 0))
        assert frame.to_ndarray(format="gray").mean() > 240


SHOWN = {
    # name: (how the file is marked, how it is coded, the shape of what is shown)
    "wide pixels": ((), (*H264, "-vf", "setsar=2"), 32 / 9),
    "turned": (("-display_rotation", "90"), ("-c", "copy"), 9 / 16),
    "turned and mirrored": (("-display_rotation", "270", "-display_hflip"), ("-c", "copy"), 9 / 16),
    "askew, which browsers do not show": (("-display_rotation", "45"), ("-c", "copy"), 16 / 9),
}


class TestShape:
    @pytest.mark.parametrize("name", SHOWN)
    def test_a_clip_is_shown_in_its_shape_and_turn(self, tmp_path, clip, name):
        marks, coding, shape = SHOWN[name]
        odd = tmp_path / "odd.mp4"
        ffmpeg(*marks, "-i", clip, *coding, "-an", odd)
        normalised(odd, tmp_path / "out.mp4")
        frame = next(decoded_frames(tmp_path / "out.mp4", "mov", 0)).to_ndarray(format="gray")
        rows, columns = (frame.max(axis=axis) > 40 for axis in (1, 0))
        assert columns.sum() / rows.sum() == pytest.approx(shape, rel=0.06)

    def test_what_the_container_cuts_away_stays_away(self, tmp_path, clip):
        cut = tmp_path / "cut.mp4"
        ffmpeg("-i", clip, "-c", "copy", "-bsf:v", "h264_metadata=crop_right=80", cut)
        normalised(cut, tmp_path / "out.mp4")
        frame = next(decoded_frames(tmp_path / "out.mp4", "mov", 0)).to_ndarray(format="gray")
        assert (frame.max(axis=0) > 40).sum() == pytest.approx(80, abs=3)

    def test_what_is_transparent_is_black(self, tmp_path):
        half = "color=c=white:s=160x90:r=24:d=1,format=yuva420p,geq=lum=235:cb=128:cr=128:a='255*lt(X,80)'"
        coding = (
            "-c:v",
            "libvpx-vp9",
            "-deadline",
            "realtime",
            "-cpu-used",
            "8",
            "-c:a",
            "libopus",
        )
        clear = made(tmp_path / "clear.webm", *coding, picture=half)
        normalised(clear, tmp_path / "out.mp4")
        frame = next(decoded_frames(tmp_path / "out.mp4", "mov", 0)).to_ndarray(format="gray")
        assert (frame[:, 10:70].mean() > 240, frame[:, 90:150].mean() < 12) == (True, True)


ODD = {
    "vfr.mkv": (
        *H264,
        "-vf",
        "select='not(mod(n*n,7))+not(mod(n,5))'",
        "-fps_mode",
        "vfr",
        "-c:a",
        "aac",
    ),
    "one_frame.mp4": (*H264, "-frames:v", "1", "-c:a", "aac"),
    "1fps.mp4": (*H264, "-r", "1", "-c:a", "aac"),
    "60fps.mp4": (*H264, "-r", "60", "-c:a", "aac"),
    "odd_size.mp4": (*H264, "-vf", "scale=161:91", "-pix_fmt", "yuv444p", "-c:a", "aac"),
    "ten_bit.mp4": (*H264, "-pix_fmt", "yuv420p10le", "-c:a", "aac"),
    "full_range.mp4": (*H264, "-vf", "scale=out_range=full", "-pix_fmt", "yuvj420p", "-c:a", "aac"),
    "dark.mp4": (*H264, "-vf", "eq=brightness=-0.45:contrast=0.2", "-c:a", "aac"),
    "flat.mp4": (*H264, "-vf", "drawbox=c=0x30A060:t=fill", "-c:a", "aac"),
    "grain.mp4": (*H264, "-vf", "noise=alls=40:allf=t", "-c:a", "aac"),
    "prores.mov": ("-c:v", "prores_ks", "-c:a", "pcm_s16le"),
    "hevc.mp4": (
        "-c:v",
        "libx265",
        "-preset",
        "ultrafast",
        "-x265-params",
        "log-level=none",
        "-c:a",
        "aac",
    ),
    "vp8_vorbis.webm": ("-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libvorbis"),
    "5.1.mp4": (*H264, "-ac", "6", "-c:a", "aac"),
    "7.1.mp4": (*H264, "-filter:a", "aformat=channel_layouts=7.1", "-c:a", "aac"),
    "mono_8000.mp4": (*H264, "-ac", "1", "-ar", "8000", "-c:a", "aac"),
    "96000.mp4": (*H264, "-ar", "96000", "-c:a", "aac"),
    "mp3.mp4": (*H264, "-c:a", "libmp3lame"),
    "silent.mp4": (*H264, "-filter:a", "volume=0", "-c:a", "aac"),
    "short_sound.mp4": (*H264, "-filter:a", "atrim=end=0.4", "-c:a", "aac"),
    "gap_in_sound.mp4": (*H264, "-c:a", "aac", "-bsf:a", "noise=drop=not((n-20)*(n-21))"),
    "long_sound.mp4": (*H264, "-filter:v", "trim=end=0.5", "-c:a", "aac"),
}


@pytest.mark.parametrize("name", ODD)
def test_a_good_copy_of_any_clip_is_no_false_alarm(tmp_path, name):
    proof = normalised(made(tmp_path / name, *ODD[name]), tmp_path / "out.mp4")
    assert proof.frames == probe(tmp_path / "out.mp4").frame_count == 24
    assert (proof.picture_offset, proof.sound_offset or 0.0) == (0.0, pytest.approx(0, abs=0.001))


def test_a_picture_that_comes_again_in_another_size_is_no_false_alarm():
    """Made small from another size, the same picture is a little less like itself."""
    picture = np.random.default_rng(5).uniform(0, 255, (8, 16, 3)).astype(np.float32)
    boxes = [Box(0, 0, 160, 90), Box(0, 0, 158, 90)]
    clip = ClipFrames([Fraction(0), Fraction(1, 2)], [picture, picture + 3], boxes)
    alike = {key: [picture, picture] for key in boxes}
    copy = CopyFrames(0, Fraction(2), alike, {key: [0.0, 0.0] for key in boxes})
    assert compare_frames(clip, copy).faults == []
    clip.boxes[1] = boxes[0]
    assert "show another moment" in compare_frames(clip, copy).faults[0]


PLANTED = {
    # name: (a filter, what is planted before it, what the refusal says)
    "sound late": ("aresample=", "adelay=20:all=1,", r"sound is \+20\.0 ms off"),
    "sound early": ("aresample=", "asetpts=PTS-0.02/TB,atrim=start=0,", r"sound is -20\.0 ms off"),
    "sound missing": ("apad", "volume=0,", "stretches of its sound are not the clip's"),
    "sound softer": ("apad", "volume=0.7,", r"3\.1 dB softer"),
    "sides swapped": ("apad", "channelmap=1|0,", "left and right are swapped|not the clip's"),
    "picture late": ("tpad", "setpts=PTS+41667,", "show another moment"),
    "picture early": ("tpad", "setpts=PTS-41667,", "show another moment"),
    "frames swapped": ("trim=end_frame", "shuffleframes=0 2 1 3,", "show another moment"),
    "picture frozen": ("trim=end_frame", "loop=loop=5:size=1:start=6,", "show another moment"),
    "turned": ("settb", "hflip,vflip,", "frames are not the clip's"),
    "mirrored": ("settb", "hflip,", "frames are not the clip's"),
    "narrow": ("settb", "setsar=0.75,", "frames are not the clip's"),
    "cropped": ("settb", "crop=iw*0.8:ih*0.8,", "frames are not the clip's"),
    "without colour": ("settb", "hue=s=0,", "frames are not the clip's"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_copy_that_is_not_the_clip_is_refused(tmp_path, clip, monkeypatch, name):
    before, planted, words = PLANTED[name]

    def command(*arguments):
        return [one.replace(before, planted + before, 1) for one in right_command(*arguments)]

    right_command = reencoding.command
    monkeypatch.setattr(reencoding, "command", command)
    with pytest.raises(NotCopyable, match=words) as caught:
        reencoded(clip, tmp_path / "out.mp4")
    assert "its normalised copy would not be the same clip" in str(caught.value)


def _called_here(function, *arguments, seconds):
    assert seconds > 60
    return function(*arguments)


def test_a_copy_that_is_refused_is_not_there(tmp_path, clip, monkeypatch):
    monkeypatch.setattr("blinding.normalise.call_apart", _called_here)
    monkeypatch.setattr("blinding.frame_likeness.LARGEST", -1e9)
    with pytest.raises(
        NotCopyable, match="24 of 24 frames are not the clip's, the first of them frame 0"
    ):
        normalise(clip, tmp_path / "out.mp4", format=COMMON)
    assert list(tmp_path.iterdir()) == []


def test_the_proof_can_be_stored(tmp_path, clip):
    stored = normalised(clip, tmp_path / "out.mp4").as_json()
    assert (stored["kind"], stored["holds"], stored["faults"], stored["frames"]) == (
        "normalised",
        True,
        [],
        24,
    )
