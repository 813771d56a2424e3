"""A blind copy is written whole or not at all, whatever ends the writer, and its digest is that of
its bytes.
"""

import errno
import hashlib
import os
import subprocess
import sys
import time

import pytest

from blinding import copying, writing
from blinding.copying import blind_copy
from blinding.writing import write_hashed
from fartbench.media.errors import MediaToolDied
from tests.blinding import jobs
from tests.media.clips import COPYABLE, clip

PIECES = [bytes([number % 251]) * (number % 7 + 1) for number in range(1500)] + [
    bytes([size % 249]) * size
    for size in (0, writing.BYTES_AT_ONCE, 1, 2 * writing.BYTES_AT_ONCE + 3)
]
"""More and larger ones than one call of the system writes."""


@pytest.mark.parametrize("zeros", [0, 1, 3 * writing.BLOCK + 5])
def test_the_file_holds_the_pieces_and_zeros_and_the_digest_is_its_own(tmp_path, zeros):
    target = tmp_path / "file"
    size, sha256 = write_hashed(target, PIECES, zeros=zeros)
    wanted = b"".join(PIECES) + bytes(zeros)
    assert target.read_bytes() == wanted
    assert (size, sha256) == (len(wanted), hashlib.sha256(wanted).hexdigest())
    assert target.stat().st_blocks * 512 < len(wanted) - zeros + 100_000


def test_no_call_writes_more_than_it_may(tmp_path, monkeypatch):
    calls, writev = [], os.writev
    monkeypatch.setattr(
        writing.os, "writev", lambda handle, parts: (calls.append(parts), writev(handle, parts))[1]
    )
    write_hashed(tmp_path / "file", PIECES)
    assert max(map(len, calls)) <= writing.AT_ONCE
    assert max(sum(map(len, parts)) for parts in calls) <= writing.BYTES_AT_ONCE


@pytest.mark.parametrize("most", [1, 100, 1000])
def test_a_system_that_writes_less_than_it_was_given_is_asked_again(tmp_path, monkeypatch, most):
    monkeypatch.setattr(
        writing.os, "writev", lambda handle, pieces: os.write(handle, b"".join(pieces)[:most])
    )
    write_hashed(tmp_path / "file", PIECES)
    assert (tmp_path / "file").read_bytes() == b"".join(PIECES)


def test_a_file_that_is_there_is_not_written_over(tmp_path):
    (tmp_path / "file").write_bytes(b"here first")
    with pytest.raises(FileExistsError):
        write_hashed(tmp_path / "file", PIECES)
    assert (tmp_path / "file").read_bytes() == b"here first"


@pytest.mark.parametrize("name", COPYABLE)
def test_the_same_clip_gives_the_same_bytes_every_time(tmp_path, name):
    first, second = (
        blind_copy(clip(name), tmp_path / which) for which in ("first.mp4", "second.mp4")
    )
    assert first == second
    assert (tmp_path / "first.mp4").read_bytes() == (tmp_path / "second.mp4").read_bytes()
    assert first.blind_sha256 == hashlib.sha256((tmp_path / "first.mp4").read_bytes()).hexdigest()
    assert first.raw_sha256 == hashlib.sha256(clip(name).read_bytes()).hexdigest()


def test_a_child_that_is_killed_leaves_no_file_and_the_next_run_succeeds(tmp_path, monkeypatch):
    blind = tmp_path / "blind.mp4"
    with monkeypatch.context() as patch:
        patch.setattr(copying, "_copy_here", jobs.copy_and_die_before_it_is_whole)
        with pytest.raises(MediaToolDied):
            blind_copy(clip("h264_aac.mp4"), blind)
    assert list(tmp_path.iterdir()) == []
    assert blind_copy(clip("h264_aac.mp4"), blind).blind_size == blind.stat().st_size


def test_a_full_disk_is_named_and_no_file_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(copying, "_copy_here", jobs.copy_to_a_full_disk)
    with pytest.raises(OSError, match="No space left") as caught:
        blind_copy(clip("h264_aac.mp4"), tmp_path / "blind.mp4")
    assert caught.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []


KILLED = """
import sys
from pathlib import Path
from blinding import copying
from tests.blinding import jobs
copying._copy_here = jobs.copy_and_hang_before_it_is_whole
copying.blind_copy(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def test_a_parent_that_is_killed_leaves_no_file_under_its_name_and_the_next_run_succeeds(tmp_path):
    source, blind = clip("h264_aac.mp4"), tmp_path / "blind.mp4"
    with subprocess.Popen([sys.executable, "-c", KILLED, str(source), str(blind)]) as parent:
        deadline = time.monotonic() + 60
        while not any(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.02)
        parent.kill()
    assert [path.name for path in tmp_path.iterdir()] == [
        f".blind.mp4.{parent.pid}.{_thread(tmp_path)}.partial"
    ]
    result = blind_copy(source, blind)
    assert hashlib.sha256(blind.read_bytes()).hexdigest() == result.blind_sha256


def _thread(folder):
    (partial,) = folder.iterdir()
    return partial.name.split(".")[4]
