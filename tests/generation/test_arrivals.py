"""The files that a manifest names: each bad one is its row's fault, and the others are looked at
all the same.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fartbench.media.bounds import Bounds
from fartbench.media.probe import MediaFacts, probe
from fartbench.media.sandbox import call_apart
from fartbench.models import AuditEntry, Round
from fartbench.storage import StorageFull
from fartbench.stores import raw_clips
from generation import arrivals
from generation.errors import ManifestRefused
from generation.importing import import_clips
from generation.models import Cell, Clip, Configuration, Sample
from tests import factories
from tests.manifests import Lab
from tests.media import jobs

pytestmark = pytest.mark.django_db

# What happens to the child that reads a clip, by a mark at the end of the file.
MISHAPS: dict[bytes, Callable[..., object]] = {
    b"die": jobs.die,
    b"hang": jobs.hang,
    b"hoard": jobs.hoard,
    b"fail": jobs.fail,
    b"key error": jobs.fail_with_key_error,
    b"no json": jobs.answer_without_json,
}


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, configurations=("alpha",))


@pytest.fixture
def round_() -> Round:
    return factories.make_round()


def take_in(round_: Round, lab: Lab) -> None:
    import_clips(round_=round_, manifest=lab.manifest(), actor="test")


def faults_of(round_: Round, lab: Lab) -> list[str]:
    with pytest.raises(ManifestRefused) as caught:
        take_in(round_, lab)
    return caught.value.faults


def rows_now() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Cell, Sample, Clip, Configuration, AuditEntry))


def probe_with_mishaps(path: Path) -> MediaFacts:
    """Probe a clip, or let the child that reads it come to the harm that the file's end names."""
    for mark, job in MISHAPS.items():
        if path.read_bytes().endswith(mark):
            call_apart(job, path, seconds=1 if mark == b"hang" else 20)
    return probe(path)


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        (b"die", "made the reader of media stop"),
        (b"hang", "could not be read within 1 s"),
        (b"hoard", "needs more memory"),
        (b"fail", "ValueError: a fault of the reader"),
        (b"key error", "KeyError: 'stco'"),
        (b"no json", "made the reader of media stop"),
    ],
)
def test_a_reader_that_comes_to_harm_is_the_fault_of_one_row(
    round_: Round, lab: Lab, monkeypatch: pytest.MonkeyPatch, mark: bytes, words: str
) -> None:
    monkeypatch.setattr(arrivals, "probe", probe_with_mishaps)
    with (lab.folder / FIRST).open("ab") as file:
        file.write(mark)
    (lab.folder / "alpha-r01-chair.mp4").write_text("#EXTM3U")
    before = rows_now()
    first, second = faults_of(round_, lab)
    assert first.startswith("row 2, file: 'alpha-r01-lift.mp4': ")
    assert words in first
    assert second.startswith("row 4, file: 'alpha-r01-chair.mp4': ")
    assert rows_now() == before


FIRST = "alpha-r01-lift.mp4"


def _become_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _become_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _forbid(_: Path) -> None:
    raise PermissionError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize(
    ("mishap", "words"),
    [
        (Path.unlink, "cannot be opened (No such file or directory)"),
        (_become_pipe, "is not a regular file"),
        (_become_folder, "is not a regular file"),
        (_forbid, "cannot be opened (Permission denied)"),
    ],
)
def test_a_file_that_changes_before_it_is_opened_is_the_fault_of_one_row(
    round_: Round,
    lab: Lab,
    monkeypatch: pytest.MonkeyPatch,
    mishap: Callable[[Path], None],
    words: str,
) -> None:
    path, real_open = lab.folder / FIRST, os.open

    def opened(name: object, flags: int, *rest: int, **more: int | None) -> int:
        if name == path and path.is_file() and not flags & os.O_CREAT:
            mishap(path)
        return real_open(name, flags, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", opened)
    assert_two_rows_are_named(round_, lab, words)


def assert_two_rows_are_named(round_: Round, lab: Lab, words: str) -> None:
    """Look at a manifest whose last file is empty: the first row's fault has these words, the last
    row's its own.
    """
    (lab.folder / "alpha-r01-toast.mp4").write_bytes(b"")
    before = rows_now()
    first, second = faults_of(round_, lab)
    assert first.startswith("row 2, file: ")
    assert words in first
    assert second.startswith("row 5, file: 'alpha-r01-toast.mp4': ")
    assert rows_now() == before


def test_a_name_that_no_file_can_have_is_the_fault_of_one_row(round_: Round, lab: Lab) -> None:
    lab.rows[0]["file"] = "x" * 300
    assert_two_rows_are_named(round_, lab, "cannot be opened (File name too long)")


def test_a_file_over_the_bound_is_refused_before_it_is_copied(
    round_: Round, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrivals, "BOUNDS", Bounds(file_bytes=100_000))
    with (lab.folder / FIRST).open("r+b") as file:
        file.truncate(100_001)
    assert_two_rows_are_named(round_, lab, "is larger than 100000 bytes")


def test_a_disk_that_breaks_under_the_clip_is_the_fault_of_one_row(
    round_: Round, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = lab.folder / FIRST
    monkeypatch.setattr(
        arrivals, "_opened", lambda source: _Broken() if source == broken else source.open("rb")
    )
    assert_two_rows_are_named(round_, lab, "cannot be read to its end (Input/output error)")


class _Broken(io.BytesIO):
    """A file on a disk that fails after it was opened."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise OSError(errno.EIO, "Input/output error")


def test_a_growing_file_is_cut_off_at_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrivals, "BOUNDS", Bounds(file_bytes=10))
    monkeypatch.setattr(
        arrivals, "_opened", lambda _: io.BytesIO(bytes(11))
    )  # it was smaller when opened
    with pytest.raises(arrivals.FileUnreadable, match=r"clip\.mp4: is larger than 10 bytes"):
        arrivals.copy_file(tmp_path / "clip.mp4", tmp_path / "copy")


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_full_disk_is_no_row_s_fault_and_stops_the_import(
    round_: Round, lab: Lab, monkeypatch: pytest.MonkeyPatch, fault: int
) -> None:
    real_open = Path.open

    def full(self: Path, mode: str = "r", *rest: object, **more: object) -> object:
        if mode == "xb":
            raise OSError(fault, os.strerror(fault))
        return real_open(self, mode, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", full)
    unfinished = raw_clips().root / "tmp"
    before, left_before = rows_now(), set(unfinished.glob("*"))
    with pytest.raises(StorageFull, match="run the same command again"):
        take_in(round_, lab)
    assert rows_now() == before
    assert set(unfinished.glob("*")) == left_before
