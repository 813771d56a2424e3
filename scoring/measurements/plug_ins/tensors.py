"""Weights from safetensors files, without a deep-learning library. No Django here.

Format: eight bytes (little-endian) with the length of a JSON header, the header, then the values of each tensor
(huggingface.co/docs/safetensors). Only numbers can be in such a file, so reading one runs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fartbench.errors import Refusal

Tensors = Mapping[str, NDArray[np.float32]]
KINDS = {"F32": "<f4", "F16": "<f2", "F64": "<f8"}
LARGEST_HEADER = 100_000_000


class WeightsUnreadable(Refusal):
    """A file of weights is not what it should be."""


def read_tensors(path: Path, *, prefix: str = "") -> Tensors:
    """Return the floating-point tensors whose name starts with ``prefix``, as float32 and without the prefix.

    Raises WeightsUnreadable.
    """
    try:
        data = np.memmap(path, np.uint8, "r")
        size = int(data[:8].view("<u8")[0])
        if size > LARGEST_HEADER or 8 + size > data.size:
            raise WeightsUnreadable(f"{path} is no safetensors file: its header would be {size} bytes long.")
        header = json.loads(bytes(data[8 : 8 + size]))
        return {
            name.removeprefix(prefix): _tensor(data[8 + size :], about)
            for name, about in header.items()
            if name.startswith(prefix) and name != "__metadata__" and about["dtype"] in KINDS
        }
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise WeightsUnreadable(f"{path} is no safetensors file: {error}") from error


def _tensor(values: NDArray[np.uint8], about: Mapping[str, Any]) -> NDArray[np.float32]:
    start, stop = about["data_offsets"]
    found = np.frombuffer(values[start:stop].tobytes(), KINDS[about["dtype"]])
    return np.asarray(found.reshape(about["shape"]), np.float32)
