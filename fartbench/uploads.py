"""Bounds what a form may send along: a file is read into memory, never written to disk, and a large
one refused.
"""

from __future__ import annotations

from typing import IO

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler


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

    def receive_data_chunk(self, raw_data: bytes, _start: int) -> bytes:
        return raw_data

    def file_complete(self, _file_size: int) -> None:
        return None
