"""The files of a release about its AI judges: who they were, what they answered, under which
protocols. No Django here.

A round without judges has none of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from fartbench.protocol import Protocol, canonical_bytes, digest_of, form_for
from scoring.errors import ReleaseRefused
from scoring.records import MISSING, RoundRecord
from scoring.records.judges import ANSWERED, JudgeRecord, JudgeRunRecord
from scoring.records.shown import Shown
from scoring.release.columns import Table
from scoring.release.judge_columns import JUDGE_ANSWERS, JUDGES
from scoring.release.rows import RowOfCells, every_row, shown_as
from scoring.release.writers import read_csv, write_csv

PROTOCOLS = "judge_protocols.json"
JUDGES_FILE, ANSWERS_FILE = f"{JUDGES.name}.csv", f"{JUDGE_ANSWERS.name}.csv"


def write_judges(folder: Path, record: RoundRecord, answers: Table) -> None:
    """Write the judges of a round, when it has any; ``answers`` is the table of what they
    answered.
    """
    if not record.judges:
        return
    write_csv(folder / JUDGES_FILE, [column.name for column in JUDGES.columns], judge_rows(record))
    write_csv(
        folder / ANSWERS_FILE,
        [column.name for column in answers.columns],
        judge_answer_rows(record),
    )
    contents = [{"digest": judge.digest, "content": judge.content} for judge in record.judges]
    (folder / PROTOCOLS).write_bytes(canonical_bytes(contents))


def judge_rows(record: RoundRecord) -> Iterator[RowOfCells]:
    """Yield a row per judge and variant."""
    for judge in record.judges:
        about = (
            judge.name,
            judge.variant,
            judge.label,
            judge.service,
            judge.model,
            judge.digest,
            judge.frozen_at,
        )
        yield (*every_row(record), *about)


def judge_answer_rows(record: RoundRecord) -> Iterator[RowOfCells]:
    """Yield a row per judge, clip and question, questions in the order of the form."""
    first = every_row(record)
    for judge in record.judges:
        for run in judge.runs:
            cell = record.cells[run.cell]
            where = (
                cell.configuration,
                cell.scene,
                cell.replicate,
                *shown_as(record, cell, run.window),
            )
            about = (
                run.state,
                run.code,
                run.reason,
                run.model_version,
                run.input_tokens,
                run.output_tokens,
            )
            before = (*first, judge.name, judge.variant, *where, *about, run.cost_usd, run.ended_at)
            for question in record.questions_about(run.window):
                yield (*before, question, run.answers.get(question, ""))


def load_judges(folder: Path, shown: Shown, protocol: Protocol) -> tuple[JudgeRecord, ...]:
    """Return the judges of a release; none when it has no such files.

    Raises ReleaseRefused, naming file and row, for a protocol that is not what its digest says, or
    an answer of a clip or a judge that the release does not have.
    """
    if not (folder / JUDGES_FILE).is_file():
        return ()
    contents = {
        found["digest"]: found["content"] for found in json.loads((folder / PROTOCOLS).read_bytes())
    }
    if wrong := [digest for digest, content in contents.items() if digest_of(content) != digest]:
        raise ReleaseRefused(
            folder, [f"{PROTOCOLS}: a judge protocol does not have the SHA-256 {wrong[0]}"]
        )
    runs = _runs(folder, shown, protocol)
    rows = list(read_csv(folder / JUDGES_FILE))
    if strangers := runs.keys() - {(row["judge"], row["variant"]) for row in rows}:
        raise ReleaseRefused(
            folder, [f"{ANSWERS_FILE}: {JUDGES_FILE} has no judge {' '.join(min(strangers))}"]
        )
    return tuple(
        JudgeRecord(
            name=row["judge"],
            variant=row["variant"],
            digest=row["protocol_sha256"],
            frozen_at=row["frozen_at"],
            content=contents[row["protocol_sha256"]],
            runs=tuple(runs.get((row["judge"], row["variant"]), ())),
        )
        for row in rows
    )


Runs = dict[tuple[str, str], list[JudgeRunRecord]]


def _runs(folder: Path, shown: Shown, protocol: Protocol) -> Runs:
    found: Runs = {}
    keys = {form: sorted(form_for(protocol, form).keys) for form in set(shown.form.values())}
    line = 2
    rows = read_csv(folder / ANSWERS_FILE)
    for (name, variant, stimulus), group in groupby(
        rows, lambda row: (row["judge"], row["variant"], row["stimulus"])
    ):
        of_run = list(group)
        if stimulus not in shown.cell:
            raise ReleaseRefused(
                folder, [f"{ANSWERS_FILE}, row {line}: the release has no stimulus {stimulus!r}"]
            )
        if sorted(row["question"] for row in of_run) != keys[shown.form[stimulus]]:
            raise ReleaseRefused(
                folder, [f"{ANSWERS_FILE}, row {line}: these are not the form's questions"]
            )
        found.setdefault((name, variant), []).append(_run(shown, stimulus, of_run))
        line += len(of_run)
    return found


def _run(shown: Shown, stimulus: str, rows: list[dict[str, str]]) -> JudgeRunRecord:
    row: dict[str, Any] = rows[0]
    read, written = (
        int(row[name]) if row[name] else None for name in ("input_tokens", "output_tokens")
    )
    return JudgeRunRecord(
        cell=shown.cell[stimulus],
        window=shown.window.get(stimulus, MISSING),
        state=row["state"],
        code=row["code"],
        reason=row["reason"],
        model_version=row["model_version"],
        input_tokens=read,
        output_tokens=written,
        cost_usd=row["cost_usd"],
        ended_at=row["ended_at"],
        answers={each["question"]: each["answer"] for each in rows}
        if row["state"] == ANSWERED
        else {},
    )
