"""ZIP archives that somebody else made: looked through before anything is unpacked, and unpacked
inside limits. No Django here.

Refused by name: paths that lead out, links, encrypted entries, archives inside archives, names that
are not UTF-8, more entries or more bytes than the limits, and entries that unpack to more than they
say.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fartbench.errors import BadInput
from fartbench.sent_names import fault_of_path, faults_of_paths, is_litter, shown

PIECE = 1 << 20
_UTF_8_NAME = 0x800
_ENCRYPTED = 0x1 | 0x40
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")
# The last record of an archive, and its larger form (APPNOTE 4.3.14 to 4.3.16).
_END, _END_SIZE, _LONGEST_COMMENT = b"PK\x05\x06", 22, 65_535
_LARGE_END, _LARGE_END_SIZE = b"PK\x06\x06", 56
_DIRECTORY_BYTES_PER_ENTRY = 1_200


@dataclass(frozen=True)
class ArchiveLimits:
    """What an archive may hold: entries, bytes of one file and of all, unpacked."""

    entries: int
    file_bytes: int
    total_bytes: int


class ArchiveRefused(BadInput):
    """An archive that is not unpacked; each fault names the entry and the rule."""


def unpack(
    path: Path,
    folder: Path,
    limits: ArchiveLimits,
    *,
    name: str = "",
    on_file: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[str]:
    """Unpack an archive into an empty folder and return the paths of its files there, in order.

    ``name`` is what people call the archive. Raises ArchiveRefused, which names every bad entry;
    the folder then holds nothing that counts. What systems leave beside files is passed over.
    """
    name = name or path.name
    _refuse_large_directory(path, name, limits)
    try:
        with zipfile.ZipFile(path) as archive:
            entries = _files(archive, name, limits)
            for number, (entry, target) in enumerate(entries):
                _unpack_one(archive, entry, folder / target, name, limits)
                on_file(number + 1, len(entries))
    except (zipfile.BadZipFile, NotImplementedError, struct.error, ValueError) as error:
        raise ArchiveRefused(name, [f"this is not a whole ZIP archive: {error}"]) from error
    return [target for _, target in entries]


def _refuse_large_directory(path: Path, name: str, limits: ArchiveLimits) -> None:
    """Refuse a list of entries that would fill the memory, before it is read."""
    count, size = _directory(path, name)
    if count > limits.entries or size > limits.entries * _DIRECTORY_BYTES_PER_ENTRY:
        raise ArchiveRefused(
            name, [f"it says that it has {count} entries; an archive has at most {limits.entries}"]
        )


def _directory(path: Path, name: str) -> tuple[int, int]:
    """Return how many entries an archive says it has, and the bytes of their list."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        begin = max(0, end - _END_SIZE - _LONGEST_COMMENT - _LARGE_END_SIZE - 20)
        file.seek(begin)
        tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_SIZE:
        raise ArchiveRefused(name, ["this is not a whole ZIP archive: its end is missing"])
    count, size = struct.unpack_from("<HI", tail, at + 10)
    large = tail.rfind(_LARGE_END, 0, at)
    if large >= 0 and len(tail) - large >= _LARGE_END_SIZE:
        large_count, large_size = struct.unpack_from("<QQ", tail, large + 32)
        return max(count, large_count), max(size, large_size)
    return count, size


def _files(
    archive: zipfile.ZipFile, name: str, limits: ArchiveLimits
) -> list[tuple[zipfile.ZipInfo, str]]:
    """Return the files of an archive with their paths. Raises ArchiveRefused."""
    infos = archive.infolist()
    if len(infos) > limits.entries:
        raise ArchiveRefused(
            name, [f"it has {len(infos)} entries; an archive has at most {limits.entries}"]
        )
    named = [(info, _name_of(info)) for info in infos]
    wanted = [(info, path) for info, path in named if not _is_passed_over(info, path)]
    faults = [
        f"{shown(path or info.filename)!r}: {fault}"
        for info, path in wanted
        if (fault := _fault(info, path, limits))
    ]
    if not faults:
        faults = faults_of_paths([path for _, path in wanted if path])
    if not faults and sum(info.file_size for info, _ in wanted) > limits.total_bytes:
        faults = [f"unpacked it would have more than {limits.total_bytes} bytes"]
    if not faults and not wanted:
        faults = ["there is no file in it"]
    if faults:
        raise ArchiveRefused(name, faults)
    return [(info, path) for info, path in wanted if path]


def _name_of(info: zipfile.ZipInfo) -> str | None:
    """Return the name of an entry, None when it is not UTF-8.

    An entry without the mark of UTF-8 may be UTF-8 all the same: macOS leaves the mark out.
    """
    if info.flag_bits & _UTF_8_NAME or info.filename.isascii():
        return info.filename
    try:
        return info.filename.encode("cp437").decode()
    except UnicodeError:
        return None


def _is_passed_over(info: zipfile.ZipInfo, path: str | None) -> bool:
    is_folder = info.is_dir() and not fault_of_path(info.filename.rstrip("/"))
    return is_folder or (path is not None and is_litter(path))


def _fault(info: zipfile.ZipInfo, path: str | None, limits: ArchiveLimits) -> str:
    """Return why an entry is not unpacked; an empty text when it may be."""
    if path is None:
        return "its name is not UTF-8; pack the files again, or give them plain names"
    # What the archive says, not what Python made of it: it cuts a name at a zero byte.
    if fault := fault_of_path(info.orig_filename):
        return fault
    kind = stat.S_IFMT(info.external_attr >> 16)
    rules = (
        (kind not in {0, stat.S_IFREG}, "it is a link or a device; send the file itself"),
        (
            bool(info.flag_bits & _ENCRYPTED),
            "it is encrypted; pack the files without a password",
        ),
        (
            info.compress_type not in _METHODS,
            "it is packed in a way that is not read here; use “deflate” or “store”",
        ),
        (
            path.lower().endswith(_ARCHIVES),
            "it is an archive in the archive; unpack it first",
        ),
        (
            info.file_size > limits.file_bytes,
            f"it has {info.file_size} bytes; a file has at most {limits.file_bytes}",
        ),
    )
    return next((words for is_broken, words in rules if is_broken), "")


def _unpack_one(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, name: str, limits: ArchiveLimits
) -> None:
    """Write one entry to a new file. It is stopped at the size that it says it has."""
    target.parent.mkdir(parents=True, exist_ok=True)
    left = min(entry.file_size, limits.file_bytes)
    try:
        with archive.open(entry) as source, target.open("xb") as writer:
            while piece := source.read(PIECE):
                left -= len(piece)
                if left < 0:
                    raise ArchiveRefused(
                        name, [f"{shown(entry.filename)!r}: it unpacks to more than it says"]
                    )
                writer.write(piece)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise ArchiveRefused(name, [f"{shown(entry.filename)!r}: damaged ({error})"]) from error
