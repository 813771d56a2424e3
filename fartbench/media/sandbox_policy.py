"""What an order may do on disk: which of its files are written, and whether it starts ffmpeg. No
Django here.

A child is started with the folders of its first order, and with those of the stores, which
`register_root` names. It is replaced when an order needs another folder.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Order:
    """One kind of order. ``writes`` are the places of its targets among the arguments; all other
    paths are read.

    ``program`` is the place of the one program that it starts, or of an object that names it as
    “program”; or None.
    """

    writes: tuple[int, ...] = ()
    program: int | None = None


# Every order that writes a file or starts a program. All others read.
ORDERS = {
    "blinding.copying:_copy_here": Order(writes=(0,)),
    "blinding.making:_make_normalised_here": Order(writes=(0,), program=1),
    "blinding.making:_make_plain_here": Order(writes=(0,)),
    "blinding.normalise:normalise_here": Order(writes=(0,), program=1),
    "generation.rollouts.assembling:_assemble_here": Order(writes=(1,)),
    "judging.media:_vary_here": Order(writes=(0,), program=1),
    "measuring.plug_ins.reading:_write_here": Order(writes=(0,)),
}
_READING = Order()

# What any Python process reads of the system.
SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/dev/null",
    "/dev/zero", "/dev/urandom",
    "/dev/full", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
)  # fmt: skip
DEVICES = ("/dev/null", "/dev/full")
_ROOTS: set[Path] = set()


def register_root(folder: Path) -> None:
    """Let every child read what lies in this folder, and write to its folder “tmp”."""
    _ROOTS.add(folder.absolute())


@contextmanager
def place_for(name: str, path: Path) -> Iterator[Path]:
    """Give a path for what a child makes of the file at ``path``; it is removed with the block.

    It lies in the scratch folder of the file's store, which the running child may write to. A file
    outside of the stores gets one in the system's temporary folder, and a child for it.
    """
    root = next((root for root in _ROOTS if path.absolute().is_relative_to(root)), None)
    folder = root / "tmp" if root else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        yield Path(work) / name


@dataclass(frozen=True)
class Policy:
    """The folders that a child may read and write, and the programs that it may start."""

    reads: frozenset[Path] = field(default_factory=frozenset)
    writes: frozenset[Path] = field(default_factory=frozenset)
    programs: frozenset[Path] = field(default_factory=frozenset)

    def covers(self, other: Self) -> bool:
        """Say whether what the other allows is allowed by this one, too."""
        return (
            all(_is_below(path, self.reads | self.writes) for path in other.reads)
            and all(_is_below(path, self.writes) for path in other.writes)
            and other.programs <= self.programs
        )

    def __or__(self, other: Policy) -> Policy:
        return Policy(
            self.reads | other.reads, self.writes | other.writes, self.programs | other.programs
        )

    def as_json(self) -> dict[str, list[str]]:
        """Return it as plain lists of paths."""
        parts = {"reads": self.reads, "writes": self.writes, "programs": self.programs}
        return {name: sorted(map(str, paths)) for name, paths in parts.items()}


def needed(function: str, path: Path, arguments: Sequence[Any]) -> Policy:
    """Return what one order needs: the folders of its files, those of its targets, its program."""
    order = ORDERS.get(function, _READING)
    paths = {
        place: Path(one)
        for place, one in enumerate(arguments)
        if isinstance(one, str) and one.startswith("/")
    }
    programs = (
        frozenset() if order.program is None else frozenset({_program(arguments[order.program])})
    )
    writes = frozenset(paths[place].parent for place in order.writes if place in paths)
    read = [
        path,
        *(one for place, one in paths.items() if place not in order.writes and one not in programs),
    ]
    return Policy(frozenset(one if one.is_dir() else one.parent for one in read), writes, programs)


def _program(argument: Any) -> Path:
    return Path(argument["program"] if isinstance(argument, dict) else argument)


def standing() -> Policy:
    """Return what every child may do: read the stores and write to their scratch folders."""
    return Policy(frozenset(_ROOTS), frozenset(root / "tmp" for root in _ROOTS))


def of_python(search_path: Iterable[str] = ()) -> list[Path]:
    """Return what Python and the program's own code lie in; not the folder of the program, which
    holds its settings.
    """
    inside = [Path(sys.prefix), Path(sys.base_prefix)]
    found = [*inside, *(Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix))]
    for entry in map(Path, search_path or sys.path):
        if not any(entry.is_relative_to(prefix) for prefix in inside) and entry.is_dir():
            found += [folder.parent for folder in entry.glob("*/__init__.py")]
        else:
            found.append(entry)
    return found


def _is_below(path: Path, folders: Iterable[Path]) -> bool:
    return any(path == folder or path.is_relative_to(folder) for folder in folders)
