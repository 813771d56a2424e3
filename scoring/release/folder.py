"""What lies in the folder of a release that somebody else may have made: looked at, and read only
if it is named.

Links are not followed, pipes and devices not opened, and folders not entered without end. No Django
here.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

LARGEST = 2 * 1024**3  # bytes of one file
MOST_ENTRIES = 20_000
DEEPEST = 8
READ_AT_ONCE = 1 << 20


def folder_faults(folder: Path, files: Mapping[str, str], *, but: str) -> list[str]:
    """Return a sentence for each thing in which a folder is not what ``files`` say: SHA-256 by path
    within it.

    ``but`` is the name of the manifest itself. Everything else that lies there is named, links and
    empty folders too.
    """
    there: dict[str, os.stat_result] = {}
    faults: list[str] = []
    for path, about, fault in entries(folder):
        if fault:
            faults.append(fault)
        elif about is not None and path != but:
            there[path] = about
    faults += [f"{_named(path)} is missing" for path in files if path not in there]
    faults += [f"{_named(path)} is not part of the release" for path in there if path not in files]
    for path, digest in files.items():
        if path in there and (fault := _fault_of(folder / path, path, there[path].st_size, digest)):
            faults.append(fault)
    return faults


def _fault_of(file: Path, path: str, size: int, digest: str) -> str:
    if size > LARGEST:
        return f"{path} has {size} bytes; a file of a release has at most {LARGEST}"
    found = _sha256(file)
    return (
        ""
        if found == digest
        else f"{path} was changed: its SHA-256 is {found}, the manifest says {digest}"
    )


def entries(folder: Path) -> Iterator[tuple[str, os.stat_result | None, str]]:
    """Yield every regular file below a folder with what is known of it, or a fault for what is
    none.
    """
    waiting, count = [("", 0)], 0
    while waiting:
        within, depth = waiting.pop()
        try:
            found = sorted(os.scandir(folder / within), key=lambda entry: entry.name)
        except OSError as error:
            what = _named(within) if within else folder
            yield within, None, f"{what} cannot be read: {error.strerror}"
            continue
        if not found and within:
            yield within, None, f"{_named(within)}/ is an empty folder and not part of the release"
        for entry in found:
            path, count = f"{within}/{entry.name}" if within else entry.name, count + 1
            about = entry.stat(follow_symlinks=False)
            if count > MOST_ENTRIES:
                yield path, None, f"it holds more than {MOST_ENTRIES} files and folders"
                return
            if stat.S_ISDIR(about.st_mode) and depth < DEEPEST:
                waiting.append((path, depth + 1))
            elif stat.S_ISREG(about.st_mode):
                yield path, about, ""
            else:
                kind = _kind(about.st_mode)
                yield path, None, f"{_named(path)} is {kind} and not part of the release"


def _named(path: str) -> str:
    """Return a path as a sentence shows it: a name with a line break must not look like a line."""
    return path if path.isprintable() else repr(path)


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder that lies too deep"
    return "a link" if stat.S_ISLNK(mode) else "neither a file nor a folder"


def _sha256(path: Path) -> str:
    """Return the SHA-256 of what is still a regular file of bounded size; empty when it no longer
    is.
    """
    digest, left = hashlib.sha256(), LARGEST
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        while left > 0 and (piece := file.read(READ_AT_ONCE)):
            digest.update(piece)
            left -= len(piece)
    return digest.hexdigest()
