"""Backups that somebody else made: sealed again, with rows and files that this program never
wrote.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from fartbench import writeonce
from fartbench.models import AuditEntry, Round
from operations.backup import rows
from operations.backup.folder import LIST, newest
from tests.operations.test_backup import lab as lab  # noqa: PLC0414 - a fixture
from tests.operations.test_backup import start_anew

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = "fartbench.round"
Row = dict[str, Any]


def write_rows(made: Path, table: str, lines: list[bytes]) -> None:
    """Replace the rows of a table, and seal the backup again."""
    content = b"".join(lines)
    (made / f"{table}.jsonl.gz").write_bytes(gzip.compress(content))
    stated = json.loads((made / LIST).read_text())["backup"]
    stated["tables"][table] = {"rows": len(lines), "sha256": hashlib.sha256(content).hexdigest()}
    text = json.dumps(stated, ensure_ascii=False, indent=1, sort_keys=True)
    sealed = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "backup": stated}
    (made / LIST).write_text(json.dumps(sealed))


def changed(row: Row, **changes: Any) -> bytes:
    return json.dumps(row | changes).encode() + b"\n"


ODD_ROWS: dict[str, Callable[[Row], bytes]] = {
    "a round that leads elsewhere": lambda row: changed(row, name="../../elsewhere"),
    "a column that is missing": lambda row: changed({"id": row["id"]}),
    "a time that is none": lambda row: changed(row, opened_at="soon"),
    "a row of something that is not there": lambda row: changed(row, protocol_id=99),
    "a line that is not a row": lambda _: b"[1]\n",
    "a line that is not JSON": lambda _: b"{nope\n",
}


@pytest.mark.parametrize("kind", ODD_ROWS)
def test_odd_rows_are_refused_in_words_and_nothing_is_restored(
    kind: str, lab: Path, settings: Any, tmp_path: Path
) -> None:
    call_command("backup", str(lab))
    made = newest(lab)
    row = json.loads(gzip.decompress((made / f"{ROUNDS}.jsonl.gz").read_bytes()))
    write_rows(made, ROUNDS, [ODD_ROWS[kind](row)])
    start_anew(settings, tmp_path / "new")
    with pytest.raises(CommandError, match="cannot be restored"):
        call_command("restore", str(lab))
    assert not Round.objects.exists()
    assert not AuditEntry.objects.exists()
    assert writeonce.missing() == []


@pytest.mark.parametrize("kind", ["a pipe", "a link", "a row without end"])
def test_a_table_that_cannot_be_read_within_limits_is_damaged(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.jsonl.gz"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a link":
        path.symlink_to("/dev/zero")
    else:
        monkeypatch.setattr(rows, "LONGEST_ROW", 1000)
        path.write_bytes(gzip.compress(b"0" * 1001))
    with pytest.raises(OSError, match="table"):
        rows.check_table(path)


@pytest.mark.parametrize("content", [None, b"[" * 100_000, b"{}"])
def test_a_list_that_cannot_be_one_is_refused(content: bytes | None, tmp_path: Path) -> None:
    (tmp_path / "2026").mkdir()
    if content is None:
        os.mkfifo(tmp_path / "2026" / LIST)
    else:
        (tmp_path / "2026" / LIST).write_bytes(content)
    with pytest.raises(CommandError, match=LIST):
        call_command("restore", str(tmp_path))
