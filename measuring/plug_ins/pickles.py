"""Weights from PyTorch's own files, read without running what is in them. No Django here.

Format: an uncompressed ZIP with a pickle of the structure (``data.pkl``) and one entry of raw
values for each storage (pytorch.org/docs/stable/notes/serialization.html). A pickle names what is
to be called to make its objects. Here only the making of tensors and dictionaries is known; any
other name becomes an object that does nothing, so a checkpoint that also holds its training's
settings is read, and nothing of it is executed.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from fartbench.errors import Refusal

KINDS = {
    "FloatStorage": "<f4",
    "HalfStorage": "<f2",
    "DoubleStorage": "<f8",
    "BFloat16Storage": "<u2",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "<i1",
    "ByteStorage": "<u1",
    "BoolStorage": "?",
}
LOCAL_HEADER = 30
LARGEST_STRUCTURE = 64 * 1024 * 1024
_PLACES = {"PUT", "BINPUT", "LONG_BINPUT"}
FAULTS = (
    ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError, TypeError,
    ValueError,
    pickle.PickleError,
)  # fmt: skip


class WeightsUnreadable(Refusal):
    """A file of weights is not what it should be."""


class Inert:
    """Stands for an object of a checkpoint that is not wanted.

    Whatever a pickle does to it, nothing happens.
    """

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Take any arguments."""
        return super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        """Take any arguments."""

    def _nothing(self, *_: Any, **__: Any) -> Inert:
        return Inert()

    __call__ = __setitem__ = __setstate__ = append = extend = add = _nothing


def read_checkpoint(path: Path) -> Any:
    """Return what a file made by ``torch.save`` holds: tensors as arrays that are read from disk
    when they are used.

    Values of bfloat16 are widened to float32. Raises WeightsUnreadable.
    """
    try:
        with ZipFile(path) as archive:
            (name,) = (entry for entry in archive.namelist() if entry.endswith("/data.pkl"))
            if archive.getinfo(name).file_size > LARGEST_STRUCTURE:
                raise ValueError(f"its structure is larger than {LARGEST_STRUCTURE} bytes")
            content = archive.read(name)
            refuse_far_memo(content)
            return _Reader(io.BytesIO(content), path, archive, name.removesuffix(".pkl")).load()
    except BadZipFile as error:
        raise WeightsUnreadable(
            f"{path} is not a file that torch.save wrote since PyTorch 1.6. Download it again; if "
            "it is older, "
            "load and save it once with a newer PyTorch."
        ) from error
    except FAULTS as error:
        raise WeightsUnreadable(
            f"{path} cannot be read as a checkpoint ({error}). Download it again."
        ) from error


def refuse_far_memo(content: bytes) -> None:
    """Raise ValueError for a pickle that names a far place of its memo: all places before it would
    take memory.
    """
    for count, (code, place, _) in enumerate(pickletools.genops(content)):
        if code.name in _PLACES and int(place or 0) > count:
            raise ValueError(f"it names place {place} of its memo after {count} steps")


class _Reader(pickle.Unpickler):
    def __init__(self, structure: IO[bytes], path: Path, archive: ZipFile, folder: str) -> None:
        super().__init__(structure)
        self._path, self._archive, self._folder = path, archive, folder

    def find_class(self, module: str, name: str) -> Any:
        """Return what replaces a name: never an object of that module."""
        if module.startswith("torch") and name in KINDS:
            return name
        return KNOWN.get((module, name), Inert)

    def persistent_load(self, pid: Any) -> tuple[NDArray[Any], bool]:
        """Return the values of a storage, and whether they are bfloat16."""
        _, kind, key, _, count = pid
        entry = self._archive.getinfo(f"{self._folder}/{key}")
        size = np.dtype(KINDS[kind]).itemsize * int(count)
        if entry.compress_type != ZIP_STORED or entry.file_size < size:
            raise ValueError(f"its storage {key} is compressed or too short")
        if not count:
            return np.zeros(0, KINDS[kind]), kind == "BFloat16Storage"
        return np.memmap(
            self._path, KINDS[kind], "r", self._begin(entry.header_offset), (int(count),)
        ), (kind == "BFloat16Storage")

    def _begin(self, header: int) -> int:
        """Return where an entry's values begin: after its header, its name and what pads them."""
        with self._path.open("rb") as file:
            file.seek(header)
            head = file.read(LOCAL_HEADER)
        return (
            header
            + LOCAL_HEADER
            + int.from_bytes(head[26:28], "little")
            + int.from_bytes(head[28:30], "little")
        )


def _tensor(
    storage: tuple[NDArray[Any], bool],
    begin: int,
    shape: Sequence[int],
    steps: Sequence[int],
    *_: Any,
) -> NDArray[Any]:
    values, widened = storage
    last = begin + sum((size - 1) * step for size, step in zip(shape, steps, strict=True))
    if 0 in shape:
        return np.zeros(shape, values.dtype)
    if min((begin, *steps)) < 0 or min(shape, default=1) < 0 or last >= len(values):
        raise ValueError("a tensor reaches beyond its storage")
    strides = [step * values.itemsize for step in steps]
    found = np.lib.stride_tricks.as_strided(values[begin:], shape, strides, writeable=False)
    return (found.astype(np.uint32) << 16).view(np.float32) if widened else found


def _parameter(data: NDArray[Any], *_: Any) -> NDArray[Any]:
    return data


KNOWN: Mapping[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _tensor,
    ("torch._utils", "_rebuild_parameter"): _parameter,
}
