"""Reads a release back into the record of its round. No Django here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from fartbench.errors import BadInput
from fartbench.protocol import Protocol, Response, digest_of, form_for, parse_protocol
from fartbench.regular import regular_bytes
from review.record import SheetRecord, lock_digest
from scoring.errors import ReleaseRefused
from scoring.records import (
    MISSING,
    AnswerBook,
    CellRecord,
    ConfigurationRecord,
    ReviewerRecord,
    RoundRecord,
    Sheets,
)
from scoring.records.shown import Shown
from scoring.release.judges import load_judges
from scoring.release.manifest import MANIFEST
from scoring.release.rollouts.loading import load_measurements, load_windows
from scoring.release.versions import format_fault
from scoring.release.votes import load_votes
from scoring.release.writers import read_csv, readable_json_bytes

LARGEST_MANIFEST = 64 * 1024 * 1024  # bytes
ANSWERS, VERDICTS = "answers.csv", "verdicts.json"
# What a row of clips.csv says of the cell itself, in the order of `CellRecord`.
_CELL_TEXTS = (
    "reason", "stimulus", "raw_sha256", "blind_sha256", "cost_usd", "seed", "model_version",
    "generated_at",
    "cost_basis", "limitation", "origin",
)  # fmt: skip


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return a release's manifest.

    Raises ReleaseRefused when it is missing, no manifest, or was changed.
    """
    path = folder / MANIFEST
    if path.is_symlink():
        raise ReleaseRefused(folder, [f"{MANIFEST} is a link and not the manifest of a release"])
    if not path.exists():
        raise ReleaseRefused(
            folder, [f"{MANIFEST} is missing: this is not a release, or not a complete one"]
        )
    try:
        content = regular_bytes(path, LARGEST_MANIFEST)
        stated = json.loads(content)
        digest = stated.pop("digest")
        files, number = stated["files"], stated["format"]
        whole = {**stated, "digest": digest}
        is_sealed = digest_of(stated) == digest and content == readable_json_bytes(whole)
    except BadInput as error:
        raise ReleaseRefused(folder, [f"{MANIFEST}: {error.faults[0]}"]) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ReleaseRefused(
            folder, [f"{MANIFEST} is not the manifest of a release: {error}"]
        ) from error
    if fault := format_fault(number):
        raise ReleaseRefused(folder, [f"{MANIFEST}: {fault}"])
    if not is_sealed or not isinstance(files, dict):
        raise ReleaseRefused(folder, [f"{MANIFEST} was changed: its digest is not {digest}"])
    return whole


def load_record(folder: Path, stated: Mapping[str, Any]) -> tuple[RoundRecord, dict[str, Any]]:
    """Return the record of a release's round and the content of its protocol. ``stated`` is its
    manifest.

    Raises ReleaseRefused, naming file and row, when a table cannot be what a round of this protocol
    gives.
    """
    about = stated["round"]
    content = json.loads((folder / "protocol.json").read_bytes())
    if digest_of(content) != about["protocol_digest"]:
        raise ReleaseRefused(
            folder, [f"protocol.json: its SHA-256 is not {about['protocol_digest']}"]
        )
    protocol = parse_protocol(content, source="protocol.json")
    record = _record(folder, stated, protocol)
    if len(record.primary) > protocol.cohort.most:
        words = (
            f"manifest.json: {len(record.primary)} primary reviewers; the protocol says "
            f"{protocol.cohort.sizes}"
        )
        raise ReleaseRefused(folder, [words])
    return record, content


def _record(folder: Path, stated: Mapping[str, Any], protocol: Protocol) -> RoundRecord:
    about = stated["round"]
    reviewers = tuple(ReviewerRecord(**reviewer) for reviewer in about["reviewers"])
    cells = tuple(_cell(row) for row in read_csv(folder / "clips.csv"))
    windows = load_windows(folder, protocol, cells)
    shown = Shown.of(cells, windows)
    scene_of = {stimulus: cells[place].scene for stimulus, place in shown.cell.items()}
    verdicts = folder / VERDICTS
    return RoundRecord(
        name=about["name"],
        protocol=protocol,
        protocol_digest=about["protocol_digest"],
        scenes=tuple(about["scenes"]),
        replicates=about["replicates"],
        seed=stated["seeds"]["round"],
        opened_at=about["opened_at"],
        closed_at=about["closed_at"],
        incomplete_reason=about["incomplete_reason"],
        cells=cells,
        configurations=tuple(
            _configuration(row) for row in read_csv(folder / "configurations.csv")
        ),
        reviewers=reviewers,
        sheets=_sheets(folder, protocol, shown, reviewers),
        judges=load_judges(folder, shown, protocol),
        pair_votes=load_votes(folder, protocol, scene_of, reviewers),
        windows=windows,
        measurements=load_measurements(folder, protocol, cells),
        verdicts=json.loads(verdicts.read_bytes()) if verdicts.exists() else {},
        secret=stated["seeds"].get("orders", ""),
        format=stated["format"],
    )


def _cell(row: Mapping[str, str]) -> CellRecord:
    return CellRecord(
        row["configuration"],
        row["scene"],
        int(row["replicate"]),
        row["outcome"],
        # A column that the format of the release does not have is empty.
        *(row.get(name, "") for name in _CELL_TEXTS),
    )


def _configuration(row: Mapping[str, str]) -> ConfigurationRecord:
    return ConfigurationRecord(
        name=row["configuration"],
        label=row["label"],
        family=row["family"],
        provider=row["provider"],
        model_id=row["model_id"],
        track=row["track"],
        provisional=row["provisional"] == "yes",
    )


class _Columns:
    """The sheets as they are read, a column each."""

    def __init__(self) -> None:
        self.cell: list[int] = []
        self.window: list[int] = []
        self.reviewer: list[int] = []
        self.answers: list[list[int]] = []
        self.source: list[str] = []
        self.measured: list[bool] = []
        self.playback_sha256: list[str] = []
        self.locked_at: list[str] = []
        self.digest: list[str] = []


def _sheets(
    folder: Path, protocol: Protocol, shown: Shown, reviewers: tuple[ReviewerRecord, ...]
) -> Sheets:
    book = AnswerBook(protocol)
    columns = _Columns()
    reviewer_of = {reviewer.code: place for place, reviewer in enumerate(reviewers)}
    codes = {question: book.codes(question) for question in book.questions}
    forms = {key: form_for(protocol, key) for key in set(shown.form.values())}
    seen: set[tuple[str, str]] = set()
    for line, rows in _sheets_of(folder):
        first = rows[0]
        stimulus, reviewer = first["stimulus"], first["reviewer"]
        if fault := _fault(
            rows, stimulus in shown.cell, reviewer in reviewer_of, (stimulus, reviewer) in seen
        ):
            raise ReleaseRefused(folder, [f"{ANSWERS}, row {line}: {fault}"])
        seen.add((stimulus, reviewer))
        responses = {
            row["question"]: Response.parse(row["answer"]) for row in rows if row["answer"]
        }
        if faults := forms[shown.form[stimulus]].violations(responses):
            raise ReleaseRefused(
                folder, [f"{ANSWERS}, row {line} and on: {fault}" for fault in faults]
            )
        columns.cell.append(shown.cell[stimulus])
        columns.window.append(shown.window.get(stimulus, MISSING))
        columns.reviewer.append(reviewer_of[reviewer])
        columns.answers.append(
            [codes[key][str(responses[key])] if key in responses else MISSING for key in codes]
        )
        columns.source.append(first["source"])
        columns.measured.append(first["playback_measured"] == "yes")
        columns.locked_at.append(first["locked_at"])
        columns.digest.append(first["sheet_digest"])
        columns.playback_sha256.append(first.get("playback_sha256", ""))
        if fault := _digest_fault(first, responses):
            raise ReleaseRefused(folder, [f"{ANSWERS}, row {line}: {fault}"])
    return Sheets(
        cell=np.array(columns.cell, dtype=np.int64),
        reviewer=np.array(columns.reviewer, dtype=np.int64),
        answers=np.array(columns.answers, dtype=np.int8).reshape(-1, len(book.questions)),
        source=columns.source,
        measured=columns.measured,
        locked_at=columns.locked_at,
        digest=columns.digest,
        playback_sha256=columns.playback_sha256,
        window=columns.window if protocol.rollouts else (),
    )


def _digest_fault(first: Mapping[str, str], responses: Mapping[str, Response]) -> str:
    """Return why a sheet is not what its digest says; ``first`` is its first row.

    The digest of an older version covers what no release contains, and is not computed again.
    """
    playback = first.get("playback_sha256", "")
    record = SheetRecord(
        reviewer=first["reviewer"],
        stimulus=first["stimulus"],
        protocol_digest=first["protocol_digest"],
        scene=first["scene"],
        source=first["source"],
        responses=responses,
        locked_at=first["locked_at"],
    )
    is_measured = first["playback_measured"] == "yes"
    if (
        not playback
        or lock_digest(record, playback, is_measured=is_measured) == (first["sheet_digest"])
    ):
        return ""
    return (
        f"the sheet of {first['reviewer']} on {first['stimulus']} is not what was locked: its "
        f"SHA-256 is not {first['sheet_digest']}"
    )


def _sheets_of(folder: Path) -> Iterator[tuple[int, list[dict[str, str]]]]:
    """Yield the rows of each sheet, with the number of its first row as a spreadsheet shows it."""
    line = 2
    for _, group in groupby(
        read_csv(folder / ANSWERS), key=lambda row: (row["stimulus"], row["reviewer"])
    ):
        rows = list(group)
        yield line, rows
        line += len(rows)


def _fault(rows: list[dict[str, str]], has_clip: bool, has_reviewer: bool, is_second: bool) -> str:
    if not has_clip:
        return f"the release has no stimulus {rows[0]['stimulus']!r}"
    if not has_reviewer:
        return f"the manifest has no reviewer {rows[0]['reviewer']!r}"
    if is_second:
        return f"a second sheet of {rows[0]['reviewer']} on {rows[0]['stimulus']}"
    return ""
