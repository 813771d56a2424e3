"""Sample tables of an MP4 or MOV track, whole (stbl) or in fragments (moof). No Django here.

Source: ISO/IEC 14496-12 §8.6 to §8.8. Composition offsets are read as signed in both versions, as
QuickTime writes them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from struct import unpack_from

from fartbench.media.bounds import Bounds
from fartbench.media.boxes import BadBoxes, Box, Bytes, child, full, need, table, walk
from fartbench.media.movie import Sample


def read_tables(data: Bytes, stbl: Box, bounds: Bounds) -> tuple[list[Sample], set[int]]:
    """Return the samples that the tables of ``stbl`` describe, and the sample descriptions (from 1)
    that they use.

    Where players agree on tables of different length, they are read alike: what is more than the
    samples counts for nothing, and a frame without a shift has none. Raises BadBoxes where players
    do not.
    """
    sizes = _sizes(data, stbl, bounds)
    if not sizes:
        return [], set()
    offsets, descriptions = _offsets(data, stbl, sizes, bounds)
    durations = _durations(
        table(data, need(data, stbl, "stts"), 4, 2, bounds.samples), len(offsets)
    )
    ctts = child(data, stbl, "ctts")
    shifts = [0] * len(offsets)
    if ctts is not None:
        shifted = [
            _signed(value) for value in _runs(table(data, ctts, 4, 2, bounds.samples), len(offsets))
        ]
        shifts[: len(shifted)] = shifted
    sync = _sync_samples(data, stbl, bounds)
    starts = accumulate(durations, initial=0)
    rows = zip(offsets, sizes, starts, shifts, durations, strict=False)
    samples = [
        Sample(offset, size, start + shift, duration, sync is None or index in sync)
        for index, (offset, size, start, shift, duration) in enumerate(rows)
    ]
    return samples, descriptions


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def _sync_samples(data: Bytes, stbl: Box, bounds: Bounds) -> set[int] | None:
    """Return the samples (from 0) that decoding can begin at, or None when it can at each; an empty
    table leaves the first.
    """
    stss = child(data, stbl, "stss")
    if stss is None:
        return None
    return {row[0] - 1 for row in table(data, stss, 4, 1, bounds.samples)} or {0}


def _sizes(data: Bytes, stbl: Box, bounds: Bounds) -> list[int]:
    stsz = child(data, stbl, "stsz")
    if stsz is None:
        return _compact_sizes(data, need(data, stbl, "stz2"), bounds)
    same, count = _size_header(data, stsz, bounds)
    if same:
        return [same] * count
    return [row[0] for row in table(data, stsz, 8, 1, bounds.samples)]


def _size_header(data: Bytes, box: Box, bounds: Bounds) -> tuple[int, int]:
    """Return the two numbers that a table of sizes begins with, the second of which counts the
    samples.
    """
    if box.end - box.start < 12:
        raise BadBoxes(f"the “{box.kind}” table is cut off")
    first, count = unpack_from(">II", data, box.start + 4)
    if count > bounds.samples:
        raise BadBoxes(f"{count} samples in one track, over the limit of {bounds.samples}")
    return first, count


def _compact_sizes(data: Bytes, stz2: Box, bounds: Bounds) -> list[int]:
    """Return sizes that are written with 4, 8 or 16 bits each (ISO/IEC 14496-12 §8.7.3.3)."""
    width, count = _size_header(data, stz2, bounds)
    packed = bytes(data[stz2.start + 12 : stz2.end])
    if width not in (4, 8, 16) or width * count > 8 * len(packed):
        raise BadBoxes("the “stz2” table is cut off or malformed")
    if width == 4:
        return [half for byte in packed for half in (byte >> 4, byte & 15)][:count]
    return list(unpack_from(f">{count}{'B' if width == 8 else 'H'}", packed))


def _runs(rows: list[tuple[int, ...]], count: int) -> list[int]:
    """Return the first ``count`` values of a table of runs (length, value), or fewer when it has
    fewer.
    """
    values: list[int] = []
    for length, value in rows:
        values += [value] * min(length, count - len(values))
    return values


def _durations(rows: list[tuple[int, ...]], count: int) -> list[int]:
    """Return how long each sample lasts.

    A last one that lasts for no time lasts as long as the one before it.
    """
    values = _runs(rows, count)
    if len(values) < count:
        raise BadBoxes(f"the “stts” table says how long {len(values)} of {count} samples last")
    if count > 1 and not values[-1]:
        values[-1] = values[-2]
    return values


def _offsets(
    data: Bytes, stbl: Box, sizes: list[int], bounds: Bounds
) -> tuple[list[int], set[int]]:
    chunks = _chunk_offsets(data, stbl, bounds)
    runs = table(data, need(data, stbl, "stsc"), 4, 3, bounds.samples)
    if not runs:
        raise BadBoxes("the “stsc” table is empty")
    offsets: list[int] = []
    used: set[int] = set()
    ends = [*(row[0] for row in runs[1:]), len(chunks) + 1]
    for (first, per_chunk, description), last in zip(runs, ends, strict=True):
        if not 1 <= first < last <= len(chunks) + 1:
            raise BadBoxes("the “stsc” table points at chunks that are not there")
        used.add(description)
        for chunk in range(first - 1, last - 1):
            mine = sizes[len(offsets) : len(offsets) + per_chunk]
            if len(mine) < per_chunk:
                raise BadBoxes(
                    f"its chunks hold more samples than the {len(sizes)} that have a size"
                )
            offsets += list(accumulate(mine, initial=chunks[chunk]))[:-1]
    return offsets, used


def _chunk_offsets(data: Bytes, stbl: Box, bounds: Bounds) -> list[int]:
    stco = child(data, stbl, "stco")
    if stco is not None:
        return [row[0] for row in table(data, stco, 4, 1, bounds.samples)]
    rows = table(data, need(data, stbl, "co64"), 4, 2, bounds.samples)
    return [(high << 32) + low for high, low in rows]


@dataclass(slots=True)
class Defaults:
    """What ``trex`` and ``tfhd`` set for the samples of one track."""

    description: int = 1
    duration: int = 0
    size: int = 0
    flags: int = 0


def read_defaults(data: Bytes, moov: Box) -> dict[int, Defaults]:
    """Return the ``trex`` defaults by track number."""
    found: dict[int, Defaults] = {}
    mvex = child(data, moov, "mvex")
    for box in walk(data, mvex.start, mvex.end) if mvex else ():
        if box.kind == "trex" and box.end - box.start >= 24:  # its five numbers
            track, *rest = unpack_from(">5I", data, box.start + 4)
            found[track] = Defaults(*rest)
    return found


@dataclass(slots=True)
class Fragment:
    """The samples that one ``traf`` adds to a track; ``start`` is its decode time, None to go on
    from the last one.
    """

    track: int
    start: int | None
    rows: list[tuple[int, int, int, int, bool]]
    """(offset, size, duration, composition shift, sync)"""


def read_fragments(
    data: Bytes, moof: Box, defaults: dict[int, Defaults], bounds: Bounds
) -> Iterator[Fragment]:
    """Yield what each track fragment of ``moof`` adds."""
    follow = moof.at
    for traf in walk(data, moof.start, moof.end):
        if traf.kind != "traf":
            continue
        track, base, own = _track_header(data, need(data, traf, "tfhd"), moof.at, follow, defaults)
        tfdt = child(data, traf, "tfdt")
        start = None
        if tfdt is not None:
            version, _ = full(data, tfdt)
            (start,) = unpack_from(">Q" if version else ">I", data, tfdt.start + 4)
        rows: list[tuple[int, int, int, int, bool]] = []
        for trun in walk(data, traf.start, traf.end):
            if trun.kind == "trun":
                follow = _run(
                    data,
                    trun,
                    base=base,
                    at=follow if rows else base,
                    own=own,
                    rows=rows,
                    bounds=bounds,
                )
        yield Fragment(track, start, rows)


def _track_header(
    data: Bytes, tfhd: Box, moof_at: int, follow: int, defaults: dict[int, Defaults]
) -> tuple[int, int, Defaults]:
    _, flags = full(data, tfhd)
    (track,) = unpack_from(">I", data, tfhd.start + 4)
    given = defaults.get(track, Defaults())
    own = Defaults(given.description, given.duration, given.size, given.flags)
    at = tfhd.start + 8
    base = moof_at if flags & 0x020000 else follow
    if flags & 1:
        (base,) = unpack_from(">Q", data, at)
        at += 8
    for bit, name in ((2, "description"), (8, "duration"), (16, "size"), (32, "flags")):
        if flags & bit:
            setattr(own, name, unpack_from(">I", data, at)[0])
            at += 4
    if at > tfhd.end:
        raise BadBoxes("a “tfhd” box is cut off")
    return track, base, own


def _run(
    data: Bytes,
    trun: Box,
    *,
    base: int,
    at: int,
    own: Defaults,
    rows: list[tuple[int, int, int, int, bool]],
    bounds: Bounds,
) -> int:
    _, flags = full(data, trun)
    (count,) = unpack_from(">I", data, trun.start + 4)
    here = trun.start + 8
    if flags & 1:
        at = base + unpack_from(">i", data, here)[0]
        here += 4
    first_flags = None
    if flags & 4:
        (first_flags,) = unpack_from(">I", data, here)
        here += 4
    fields = [
        name
        for bit, name in ((0x100, "d"), (0x200, "s"), (0x400, "f"), (0x800, "c"))
        if flags & bit
    ]
    if count + len(rows) > bounds.samples or here + 4 * len(fields) * count > trun.end:
        raise BadBoxes(
            f"a “trun” box says {count} samples, more than it has room for or a clip may have"
        )
    values = iter(unpack_from(f">{count * len(fields)}I", data, here))
    for index in range(count):
        row = {name: next(values) for name in fields}
        size = row.get("s", own.size)
        mark = row.get("f", first_flags if index == 0 and first_flags is not None else own.flags)
        rows.append(
            (at, size, row.get("d", own.duration), _signed(row.get("c", 0)), not mark & 0x10000)
        )
        at += size
    return at


def read_uncompressed(
    data: Bytes, stbl: Box, bounds: Bounds
) -> tuple[list[Sample], set[int]] | None:
    """Return the chunks of uncompressed sound, each as one sample, and the sample descriptions
    (from 1) that they use.

    Uncompressed sound has one sample of equal size for each tick of its clock, which are millions
    in a minute and tell nothing. Returns None for any other track.
    """
    stsz = child(data, stbl, "stsz")
    if stsz is None:
        return None
    (same,) = unpack_from(">I", data, stsz.start + 4)
    lengths = table(data, need(data, stbl, "stts"), 4, 2, bounds.samples)
    if not same or [length for _, length in lengths] != [1]:
        return None
    chunks, samples, used, now = _chunk_offsets(data, stbl, bounds), [], set(), 0
    runs = table(data, need(data, stbl, "stsc"), 4, 3, bounds.samples)
    ends = [*(row[0] for row in runs[1:]), len(chunks) + 1]
    for (first, per_chunk, description), last in zip(runs, ends, strict=False):
        used.add(description)
        for offset in chunks[max(first, 1) - 1 : max(last, 1) - 1]:
            samples.append(Sample(offset, per_chunk * same, now, per_chunk, sync=True))
            now += per_chunk
    return samples, used
