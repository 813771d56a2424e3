import json
from fractions import Fraction

import pytest

from fartbench.media.bounds import BOUNDS
from fartbench.media.coded_facts import Looking
from fartbench.media.decoding import picture_headers
from fartbench.media.presentation import frame_rate
from fartbench.media.probe import facts, frame_times, probe
from fartbench.media.reading import open_bytes, read_movie
from tests.media.clips import KINDS, clip, ffmpeg

EXPECTED = {
    "h264_aac.mp4": ("mp4", "h264", "aac", 48000, "24/1", 36),
    "h264_aac.mov": ("mov", "h264", "aac", 48000, "24/1", 36),
    "h264_aac.mkv": ("matroska", "h264", "aac", 48000, "24/1", 36),
    "fragmented.mp4": ("mp4", "h264", "aac", 48000, "24/1", 36),
    "h264_mp3.mp4": ("mp4", "h264", "mp3", 48000, "24/1", 36),
    "mono_44100.mp4": ("mp4", "h264", "aac", 44100, "24/1", 36),
    "hevc_hvc1.mp4": ("mp4", "hevc", "aac", 48000, "24/1", 36),
    "av1_opus.mp4": ("mp4", "av1", "opus", 48000, "24/1", 36),
    "vp9_opus.webm": ("matroska", "vp9", "opus", 48000, "24/1", 36),
    "vp8_vorbis.webm": ("matroska", "vp8", "vorbis", 48000, "24/1", 36),
    "silent.mp4": ("mp4", "h264", None, None, "24/1", 36),
    "ntsc.mp4": ("mp4", "h264", "aac", 48000, "30000/1001", 45),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_facts_of_every_kind(name):
    known = probe(clip(name))
    found = (
        known.container,
        known.video_codec,
        known.audio_codec,
        known.sample_rate,
        known.frame_rate,
        known.frame_count,
    )
    assert found == EXPECTED[name]
    assert (known.width, known.height, known.variable_frame_rate) == (160, 96, False)
    assert known.has_audio == ("silent" not in name)
    assert known.duration_s == pytest.approx(1.5, abs=0.06)
    assert json.loads(json.dumps(known.as_json()))["size"] == clip(name).stat().st_size


@pytest.mark.parametrize(
    "name", ["h264_aac.mp4", "open_gop.mp4", "fragmented.mp4", "vp9_opus.webm"]
)
def test_frame_times_are_those_of_an_independent_reader(name):
    lines = (
        ffmpeg("-i", clip(name), "-map", "0:v:0", "-c", "copy", "-copyts", "-f", "framehash", "-")
        .decode()
        .splitlines()
    )
    base = Fraction(
        *map(int, next(line for line in lines if line.startswith("#tb")).split()[-1].split("/"))
    )
    theirs = sorted(
        float(int(line.split(",")[2]) * base) for line in lines if not line.startswith("#")
    )
    mine = frame_times(clip(name))
    assert [time - mine[0] for time in mine] == pytest.approx(
        [time - theirs[0] for time in theirs], abs=1e-5
    )


def test_a_file_is_known_by_its_bytes_not_its_name(tmp_path):
    disguised = tmp_path / "notes.txt"
    disguised.write_bytes(clip("vp9_opus.webm").read_bytes())
    assert probe(disguised).container == "matroska"


def test_turned_pictures_are_told(tmp_path):
    turned = tmp_path / "turned.mp4"
    ffmpeg("-display_rotation", "90", "-i", clip("h264_aac.mp4"), "-c", "copy", turned)
    assert probe(turned).rotation == 270
    assert probe(clip("h264_aac.mp4")).rotation == 0


@pytest.mark.parametrize(
    ("ticks", "timescale", "rate"),
    [
        ([0, 42, 83, 125, 167], 1000, (Fraction(24), False)),
        ([0, 33, 67, 100, 133], 1000, (Fraction(30), False)),
        ([0, 1001, 2002, 3003], 24000, (Fraction(24000, 1001), False)),
        ([0, 40, 80, 150, 190], 1000, (Fraction(400, 19), True)),
        ([0, 0, 40], 1000, (Fraction(0), True)),
        ([7], 1000, (Fraction(25), False)),
    ],
)
def test_frame_rates(ticks, timescale, rate):
    assert frame_rate(ticks, timescale, Fraction(1, 25)) == rate


def test_every_kind_is_used():
    assert set(EXPECTED) <= set(KINDS)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_headers_say_what_the_first_decoded_frame_says(name):
    path = clip(name)
    with open_bytes(path) as data:
        decoded = facts(path, data, read_movie(path, data), BOUNDS)
        movie = read_movie(path, data)
        read = facts(path, data, movie, BOUNDS, Looking.READ_HEADERS)
        headers = picture_headers(data, movie.main("video"), BOUNDS)
    assert read == decoded
    has_lengths = movie.main("video").codec == "h264" and movie.main("video").config
    assert (headers is not None) == bool(has_lengths)


@pytest.mark.parametrize(
    ("size", "options"),
    [
        ("162x98", ["-pix_fmt", "yuv444p10le"]),
        ("160x96", ["-x264-params", "interlaced=1:slices=4"]),
        ("160x96", ["-x264-params", "colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc"]),
        ("160x96", ["-vf", "setsar=4/3", "-color_range", "pc"]),
        ("160x96", ["-x264-params", "ref=16:weightp=2:bframes=8", "-g", "1"]),
        ("1280x720", ["-qp", "0"]),
    ],
)
def test_headers_say_of_odd_frames_what_the_decoded_frame_says(tmp_path, size, options):
    path = tmp_path / "odd.mp4"
    source = f"testsrc2=size={size}:rate=24:duration=0.5"
    ffmpeg("-f", "lavfi", "-i", source, *options, "-c:v", "libx264", path)
    with open_bytes(path) as data:
        decoded = facts(path, data, read_movie(path, data), BOUNDS)
        movie = read_movie(path, data)
        assert facts(path, data, movie, BOUNDS, Looking.READ_HEADERS) == decoded
        assert picture_headers(data, movie.main("video"), BOUNDS) is not None
