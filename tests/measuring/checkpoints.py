"""Files of weights, as their libraries write them."""

import json
from pathlib import Path

import numpy as np

KINDS = {"float32": "F32", "float16": "F16", "int64": "I64"}


def write_safetensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    header, data = {}, b""
    for name, tensor in tensors.items():
        ends = [len(data), len(data) + tensor.nbytes]
        header[name] = {
            "dtype": KINDS[str(tensor.dtype)],
            "shape": list(tensor.shape),
            "data_offsets": ends,
        }
        data += np.ascontiguousarray(tensor).tobytes()
    head = json.dumps(header | {"__metadata__": {"format": "pt"}}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)
