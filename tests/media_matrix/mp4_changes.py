"""What is changed by hand in MP4 files, by name: turns, shapes, crops, edit lists, tables and
sample entries.
"""

from struct import pack, pack_into, unpack_from

from tests.media_matrix.boxes import Change, File, Node, box

UNITY = 0x10000
MATRICES = {
    "90": (0, 1, -1, 0), "180": (-1, 0, 0, -1), "270": (0, -1, 1, 0), "mirrored": (-1, 0, 0, 1),
    "flipped": (1, 0, 0, -1), "transposed": (0, 1, 1, 0), "transversed": (0, -1, -1, 0),
    "zero": (0, 0, 0, 0), "doubled": (2, 0, 0, 2), "skewed": (1, 1, 0, 1),
}  # fmt: skip
"""Cells a, b, c, d of display matrices by what they do to the picture (clockwise degrees)."""


def _put_matrix(body: bytearray, at: int, name: str) -> None:
    a, b, c, d = (cell * UNITY for cell in MATRICES[name])
    last = 0 if name == "zero" else 1 << 30
    pack_into(">9i", body, at, a, b, 0, c, d, 0, 0, 0, last)


def track_matrix(name: str, kind: bytes = b"vide") -> Change:
    """Return a change of the track header's matrix."""

    def change(file: File) -> None:
        _put_matrix(file.track(kind).first(b"tkhd").body, 40, name)

    return change


def movie_matrix(name: str) -> Change:
    """Return a change of the movie header's matrix."""

    def change(file: File) -> None:
        _put_matrix(file.moov.first(b"mvhd").body, 36, name)

    return change


def track_size(width: float, height: float) -> Change:
    """Return a change of the size that the track header says."""

    def change(file: File) -> None:
        pack_into(
            ">II",
            file.track(b"vide").first(b"tkhd").body,
            76,
            round(width * UNITY),
            round(height * UNITY),
        )

    return change


def pixel_shape(wide: int, high: int) -> Change:
    """Return a change that says how wide and high a pixel is."""
    return lambda file: file.entry(b"vide").replace(box(b"pasp", ">II", wide, high))


def no_pixel_shape(file: File) -> None:
    """Take the box of the pixels' shape out."""
    file.entry(b"vide").drop(b"pasp")


def clean_aperture(width: int, height: int, right: int = 0, down: int = 0) -> Change:
    """Return a change that shows only a part of the frame, its middle moved by pixels."""
    values = (width, 1, height, 1, right, 1, down, 1)
    return lambda file: file.entry(b"vide").replace(box(b"clap", ">IIIIiIiI", *values))


def edits(kind: bytes, *rows: tuple[float, float, float]) -> Change:
    """Return a change of a track's edit list: length (s, 0 for the rest), media time (s, -1 for
    empty), and speed.
    """

    def change(file: File) -> None:
        clock, ticks = file.movie_clock, file.clock(kind)
        written = [
            (round(length * clock), -1 if at < 0 else round(at * ticks), round(speed * UNITY))
            for length, at, speed in rows
        ]
        body = b"".join(pack(">Iii", *row) for row in written)
        list_ = Node(b"elst", bytearray(pack(">II", 0, len(written)) + body))
        track = file.track(kind)
        track.drop(b"edts")
        assert track.inside is not None
        track.inside.insert(1, Node(b"edts", bytearray(), [list_]))

    return change


def no_edits(kind: bytes) -> Change:
    """Return a change that takes the edit list out."""
    return lambda file: file.track(kind).drop(b"edts")


def last_step(kind: bytes, ticks: int) -> Change:
    """Return a change of how long the last sample lasts, in the track's ticks."""

    def change(file: File) -> None:
        steps = [step for count, step in file.table(kind, b"stts") for _ in range(count)]
        file.set_table(kind, b"stts", [(len(steps) - 1, steps[0]), (1, ticks)])

    return change


def longer_table(name: bytes, kind: bytes = b"vide") -> Change:
    """Return a change that lets a table say more samples than there are."""

    def change(file: File) -> None:
        rows = file.table(kind, name)
        file.set_table(kind, name, [*rows[:-1], (rows[-1][0] + 9, rows[-1][1]), (7, 1)])

    return change


def sound_clock(times: int) -> Change:
    """Return a change that counts the sound's times in ticks of a part of a sample."""

    def change(file: File) -> None:
        ticks = file.clock(b"soun") * times
        length = unpack_from(">I", file.track(b"soun").first(b"mdia", b"mdhd").body, 16)[0] * times
        pack_into(">II", file.track(b"soun").first(b"mdia", b"mdhd").body, 12, ticks, length)
        steps = [(count, step * times) for count, step in file.table(b"soun", b"stts")]
        file.set_table(b"soun", b"stts", steps)
        rows = [
            (length, at * times if at > 0 else at, speed)
            for length, at, speed in file.table(b"soun", b"elst")
        ]
        file.set_table(b"soun", b"elst", rows)

    return change


def sync_beyond_the_end(file: File) -> None:
    """Let the table of key frames name a frame that is not there."""
    stss = file.tables(b"vide").first(b"stss")
    (count,) = unpack_from(">I", stss.body, 4)
    stss.body = bytearray(
        bytes(stss.body[:4]) + pack(">I", count + 1) + bytes(stss.body[8:]) + pack(">I", 999)
    )


def signed_offsets(file: File) -> None:
    """Count composition offsets from the middle, so that some are negative, and start the edit
    there (version 1).
    """
    rows = file.table(b"vide", b"ctts")
    delay = rows[0][1]
    file.set_table(b"vide", b"ctts", [(count, shift - delay) for count, shift in rows])
    file.tables(b"vide").first(b"ctts").body[0] = 1
    edits_ = file.table(b"vide", b"elst")
    file.set_table(b"vide", b"elst", [(length, at - delay, speed) for length, at, speed in edits_])


def entry_rate(hertz: int) -> Change:
    """Return a change of the rate that the sample entry of the sound says."""

    def change(file: File) -> None:
        entry = file.entry(b"soun")
        pack_into(">I", entry.fixed, 24, hertz << 16)
        entry.store()

    return change


def entry_channels(count: int) -> Change:
    """Return a change of the number of channels that the sample entry of the sound says."""

    def change(file: File) -> None:
        entry = file.entry(b"soun")
        pack_into(">H", entry.fixed, 16, count)
        entry.store()

    return change


def entry_size(width: int, height: int) -> Change:
    """Return a change of the size that the sample entry of the picture says."""

    def change(file: File) -> None:
        entry = file.entry(b"vide")
        pack_into(">HH", entry.fixed, 24, width, height)
        entry.store()

    return change


def two_descriptions(*, name: bytes = b"") -> Change:
    """Return a change that describes the last chunks of the picture once more, with another
    compressor's ``name``.
    """

    def change(file: File) -> None:
        stsd, stsc = (file.tables(b"vide").first(kind) for kind in (b"stsd", b"stsc"))
        again = bytearray(stsd.body[8:])
        again[8 + 42 + 1 : 8 + 42 + 1 + len(name)] = name
        stsd.body = bytearray(bytes(stsd.body[:4]) + pack(">I", 2)) + stsd.body[8:] + again
        (count,) = unpack_from(">I", stsc.body, 4)
        rows = [unpack_from(">3I", stsc.body, 8 + 12 * row) for row in range(count)]
        if count == 1:
            rows.append((2, rows[0][1], 1))
        rows[-1] = (*rows[-1][:2], 2)
        body = b"".join(pack(">3I", *row) for row in rows)
        stsc.body = bytearray(bytes(stsc.body[:4]) + pack(">I", len(rows)) + body)

    return change


def disabled(kind: bytes) -> Change:
    """Return a change that marks a track as not to be played."""

    def change(file: File) -> None:
        header = file.track(kind).first(b"tkhd")
        header.body[3] &= 0xFE

    return change


def behind(data: bytes) -> Change:
    """Return a change that puts bytes behind the last box."""

    class Raw(Node):
        def written(self) -> bytes:
            return data

    return lambda file: file.top.append(Raw(b"    ", bytearray()))


def movie_length(ticks: int) -> Change:
    """Return a change of the length that movie and track headers say."""

    def change(file: File) -> None:
        pack_into(">I", file.moov.first(b"mvhd").body, 16, ticks)
        for kind in (b"vide", b"soun"):
            pack_into(">I", file.track(kind).first(b"tkhd").body, 20, ticks)

    return change


CHANGES: dict[str, Change] = {
    **{f"track {name}": track_matrix(name) for name in MATRICES},
    **{f"movie {name}": movie_matrix(name) for name in MATRICES},
    "sound matrix zero": track_matrix("zero", b"soun"),
    "sound matrix turned": track_matrix("90", b"soun"),
    "track size 320x90": track_size(320, 90),
    "track size 160x180": track_size(160, 180),
    "track size 320x180": track_size(320, 180),
    "track size zero": track_size(0, 0),
    "track size with fractions": track_size(213.5, 90),
    "pasp 2:1": pixel_shape(2, 1),
    "pasp 1:2": pixel_shape(1, 2),
    "pasp 4:3": pixel_shape(4, 3),
    "pasp 1:1": pixel_shape(1, 1),
    "pasp 0:0": pixel_shape(0, 0),
    "pasp 40:40": pixel_shape(40, 40),
    "no pasp": no_pixel_shape,
    "clap left half": clean_aperture(80, 90, -40),
    "clap right half": clean_aperture(80, 90, 40),
    "clap middle": clean_aperture(120, 60),
    "clap whole": clean_aperture(160, 90),
    "edit hides the first group": edits(b"vide", (0.6, 0.48, 1)),
    "edit begins between key frames": edits(b"vide", (0.6, 0.2, 1)),
    "edit cuts the tail": edits(b"vide", (0.6, 0.08, 1)),
    "edit in two pieces": edits(b"vide", (0.4, 0.08, 1), (0.4, 0.56, 1)),
    "edit in two pieces that meet": edits(b"vide", (0.4, 0.08, 1), (0.6, 0.48, 1)),
    "edit at half speed": edits(b"vide", (2, 0.08, 0.5)),
    "edit that stands still": edits(b"vide", (0.4, 0.08, 0), (1, 0.08, 1)),
    "edit without length": edits(b"vide", (0, 0.08, 1)),
    "edit longer than the picture": edits(b"vide", (5, 0.08, 1)),
    "edit a little short": edits(b"vide", (0.98, 0.08, 1)),
    "two empty edits": edits(b"vide", (0.1, -1, 1), (0.1, -1, 1), (1, 0.08, 1)),
    "only an empty edit": edits(b"vide", (0.1, -1, 1)),
    "sound edit hides 0.2 s": edits(b"soun", (0.8, 0.2 + 1024 / 48000, 1)),
    "sound edit inside a packet": edits(b"soun", (0.9, 0.1, 1)),
    "sound edit hides nothing": edits(b"soun", (1, 0, 1)),
    "sound edit cuts the tail": edits(b"soun", (0.7, 1024 / 48000, 1)),
    "sound edit in two pieces": edits(b"soun", (0.3, 1024 / 48000, 1), (0.3, 0.6, 1)),
    "sound edit without length": edits(b"soun", (0, 1024 / 48000, 1)),
    "empty edit before sound": edits(b"soun", (0.2, -1, 1), (1, 1024 / 48000, 1)),
    "no picture edits": no_edits(b"vide"),
    "no sound edits": no_edits(b"soun"),
    "last frame lasts 0": last_step(b"vide", 0),
    "last frame lasts long": last_step(b"vide", 12800 * 2),
    "last sound packet lasts 0": last_step(b"soun", 0),
    "last sound packet lasts 3000": last_step(b"soun", 3000),
    "stts too long": longer_table(b"stts"),
    "ctts too long": longer_table(b"ctts"),
    "sound stts too long": longer_table(b"stts", b"soun"),
    "sound clock of half samples": sound_clock(2),
    "stss beyond the end": sync_beyond_the_end,
    "signed offsets": signed_offsets,
    "entry rate 0": entry_rate(0),
    "entry rate 24000": entry_rate(24000),
    "entry rate 44100": entry_rate(44100),
    "entry channels 0": entry_channels(0),
    "entry channels 6": entry_channels(6),
    "entry size 80x45": entry_size(80, 45),
    "entry size 0x0": entry_size(0, 0),
    "two descriptions alike": two_descriptions(),
    "two descriptions": two_descriptions(name=b"another"),
    "sound disabled": disabled(b"soun"),
    "picture disabled": disabled(b"vide"),
    "zeros behind": behind(bytes(128)),
    "text behind": behind(b"This is not a box. " * 4),
    "3 bytes behind": behind(b"end"),
    "free box behind": behind(pack(">I4s8x", 16, b"free")),
    "cut box behind": behind(pack(">I4s8x", 999, b"free")),
    "movie length 0": movie_length(0),
    "movie length unknown": movie_length(0xFFFFFFFF),
}  # fmt: skip
