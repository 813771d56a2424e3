"""Bounds what a form may send along: one file, read into memory, and a large one refused. Only the
form for clips takes many files, and writes them to disk.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFilesSent
from django.core.files.uploadhandler import FileUploadHandler

from fartbench.errors import BadInput

ReadT = TypeVar("ReadT")


class BoundedUpload(FileUploadHandler):
    """Refuses a form with files before it is read when it is larger than what is kept in memory."""

    def handle_raw_input(
        self,
        input_data: IO[bytes],  # noqa: ARG002
        META: dict[str, str],  # noqa: ARG002, N803 - Django's name
        content_length: int,
        boundary: str,  # noqa: ARG002
        encoding: str | None = None,  # noqa: ARG002
    ) -> None:
        limit = settings.FILE_UPLOAD_MAX_MEMORY_SIZE
        if content_length > limit:
            raise RequestDataTooBig(f"A form and its files may have at most {limit} bytes.")

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Take the first file of a form. Raises TooManyFilesSent for a second."""
        if self.file_name is not None:
            raise TooManyFilesSent("This form takes one file.")
        super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, _start: int) -> bytes:
        return raw_data

    def file_complete(self, _file_size: int) -> None:
        return None


class FilesOnDisk(FileUploadHandler):
    """Writes each file of a form into ``folder``, which the caller owns; ``saved`` are their names
    and places.

    A form of more than ``settings.UPLOAD_MAX_BYTES`` is refused before it is read.
    """

    def __init__(self, request: Any, folder: Path) -> None:
        super().__init__(request)
        self._folder = folder
        self.file: IO[bytes] | None = None
        self.saved: list[tuple[str, Path]] = []

    def handle_raw_input(
        self,
        input_data: IO[bytes],  # noqa: ARG002
        META: dict[str, str],  # noqa: ARG002, N803 - Django's name
        content_length: int,
        boundary: str,  # noqa: ARG002
        encoding: str | None = None,  # noqa: ARG002
    ) -> None:
        limit = settings.UPLOAD_MAX_BYTES
        if content_length > limit:
            raise RequestDataTooBig(f"An upload may have at most {limit} bytes.")

    def receive_data_chunk(self, raw_data: bytes, _start: int) -> None:
        if self.file is None:
            self.file = (self._folder / str(len(self.saved))).open("xb")
        self.file.write(raw_data)

    def file_complete(self, _file_size: int) -> None:
        """Close the file. The request does not have it: many open files would be too many."""
        place = self._folder / str(len(self.saved))
        if self.file is None:
            place.touch()
        else:
            self.file.close()
        self.file = None
        self.saved.append((self.file_name or "", place))


@contextmanager
def on_disk(upload: Any) -> Iterator[Path]:
    """Yield where a sent file lies on the disk while the block runs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "upload"
        path.write_bytes(upload.read())
        yield path


def read_sent(upload: Any, read: Callable[[Path], ReadT], refused: type[BadInput]) -> ReadT:
    """Return what ``read`` makes of a sent file. Its faults are raised as ``refused``, which names
    the file as it was sent.
    """
    with on_disk(upload) as path:
        try:
            return read(path)
        except BadInput as refusal:
            raise refused(str(upload.name), refusal.faults) from refusal
