"""Cells of sound: layouts and rates, late and early starts, sample entries, lacing, edits of the
sound.
"""

from itertools import product

from tests.media_matrix.cell import Cell, Shown
from tests.media_matrix.encodes import AAC_RATES, LAYOUTS, MP3_RATES, OPUS_RATES, SOUNDS

CONTAINERS = ("mp4", "mkv")
LATE_MS, REAL_CLOCK_MS, PRIMING_MS, OPUS_SKIP_MS = 200, 9, 1024 / 48, 6.5
BEGINNING = "players differ on how much of the beginning of its sound they hide"
SLOW_OPUS = [f"opus {rate} Hz" for rate in OPUS_RATES if rate < 48_000]
"""Opus of which ffmpeg counts the time in MP4 by the rate before coding; some players count that as
samples.
"""
NO_TIME = "its edit list says that it lasts for no time"
TWO_PIECES = "its edit list cuts the clip into pieces or changes its speed"


def sound_cells(*, full: bool = False) -> list[Cell]:
    """Return the cells of sound; ``full`` puts every layout and rate into every container."""
    return [
        *_layouts_and_rates(full),
        *_starts(),
        *_edits(),
        *_entries(),
        *_packets(),
        *_second_tracks(),
    ]


def _layouts_and_rates(full: bool) -> list[Cell]:
    names = [f"{codec} {layout}" for codec in ("aac", "opus", "mp3") for layout in LAYOUTS]
    names += [f"aac {rate} Hz" for rate in AAC_RATES] + [f"mp3 {rate} Hz" for rate in MP3_RATES]
    names += [f"opus {rate} Hz" for rate in OPUS_RATES] + [
        "opus 2.5 ms",
        "opus 10 ms",
        "opus 60 ms",
    ]
    pairs = list(product((name for name in names if name in SOUNDS), CONTAINERS))
    return [
        Cell(
            container,
            "h264",
            name,
            refused=BEGINNING if container == "mp4" and name in SLOW_OPUS else "",
        )
        for name, container in (pairs if full else (*pairs[::4], *pairs[3::4]))
    ]


def _starts() -> list[Cell]:
    late, early = Shown(beep_ms=LATE_MS), Shown(beep_ms=-LATE_MS)
    cells = [
        Cell(f"{container} late {what}", *codecs, shown=late if what == "sound" else early)
        for container, codecs in (
            ("mp4", ("h264", "aac")), ("mp4", ("av1", "opus")), ("mov", ("h264", "aac")),
            ("mp4 fragmented", ("h264", "aac")), ("mkv", ("h264", "aac")), ("mkv", ("hevc", "mp3")),
            ("webm", ("vp9", "opus")), ("webm", ("av1", "opus")),
        )
        for what in ("picture", "sound")
    ]  # fmt: skip
    return [
        *cells,
        *(Cell(f"{container} early sound", "h264", "aac", shown=early) for container in CONTAINERS),
    ]


def _edits() -> list[Cell]:
    rows = {
        "sound edit hides 0.2 s": -200.0, "sound edit inside a packet": PRIMING_MS - 100,
        "sound edit hides nothing": PRIMING_MS, "sound edit cuts the tail": 0.0,
        "empty edit before sound": 200.0, "no sound edits": PRIMING_MS,
    }  # fmt: skip
    cells = [Cell("mp4", "h264", "aac", (name,), Shown(beep_ms=ms)) for name, ms in rows.items()]
    return [
        *cells,
        Cell("mp4", "h264", "opus", ("no sound edits",), Shown(beep_ms=OPUS_SKIP_MS)),
        *(Cell("mp4", "h264", sound, ("sound clock of half samples",)) for sound in ("aac", "mp3")),
        Cell("mp4", "h264", "opus", ("sound clock of half samples",), refused=BEGINNING),
        Cell("mp4", "h264", "aac", ("sound edit in two pieces",), refused=TWO_PIECES),
        Cell("mp4", "h264", "aac", ("sound edit without length",), refused=NO_TIME),
        Cell("mkv", "h264", "aac", ("no codec delay",), Shown(beep_ms=PRIMING_MS)),
        Cell("mkv", "h264", "aac", ("codec delay 0.1 s",), Shown(beep_ms=PRIMING_MS - 100)),
        Cell("webm", "vp9", "opus", ("no codec delay",), Shown(beep_ms=7)),
        Cell("webm", "vp9", "opus", ("codec delay 0.1 s",), Shown(beep_ms=-93)),
    ]


def _entries() -> list[Cell]:
    names = (
        "entry rate 0",
        "entry rate 24000",
        "entry rate 44100",
        "entry channels 0",
        "entry channels 6",
    )
    cells = [
        Cell("mp4", "h264", sound, (name,)) for name in names for sound in ("aac", "opus", "mp3")
    ]
    cells += [Cell("mp4", "h264", "aac 96000 Hz", (name,)) for name in names[:2]]
    cells += [
        Cell("webm", "vp9", "opus", (name,)) for name in ("rate says 24000", "rate says 44100")
    ]
    wrong = "says that its sound has {} samples a second and the coded sound says 48000"
    return [
        *cells,
        Cell("mkv", "h264", "aac", ("rate says 24000",), refused=wrong.format(24000)),
        Cell("mkv", "h264", "aac", ("rate says 44100",), refused=wrong.format(44100)),
        *(Cell("mp4", "h264", sound, ("sound matrix zero",)) for sound in ("aac", "opus")),
        Cell("mp4", "h264", "aac", ("sound matrix turned",)),
    ]


def _packets() -> list[Cell]:
    laced = [
        Cell(*codecs, (f"{kind} lacing",))
        for kind in ("Xiph", "EBML", "fixed")
        for codecs in (("mkv", "h264", "aac"), ("mkv", "h264", "mp3"), ("webm", "vp9", "opus"))
    ]
    real = Shown(beep_slack_ms=REAL_CLOCK_MS)
    return [
        *laced,
        Cell("mkv", "h264", "aac", ("real-clock sound",), real),
        Cell("mkv", "h264", "mp3", ("real-clock sound",), real),
        Cell("webm", "vp9", "opus", ("real-clock sound",), real),
        Cell("mp4", "h264", "aac", ("last sound packet lasts 0",)),
        Cell("mp4", "h264", "opus", ("last sound packet lasts 0",)),
        Cell("mp4", "h264", "aac", ("last sound packet lasts 3000",)),
        Cell("mkv", "h264", "aac", ("no default durations",)),
        Cell("mkv", "h264", "aac", ("no default durations", "Xiph lacing")),
        Cell("webm", "vp9", "opus", ("no default durations",)),
    ]


def _second_tracks() -> list[Cell]:
    names = ("mp4 two sounds", "mkv two sounds", "mp4 two pictures", "mp4 with a cover",
             "mkv with an attachment",
             "mov with a timecode", "mkv with subtitles", "mp4 with subtitles",
             "mp4 with chapters")  # fmt: skip
    return [
        *(Cell(name, "h264", "aac") for name in names),
        Cell("mp4 two sounds, second default", "h264", "aac", shown=Shown(beep_ms=LATE_MS)),
        Cell("mkv two sounds, second default", "h264", "aac"),
        Cell("mkv", "h264", "aac", ("sound not default",)),
        Cell("mkv", "h264", "aac", ("sound disabled",)),
        Cell("mp4", "h264", "aac", ("sound disabled",), refused="its sound track is switched off"),
        Cell(
            "mp4",
            "h264",
            "aac",
            ("picture disabled",),
            refused="its first picture track is switched off",
        ),
    ]
