"""Reading files that somebody else made: regular files of bounded size, and nothing that never
ends. No Django here.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from fartbench.errors import BadInput


def regular_bytes(path: Path, largest: int) -> bytes:
    """Return the content of a file of at most ``largest`` bytes.

    A pipe, a device or a folder is refused before anything of it is read. Raises BadInput.
    """
    try:
        # Without O_NONBLOCK a pipe that nobody writes to would be waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise BadInput(str(path), ["there is no such file"]) from error
    except (OSError, ValueError) as error:
        raise BadInput(str(path), [f"the file cannot be read: {error}"]) from error
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        raise BadInput(str(path), ["it is not a regular file"])
    with os.fdopen(descriptor, "rb") as file:
        if about.st_size > largest or len(content := file.read(largest + 1)) > largest:
            raise BadInput(str(path), [f"the file is larger than {largest} bytes"])
    return content


def regular_text(path: Path, largest: int) -> str:
    """Return the text of a file in UTF-8, without its byte-order mark.

    Raises BadInput as `regular_bytes` does.
    """
    try:
        return regular_bytes(path, largest).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(str(path), [f"the file is not valid UTF-8: {error}"]) from error
