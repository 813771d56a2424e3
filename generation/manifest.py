"""The manifest of clips made elsewhere: one row per cell, checked before anything is stored.

No Django here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

from fartbench.errors import BadInput
from fartbench.tables import Row, read_table
from fartbench.wording import fault_of_name, has_control_characters

REQUIRED = ("configuration", "scene", "replicate", "file", "outcome")
OPTIONAL = ("reason", "cost_usd", "seed", "model_version", "generated_at")

# The words of a manifest, and the sample states they mean.
OUTCOMES = {"ok": "delivered", "refused": "refused", "failed": "failed"}
NO_REASON = "no reason given"
EARLIEST_YEAR = 2000
# A round of more is nothing that people review, and each takes cells of its own.
MOST_CONFIGURATIONS = 1000
LIMITS = {"reason": 2000, "seed": 80, "model_version": 120}

# The names of configurations and families: readable, and safe in addresses and spreadsheets.
NAME_PATTERN = r"^[^\W_][\w .+()-]{0,79}(?<! )\Z"
NAME_RULE = (
    "a name is up to 80 letters, digits, spaces and “._+-()”, and starts with a letter or digit"
)


@dataclass(frozen=True)
class CellKey:
    """The place of a clip in a round."""

    configuration: str
    scene: str
    replicate: int

    def __str__(self) -> str:
        return f"{self.configuration}/{self.scene}/{self.replicate}"


@dataclass(frozen=True)
class ManifestRow:
    """One cell's outcome. ``file`` is set exactly when the outcome is ``delivered``; cost in US
    dollars.
    """

    number: int
    cell: CellKey
    state: str
    file: Path | None
    reason: str
    cost_usd: Decimal | None
    seed: str
    model_version: str
    generated_at: datetime | None

    @property
    def details(self) -> dict[str, object]:
        """What is stored with the outcome, by the sample's field names."""
        return {
            "reason": self.reason,
            "cost_usd": self.cost_usd,
            "generation_seed": self.seed,
            "model_version": self.model_version,
            "generated_at": self.generated_at,
        }


@dataclass(frozen=True)
class Manifest:
    """The rows that could be read, and the faults of those that could not."""

    rows: list[ManifestRow]
    faults: list[str]


def read_manifest(
    path: Path, *, scenes: list[str], replicates: int, inside: Path | None = None
) -> Manifest:
    """Read a manifest for a round with these scene keys and this many replicates.

    Files are resolved beside the manifest and must exist; what is in them is for the probe to say.
    With ``inside``, a folder, no other files exist, and messages name the manifest by its place
    there. Raises BadInput when the table itself cannot be read; faults of rows are returned, so
    that one report names them all.
    """
    rows: list[ManifestRow] = []
    faults: list[str] = []
    first_seen: dict[CellKey, int] = {}
    name = str(path.relative_to(inside) if inside else path)
    table = read_table(path, required=REQUIRED, optional=OPTIONAL, name=name)
    if (count := len({row["configuration"] for row in table})) > MOST_CONFIGURATIONS:
        raise BadInput(
            name,
            [f"it names {count} configurations; a round has at most {MOST_CONFIGURATIONS}"],
        )
    for row in table:
        found = [*_faults(row, scenes, replicates), *_file_faults(row, path.parent, inside)]
        if not found:
            parsed = _parsed(row, path.parent)
            earlier = first_seen.setdefault(parsed.cell, row.number)
            if earlier != row.number:
                found = [
                    f"row {row.number}: the cell {parsed.cell} was already named in row {earlier}"
                ]
            else:
                rows.append(parsed)
        faults += found
    return Manifest(rows, faults)


def fault_of_configuration(name: str) -> str:
    """Return why a text cannot be the name of a configuration, nothing when it can."""
    if not re.match(NAME_PATTERN, name):
        return f"{name!r} cannot be one: {NAME_RULE}"
    if fault := fault_of_name(name):
        return f"{name!r} could be taken for another name: {fault}"
    return ""


def _faults(row: Row, scenes: list[str], replicates: int) -> Iterator[str]:
    if fault := fault_of_configuration(row["configuration"]):
        yield row.fault("configuration", fault)
    if row["scene"] not in scenes:
        yield row.fault(
            "scene", f"the round has no scene {row['scene']!r}; its scenes are {', '.join(scenes)}"
        )
    if not _is_replicate(row["replicate"] or "1", replicates):
        yield row.fault(
            "replicate", f"{row['replicate']!r} is not a whole number from 1 to {replicates}"
        )
    if row["outcome"] not in OUTCOMES:
        yield row.fault("outcome", f"{row['outcome']!r} is not one of: {', '.join(OUTCOMES)}")
    yield from _detail_faults(row)


def _detail_faults(row: Row) -> Iterator[str]:
    if row["cost_usd"] and _cost(row["cost_usd"]) is None:
        yield row.fault(
            "cost_usd", f"{row['cost_usd']!r} is not an amount of at least 0, such as 0.35"
        )
    if row["generated_at"] and _time(row["generated_at"]) is None:
        yield row.fault(
            "generated_at", f"{row['generated_at']!r} is not a time such as 2026-11-30T14:05:00Z"
        )
    for column, limit in LIMITS.items():
        if len(row[column]) > limit:
            yield row.fault(column, f"longer than {limit} characters")
        if has_control_characters(row[column]):
            yield row.fault(column, "it holds a control character")


def _file_faults(row: Row, folder: Path, inside: Path | None) -> Iterator[str]:
    if row["outcome"] not in OUTCOMES:
        return
    if row["outcome"] != "ok":
        if row["file"]:
            yield row.fault("file", f"a clip is named, but its outcome is {row['outcome']!r}")
    elif not row["file"]:
        yield row.fault("file", "the outcome is 'ok' and no file is named")
    elif fault := _missing(folder, row["file"], inside):
        yield row.fault("file", fault)


def _missing(folder: Path, name: str, inside: Path | None) -> str:
    """Return why a clip cannot be there; an empty text when it is.

    What is in it is for the probe to say.
    """
    if "\0" in name:
        return f"there is no file {name!r}"
    try:
        file = (folder / name).resolve()
        is_there = file.is_file() and (inside is None or file.is_relative_to(inside.resolve()))
    except OSError as error:
        return f"{name!r} cannot be opened ({error.strerror})"
    return "" if is_there else f"there is no file {name!r}"


def _parsed(row: Row, folder: Path) -> ManifestRow:
    state = OUTCOMES[row["outcome"]]
    file = folder / row["file"] if row["file"] else None
    reason = "" if state == "delivered" else row["reason"] or NO_REASON
    return ManifestRow(
        number=row.number,
        cell=CellKey(row["configuration"], row["scene"], int(row["replicate"] or 1)),
        state=state,
        file=file,
        reason=reason,
        cost_usd=_cost(row["cost_usd"]),
        seed=row["seed"],
        model_version=row["model_version"],
        generated_at=_time(row["generated_at"]),
    )


def _is_replicate(text: str, replicates: int) -> bool:
    return re.fullmatch(r"[0-9]{1,4}", text) is not None and 1 <= int(text) <= replicates


def _cost(text: str) -> Decimal | None:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return None
    # The column holds six digits before and six after the point.
    return round(amount, 6) if amount.is_finite() and 0 <= amount < 1_000_000 else None  # noqa: PLR2004


def _time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        year = time.astimezone(UTC).year
    except (ValueError, OverflowError):  # the second: a time that is before the first year in UTC
        return None
    return time if year >= EARLIEST_YEAR else None
