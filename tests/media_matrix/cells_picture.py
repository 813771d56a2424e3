"""Cells of the picture: turns, shapes, crops, edits, rates, sizes, forms, and tables that say more
than there is.
"""

from itertools import product

from tests.media_matrix.cell import Cell, Shown

MP4S, MKVS = (
    (("mp4", "h264", "aac"), ("mov", "h264", "aac")),
    (("mkv", "h264", "aac"), ("webm", "vp9", "opus")),
)
TURNS = ("90", "180", "270", "mirrored", "flipped", "transposed", "transversed")
SIDEWAYS = ("90", "270", "transposed", "transversed")
CLAP = "its container hides part of each frame by a clean aperture (clap)"
CROP = "its container hides part of each frame"
OTHER_TURN = "otherwise than by quarter turns"
FORMS = (
    "h264 1 frame", "h264 2 frames", "h264 1 fps", "h264 12 fps", "h264 24 fps", "h264 ntsc film",
    "h264 ntsc",
    "h264 30 fps", "h264 50 fps", "h264 ntsc 60", "h264 60 fps", "h264 odd size", "h264 odd 420",
    "h264 tall",
    "h264 444", "h264 422", "h264 10 bit", "h264 no b", "h264 all key", "h264 open gop",
    "hevc 10 bit",
    "hevc odd size", "vp9 444", "vp9 10 bit", "vp9 odd size", "av1 10 bit", "av1 odd size",
)  # fmt: skip
TWO_PIECES = "its edit list cuts the clip into pieces or changes its speed"
BUILT_ON = "its edit list hides pictures that others are built on"


def picture_cells(*, full: bool = False) -> list[Cell]:
    """Return the cells of the picture; ``full`` puts every turn and form into every container."""
    return [
        *_turns(full),
        *_shapes(),
        *_crops(),
        *_edits(),
        *_cuts(),
        *_forms(full),
        *_tables(),
    ]


def _turned(name: str) -> Shown:
    return Shown(turn=name, size=(90, 160) if name in SIDEWAYS else None)


def _turns(full: bool) -> list[Cell]:
    cells = [
        Cell(*base, (f"{where} {name}",), _turned(name))
        for base in MP4S
        for where in ("track", "movie")
        for name in (TURNS if full or base == MP4S[0] else TURNS[1:4])
    ]
    cells += [
        Cell("mp4", picture, "aac", ("track 90",), _turned("90"))
        for picture in ("hevc", "vp9", "av1")
    ]
    cells += [
        Cell("mp4 fragmented", "h264", "aac", (f"{where} 270",), _turned("270"))
        for where in ("track", "movie")
    ]
    cells += [Cell("mp4", "h264", "", ("track mirrored",), _turned("mirrored"))]
    rolls = {
        "roll 90": "270",
        "roll -90": "90",
        "roll 180": "180",
        "roll -180": "180",
        "roll 270": "90",
    }
    cells += [Cell(*base, (roll,), _turned(turn)) for base in MKVS for roll, turn in rolls.items()]
    cells += [Cell(*base, ("roll 45",), refused="by other than quarter turns") for base in MKVS]
    both = {"movie 90": "180", "movie 270": "upright", "movie mirrored": "transposed"}
    cells += [
        Cell("mp4", "h264", "aac", ("track 90", name), _turned(turn)) for name, turn in both.items()
    ]
    plain = ("track zero", "movie zero", "track doubled", "movie doubled")
    cells += [Cell("mp4", "h264", "aac", (name,)) for name in plain]
    return [
        *cells,
        *(
            Cell("mp4", "h264", "aac", (f"{w} skewed",), refused=OTHER_TURN)
            for w in ("track", "movie")
        ),
    ]


def _shapes() -> list[Cell]:
    sizes = {
        "track size 320x90": (320, 90), "track size 160x180": (80, 90), "track size 320x180": (160,
                                                                                               90),
        "track size zero": (160, 90), "track size with fractions": (213, 90), "pasp 2:1": (320, 90),
        "pasp 1:2": (80, 90), "pasp 4:3": (213, 90), "pasp 1:1": (160, 90), "pasp 0:0": (160, 90),
        "pasp 40:40": (160, 90), "no pasp": (160, 90), "entry size 80x45": (160, 90),
        "entry size 0x0": (160, 90),
    }  # fmt: skip
    cells = [Cell("mp4", "h264", "aac", (name,), Shown(size)) for name, size in sizes.items()]
    in_bits = {
        "pasp 1:1": (160, 90),
        "no pasp": (320, 90),
        "pasp 1:2": (80, 90),
        "track size 320x180": (320, 90),
    }
    for picture in ("h264 wide bits", "hevc wide bits"):
        cells += [
            Cell("mp4", picture, "aac", (name,), Shown(size)) for name, size in in_bits.items()
        ]
    wide = ("h264 wide bits", "hevc wide bits", "vp9 wide", "av1 wide")
    cells += [
        Cell(holder, name, "aac", shown=Shown((320, 90)))
        for name in wide
        for holder in ("mp4", "mkv")
    ]
    cells += [
        Cell(holder, "h264 tall bits", "aac", shown=Shown((80, 90)))
        for holder in ("mp4", "mkv", "mov")
    ]
    cells += [Cell("mkv by mkvmerge", name, "aac", shown=Shown((320, 90))) for name in wide[:2]]
    cells += [Cell("mp4", "h264", "aac", ("track 90", "pasp 2:1"), Shown((90, 320), "90"))]
    cells += [Cell("mkv", "h264", "aac", ("roll -90", "shown 320x90"), Shown((90, 320), "90"))]
    shown = {
        "shown 320x90": (320, 90), "shown 160x180": (80, 90), "shown 320x180": (160, 90),
        "shown 2:1 as a ratio": (320, 90), "shown in centimetres": (320, 90), "shown in unknown "
                                                                              "units": (160, 90),
        "no shown size": (160, 90),
    }  # fmt: skip
    return cells + [
        Cell(*base, (name,), Shown(size)) for base in MKVS for name, size in shown.items()
    ]


def _crops() -> list[Cell]:
    parts = ("clap left half", "clap right half", "clap middle")
    cells = [Cell(*base, (name,), refused=CLAP) for base in MP4S for name in parts]
    cells += [
        Cell(*base, (f"crop {what}",), refused=CROP)
        for base in MKVS
        for what in ("left half", "top and bottom")
    ]
    return [*cells, Cell("mp4", "h264", "aac", ("clap whole",))]


def _edits() -> list[Cell]:
    shown = {
        "edit hides the first group": Shown(beep_ms=400, frames=range(10, 25)),
        "edit longer than the picture": Shown(), "edit a little short": Shown(),
        "two empty edits": Shown(beep_ms=-200), "no picture edits": Shown(beep_ms=-80),
        "edit in two pieces that meet": Shown(), "last frame lasts 0": Shown(), "last frame lasts "
                                                                                "long": Shown(),
        "signed offsets": Shown(), "movie length 0": Shown(), "movie length unknown": Shown(),
    }  # fmt: skip
    refused = {
        "edit begins between key frames": BUILT_ON, "edit cuts the tail": BUILT_ON, "edit in two "
                                                                                    "pieces": TWO_PIECES,
        "edit at half speed": TWO_PIECES, "edit that stands still": TWO_PIECES,
        "edit without length": "its edit list says that it lasts for no time",
        "only an empty edit": "its edit list shows nothing of it",
    }  # fmt: skip
    cells = [Cell("mp4", "h264", "aac", (name,), seen) for name, seen in shown.items()]
    cells += [Cell("mp4", "h264", "aac", (name,), refused=words) for name, words in refused.items()]
    cells += [Cell("mp4", "h264 no b", "aac", ("last frame lasts 0",))]
    return [
        *cells,
        Cell(
            "webm", "vp9", "opus", ("real-clock picture",), Shown(frame_slack_ms=8, beep_slack_ms=8)
        ),
    ]


def _cuts() -> list[Cell]:
    """Return cells of clips whose beginning was left out without encoding anew."""
    rest = Shown(frames=range(10, 25))
    pictures = ("h264", "h264 open groups", "hevc", "hevc open groups")
    cells = [Cell("mkv cut from mp4", picture, "aac", shown=rest) for picture in pictures]
    cells += [Cell("mp4 from a cut mkv", picture, "aac", shown=rest) for picture in pictures[::2]]
    cells += [Cell("mp4 cut", picture, "aac", refused=BUILT_ON) for picture in pictures]
    whole = ("h264 open groups", "hevc open groups")
    return [
        *cells,
        *(Cell(holder, picture, "aac") for holder in ("mp4", "mkv") for picture in whole),
        Cell("webm cut", "vp9", "opus", shown=rest),
        # Behind the cut, a frame gives up a reference frame that is gone.
        Cell("mkv cut from mp4", "h264 open gop", "aac", refused="cannot be decoded to its end"),
    ]


def _forms(full: bool) -> list[Cell]:
    pairs = list(product(FORMS, ("mp4", "mkv")))
    cells = [
        Cell(holder, name, "aac")
        for name, holder in (pairs if full else (*pairs[::4], *pairs[3::4]))
    ]
    in_fragments = ("h264 1 frame", "h264 60 fps", "h264 no b", "vp9 odd size")
    cells += [Cell("mp4 fragmented", name, "aac") for name in in_fragments]
    return [
        *cells,
        Cell("webm", "vp9 clear", "opus", refused="see-through (alpha)"),
        Cell("mp4", "vp9 clear", "aac"),
    ]


def _tables() -> list[Cell]:
    names = ("stts too long", "ctts too long", "sound stts too long", "stss beyond the end",
             "zeros behind",
             "text behind", "3 bytes behind", "free box behind", "cut box behind")  # fmt: skip
    cells = [Cell(*base, (name,)) for base in MP4S for name in names]
    cells += [Cell("mp4 fragmented", "h264", "aac", (name,)) for name in names[4:]]
    cells += [Cell(*base, ("two descriptions alike",)) for base in MP4S]
    cells += [
        Cell("mp4", "h264", "aac", ("two descriptions",), refused="its coding changes half-way")
    ]
    cells += [
        Cell(*base, ("joined to itself",), refused="a second Matroska file is joined to its end")
        for base in MKVS
    ]
    return cells + [Cell(*base, ("bytes behind",)) for base in MKVS]
