import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinding.copying import blind_copy
from blinding.leakscan import scan
from blinding.padding import TooLargeToPad, common_size, pad
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
    blind = tmp_path / "blind.mp4"
    blind_copy(clip(name), blind)
    before, duration = blind.read_bytes(), probe(blind).duration_s
    pad(blind, len(before) + gap)
    after = blind.read_bytes()
    assert len(after) == len(before) + gap
    assert after.startswith(before)
    assert after[len(before) + 4 :] == b"free" + bytes(gap - 8)
    assert prove(clip(name), blind).holds
    assert scan(blind) == []
    assert probe(blind).duration_s == duration


def test_mp4_padding_is_one_free_box(tmp_path):
    blind = tmp_path / "blind.mp4"
    blind_copy(clip("silent.mp4"), blind)
    pad(blind, 100_000)
    data = blind.read_bytes()
    assert [box.kind for box in walk(data, 0, len(data))] == ["ftyp", "moov", "mdat", "free"]


def test_padding_again_replaces_the_padding_and_finishes_one_that_stopped(tmp_path):
    blind, fresh = tmp_path / "blind.mp4", tmp_path / "fresh.mp4"
    blind_copy(clip("h264_aac.mp4"), blind)
    shutil.copyfile(blind, fresh)
    pad(fresh, 300_000)
    pad(blind, 400_000)
    pad(blind, 300_000)
    assert blind.read_bytes() == fresh.read_bytes()
    with blind.open("r+b") as file:
        file.truncate(200_000)
        file.truncate(300_000)
    stopped = blind.read_bytes()
    header = stopped.rindex(b"free") - 4
    blind.write_bytes(stopped[:header] + bytes(len(stopped) - header))
    pad(blind, 300_000)
    assert blind.read_bytes() == fresh.read_bytes()


def test_a_file_that_leaves_no_gap_is_named(tmp_path):
    blind = tmp_path / "blind.mp4"
    blind_copy(clip("silent.mp4"), blind)
    size = blind.stat().st_size
    for wanted in (size + 7, size, 10):
        with pytest.raises(TooLargeToPad, match=r"blind\.mp4 has"):
            pad(blind, wanted)
    assert blind.stat().st_size == size
