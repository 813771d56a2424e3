import pytest

from blinding.leaks.text import long_text
from blinding.leakscan import scan
from tests.blinding import dirty
from tests.media.clips import clip


def values(path):
    return " | ".join(
        f"{finding.place}: {finding.value} [{finding.reason}]"
        for finding in scan(path)
        if finding.flagged
    )


@pytest.mark.parametrize(
    ("name", "marks"),
    [
        ("h264_aac.mp4", ["x264 - core", "Lavc", "VideoHandler", "SoundHandler", "Lavf"]),
        ("hevc_hvc1.mp4", ["x265 (build", "Lavc"]),
        ("h264_aac.mov", ["FFMP", "Lavc", "VideoHandler"]),
        ("fragmented.mp4", ["x264 - core", "Lavc"]),
        (
            "h264_aac.mkv",
            ["MuxingApp: Lavf", "WritingApp: Lavf", "TrackUID", "Tags", "x264 - core"],
        ),
        ("vp9_vorbis.webm", ["Lavf", "libvorbis", "Lavc"]),
        ("h264_mp3.mp4", ["LAME", "x264"]),
        ("av1_opus.webm", ["Lavf", "libopus", "libsvtav1"]),
    ],
)
def test_what_encoders_leave_is_found(name, marks):
    found = values(clip(name))
    assert [mark for mark in marks if mark not in found] == []


@pytest.mark.parametrize("name", ["h264_aac.mp4", "h264_aac.mov", "h264_aac.mkv", "vp9_opus.webm"])
def test_what_a_container_carries_is_found(tmp_path, name):
    found = values(dirty.dirty_container(name, tmp_path))
    for word in (
        "ZZTITLE",
        "ZZARTIST",
        "ZZCOMMENT a cat on a sofa",
        "ZZCHAPTER1",
        "ZZCHAPTER2",
        "ZZSUBTITLE",
        "ZZHANDLERV",
    ):
        assert word in found, word
    if not name.startswith("vp9"):
        assert "ZZSEI" in found


def test_boxes_fields_and_orphan_bytes_are_found_with_what_they_name(tmp_path):
    found = values(dirty.with_fields(dirty.with_boxes(clip("h264_aac.mp4"), tmp_path), tmp_path))
    for word in (
        "ZZMANIFEST",
        "ZZXMPMOOV",
        "ZZXMPTOP",
        "ZZFREE",
        "ZZSKIP",
        "ZZUNKNOWN",
        "ZZORPHAN",
        "ZZUDTA",
        "ZZVD",
        "ZZVN",
    ):
        assert word in found, word
    assert "creation time: 3850167845 [a time]" in found
    assert "compressor name: ZZCOMPRESSOR [" in found
    assert "+52.5163+013.3777/ [a place]" in found
    assert "ZZTOOL [an encoder or tool]" in found


def test_text_inside_coded_sound_is_found_at_any_bit(tmp_path):
    def add_text(streams):
        sample = b"".join(map(bytes, streams[1].samples[3]))
        streams[1].samples[3] = [
            sample[:40] + bytes.fromhex("01") + dirty.with_fill(b"", b"ZZ the model of Example Inc")
        ]

    found = values(dirty.written(clip("h264_aac.mp4"), tmp_path / "sound.mp4", add_text))
    assert "ZZ the model of Example Inc" in found


def test_any_file_can_be_scanned(tmp_path):
    path = tmp_path / "playlist.mp4"
    path.write_text("#EXTM3U\nhttps://example.com/clip.ts\n")
    assert "https://example.com/clip.ts [an address]" in values(path)
    path.write_bytes(clip("h264_aac.mp4").read_bytes()[:30_000])
    assert "cannot be followed" in values(path)


def test_a_handler_that_is_empty_and_und_are_no_leaks(tmp_path):
    clean = dirty.written(clip("h264_aac.mp4"), tmp_path / "clean.mp4", lambda _: None)
    assert scan(clean) == []


def test_repeated_bytes_of_a_flat_picture_are_no_text_and_a_prompt_is() -> None:
    # The first was found in a coded clip of the built-in renderer.
    assert not list(long_text(b"\0UETIETUETUETUETUETUETU=TKETU-\0"))
    assert not list(long_text(b"\0" + b"ABCDEFGHI" * 9 + b"\0"))
    assert list(long_text(b"\0a man in a lift, yellow raincoat\0")) == [
        "a man in a lift, yellow raincoat"
    ]
