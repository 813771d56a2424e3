"""Weights by name, from safetensors files and from PyTorch's. No Django here.

Format of the former: eight bytes (little-endian) with the length of a JSON header, the header, then
the values of each tensor (huggingface.co/docs/safetensors). Only numbers can be in such a file, so
reading one runs nothing; for the other see ``pickles``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from measuring.plug_ins.pickles import WeightsUnreadable, read_checkpoint

Tensors = Mapping[str, NDArray[np.float32]]
KINDS = {"F32": "<f4", "F16": "<f2", "F64": "<f8"}
LARGEST_HEADER = 100_000_000


def read_tensors(path: Path, *, prefix: str = "", part: Sequence[str] = ()) -> Tensors:
    """Return the floating-point tensors whose name starts with ``prefix``, as float32 and without
    the prefix.

    ``part`` tells under which keys of a PyTorch file they are. Raises WeightsUnreadable, also when
    there is none.
    """
    found = (
        _safetensors(path, prefix)
        if path.suffix == ".safetensors"
        else _pickled(path, prefix, part)
    )
    if not found:
        raise WeightsUnreadable(
            f"{path} holds no tensor whose name begins with {prefix!r}. Is it another model's?"
        )
    return found


def _pickled(path: Path, prefix: str, part: Sequence[str]) -> Tensors:
    content = read_checkpoint(path)
    for key in part:
        content = content.get(key) if isinstance(content, Mapping) else None
    if not isinstance(content, Mapping):
        raise WeightsUnreadable(
            f"{path} has no weights under {'/'.join(part) or 'its root'}. Is it another model's?"
        )
    return {
        name.removeprefix(prefix): np.array(values, np.float32)
        for name, values in content.items()
        if isinstance(values, np.ndarray) and values.dtype.kind == "f" and name.startswith(prefix)
    }


def _safetensors(path: Path, prefix: str) -> Tensors:
    try:
        data = np.memmap(path, np.uint8, "r")
        size = int(data[:8].view("<u8")[0])
        if size > LARGEST_HEADER or 8 + size > data.size:
            raise WeightsUnreadable(
                f"{path} is not a safetensors file: its header would be {size} bytes long."
            )
        header = json.loads(bytes(data[8 : 8 + size]))
        return {
            name.removeprefix(prefix): _tensor(data[8 + size :], about)
            for name, about in header.items()
            if name.startswith(prefix) and name != "__metadata__" and about["dtype"] in KINDS
        }
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise WeightsUnreadable(f"{path} is not a safetensors file: {error}") from error


def _tensor(values: NDArray[np.uint8], about: Mapping[str, Any]) -> NDArray[np.float32]:
    start, stop = about["data_offsets"]
    found = np.frombuffer(values[start:stop].tobytes(), KINDS[about["dtype"]])
    return np.array(found.reshape(about["shape"]), np.float32)
