"""The files of a release, all of them from the record of a round. No Django here.

`write_release` makes a folder, and `verify_release` makes one again from the answers of another and compares.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fartbench.protocol import canonical_bytes
from scoring.document import scores_document
from scoring.preference.fastchat import write_battles
from scoring.preference.table import vote_rows
from scoring.release.columns import ANSWERS, CONFIGURATIONS, PAIRS, Table, clips_table, leaderboard_table
from scoring.release.croissant import croissant
from scoring.release.judges import write_judges
from scoring.release.manifest import MANIFEST, Issue, manifest
from scoring.release.parquet import write_parquet
from scoring.release.readme import readme
from scoring.release.rows import answer_rows, clip_rows, configuration_rows, leaderboard_rows
from scoring.release.writers import json_bytes, readable_json_bytes, write_csv, write_jsonl
from scoring.reports import reports_document
from scoring.standings import RoundResults


@dataclass(frozen=True)
class Documents:
    """What a round says, as JSON."""

    results: RoundResults
    scores: dict[str, Any]
    reports: dict[str, Any]

    @classmethod
    def of(cls, results: RoundResults) -> Documents:
        """Make the documents of a round."""
        return cls(results, scores_document(results), reports_document(results))


def write_tables(folder: Path, documents: Documents, protocol_content: Mapping[str, Any]) -> None:
    """Write the tables of a round with its scores and its protocol to ``folder``, which must be there."""
    results, record = documents.results, documents.results.record
    rows = {
        ANSWERS: answer_rows(record),
        clips_table(record.protocol): clip_rows(results),
        CONFIGURATIONS: configuration_rows(record),
        leaderboard_table(record.protocol): leaderboard_rows(record, documents.reports["reports"]["overall_ranking"]),
    }
    if record.protocol.pairs:
        rows[PAIRS] = vote_rows(record)
        write_battles(folder, record)
    for table, found in rows.items():
        write_csv(folder / f"{table.name}.csv", _header(table), found)
    write_judges(folder, record)
    (folder / "scores.json").write_bytes(json_bytes(documents.scores))
    (folder / "protocol.json").write_bytes(canonical_bytes(protocol_content))


def write_release(folder: Path, documents: Documents, protocol_content: Mapping[str, Any], issue: Issue) -> str:
    """Write all files of a release to ``folder``, which must be empty, and return the release's digest.

    The same record and issue give the same bytes.
    """
    record = documents.results.record
    write_tables(folder, documents, protocol_content)
    write_jsonl(folder / "answers.jsonl", ANSWERS, answer_rows(record))
    write_parquet(folder / "answers.parquet", ANSWERS, answer_rows(record))
    (folder / "reports.json").write_bytes(json_bytes(documents.reports))
    # A web process shows plots that are drawn already.
    from scoring.release.judge_plots import judge_plots  # noqa: PLC0415
    from scoring.release.plots import plots_of  # noqa: PLC0415

    (folder / "plots").mkdir()
    drawings = plots_of(record.protocol, documents.reports)
    drawings |= judge_plots(record.protocol, documents.reports["reports"].get("human_ai_agreement", {}))
    for name, drawing in drawings.items():
        (folder / "plots" / name).write_text(drawing, encoding="utf-8", newline="\n")
    (folder / "README.md").write_text(readme(record, issue.licence), encoding="utf-8", newline="\n")
    description = croissant(record, hashes_of(folder), issue)
    (folder / "croissant.json").write_bytes(readable_json_bytes(description))
    stated = manifest(record, issue, hashes_of(folder))
    (folder / MANIFEST).write_bytes(readable_json_bytes(stated))
    return str(stated["digest"])


def hashes_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in ``folder``, by its path there."""
    return {path.relative_to(folder).as_posix(): _sha256(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _header(table: Table) -> list[str]:
    return [column.name for column in table.columns]
