"""Files made to make a reader misbehave: each is refused by name, quickly, and nothing is left
behind.
"""

import os
import struct

import pytest

from blinding.copying import blind_copy
from fartbench.media.errors import MediaRefusal, NotAVideo, UnsafeMedia
from fartbench.media.probe import probe
from tests.media.clips import clip, ffmpeg

PLAYLISTS = {
    "hls": "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n",
    "concat": "ffconcat version 1.0\nfile '/etc/hostname'\n",
    "dash": '<?xml version="1.0"?><MPD><Period><BaseURL>file:///etc/hostname</BaseURL></Period></MPD>',
    "sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nm=video 5004 RTP/AVP 96\n",
    "svg": '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/hostname"/></svg>',
    "text": "no video at all",
    "zeros": "\0" * 4096,
}


def refused(path, kind=MediaRefusal):
    """Return the message with which both the probe and the copy refuse a file; check that no file
    was left.
    """
    before = sorted(path.parent.iterdir())
    messages = []
    for act in (probe, lambda source: blind_copy(source, path.parent / "out.mp4")):
        with pytest.raises(kind) as caught:
            act(path)
        messages.append(str(caught.value))
    assert sorted(path.parent.iterdir()) == before
    assert all(message.startswith(f"{path.name}: ") for message in messages)
    return messages[0]


def patched(tmp_path, old, new, *, source="h264_aac.mp4", count=1):
    data = clip(source).read_bytes()
    assert old in data
    path = tmp_path / "patched.mp4"
    path.write_bytes(data.replace(old, new, count))
    return path


@pytest.mark.parametrize("kind", PLAYLISTS)
def test_other_kinds_of_file_under_a_videos_name(tmp_path, kind):
    path = tmp_path / "clip.mp4"
    path.write_text(PLAYLISTS[kind])
    refused(path, NotAVideo)


def test_nothing_to_read(tmp_path):
    empty = tmp_path / "empty.mp4"
    empty.touch()
    assert "zero bytes" in refused(empty, NotAVideo)
    assert "cannot be opened" in refused(tmp_path / "missing.mp4", NotAVideo)
    folder = tmp_path / "folder.mp4"
    folder.mkdir()
    refused(folder, NotAVideo)
    pipe = tmp_path / "pipe.mp4"
    os.mkfifo(pipe)
    assert "not a regular file" in refused(pipe, NotAVideo)


@pytest.mark.parametrize("name", ["h264_aac.mp4", "fragmented.mp4", "vp9_opus.webm"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_cut_off(tmp_path, name, share):
    data = clip(name).read_bytes()
    path = tmp_path / "cut.mp4"
    path.write_bytes(data[: int(len(data) * share)])
    refused(path, NotAVideo)


def test_data_kept_in_another_file(tmp_path):
    url = struct.pack(">I4sI", 12, b"url ", 1)
    elsewhere = struct.pack(">I4sI", 12, b"url ", 0)
    assert "another file" in refused(patched(tmp_path, url, elsewhere), UnsafeMedia)


@pytest.mark.parametrize("size", [0, 1, 7, 0x7FFFFFFF, 0xFFFFFFFF])
def test_impossible_box_sizes(tmp_path, size):
    data = clip("h264_aac.mp4").read_bytes()
    at = data.index(b"trak") - 4
    path = tmp_path / "box.mp4"
    path.write_bytes(data[:at] + struct.pack(">I", size) + data[at + 4 :])
    refused(path)


def table_at(data, name):
    return data.index(name) + 8


@pytest.mark.parametrize("name", [b"stts", b"stsz", b"stsc", b"stco", b"ctts", b"stss"])
@pytest.mark.parametrize("count", [0x7FFFFFFF, 0xFFFFFFFF])
def test_tables_of_billions(tmp_path, name, count):
    data = bytearray(clip("h264_aac.mp4").read_bytes())
    at = table_at(data, name) + (4 if name == b"stsz" else 0)
    data[at : at + 4] = struct.pack(">I", count)
    path = tmp_path / "table.mp4"
    path.write_bytes(data)
    refused(path)


def test_enormous_durations_and_offsets(tmp_path):
    for name, skip in ((b"stts", 8), (b"stco", 4)):
        data = bytearray(clip("h264_aac.mp4").read_bytes())
        at = table_at(data, name) + skip
        data[at : at + 4] = b"\xff\xff\xff\xf0"
        path = tmp_path / f"{name.decode()}.mp4"
        path.write_bytes(data)
        refused(path)


def test_huge_pictures(tmp_path):
    path = tmp_path / "huge.mp4"
    ffmpeg(
        "-f",
        "lavfi",
        "-i",
        "color=size=8200x4200:rate=1:duration=1",
        "-c:v",
        "libx264",
        "-preset",
        "ultrafast",
        path,
    )
    assert "8200x4200" in refused(path, UnsafeMedia)
    lying = path.read_bytes().replace(struct.pack(">HH", 8200, 4200), struct.pack(">HH", 160, 96))
    path.write_bytes(lying)
    refused(path)


def test_many_tracks(tmp_path):
    data = clip("silent.mp4").read_bytes()
    moov = data.index(b"moov") - 4
    size = struct.unpack_from(">I", data, moov)[0]
    trak = data.index(b"trak") - 4
    trak_box = data[trak : trak + struct.unpack_from(">I", data, trak)[0]]
    grown = (
        struct.pack(">I", size + 500 * len(trak_box))
        + data[moov + 4 : moov + size]
        + 500 * trak_box
    )
    path = tmp_path / "many.mp4"
    path.write_bytes(data[:moov] + grown + data[moov + size :])
    assert "tracks" in refused(path, UnsafeMedia)


def test_packed_samples_that_could_unpack_to_any_size(tmp_path):
    """A ContentEncodings element takes the place of a track's name, which has room for it."""
    named = tmp_path / "named.webm"
    ffmpeg("-i", clip("vp9_opus.webm"), "-c", "copy", "-metadata:s:v", "title=ABCD", named)
    data = named.read_bytes()
    name = b"\x53\x6e\x84ABCD"
    assert data.count(name) == 1
    path = tmp_path / "packed.webm"
    path.write_bytes(data.replace(name, b"\x6d\x80\x84\xec\x82\0\0"))
    assert "ContentEncodings" in refused(path, UnsafeMedia)


def test_sound_alone_is_no_video(tmp_path):
    path = tmp_path / "sound.mp4"
    ffmpeg("-i", clip("h264_aac.mp4"), "-vn", "-c", "copy", path)
    assert "no moving picture" in refused(path, NotAVideo)


def test_garbage_where_pictures_should_be(tmp_path):
    data = bytearray(clip("h264_aac.mp4").read_bytes())
    at = data.index(b"mdat") + 4
    data[at : at + 20_000] = b"\xa5" * 20_000
    path = tmp_path / "garbage.mp4"
    path.write_bytes(data)
    refused(path)
