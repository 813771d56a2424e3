"""How well the technical facts of blind files alone tell configurations apart. No Django here.

A stream copy keeps what the encoder chose (frame rate, size, key picture spacing, bit rate), and
that may give a configuration away. The figure is the balanced accuracy of a naive Bayes classifier
that guesses each file's configuration from the facts of all the others (leave one out), beside what
the same classifier reaches when the labels are shuffled (permutation test; Good 2005).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fartbench.media.bounds import BOUNDS
from fartbench.media.movie import Movie, Track
from fartbench.media.probe import MediaFacts, facts
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sandbox import call_apart

Value = str | int | float | bool | None
Row = tuple[str, Mapping[str, Value]]
PERMUTATIONS = 499
SEED = 20_260_101
Z95 = 1.959964
FEW_KINDS = 12
"""Numbers with more different values than this are compared as quantities, others as kinds."""
_ALIKE = frozenset({"container", "size", "tracks", "timescale"})
"""Facts that blinding makes the same for every file of a round."""


@dataclass(frozen=True, slots=True)
class ConfigurationTells:
    """What gives one configuration away: how many files it has, how many other configurations share
    at least one whole set of facts with it, and the facts that none of its files shares with
    another configuration: a kind that no other file has, a quantity whose range lies apart from
    every other configuration's range.
    """

    configuration: str
    files: int
    shared_with: int
    given_away_by: list[str]


@dataclass(frozen=True, slots=True)
class FingerprintReport:
    """How far facts tell configurations apart: balanced accuracy in [0, 1] with a 95 % Wilson
    interval over files, what shuffled labels reach on average, and the share of shuffles (p) that
    do at least as well. ``told_apart`` when p < 0.05.
    """

    files: int
    configurations: list[ConfigurationTells]
    accuracy: float
    interval: tuple[float, float]
    chance: float
    p_value: float
    told_apart: bool
    facts_that_vary: list[str]

    def as_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return asdict(self)


def technical_facts(path: Path) -> dict[str, Value]:
    """Return the technical facts of a blind file by name; raises like probe().

    The sizes of single coded pictures are not among them: they follow from the picture, which a
    reviewer sees anyway.
    """
    found: dict[str, Value] = call_apart(_facts_here, path, seconds=60.0)
    return found


def _facts_here(path: Path) -> dict[str, Value]:
    with open_bytes(path) as data:
        movie = read_movie(path, data)
        return facts_by_name(movie, facts(path, data, movie, BOUNDS))


def facts_by_name(movie: Movie, measured: MediaFacts) -> dict[str, Value]:
    """Return the technical facts of a file that was read and probed."""
    named: dict[str, Value] = {
        name: value for name, value in asdict(measured).items() if name not in _ALIKE
    }
    for kind in ("video", "audio"):
        track = movie.main(kind)
        if track is not None and track.samples:
            named |= {f"{kind}_{name}": value for name, value in _track_facts(track).items()}
    return named


def _track_facts(track: Track) -> dict[str, Value]:
    keys = [index for index, sample in enumerate(track.samples) if sample.sync]
    key_spacing = sorted({b - a for a, b in pairwise(keys)})
    shown = sorted(range(len(track.samples)), key=lambda index: track.samples[index].pts)
    reordering = [str(index - place) for place, index in enumerate(shown[:48])]
    lengths = {sample.duration for sample in track.samples[:-1]}
    return {
        "set_up": track.config.hex(),
        "key_spacing": str(key_spacing) if track.kind == "video" else None,
        "coding_order": " ".join(reordering),
        "packets": len(track.samples),
        "packet_length": str(sorted(lengths)),
        "colour": str(track.colour),
    }


def report(rows: Sequence[Row], permutations: int = PERMUTATIONS) -> FingerprintReport:
    """Return how far the facts of ``rows`` (configuration, facts) tell the configurations apart;
    the same rows give the same report.

    Raises ValueError for fewer than two configurations or for one with a single file, which cannot
    be guessed from the others.
    """
    labels = [label for label, _ in rows]
    names = sorted(set(labels))
    if len(names) < 2 or min(map(labels.count, names)) < 2:  # noqa: PLR2004
        raise ValueError(
            "A fingerprint needs two configurations or more, with two files or more each."
        )
    fields = _varying(rows)
    truth = np.array([names.index(label) for label in labels])
    columns = [_column([row.get(field) for _, row in rows]) for field in fields]
    accuracy = _accuracy(columns, truth, len(names))
    shuffled = _shuffled(columns, truth, len(names), permutations)
    p_value = (1 + int((shuffled >= accuracy - 1e-12).sum())) / (permutations + 1)
    return FingerprintReport(
        files=len(rows),
        configurations=[_tells(name, rows, fields) for name in names],
        accuracy=round(accuracy, 4),
        interval=_wilson(accuracy, len(rows)),
        chance=round(float(shuffled.mean()), 4),
        p_value=round(p_value, 4),
        told_apart=p_value < 0.05,  # noqa: PLR2004
        facts_that_vary=fields,
    )


def _varying(rows: Sequence[Row]) -> list[str]:
    fields = sorted({field for _, row in rows for field in row})
    return [field for field in fields if len({row.get(field) for _, row in rows}) > 1]


def _tells(name: str, rows: Sequence[Row], fields: list[str]) -> ConfigurationTells:
    mine = [row for label, row in rows if label == name]
    whole: defaultdict[tuple[Value, ...], set[str]] = defaultdict(set)
    for label, row in rows:
        whole[tuple(row.get(field) for field in fields)].add(label)
    sharing = set().union(*(labels for labels in whole.values() if name in labels)) - {name}
    away = [
        field
        for field in fields
        if _is_apart(name, [(label, row.get(field)) for label, row in rows])
    ]
    return ConfigurationTells(name, len(mine), len(sharing), away)


def _is_apart(name: str, values: Sequence[tuple[str, Value]]) -> bool:
    """Say whether one fact of a configuration's files is found with no other configuration."""
    groups: defaultdict[str, list[Any]] = defaultdict(list)
    for label, value in values:
        groups[label].append(value)
    mine = groups.pop(name)
    if _is_quantity([value for _, value in values]):
        return all(max(mine) < min(other) or max(other) < min(mine) for other in groups.values())
    return all(not set(mine) & set(other) for other in groups.values())


def _is_quantity(values: Sequence[Value]) -> bool:
    numeric = all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )
    return numeric and len(set(values)) > FEW_KINDS


Column = tuple[bool, NDArray[np.float64]]


def _column(values: list[Value]) -> Column:
    """Return whether a fact is a quantity, and its values as numbers (kinds are numbered)."""
    if _is_quantity(values):
        return True, np.array(values, dtype=np.float64)
    kinds = {value: index for index, value in enumerate(dict.fromkeys(values))}
    return False, np.array([kinds[value] for value in values], dtype=np.float64)


def _accuracy(columns: list[Column], truth: NDArray[np.int64], classes: int) -> float:
    """Return the balanced leave-one-out accuracy; ties share the credit."""
    one_hot = np.eye(classes)[truth]
    scores = np.zeros((len(truth), classes))
    for quantity, values in columns:
        scores += _quantity_scores(values, one_hot) if quantity else _kind_scores(values, one_hot)
    best = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    credit = (best * one_hot).sum(axis=1) / best.sum(axis=1)
    return float(np.mean([credit[truth == label].mean() for label in range(classes)]))


def _kind_scores(values: NDArray[np.float64], one_hot: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log P(value | class) with add-one smoothing, the file itself left out; shape (files,
    classes).

    The other classes are counted as if they, too, had one file less: else a class would score lower
    just for being the file's own.
    """
    kinds = np.eye(int(values.max()) + 1)[values.astype(int)]
    counts = one_hot.sum(axis=0)
    same = kinds @ (kinds.T @ one_hot)
    same = np.where(one_hot == 1, same - 1, same * (counts - 1) / counts)
    return np.asarray(np.log((same + 1) / (counts - 1 + kinds.shape[1])))


def _quantity_scores(
    values: NDArray[np.float64], one_hot: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return log densities of a normal distribution per class, the file itself left out; shape
    (files, classes).
    """
    scaled = (values - values.mean()) / (values.std() or 1.0)
    count = one_hot.sum(axis=0) - one_hot
    total = scaled @ one_hot - one_hot * scaled[:, None]
    squares = (scaled**2) @ one_hot - one_hot * (scaled**2)[:, None]
    mean = total / count
    variance = np.maximum(squares / count - mean**2, 0.0) + 0.01
    return np.asarray(-0.5 * (np.log(variance) + (scaled[:, None] - mean) ** 2 / variance))


def _shuffled(
    columns: list[Column], truth: NDArray[np.int64], classes: int, count: int
) -> NDArray[np.float64]:
    random = np.random.default_rng(SEED)
    return np.array([_accuracy(columns, random.permutation(truth), classes) for _ in range(count)])


def _wilson(share: float, count: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share (Wilson 1927)."""
    middle = share + Z95**2 / (2 * count)
    half = Z95 * (share * (1 - share) / count + Z95**2 / (4 * count**2)) ** 0.5
    scale = 1 + Z95**2 / count
    return round((middle - half) / scale, 4), round((middle + half) / scale, 4)
