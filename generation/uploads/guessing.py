"""Which cell a file is for, guessed from its name and its folders. No Django here.

``alpha_r01-lift_1.mp4``, ``alpha/lift/take 2.mp4`` and ``Alpha - r01_lift.mp4`` all name a
configuration, a scene and perhaps a replicate. What cannot be guessed is left empty: a person fills
it in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

_BETWEEN = r"[\s_./()+-]+"
# A number at the end, perhaps after a word for it. Four digits would be a year.
_REPLICATE = re.compile(
    rf"(?:^|{_BETWEEN})(?:replicate|rep|take|sample|seed|run|r|v|t|n|no)?{_BETWEEN[:-1]}*"
    r"0*([1-9][0-9]{0,2})\)?$",
    re.IGNORECASE,
)
_EDGES = " _.-/+()"


@dataclass(frozen=True)
class Guess:
    """What a file name says; empty texts and None where it does not."""

    configuration: str = ""
    scene: str = ""
    replicate: int | None = None


def guess_cell(path: str, *, scenes: Sequence[str], configurations: Collection[str] = ()) -> Guess:
    """Return what the path of a clip says of its cell.

    ``configurations`` are names that are known: one of them wins over what is merely left over of
    the name.
    """
    words = str(PurePosixPath(path).with_suffix(""))
    scene, rest = _take_scene(words, scenes)
    replicate, rest = _take_replicate(rest)
    return Guess(_configuration(rest, words, configurations), scene, replicate)


def _take_scene(words: str, scenes: Sequence[str]) -> tuple[str, str]:
    """Return the scene that the words name, and the words without it."""
    short_names = _short_names(scenes)
    by_length = sorted([*((scene, scene) for scene in scenes), *short_names.items()], key=_longest)
    for written, scene in by_length:
        found = list(_written(written).finditer(words))
        if found:
            last = found[-1]
            return scene, f"{words[: last.start()]} {words[last.end() :]}"
    return "", words


def _longest(pair: tuple[str, str]) -> int:
    return -len(pair[0])


def _short_names(scenes: Sequence[str]) -> dict[str, str]:
    """Return the last parts of keys that name one scene only: “lift” for “r01-lift”."""
    lasts = [scene.rsplit("-", 1)[-1] for scene in scenes]
    return {
        last: scene
        for last, scene in zip(lasts, scenes, strict=True)
        if lasts.count(last) == 1 and last not in scenes
    }


def _written(name: str) -> re.Pattern[str]:
    """Return what finds a name however its words are joined, and not inside another word."""
    words = [re.escape(word) for word in re.split(r"[-_ .]+", name) if word]
    return re.compile(rf"(?<![^\W_]){'[-_ .]*'.join(words)}(?![^\W_])", re.IGNORECASE)


def _take_replicate(words: str) -> tuple[int | None, str]:
    match = _REPLICATE.search(words.strip())
    if match is None:
        return None, words
    return int(match[1]), words.strip()[: match.start()]


def _configuration(rest: str, words: str, configurations: Collection[str]) -> str:
    """Return a known name that the words hold, else the part of the rest that could be one."""
    for name in sorted(configurations, key=len, reverse=True):
        if _written(name).search(words):
            return name
    parts = [part.strip(_EDGES) for part in rest.split("/")]
    filled = [part for part in parts if part]
    return re.sub(r"\s+", " ", filled[-1]) if filled else ""
