"""What of a release differs from the same release made again. No Django here.

Values whose rule changed since the release's format are set apart: they are named, and are no
faults.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fartbench.program import packages
from scoring.release.contents import hashes_of
from scoring.release.croissant import distribution
from scoring.release.manifest import MANIFEST
from scoring.release.versions import Change, changes_since

DESCRIPTION = "croissant.json"
Difference = tuple[tuple[str, ...], str]
"""Where two files differ, and a sentence about it."""


@dataclass(frozen=True)
class Compared:
    """``faults`` are the differences that no rule explains; ``changed`` says how many values of
    the release were not recomputed because of each change of a rule.
    """

    faults: list[str]
    changed: Mapping[Change, int]


def compare(folder: Path, again: Path, stated: Mapping[str, Any]) -> Compared:
    """Compare a release with what its answers give now; ``stated`` is its manifest."""
    made, there = hashes_of(again), stated["files"]
    changes = changes_since(stated["format"])
    faults: list[str] = []
    changed: Counter[Change] = Counter()
    for path in sorted({*made, *there} - {MANIFEST}):
        if made.get(path) == there.get(path):
            continue
        unexplained = []
        for place, words in _differences(folder, again, path, stated):
            change = next((one for one in changes if one.covers(path, place)), None)
            if change is None:
                unexplained.append(words)
            else:
                changed[change] += 1
        faults += unexplained[:1]
    if faults and stated["packages"] != packages():
        faults.append(_other_packages(stated["packages"]))
    return Compared(faults, changed)


def _differences(
    folder: Path, again: Path, path: str, stated: Mapping[str, Any]
) -> Iterator[Difference]:
    """Yield at least one difference of a file that is not the same in both."""
    one, other = folder / path, again / path
    if not other.exists():
        yield (), f"{path} is not a file that the answers give"
    elif not one.exists():
        yield (), f"{path} is not what the answers give"
    else:
        found = False
        for place, words in _places(path, one.read_bytes(), other.read_bytes(), stated):
            found = True
            yield place, f"{path} is not what the answers give: {words}"
        if not found and not (path == DESCRIPTION and _is_older(stated)):
            yield (), f"{path} is not what the answers give"


def _is_older(stated: Mapping[str, Any]) -> bool:
    return bool(changes_since(stated["format"]))


def _places(
    path: str, there: bytes, made: bytes, stated: Mapping[str, Any]
) -> Iterator[Difference]:
    kind = path.rpartition(".")[2]
    if kind == "json":
        expected = json.loads(made)
        if path == DESCRIPTION and _is_older(stated):
            # It has the hash of every file: those of the release, of which some may differ now.
            expected["distribution"] = distribution(_described(stated["files"]))
        yield from _in_documents(json.loads(there), expected, ())
    elif kind == "csv":
        yield from _in_tables(_rows(there), _rows(made))
    elif kind == "jsonl":
        yield from _in_tables(_objects(there), _objects(made))


def _described(files: Mapping[str, str]) -> Mapping[str, str]:
    return {path: digest for path, digest in files.items() if path != DESCRIPTION}


def _in_documents(stated: Any, expected: Any, place: tuple[str, ...]) -> Iterator[Difference]:
    """Yield the places where two JSON documents differ."""
    if isinstance(stated, dict) and isinstance(expected, dict):
        for key in [*expected, *(key for key in stated if key not in expected)]:
            yield from _in_documents(stated.get(key), expected.get(key), (*place, key))
    elif isinstance(stated, list) and isinstance(expected, list) and len(stated) == len(expected):
        for number, (one, other) in enumerate(zip(stated, expected, strict=True)):
            yield from _in_documents(one, other, (*place, str(number)))
    elif stated != expected or type(stated) is not type(expected):
        yield place, f"{_in_words(place)} is {stated!r}, and should be {expected!r}"


def _in_words(place: Sequence[str]) -> str:
    parts = [f"[{key}]" if key.isdecimal() else f".{key}" for key in place]
    return "".join(parts).removeprefix(".")


def _in_tables(
    stated: Sequence[Mapping[str, Any]], expected: Sequence[Mapping[str, Any]]
) -> Iterator[Difference]:
    """Yield the columns in which two tables differ, row by row."""
    if len(stated) != len(expected):
        yield (), f"it has {len(stated)} rows, and should have {len(expected)}"
        return
    for number, (one, other) in enumerate(zip(stated, expected, strict=True), start=2):
        for column in {**other, **one}:
            if one.get(column) != other.get(column):
                yield (column,), f"row {number} differs in {column}"


def _rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline=""), strict=True))


def _objects(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


def _other_packages(then: Mapping[str, str]) -> str:
    now = packages()
    other = [
        f"{name} {then.get(name)} then, {version} now"
        for name, version in now.items()
        if then.get(name) != version
    ]
    return f"note: it was made with other packages ({'; '.join(other)})"
