"""Weights by name, from safetensors files and from PyTorch's. No Django here.

Only numbers can be in the former. The latter may name functions to be called; PyTorch reads them
with ``weights_only``, which calls none but those that make tensors and plain containers. Whatever
else a checkpoint names, such as its training's settings, becomes an object that does nothing.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self
from zipfile import ZIP_STORED, BadZipFile, ZipFile, is_zipfile

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor
from torch.serialization import get_unsafe_globals_in_checkpoint, safe_globals

from measuring.errors import WeightsUnreadable

Tensors = Mapping[str, Tensor]
FAULTS = (
    ArithmeticError, AssertionError, AttributeError, BadZipFile, EOFError, LookupError, OSError,
    RuntimeError, TypeError, ValueError, pickle.PickleError,
)  # fmt: skip


class Inert:
    """Replaces an object of a checkpoint that is not wanted; nothing can be done to it."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Take any arguments."""
        return super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        """Take any arguments."""

    def __setstate__(self, _: object) -> None:
        """Take any state."""


def _empty_dictionary(*_: object) -> dict[Any, Any]:
    return {}


def read_checkpoint(path: Path) -> Any:
    """Return what a file made by ``torch.save`` holds, on the processor. Raises
    WeightsUnreadable.
    """
    try:
        _refuse_compressed(path)
        names = get_unsafe_globals_in_checkpoint(path)
        stand_ins: list[Any] = [(Inert, name) for name in names]
        # What fills an object like a dictionary wants one.
        stand_ins.append((_empty_dictionary, "collections.defaultdict"))
        with safe_globals(stand_ins):
            return torch.load(path, map_location="cpu", weights_only=True)
    except FAULTS as error:
        raise WeightsUnreadable(
            f"{path} cannot be read as a checkpoint ({error}). Download it again."
        ) from error


def _refuse_compressed(path: Path) -> None:
    """Raise ValueError for a ZIP that could grow without bound: torch.save compresses nothing."""
    if not is_zipfile(path):
        return
    with ZipFile(path) as archive:
        for entry in archive.infolist():
            if entry.compress_type != ZIP_STORED:
                raise ValueError(f"its entry {entry.filename} is compressed")


def read_tensors(path: Path, *, prefix: str = "", part: Sequence[str] = ()) -> Tensors:
    """Return the floating-point tensors whose name starts with ``prefix``, as float32 and without
    the prefix.

    ``part`` tells under which keys of a PyTorch file they are. Raises WeightsUnreadable, also when
    there is none.
    """
    if path.suffix == ".safetensors":
        content = _safetensors(path, prefix)
    else:
        content = _pickled(path, part)
    tensors = {}
    for name, values in content.items():
        if isinstance(values, Tensor) and values.is_floating_point() and name.startswith(prefix):
            tensors[name.removeprefix(prefix)] = values.detach().float()
    if not tensors:
        raise WeightsUnreadable(
            f"{path} holds no tensor whose name begins with {prefix!r}. Is it another model's?"
        )
    return tensors


def _pickled(path: Path, part: Sequence[str]) -> Mapping[str, Any]:
    content = read_checkpoint(path)
    for key in part:
        content = content.get(key) if isinstance(content, Mapping) else None
    if not isinstance(content, Mapping):
        raise WeightsUnreadable(
            f"{path} has no weights under {'/'.join(part) or 'its root'}. Is it another model's?"
        )
    return content


def _safetensors(path: Path, prefix: str) -> Mapping[str, Any]:
    try:
        with safe_open(path, framework="pt") as file:
            names = [name for name in file.keys() if name.startswith(prefix)]  # noqa: SIM118 - not a mapping
            return {name: file.get_tensor(name) for name in names}
    except (SafetensorError, OSError) as error:
        raise WeightsUnreadable(f"{path} is not a safetensors file: {error}") from error
