"""Writing a blind copy to disk and hashing it at the same time. No Django here.

Hashing takes as long as all the writing. Both release Python's lock, so on two cores it costs no
time.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from blinding.scrub.coded import Bytes

AT_ONCE, BYTES_AT_ONCE = 512, 256 << 10
"""How many pieces, and how many bytes of them, one call of the system writes at most. Linux takes
1,024 pieces. For more bytes ext4 looks for as large stretches of memory: at times that made the
call take ten times as long.
"""
BLOCK = 1 << 20
"""How many zeros (bytes) are hashed at a time."""


def sha256_of(pieces: Sequence[Bytes]) -> str:
    """Return the SHA-256 (hex) of all pieces, one after the other."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


@contextmanager
def hashing(pieces: Sequence[Bytes]) -> Iterator[Future[str]]:
    """Hash the pieces in a thread while the block runs; the result is there at the latest when it
    has ended.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        yield thread.submit(sha256_of, pieces)


def write_hashed(target: Path, pieces: Sequence[Bytes], *, zeros: int = 0) -> tuple[int, str]:
    """Write the pieces to a new file; return its size (bytes) and SHA-256 (hex).

    After them come ``zeros`` zero bytes, which take no room on the disk. A store that keeps the
    file waits for the disk (``ContentStore.keep``). Raises FileExistsError when the file is there
    already, and OSError when the disk is full.
    """
    size = sum(map(len, pieces)) + zeros
    with hashing([*pieces, *_zero_pieces(zeros)]) as digest, target.open("xb", buffering=0) as file:
        for batch in _batches(pieces):
            _write_all(file.fileno(), batch)
        if zeros:
            file.truncate(size)
    return size, digest.result()


def _zero_pieces(count: int) -> list[Bytes]:
    """Return pieces with that many zeros in all, which share one block of memory."""
    block = memoryview(bytes(min(count, BLOCK)))
    return [block[: min(BLOCK, count - at)] for at in range(0, count, BLOCK)]


def _batches(pieces: Sequence[Bytes]) -> Iterator[list[memoryview]]:
    """Yield the pieces in order, in lists that one call writes; a large piece is cut up."""
    batch: list[memoryview] = []
    room = BYTES_AT_ONCE
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            if not room or len(batch) == AT_ONCE:
                yield batch
                batch, room = [], BYTES_AT_ONCE
            part, rest = rest[:room], rest[room:]
            batch.append(part)
            room -= len(part)
    if batch:
        yield batch


def _write_all(handle: int, pieces: Sequence[Bytes]) -> None:
    """Write all of the pieces. The system may stop half-way, as at the end of the room on a disk:
    then go on there.
    """
    size = sum(map(len, pieces))
    written = os.writev(handle, pieces)
    if written == size:
        return
    rest = memoryview(b"".join(pieces))[written:]
    while rest:
        rest = rest[os.write(handle, rest) :]
