import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinding.copying import blind_copy
from blinding.leakscan import scan
from blinding.padding import TooLargeToPad, common_size, padded_copy
from blinding.proof import prove
from fartbench.media.boxes import walk
from fartbench.media.probe import probe
from tests.media.clips import clip


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=50))
def test_the_common_size_is_close_and_leaves_every_file_a_gap(sizes):
    size = common_size(sizes)
    assert all(size - one >= 8 for one in sizes)
    assert size - max(sizes) < 4096 + 8


@pytest.mark.parametrize("name", ["h264_aac.mp4", "av1_opus.webm"])
@pytest.mark.parametrize("gap", [8, 9, 100, 2_000_000])
def test_a_padded_file_has_the_size_and_is_the_same_clip(tmp_path, name, gap):
    blind, padded = tmp_path / "blind.mp4", tmp_path / "padded.mp4"
    blind_copy(clip(name), blind)
    before = blind.read_bytes()
    result = blind_copy(clip(name), padded, size=len(before) + gap)
    after = padded.read_bytes()
    assert result.blind_size == len(after) == len(before) + gap
    assert result.blind_sha256 == hashlib.sha256(after).hexdigest()
    assert after.startswith(before)
    assert after[len(before) + 4 :] == b"free" + bytes(gap - 8)
    assert prove(clip(name), padded).holds
    assert scan(padded) == []
    assert probe(padded).duration_s == probe(blind).duration_s


def test_mp4_padding_is_one_free_box(tmp_path):
    blind = tmp_path / "blind.mp4"
    blind_copy(clip("silent.mp4"), blind, size=100_000)
    data = blind.read_bytes()
    assert [box.kind for box in walk(data, 0, len(data))] == ["ftyp", "moov", "mdat", "free"]


@pytest.mark.parametrize("earlier", [None, 400_000])
def test_a_padded_copy_of_a_copy_replaces_its_padding(tmp_path, earlier):
    blind, copy, fresh = (tmp_path / name for name in ("blind.mp4", "copy.mp4", "fresh.mp4"))
    blind_copy(clip("h264_aac.mp4"), blind, size=earlier)
    sha256 = padded_copy(blind, copy, 300_000)
    result = blind_copy(clip("h264_aac.mp4"), fresh, size=300_000)
    assert copy.read_bytes() == fresh.read_bytes()
    assert sha256 == result.blind_sha256


def test_a_clip_that_leaves_no_gap_is_named_and_no_file_stays(tmp_path):
    blind = tmp_path / "blind.mp4"
    size = blind_copy(clip("silent.mp4"), blind).blind_size
    for wanted in (size + 7, size, 10):
        with pytest.raises(TooLargeToPad, match=rf"silent\.mp4: its copy has {size} bytes"):
            blind_copy(clip("silent.mp4"), tmp_path / "padded.mp4", size=wanted)
        with pytest.raises(TooLargeToPad, match=rf"blind\.mp4: its copy has {size} bytes"):
            padded_copy(blind, tmp_path / "padded.mp4", wanted)
    assert list(tmp_path.iterdir()) == [blind]
