"""What is said of colours goes along, whether the container or the bitstream says it."""

import struct

import pytest

from blinding.copying import blind_copy
from blinding.proof import prove
from tests.media import box_edits as edits
from tests.media.box_edits import Node
from tests.media.clips import X264, clip, ffmpeg

MASTERING = struct.pack(
    ">8H2I", 13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450, 10_000_000, 50
)
LIGHT = struct.pack(">HH", 1000, 400)
X264_GRADED = "mastering-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):cll=1000,400"
AV1_GRADED = "mastering-display=G(0.265,0.69)B(0.15,0.06)R(0.68,0.32)WP(0.3127,0.329)L(1000,0.005):content-light=1000,400"
PICTURE = ("-f", "lavfi", "-i", "testsrc2=size=160x96:rate=24:duration=0.25")
FULL = ("-vf", "scale=out_range=full,format=yuv420p", "-color_range", "pc")


def copied(source, tmp_path):
    """Copy a clip, check that the proof holds, and return the colour box of the copy, or None."""
    blind = tmp_path / "blind.mp4"
    blind_copy(source, blind)
    proof = prove(source, blind)
    assert proof.holds, proof.faults
    data = blind.read_bytes()
    return data[data.index(b"nclx") + 4 :][:7] if b"nclx" in data else None


def test_a_full_range_under_a_colour_box_that_names_none(tmp_path):
    """QuickTime's own box has no place for the range; the bitstream has."""
    made, box = tmp_path / "made.mov", Node("colr", b"nclc" + struct.pack(">HHH", 1, 1, 1))
    ffmpeg(*PICTURE, *FULL, *X264, made)
    source = edits.edited(
        made, tmp_path / "full.mov", lambda file: edits.entry(file).inside.append(box)
    )
    assert copied(source, tmp_path) == struct.pack(">HHHB", 1, 1, 1, 0x80)


def test_a_colour_box_that_names_the_range_over_another_in_the_bitstream(tmp_path):
    box = Node("colr", b"nclx" + struct.pack(">HHHB", 9, 16, 9, 0x80))
    source = edits.edited(
        clip("silent.mp4"), tmp_path / "said.mp4", lambda file: edits.entry(file).inside.append(box)
    )
    assert copied(source, tmp_path) == struct.pack(">HHHB", 9, 16, 9, 0x80)


def test_a_colour_profile_is_left_out_and_counted(tmp_path):
    box = Node("colr", b"prof" + bytes(200))
    source = edits.edited(
        clip("silent.mp4"),
        tmp_path / "profile.mp4",
        lambda file: edits.entry(file).inside.append(box),
    )
    assert blind_copy(source, tmp_path / "blind.mp4").removed["colour profile"] == 1


def test_a_record_of_dolby_vision_over_frames_that_others_show_is_left_out_and_counted(tmp_path):
    box = Node("dvvC", bytes([1, 0, 16, 13, 0x40]) + bytes(19))
    source = edits.edited(
        clip("silent.mp4"),
        tmp_path / "dolby.mp4",
        lambda file: edits.entry(file).inside.append(box),
    )
    assert blind_copy(source, tmp_path / "blind.mp4").removed["Dolby Vision record"] == 1


def test_colours_of_matroska(tmp_path):
    source = tmp_path / "full.mkv"
    ffmpeg(*PICTURE, *FULL, *X264, source)
    assert copied(source, tmp_path)[-1] == 0x80


def test_colours_in_the_record_of_vp9(tmp_path):
    """The copy's own record names none, as its colour box does."""

    def say(file):
        edits.remove(edits.entry(file), "colr")
        record = edits.entry(file).at("vpcC")
        record.body = record.body[:7] + bytes([9, 16, 9]) + record.body[10:]

    source = edits.edited(clip("vp9_opus.mp4"), tmp_path / "said.mp4", say)
    assert copied(source, tmp_path)[:6] == struct.pack(">HHH", 9, 16, 9)


@pytest.mark.parametrize("container", ["mp4", "mkv"])
@pytest.mark.parametrize(
    "coding",
    [
        (*X264, "-x264-params", X264_GRADED),
        ("-c:v", "libsvtav1", "-preset", "12", "-svtav1-params", AV1_GRADED),
    ],
    ids=["h264", "av1"],
)
def test_what_a_picture_was_graded_for(tmp_path, coding, container):
    """Messages in the bitstream go, as they may say anything; their numbers stay."""
    source = tmp_path / f"graded.{container}"
    ffmpeg(*PICTURE, *coding, source)
    copied(source, tmp_path)
    blind = (tmp_path / "blind.mp4").read_bytes()
    written = struct.unpack_from(">8H2I", blind, blind.index(b"mdcv") + 4)
    assert written == pytest.approx(struct.unpack(">8H2I", MASTERING), abs=2)
    assert blind[blind.index(b"clli") + 4 :][:4] == LIGHT


def test_boxes_of_what_a_picture_was_graded_for(tmp_path):
    def add(file):
        edits.entry(file).inside += [Node("mdcv", MASTERING), Node("clli", LIGHT)]

    copied(edits.edited(clip("silent.mp4"), tmp_path / "graded.mp4", add), tmp_path)
    blind = (tmp_path / "blind.mp4").read_bytes()
    assert MASTERING in blind
    assert b"clli" + LIGHT in blind
