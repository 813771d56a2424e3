"""The files of a release, all of them from the record of a round. No Django here.

`write_release` makes a folder, and `verify_release` makes one again from the answers of another and
compares.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fartbench.protocol import canonical_bytes
from scoring.records import RoundRecord
from scoring.release.battles import write_battles
from scoring.release.columns import PAIRS, Table
from scoring.release.croissant import croissant
from scoring.release.documents import Documents
from scoring.release.judge_columns import JUDGES
from scoring.release.judges import write_judges
from scoring.release.kinds import kind_of
from scoring.release.loading import VERDICTS
from scoring.release.manifest import MANIFEST, Issue, manifest
from scoring.release.parquet import write_parquet
from scoring.release.readme import readme
from scoring.release.rows import answer_rows
from scoring.release.votes import vote_rows
from scoring.release.writers import json_bytes, readable_json_bytes, write_csv, write_jsonl


def write_tables(
    folder: Path, documents: Documents[Any], protocol_content: Mapping[str, Any]
) -> None:
    """Write the tables of a round with its scores and its protocol to ``folder``, which must be
    there.
    """
    record = documents.results.record
    kind = kind_of(record.protocol)
    rows = dict(zip(kind.tables(record.protocol), kind.rows(documents), strict=True))
    rows[kind.answers] = answer_rows(record)
    if record.protocol.pairs:
        rows[PAIRS] = vote_rows(record)
        write_battles(folder, record)
    if record.judges:
        rows |= zip(kind.calibration, kind.calibration_rows(documents), strict=True)
    for table, found in rows.items():
        cells = table.cells_as_of(record.format, found)
        write_csv(folder / f"{table.name}.csv", _header(table.as_of(record.format)), cells)
    write_judges(folder, record, kind.judge_answers)
    if record.verdicts:
        (folder / VERDICTS).write_bytes(canonical_bytes(record.verdicts))
    (folder / "scores.json").write_bytes(json_bytes(documents.scores))
    (folder / "protocol.json").write_bytes(canonical_bytes(protocol_content))


def write_release(
    folder: Path, documents: Documents[Any], protocol_content: Mapping[str, Any], issue: Issue
) -> str:
    """Write all files of a release to ``folder``, which must be empty, and return the release's
    digest.

    The same record and issue give the same bytes.
    """
    record = documents.results.record
    kind = kind_of(record.protocol)
    tables = tables_of(record)
    write_tables(folder, documents, protocol_content)
    answers = kind.answers.as_of(record.format)
    for write, name in ((write_jsonl, "answers.jsonl"), (write_parquet, "answers.parquet")):
        rows = kind.answers.cells_as_of(record.format, answer_rows(record))
        write(folder / name, answers, rows)
    (folder / "reports.json").write_bytes(json_bytes(documents.reports))
    plots = kind.plots(record.protocol, documents)
    if plots:  # an empty folder is no part of a release
        (folder / "plots").mkdir()
    for name, drawing in plots.items():
        (folder / "plots" / name).write_text(drawing, encoding="utf-8", newline="\n")
    (folder / "README.md").write_text(
        readme(record, tables, kind.files, issue.licence), encoding="utf-8", newline="\n"
    )
    description = croissant(record, hashes_of(folder), issue, tables)
    (folder / "croissant.json").write_bytes(readable_json_bytes(description))
    stated = manifest(record, issue, hashes_of(folder))
    (folder / MANIFEST).write_bytes(readable_json_bytes(stated))
    return str(stated["digest"])


def tables_of(record: RoundRecord) -> tuple[Table, ...]:
    """Return every table of a release: those of pairs when its protocol has them, of AI judges when
    its round has.
    """
    kind = kind_of(record.protocol)
    tables = (
        kind.answers,
        *kind.tables(record.protocol),
        *((PAIRS,) if record.protocol.pairs else ()),
        *((JUDGES, kind.judge_answers, *kind.calibration) if record.judges else ()),
    )
    return tuple(table.as_of(record.format) for table in tables)


def hashes_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in ``folder``, by its path there."""
    return {
        path.relative_to(folder).as_posix(): _sha256(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _header(table: Table) -> list[str]:
    return [column.name for column in table.columns]
