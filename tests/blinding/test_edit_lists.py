"""Edit lists: the shapes that programs write are followed as players follow them, others are
refused.
"""

import pytest

from blinding.copying import NotCopyable, blind_copy
from blinding.proof import prove
from fartbench.media.probe import probe
from tests.media import box_edits as edits
from tests.media.clips import clip, ffmpeg

FRAMES = 36
LENGTH = 1.5
FIRST = 1024
"""The media time of the first frame: two frames come before it in the order of decoding."""
CLOCK = 12_288
FRAME = 1 / 24


def at(seconds):
    """Return the media time of a moment of the clip."""
    return FIRST + round(seconds * CLOCK)


def with_edits(tmp_path, rows, **kwargs):
    return edits.edited(
        clip("h264_aac.mp4"),
        tmp_path / "edited.mp4",
        lambda file: edits.set_edits(file, rows, **kwargs),
    )


FOLLOWED = {
    "one row": [(LENGTH, at(0))],
    "two rows, cut at a key frame": [(0.5, at(0)), (1.0, at(0.5))],
    "three rows, cut at key frames": [(0.5, at(0)), (0.5, at(0.5)), (0.5, at(1))],
    "a last row of no length": [(LENGTH, at(0)), (0, at(LENGTH))],
    "an empty row of no length first": [(0, -1), (LENGTH, at(0))],
    "late": [(0.25, -1), (LENGTH, at(0))],
    "late in two rows": [(0.25, -1), (0.25, -1), (LENGTH, at(0))],
    "longer than the media": [(3.0, at(0))],
    "a tick shorter": [(LENGTH - 1 / 1000, at(0))],
    "from before the first frame": [(LENGTH + 2 * FRAME, 0)],
    "no rows": [],
}


@pytest.mark.parametrize("shape", FOLLOWED)
def test_shapes_that_are_followed(tmp_path, shape):
    source, blind = with_edits(tmp_path, FOLLOWED[shape]), tmp_path / "blind.mp4"
    assert "hidden frame" not in blind_copy(source, blind).removed
    proof = prove(source, blind)
    assert proof.holds, proof.faults
    assert proof.pictures == FRAMES
    raw, copy = probe(source), probe(blind)
    assert copy.audio_start - copy.video_start == pytest.approx(
        raw.audio_start - raw.video_start, abs=1e-4
    )


REFUSED = {
    "a gap": ([(0.5, at(0)), (0.5, at(1))], "cuts the clip into pieces"),
    "a repeat": ([(0.5, at(0)), (0.5, at(0))], "cuts the clip into pieces"),
    "two rows, cut within a group": (
        [(0.75, at(0)), (0.75, at(0.75))],
        "cuts the clip into pieces",
    ),
    "an empty row between": (
        [(0.5, at(0)), (0.25, -1), (1.0, at(0.5))],
        "cuts the clip into pieces",
    ),
    "a first row of no length": ([(0, at(0)), (LENGTH, at(0))], "cuts the clip into pieces"),
    "a media time below nothing": ([(LENGTH, -512)], "cuts the clip into pieces"),
    "an empty row last": ([(LENGTH, at(0)), (0.5, -1)], "ends with a stretch that shows nothing"),
    "a row of no length alone": ([(0, at(0))], "says that it lasts for no time"),
    "an empty row and one of no length": (
        [(0.5, -1), (0, at(0))],
        "says that it lasts for no time",
    ),
    "only empty rows": ([(LENGTH, -1)], "shows nothing of it"),
    "half a group hidden at the beginning": ([(1.25, at(0.25))], "hides pictures"),
}


@pytest.mark.parametrize("shape", REFUSED)
def test_shapes_that_are_refused(tmp_path, shape):
    rows, reason = REFUSED[shape]
    with pytest.raises(NotCopyable, match=reason):
        blind_copy(with_edits(tmp_path, rows), tmp_path / "blind.mp4")


def test_sound_in_several_rows_is_refused(tmp_path):
    with pytest.raises(NotCopyable, match="its sound has an edit list of several rows"):
        blind_copy(
            with_edits(tmp_path, [(0.5, 1024), (1.0, 1024 + 24_000)], track=1),
            tmp_path / "blind.mp4",
        )


@pytest.mark.parametrize("speed", [0, edits.ONE // 2, edits.ONE + 1, 2 * edits.ONE, -edits.ONE])
def test_other_speeds_are_refused(tmp_path, speed):
    with pytest.raises(NotCopyable, match="changes its speed"):
        blind_copy(with_edits(tmp_path, [(LENGTH, at(0))], speed=speed), tmp_path / "blind.mp4")


@pytest.mark.parametrize("frames", [1, 2, 5])
def test_frames_hidden_at_the_end(tmp_path, frames):
    """They are left out where nothing that is shown is built on them."""
    source, blind = with_edits(tmp_path, [(LENGTH - frames * FRAME, at(0))]), tmp_path / "blind.mp4"
    try:
        assert blind_copy(source, blind).removed["hidden frame"] == frames
    except NotCopyable as refusal:
        assert "hides pictures" in refusal.reason
    else:
        proof = prove(source, blind)
        assert proof.holds, proof.faults
        assert proof.pictures == FRAMES - frames


def test_hidden_groups_are_left_out_and_counted(tmp_path):
    source, blind = with_edits(tmp_path, [(1.0, at(0.5))]), tmp_path / "blind.mp4"
    assert blind_copy(source, blind).removed["hidden frame"] == 12
    proof = prove(source, blind)
    assert proof.holds, proof.faults
    assert proof.pictures == FRAMES - 12


FRAGMENTS = ("-c", "copy", "-movflags")


def test_fragments_with_an_edit_list(tmp_path):
    source, blind = tmp_path / "fragments.mp4", tmp_path / "blind.mp4"
    ffmpeg(
        "-i", clip("h264_aac.mp4"), *FRAGMENTS, "frag_keyframe+delay_moov+default_base_moof", source
    )
    assert b"elst" in source.read_bytes()
    short = edits.edited(
        source, tmp_path / "short.mp4", lambda file: edits.set_edits(file, [(0.5, FIRST)])
    )
    early = edits.edited(
        source, tmp_path / "early.mp4", lambda file: edits.set_edits(file, [(0, 0)])
    )
    for one in (source, short, early):
        blind_copy(one, blind)
        proof = prove(one, blind)
        assert proof.holds, proof.faults
        assert proof.pictures == FRAMES


@pytest.mark.parametrize("wait", [0, 0.25])
def test_fragments_whose_length_was_not_known_yet(tmp_path, wait):
    """Programs that write fragments for streaming give an empty row and then one of no length."""
    source, blind = tmp_path / "fragments.mp4", tmp_path / "blind.mp4"
    ffmpeg(
        "-i", clip("h264_aac.mp4"), *FRAGMENTS, "frag_keyframe+delay_moov+default_base_moof", source
    )
    rows = [(wait, -1), (0, FIRST)]
    late = edits.edited(source, tmp_path / "late.mp4", lambda file: edits.set_edits(file, rows))
    blind_copy(late, blind)
    proof = prove(late, blind)
    assert proof.holds, proof.faults
    assert proof.pictures == FRAMES
    copied, raw = probe(blind), probe(late)
    assert raw.audio_start is not None
    assert copied.audio_start is not None
    assert copied.video_start - copied.audio_start == pytest.approx(
        raw.video_start - raw.audio_start, abs=1e-3
    )


def test_frames_shown_before_they_are_decoded(tmp_path):
    """In a whole file players agree on when they are shown; in fragments beside sound they do
    not.
    """
    whole, fragments, silent = (
        tmp_path / f"{name}.mp4" for name in ("whole", "fragments", "silent")
    )
    split = "frag_keyframe+empty_moov+default_base_moof+negative_cts_offsets"
    ffmpeg("-i", clip("h264_aac.mp4"), *FRAGMENTS, "negative_cts_offsets", whole)
    ffmpeg("-i", clip("h264_aac.mp4"), *FRAGMENTS, split, fragments)
    ffmpeg("-i", clip("silent.mp4"), *FRAGMENTS, split, silent)
    for source in (whole, silent):
        blind = tmp_path / f"{source.name}.blind.mp4"
        blind_copy(source, blind)
        assert prove(source, blind).holds
    with pytest.raises(NotCopyable, match="players differ on how that lies to the sound"):
        blind_copy(fragments, tmp_path / "blind.mp4")
