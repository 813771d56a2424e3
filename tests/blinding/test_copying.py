"""A blind copy is the same picture and sound in a file that says nothing else."""

import hashlib
import struct

import pytest

from blinding.copying import NotCopyable, blind_copy
from blinding.leakscan import scan
from blinding.proof import prove
from fartbench.media.boxes import walk
from fartbench.media.probe import probe
from tests.blinding import dirty
from tests.media.clips import COPYABLE, clip, ffmpeg

DIRTY = [
    "h264_aac.mp4",
    "h264_aac.mov",
    "h264_aac.mkv",
    "h264_mp3.mp4",
    "hevc_hvc1.mp4",
    "av1_opus.mp4",
    "vp9_opus.webm",
]


def decoded(path, stream):
    """Return a hash of every decoded frame by the ffmpeg program, which shares no code with the
    product.
    """
    return ffmpeg("-i", path, "-map", f"0:{stream}:0", "-f", "md5", "-")


def assert_says_nothing(path):
    data = path.read_bytes()
    for mark in (
        b"ZZTITLE",
        b"ZZCO",
        b"ZZHANDLER",
        b"ZZS",
        b"Lavc",
        b"Lavf",
        b"x264",
        b"x265",
        b"Handler",
        b"SVT",
        b"c2pa",
        b"xmp",
        b"LAME",
        b"libopus",
        b"libvpx",
    ):
        assert mark not in data, mark
    assert scan(path) == []


@pytest.mark.parametrize("name", COPYABLE)
def test_every_kind_is_copied_proven_and_clean(tmp_path, name):
    blind = tmp_path / "blind.mp4"
    result = blind_copy(clip(name), blind)
    proof = prove(clip(name), blind)
    assert proof.holds, proof.faults
    assert proof.pictures == probe(clip(name)).frame_count
    assert_says_nothing(blind)
    data = blind.read_bytes()
    assert [box.kind for box in walk(data, 0, len(data))] == ["ftyp", "moov", "mdat"]
    assert hashlib.sha256(data).hexdigest() == result.blind_sha256
    assert result.raw_sha256 == hashlib.sha256(clip(name).read_bytes()).hexdigest()
    facts = probe(blind)
    assert min(t for t in (facts.video_start, facts.audio_start) if t is not None) == 0
    assert (facts.container, facts.timescale, facts.tracks) == (
        "mp4",
        720_000,
        1 if name == "silent.mp4" else 2,
    )


@pytest.mark.parametrize(
    "name", ["h264_aac.mp4", "hevc_hev1.mp4", "av1_opus.mp4", "h264_mp3.mp4", "open_gop.mp4"]
)
def test_another_program_decodes_the_same(tmp_path, name):
    blind = tmp_path / "blind.mp4"
    blind_copy(clip(name), blind)
    assert decoded(blind, "v") == decoded(clip(name), "v")
    assert decoded(blind, "a") == decoded(clip(name), "a")


@pytest.mark.parametrize("name", DIRTY)
def test_nothing_that_a_container_carries_survives(tmp_path, name):
    source = dirty.dirty_container(name, tmp_path)
    raw = source.read_bytes()
    assert b"ZZTITLE" in raw
    assert b"ZZCHAPTER2" in raw
    blind = tmp_path / "blind.mp4"
    blind_copy(source, blind)
    assert prove(source, blind).holds
    assert_says_nothing(blind)
    clean = tmp_path / "clean.mp4"
    blind_copy(clip(name), clean)
    assert blind.read_bytes() == clean.read_bytes() or name == "h264_aac.mkv"


def test_boxes_fields_and_bytes_in_no_sample_do_not_survive(tmp_path):
    source = dirty.with_fields(dirty.with_boxes(clip("h264_aac.mp4"), tmp_path), tmp_path)
    for word in (b"ZZMANIFEST", b"ZZXMPTOP", b"ZZORPHAN", b"ZZCOMPRESSOR", b"ZZVN", b"+52.5163"):
        assert word in source.read_bytes()
    blind, clean = tmp_path / "blind.mp4", tmp_path / "clean.mp4"
    blind_copy(source, blind)
    blind_copy(clip("h264_aac.mp4"), clean)
    assert blind.read_bytes() == clean.read_bytes()


def test_a_cover_picture_is_not_taken_for_the_video(tmp_path):
    source = dirty.with_cover("h264_aac.mp4", tmp_path)
    assert dirty.COVER[-30:] in source.read_bytes()
    blind = tmp_path / "blind.mp4"
    blind_copy(source, blind)
    assert dirty.COVER[-30:] not in blind.read_bytes()
    assert prove(source, blind).holds
    assert_says_nothing(blind)


def test_the_copy_does_not_tell_which_container_it_came_from(tmp_path):
    copies = []
    for name in ("h264_aac.mp4", "h264_aac.mov", "fragmented.mp4"):
        source, blind = tmp_path / name, tmp_path / f"{name}.blind.mp4"
        fragments = ("-movflags", "frag_keyframe+delay_moov") if "frag" in name else ()
        ffmpeg("-i", clip("h264_aac.mp4"), "-c", "copy", *fragments, source)
        blind_copy(source, blind)
        copies.append(blind.read_bytes())
    assert copies[0] == copies[1]
    assert len({copy[: copy.index(b"mdat")].count(b"trak") for copy in copies}) == 1


def test_the_same_clip_gives_the_same_bytes(tmp_path):
    copies = [tmp_path / name for name in ("one.mp4", "two.mp4")]
    for copy in copies:
        blind_copy(clip("av1_opus.webm"), copy)
    assert copies[0].read_bytes() == copies[1].read_bytes()


def test_turns_and_pixel_shapes_stay(tmp_path):
    source, blind = tmp_path / "turned.mp4", tmp_path / "blind.mp4"
    squeezed = tmp_path / "squeezed.mp4"
    ffmpeg(
        "-i", clip("h264_aac.mp4"), "-vf", "setsar=4/3", "-c:v", "libx264", "-c:a", "copy", squeezed
    )
    ffmpeg("-display_rotation", "90", "-i", squeezed, "-c", "copy", source)
    blind_copy(source, blind)
    facts = probe(blind)
    assert (facts.rotation, facts.pixel_aspect) == (probe(source).rotation, "4:3")
    assert facts.rotation != 0


def test_sound_that_starts_late_stays_late(tmp_path):
    source, blind = tmp_path / "late.mp4", tmp_path / "blind.mp4"
    both = ("-i", clip("silent.mp4"), "-itsoffset", "0.25", "-i", clip("h264_aac.mp4"))
    ffmpeg(*both, "-map", "0:v", "-map", "1:a", "-c", "copy", source)
    blind_copy(source, blind)
    proof = prove(source, blind)
    assert proof.holds, proof.faults
    before, after = probe(source), probe(blind)
    assert after.audio_start - after.video_start == pytest.approx(
        before.audio_start - before.video_start, abs=1e-5
    )
    assert after.audio_start > 0.2


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("vp9_vorbis.webm", "not every browser plays vorbis sound in MP4"),
        ("vp8_vorbis.webm", "browsers do not play vp8 pictures in MP4"),
        ("mpeg4_flac.mp4", "browsers do not play mp4v pictures in MP4"),
    ],
)
def test_what_browsers_do_not_play_in_mp4_is_refused_by_name(tmp_path, name, reason):
    with pytest.raises(NotCopyable, match=reason) as caught:
        blind_copy(clip(name), tmp_path / "blind.mp4")
    assert str(caught.value).startswith(name)
    assert list(tmp_path.iterdir()) == []


def test_an_edit_list_that_hides_pictures_is_refused(tmp_path):
    source = tmp_path / "cut.mp4"
    ffmpeg("-ss", "0.7", "-i", clip("h264_aac.mp4"), "-c", "copy", source)
    with pytest.raises(NotCopyable, match="hides pictures"):
        blind_copy(source, tmp_path / "blind.mp4")


def test_pieces_and_speed_changes_of_an_edit_list_are_refused(tmp_path):
    data = bytearray(clip("h264_aac.mp4").read_bytes())
    at = data.index(b"elst") + 20
    assert data[at : at + 4] == struct.pack(">I", 0x10000)
    data[at : at + 4] = struct.pack(">I", 0x20000)
    source = tmp_path / "fast.mp4"
    source.write_bytes(data)
    with pytest.raises(NotCopyable, match="changes its speed"):
        blind_copy(source, tmp_path / "blind.mp4")


def test_a_string_whose_removal_would_change_the_sound_is_refused(tmp_path):
    def add_mark(streams):
        samples = streams[1].samples
        samples[0] = [dirty.with_fill(b"".join(map(bytes, samples[0])), b"libfaac 1.28 (UNSTABLE)")]

    source = dirty.written(clip("h264_aac.mp4"), tmp_path / "faac.mp4", add_mark)
    with pytest.raises(NotCopyable, match="libfaac"):
        blind_copy(source, tmp_path / "blind.mp4")


def test_any_other_text_before_the_sound_is_taken_out(tmp_path):
    def add_text(streams):
        samples = streams[1].samples
        for index in (0, 5, 9):
            samples[index] = [
                dirty.with_fill(b"".join(map(bytes, samples[index])), b"ZZSOUND made by a machine")
            ]

    source = dirty.written(clip("h264_aac.mp4"), tmp_path / "text.mp4", add_text)
    assert any("ZZSOUND" in finding.value for finding in scan(source))
    blind = tmp_path / "blind.mp4"
    assert blind_copy(source, blind).removed["AAC fill or data element"] == 3
    assert prove(source, blind).holds
    assert_says_nothing(blind)


def test_writing_to_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(Exception, match=r"out\.mp4") as caught:
        blind_copy(clip("silent.mp4"), tmp_path / "nowhere" / "out.mp4")
    assert "Refusal" in {kind.__name__ for kind in type(caught.value).__mro__}
