"""The README of a release: what each file holds, column by column. No Django here."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.records import RoundRecord
from scoring.release.columns import Table
from scoring.release.judge_columns import JUDGE_FACTS

KINDS = {"text": "text", "integer": "whole number", "time": "ISO 8601, UTC"}

ANSWER_FILES = """\
| file | what it holds |
|---|---|
| `answers.csv`, `answers.jsonl`, `answers.parquet` | every locked answer, the same rows three times |
"""

SHARED_FILES = """\
| `reports.json` | every report: counts, estimates with interval and n, null with a note where undefined |
| `plots/*.svg` | the reports as plots |
| `protocol.json` | the whole protocol in canonical form; its SHA-256 is the protocol's digest |
| `croissant.json` | this release described for data tools (Croissant 1.0) |
| `manifest.json` | SHA-256 of every file, program and package versions, seeds, the head of the audit trail |
"""

JUDGE_FILES = """\
| `judges.csv`, `judge_answers.csv` | the AI judges and what they answered |
| `judge_protocols.json` | what each judge was sent, but for the clips' bytes; the SHA-256 of each is its digest |
"""

CALIBRATION_FILES = """\
| `judge_facts.csv`, `judge_ratings.csv` | how the AI judges compare with people; in full in `reports.json` |
"""

PAIR_FILES = """\
| `pairs.csv` | every locked vote on a blind pair |
| `battles.json` | the same votes as battles, in the form of FastChat |
"""

CHECK = """\
## How to check it

    python manage.py verify_release .

compares every hash and recomputes every score, report and plot from `answers.csv`, without a database. The digest it
prints is to be compared with the one that was published.

## How to read the tables

UTF-8, commas, CRLF line ends, cells quoted where needed. A cell that a spreadsheet would run as a formula begins with
one additional apostrophe. Intervals are at 95% confidence; `method` and `note` in `reports.json` say which, or why not.
"""


def readme(record: RoundRecord, tables: Sequence[Table], files: str, licence: str = "") -> str:
    """Return the README in Markdown. ``files`` are the lines about files that only this kind of
    round has; ``licence`` is the address of the terms of use, or empty.
    """
    listed = (
        ANSWER_FILES,
        files,
        SHARED_FILES,
        PAIR_FILES if record.protocol.pairs else "",
        JUDGE_FILES if record.judges else "",
        CALIBRATION_FILES if JUDGE_FACTS in tables else "",
    )
    parts = [
        f"# Results of round {record.name}",
        f"Protocol {record.protocol.label}, SHA-256 `{record.protocol_digest}`.",
        f"The round was opened {record.opened_at} and closed {record.closed_at}.",
        *(
            [f"The round was closed incomplete: {record.incomplete_reason}"]
            if record.incomplete_reason
            else []
        ),
        f"Terms of use: {licence}"
        if licence
        else "No licence was stated: ask the publisher before you reuse the files.",
        f"## Files\n\n{''.join(listed)}",
        CHECK,
        *(_table(table) for table in tables),
        _questions(record),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _table(table: Table) -> str:
    rows = [(f"`{column.name}`", KINDS[column.kind], column.words) for column in table.columns]
    return f"## {table.name}\n\n{table.words}\n\n{_grid(('column', 'kind', 'meaning'), rows)}"


def _questions(record: RoundRecord) -> str:
    protocol = record.protocol
    rows = [
        (
            f"`{question.key}`",
            question.label,
            ", ".join(f"{o.value} = {o.label}" for o in protocol.options(question)),
        )
        for question in protocol.questions
    ]
    reasons = [
        (f"`na:{reason}`", words, "") for reason, words in sorted(protocol.na_reasons.items())
    ]
    return f"## Questions and answers\n\n{_grid(('key', 'label', 'values'), [*rows, *reasons])}"


def _grid(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )
