"""What Matroska and WebM say about showing goes along in the copy, or the clip is refused for what
it is.
"""

import pytest

from blinding.copying import NotCopyable, blind_copy
from blinding.proof import prove
from fartbench.media import ebml
from fartbench.media.probe import probe
from tests.media.clips import X264, clip, ffmpeg

SHAPE = bytes.fromhex("54b08114 54ba8109 54b28103")
"""The display width, height and unit (20:9 as a ratio) that ffmpeg writes for a frame of 160x96
with pixels of 4:3.
"""
SEGMENT, TRACKS, INFO, CLUSTER = 0x18538067, 0x1654AE6B, 0x1549A966, 0x1F43B675
VP9_ALPHA = (
    "-c:v",
    "libvpx-vp9",
    "-deadline",
    "realtime",
    "-cpu-used",
    "8",
    "-pix_fmt",
    "yuva420p",
)


@pytest.fixture(scope="session")
def shaped(tmp_path_factory):
    path = tmp_path_factory.mktemp("matroska") / "shaped.mkv"
    picture = (
        "-f",
        "lavfi",
        "-i",
        "testsrc2=size=160x96:rate=24:duration=0.5",
        "-vf",
        "setsar=4/3",
    )
    ffmpeg(*picture, *X264, path)
    assert path.read_bytes().count(SHAPE) == 1
    return path


def element(ident, value):
    """Return a number of one byte in an element whose name has two: four bytes, like each of the
    three in SHAPE.
    """
    return ident.to_bytes(2, "big") + b"\x81" + bytes([value])


VOID = bytes.fromhex("ec820000")
WIDTH, HEIGHT, UNIT = 0x54B0, 0x54BA, 0x54B2


def showing(shaped, tmp_path, *elements):
    """Write the clip with other elements in place of its display size; what they leave free is made
    void.
    """
    path, written = tmp_path / "odd.mkv", b"".join(elements)
    voids = VOID * ((len(SHAPE) - len(written)) // len(VOID))
    path.write_bytes(shaped.read_bytes().replace(SHAPE, written + voids))
    return path


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ([element(WIDTH, 20), element(HEIGHT, 9), element(UNIT, 3)], (213, 96)),
        ([element(WIDTH, 20), element(HEIGHT, 9), element(UNIT, 1)], (213, 96)),
        ([element(WIDTH, 20), element(HEIGHT, 9), element(UNIT, 2)], (213, 96)),
        ([element(WIDTH, 200), element(HEIGHT, 96)], (200, 96)),
        ([element(WIDTH, 200)], (200, 96)),
        ([element(HEIGHT, 192)], (160, 192)),
        ([element(WIDTH, 160), element(HEIGHT, 96)], (160, 96)),
        ([element(WIDTH, 200), element(UNIT, 3)], (213, 96)),
        ([element(WIDTH, 20), element(HEIGHT, 2), element(UNIT, 4)], (213, 96)),
        ([element(WIDTH, 0), element(HEIGHT, 0)], (213, 96)),
        ([element(WIDTH, 0)], (213, 96)),
        ([element(UNIT, 3)], (213, 96)),
        ([], (160, 96)),
    ],
)
def test_display_sizes(tmp_path, shaped, elements, expected):
    source, blind = showing(shaped, tmp_path, *elements), tmp_path / "blind.mp4"
    blind_copy(source, blind)
    proof = prove(source, blind)
    assert proof.holds, proof.faults
    assert proof.shown == f"{expected[0]}x{expected[1]}"
    for facts in (probe(source), probe(blind)):
        assert (facts.shown_width, facts.shown_height) == expected


@pytest.mark.parametrize(
    ("elements", "reason", "visible"),
    [
        ([element(0x54AA, 2)], "hides part of each frame by PixelCrop", (160, 94)),
        (
            [element(0x54BB, 2), element(HEIGHT, 188)],
            "hides part of each frame by PixelCrop",
            (160, 188),
        ),
        ([element(0x54CC, 80)], "hides part of each frame by PixelCrop", (80, 96)),
        (
            [element(0x54DD, 80), element(WIDTH, 160)],
            "hides part of each frame by PixelCrop",
            (160, 96),
        ),
        ([element(0x53B8, 1)], "two views", (160, 96)),
        (
            [bytes.fromhex("76708476718101"), bytes.fromhex("ec83000000")],
            "a map of a sphere",
            (160, 96),
        ),
    ],
)
def test_what_hides_or_doubles_frames_is_refused_by_name(
    tmp_path, shaped, elements, reason, visible
):
    source = showing(shaped, tmp_path, *elements)
    with pytest.raises(NotCopyable, match=reason):
        blind_copy(source, tmp_path / "blind.mp4")
    facts = probe(source)
    assert (facts.shown_width, facts.shown_height) == visible


def with_alpha(path, alpha):
    """Write a clip of VP9 whose alpha plane is ``alpha``, a formula of ffmpeg's filter geq."""
    picture = (
        f"testsrc2=size=160x96:rate=24:duration=0.5,format=yuva420p,geq=lum='p(X,Y)':a='{alpha}'"
    )
    ffmpeg("-f", "lavfi", "-i", picture, *VP9_ALPHA, path)
    return path


def test_an_opaque_alpha_plane_is_left_out_and_counted(tmp_path):
    """Browsers write one for every frame of a canvas that they record."""
    source, blind = with_alpha(tmp_path / "opaque.webm", "255"), tmp_path / "blind.mp4"
    assert blind_copy(source, blind).removed["alpha plane"] == 12
    assert prove(source, blind).holds


@pytest.mark.parametrize("alpha", ["if(gt(X,80),255,0)", "128", "if(gt(N,8),0,255)"])
def test_frames_that_are_see_through_anywhere_are_refused(tmp_path, alpha):
    with pytest.raises(NotCopyable, match="see-through"):
        blind_copy(with_alpha(tmp_path / "clear.webm", alpha), tmp_path / "blind.mp4")


def pieces(data):
    """Return where the segment's own content begins, and its elements as bytes by their place, with
    their names.
    """
    segment = next(
        one for one in ebml.walk(data, 0, len(data), frozenset({SEGMENT})) if one.ident == SEGMENT
    )
    parts = [
        (one.ident, data[one.at : one.end]) for one in ebml.walk(data, segment.start, segment.end)
    ]
    return segment.start, parts


@pytest.mark.parametrize("moved", [{TRACKS}, {INFO}, {TRACKS, INFO}])
@pytest.mark.parametrize("name", ["h264_aac.mkv", "vp9_opus.webm"])
def test_headers_behind_the_clusters(tmp_path, name, moved):
    """Editors of tags move what has grown to the end of the file."""
    data = clip(name).read_bytes()
    start, parts = pieces(data)
    ordered = [part for ident, part in parts if ident not in moved] + [
        part for ident, part in parts if ident in moved
    ]
    source, blind, usual = (tmp_path / one for one in ("moved.mkv", "blind.mp4", "usual.mp4"))
    source.write_bytes(data[:start] + b"".join(ordered))
    blind_copy(source, blind)
    blind_copy(clip(name), usual)
    assert blind.read_bytes() == usual.read_bytes()


@pytest.mark.parametrize(
    "tail", [bytes(8), b"TAG" + bytes(125), b"\xff" * 40], ids=["zeros", "tag", "ones"]
)
def test_bytes_behind_the_segment(tmp_path, tail):
    source = tmp_path / "tail.mkv"
    source.write_bytes(clip("h264_aac.mkv").read_bytes() + tail)
    blind_copy(source, tmp_path / "blind.mp4")
    assert prove(source, tmp_path / "blind.mp4").holds
