"""Tracks that players show or play differently are refused by name, and none is heard where it was
not.
"""

from fractions import Fraction

import pytest

from blinding.copying import NotCopyable, blind_copy
from blinding.timeline import picture_timeline
from fartbench.media.errors import NotAVideo
from fartbench.media.movie import Sample, Track
from tests.media import box_edits as edits
from tests.media.clips import clip, ffmpeg

TEST_PICTURE = ("-f", "lavfi", "-i", "testsrc2=size=160x96:rate=24:duration=0.5")
MANY = 200_000


def switched_off(tmp_path, track):
    def change(file):
        header = file.at("moov", f"trak:{track}", "tkhd")
        header.body = header.body[:3] + bytes([header.body[3] & ~1]) + header.body[4:]

    return edits.edited(clip("h264_aac.mp4"), tmp_path / "off.mp4", change)


@pytest.mark.parametrize(
    ("track", "reason"), [(0, "picture track is switched off"), (1, "sound track is switched off")]
)
def test_a_track_that_is_switched_off(tmp_path, track, reason):
    with pytest.raises(NotCopyable, match=reason):
        blind_copy(switched_off(tmp_path, track), tmp_path / "blind.mp4")


def test_a_film_of_still_pictures_is_refused_for_its_coding(tmp_path):
    ffmpeg(*TEST_PICTURE, "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", tmp_path / "stills.mov")
    with pytest.raises(NotCopyable, match="browsers do not play mjpeg pictures in MP4"):
        blind_copy(tmp_path / "stills.mov", tmp_path / "blind.mp4")


def test_one_still_picture_is_not_a_film(tmp_path):
    cover = ("-frames:v", "1", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p")
    ffmpeg(*TEST_PICTURE, *cover, tmp_path / "still.mov")
    with pytest.raises(NotAVideo, match="holds no moving picture"):
        blind_copy(tmp_path / "still.mov", tmp_path / "blind.mp4")


def test_a_long_track_of_key_frames_is_timed_in_one_pass():
    """With an edit list that hides the first half, as a quadratic search would take minutes for."""
    samples = [Sample(0, 1, number, 1, sync=True) for number in range(MANY)]
    half = Fraction(MANY // 2, 24)
    track = Track(1, "video", "h264", 24, samples=samples, begin=half)
    assert picture_timeline(track).kept == range(MANY // 2, MANY)


@pytest.mark.parametrize("rate", [8_000, 12_000, 16_000, 24_000])
def test_opus_on_another_clock_than_its_own_is_refused_by_name(tmp_path, rate):
    """FFmpeg writes an Opus track on the clock of the encoder's input, and reads it on that of 48
    kHz.
    """
    sine = ("-f", "lavfi", "-i", f"sine=sample_rate={rate}:duration=0.5")
    ffmpeg(
        "-i",
        clip("silent.mp4"),
        *sine,
        "-c:v",
        "copy",
        "-c:a",
        "libopus",
        "-ar",
        rate,
        tmp_path / "clip.mp4",
    )
    with pytest.raises(
        NotCopyable, match="players differ on how much of the beginning of its sound they hide"
    ):
        blind_copy(tmp_path / "clip.mp4", tmp_path / "blind.mp4")


def test_mp3_in_fragments_with_an_edit_list_is_refused_by_name(tmp_path):
    fragments = "frag_keyframe+empty_moov+default_base_moof+delay_moov"
    source = tmp_path / "fragments.mp4"
    ffmpeg("-i", clip("h264_mp3.mp4"), "-c", "copy", "-movflags", fragments, source)
    with pytest.raises(
        NotCopyable, match="players differ on how much of the beginning of its sound they hide"
    ):
        blind_copy(source, tmp_path / "blind.mp4")
