"""What the container says about showing goes along in the copy, or the clip is refused for what it
is.
"""

import struct
from uuid import UUID

import pytest

from blinding.copying import NotCopyable, blind_copy
from blinding.proof import prove
from fartbench.media.errors import MediaRefusal, UnsafeMedia
from fartbench.media.probe import probe
from tests.media import box_edits as edits
from tests.media.box_edits import Node
from tests.media.clips import X264, clip, ffmpeg

RIGHT, LEFT, UPSIDE_DOWN = (0, 1, -1, 0), (0, -1, 1, 0), (-1, 0, 0, -1)
MIRROR = (-1, 0, 0, 1)
SPHERE = UUID("ffcc8263-f855-4a93-8814-587a02521fdd").bytes


@pytest.fixture(scope="session")
def four_by_three(tmp_path_factory):
    """Return a folder with a clip of 160x96 whose bitstream says that pixels are 4:3, as MP4 and as
    Matroska.
    """
    folder = tmp_path_factory.mktemp("shapes")
    picture = (
        "-f",
        "lavfi",
        "-i",
        "testsrc2=size=160x96:rate=24:duration=0.5",
        "-vf",
        "setsar=4/3",
    )
    ffmpeg(*picture, *X264, folder / "four_by_three.mp4")
    ffmpeg("-i", folder / "four_by_three.mp4", "-c", "copy", folder / "four_by_three.mkv")
    return folder


def shown(facts):
    return facts.shown_width, facts.shown_height, facts.rotation, facts.mirrored


def assert_shown_alike(source, tmp_path, expected):
    """Check that a clip is shown as expected, that its copy is, and that the proof saw it."""
    blind = tmp_path / "blind.mp4"
    result = blind_copy(source, blind)
    proof = prove(source, blind)
    assert proof.holds, proof.faults
    assert shown(probe(source)) == shown(result.raw_facts) == shown(probe(blind)) == expected
    assert proof.shown.split()[0] == f"{expected[0]}x{expected[1]}"


def turn(movie=(1, 0, 0, 1), track=(1, 0, 0, 1)):
    def change(file):
        edits.set_matrix(file.at("moov", "mvhd"), *movie)
        edits.set_matrix(file.at("moov", "trak", "tkhd"), *track)

    return change


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (turn(movie=RIGHT), (96, 160, 90, False)),
        (turn(movie=LEFT), (96, 160, 270, False)),
        (turn(movie=UPSIDE_DOWN), (160, 96, 180, False)),
        (turn(movie=MIRROR), (160, 96, 0, True)),
        (turn(track=RIGHT), (96, 160, 90, False)),
        (turn(movie=RIGHT, track=RIGHT), (160, 96, 180, False)),
        (turn(movie=MIRROR, track=RIGHT), (96, 160, 270, True)),
        (turn(movie=LEFT, track=RIGHT), (160, 96, 0, False)),
        (turn(track=(0, 0, 0, 0)), (160, 96, 0, False)),
        (turn(movie=(0, 0, 0, 0), track=RIGHT), (160, 96, 0, False)),
        (turn(track=(2, 0, 0, 2)), (160, 96, 0, False)),
        (turn(movie=(0.5, 0, 0, 0.5)), (160, 96, 0, False)),
    ],
)
def test_turns_of_the_movie_and_of_its_track(tmp_path, change, expected):
    assert_shown_alike(
        edits.edited(clip("h264_aac.mp4"), tmp_path / "turned.mp4", change), tmp_path, expected
    )


@pytest.mark.parametrize("matrix", [(0, 0, 0, 0), (0, 1, -1, 0), (3, 1, 4, 1)])
def test_a_sound_tracks_matrix_is_not_looked_at(tmp_path, matrix):
    def change(file):
        edits.set_matrix(file.at("moov", "trak:1", "tkhd"), *matrix)

    source = edits.edited(clip("h264_aac.mp4"), tmp_path / "odd.mp4", change)
    assert_shown_alike(source, tmp_path, (160, 96, 0, False))


@pytest.mark.parametrize(
    "matrix",
    [
        (0, 0.5, -0.5, 0),
        (0, 2, -1, 0),
        (-2, 0, 0, 2),
        (2, 0, 0, 1),
        (0.7, 0.7, -0.7, 0.7),
        (1, 1, 0, 0),
        (1, 0, 0, 0),
    ],
)
def test_what_players_turn_differently_is_refused(tmp_path, matrix):
    source = edits.edited(clip("h264_aac.mp4"), tmp_path / "odd.mp4", turn(track=matrix))
    with pytest.raises(NotCopyable, match="turns or scales"):
        blind_copy(source, tmp_path / "blind.mp4")


@pytest.mark.parametrize("flip", [(), ("-display_hflip",)])
@pytest.mark.parametrize("angle", [0, 90, 180, 270])
@pytest.mark.parametrize("container", ["mkv", "mp4"])
def test_turns_that_ffmpeg_writes(tmp_path, container, angle, flip):
    source = tmp_path / f"turned.{container}"
    ffmpeg("-display_rotation", angle, *flip, "-i", clip("h264_aac.mp4"), "-c", "copy", source)
    size = (160, 96) if angle in (0, 180) else (96, 160)
    facts = probe(source)
    assert facts.mirrored == bool(flip)
    assert_shown_alike(source, tmp_path, (*size, facts.rotation, bool(flip)))
    if not flip:
        assert facts.rotation == -angle % 360


def test_a_matroska_turn_of_another_angle_is_refused(tmp_path):
    source = tmp_path / "turned.mkv"
    ffmpeg("-display_rotation", 30, "-i", clip("silent.mp4"), "-c", "copy", source)
    with pytest.raises(NotCopyable, match="other than quarter turns"):
        blind_copy(source, tmp_path / "blind.mp4")


def shape(pasp=None, header=None):
    def change(file):
        edits.remove(edits.entry(file), "pasp")
        if pasp:
            edits.set_shape(file, *pasp)
        if header:
            edits.set_header_size(file.at("moov", "trak", "tkhd"), *header)

    return change


@pytest.mark.parametrize(
    ("change", "square", "four_thirds"),
    [
        (shape(pasp=(2, 1)), (320, 96), (320, 96)),
        (shape(pasp=(1, 1)), (160, 96), (160, 96)),
        (shape(pasp=(1, 2), header=(160, 96)), (160, 192), (160, 192)),
        (shape(header=(320, 96)), (320, 96), (320, 96)),
        (shape(header=(160, 96)), (160, 96), (213, 96)),
        (shape(header=(0, 0)), (160, 96), (213, 96)),
        (shape(pasp=(0, 0), header=(160, 96)), (160, 96), (213, 96)),
        (shape(pasp=(4, 3), header=(500, 96)), (213, 96), (213, 96)),
        (shape(pasp=(1_000_000, 999_999)), (160, 96), (160, 96)),
    ],
)
def test_shapes_of_pixels(tmp_path, four_by_three, change, square, four_thirds):
    for number, (source, size) in enumerate(
        [(clip("silent.mp4"), square), (four_by_three / "four_by_three.mp4", four_thirds)]
    ):
        odd = edits.edited(source, tmp_path / f"odd{number}.mp4", change)
        folder = tmp_path / str(number)
        folder.mkdir()
        assert_shown_alike(odd, folder, (*size, 0, False))


def test_a_copy_says_no_more_about_shape_than_its_clip(tmp_path, four_by_three):
    """Where only the bitstream gives a shape, each player goes on reading it there; squares are the
    common case.
    """
    quiet = edits.edited(
        four_by_three / "four_by_three.mp4", tmp_path / "quiet.mp4", shape(header=(160, 96))
    )
    for source in (quiet, clip("silent.mp4")):
        blind = tmp_path / f"{source.stem}.blind.mp4"
        blind_copy(source, blind)
        assert b"pasp" not in blind.read_bytes()
        assert struct.pack(">II", 160 << 16, 96 << 16) in blind.read_bytes()


@pytest.mark.parametrize("pasp", [(1 << 31, (1 << 31) - 1), (0xFFFFFFFF, 0xFFFFFFFE)])
def test_a_shape_that_players_read_differently_is_refused(tmp_path, pasp):
    with pytest.raises(NotCopyable, match="which players read differently"):
        blind_copy(
            edits.edited(clip("silent.mp4"), tmp_path / "odd.mp4", shape(pasp=pasp)),
            tmp_path / "blind.mp4",
        )


@pytest.mark.parametrize("pasp", [(65535, 1), (1, 65535), (200, 1)])
def test_a_shape_beyond_all_measure_is_refused_at_import(tmp_path, pasp):
    with pytest.raises(UnsafeMedia, match="is shown"):
        probe(edits.edited(clip("silent.mp4"), tmp_path / "odd.mp4", shape(pasp=pasp)))


def aperture(width, height, right=0, down=0):
    return Node("clap", struct.pack(">IIIIiIiI", width, 1, height, 1, right, 2, down, 2))


def in_entry(box):
    return lambda file: edits.entry(file).inside.append(box)


def in_track(box):
    return lambda file: file.at("moov", "trak").inside.append(box)


def track_aperture(width, height):
    sides = struct.pack(">III", 0, width << 16, height << 16)
    return Node("tapt", b"", [Node(kind, sides) for kind in ("clef", "prof", "enof")])


REFUSED = {
    "left half": (
        in_entry(aperture(80, 96, right=-80)),
        "hides part of each frame by a clean aperture",
        (80, 96),
    ),
    "moved": (in_entry(aperture(160, 96, down=4)), "hides part of each frame", (160, 94)),
    "a few lines": (in_entry(aperture(160, 90)), "hides part of each frame", (160, 90)),
    "all": (in_entry(aperture(160, 96, right=400)), "hides part of each frame", (160, 96)),
    "QuickTime's aperture": (in_track(track_aperture(128, 96)), "hides part of each frame"),
    "sphere": (in_entry(Node("sv3d", b"")), "a map of a sphere"),
    "sphere of old": (in_track(Node("uuid", SPHERE + b"<rdf/>")), "a map of a sphere"),
    "stereo": (in_entry(Node("st3d", b"\0\0\0\0\1")), "two views"),
    "Dolby Vision alone": (
        in_entry(Node("dvcC", bytes([1, 0, 10, 13, 0]) + bytes(19))),
        "Dolby Vision alone",
    ),
    "spatial": (in_entry(Node("vexu", Node("eyes", b"").written())), "two views"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_hides_or_doubles_frames_is_refused_by_name(tmp_path, kind):
    change, reason, *visible = REFUSED[kind]
    source = edits.edited(clip("silent.mp4"), tmp_path / "odd.mp4", change)
    with pytest.raises(NotCopyable, match=reason):
        blind_copy(source, tmp_path / "blind.mp4")
    assert shown(probe(source)) == (*(visible[0] if visible else (160, 96)), 0, False)


@pytest.mark.parametrize(
    "box",
    [
        in_entry(aperture(160, 96)),
        in_entry(Node("st3d", bytes(5))),
        in_track(track_aperture(160, 96)),
    ],
    ids=["whole aperture", "one view", "whole track aperture"],
)
def test_boxes_that_hide_nothing_are_no_obstacle(tmp_path, box):
    assert_shown_alike(
        edits.edited(clip("silent.mp4"), tmp_path / "odd.mp4", box), tmp_path, (160, 96, 0, False)
    )


def test_a_first_picture_track_that_is_switched_off_is_refused(tmp_path):
    def switch_off(file):
        tkhd = file.at("moov", "trak", "tkhd")
        tkhd.body = struct.pack(">I", 0) + tkhd.body[4:]

    source = edits.edited(clip("h264_aac.mp4"), tmp_path / "off.mp4", switch_off)
    with pytest.raises(NotCopyable, match="switched off"):
        blind_copy(source, tmp_path / "blind.mp4")


@pytest.mark.parametrize("length", [0, 3, 20])
@pytest.mark.parametrize("kind", ["clap", "pasp", "colr", "st3d", "vexu", "mdcv", "SmDm"])
def test_boxes_about_showing_that_are_cut_off(tmp_path, kind, length):
    source = edits.edited(
        clip("silent.mp4"), tmp_path / "odd.mp4", in_entry(Node(kind, b"\1" * length))
    )
    try:
        blind_copy(source, tmp_path / "blind.mp4")
        proof = prove(source, tmp_path / "blind.mp4")
    except MediaRefusal as refusal:
        assert refusal.file == "odd.mp4"
    else:
        assert proof.holds
