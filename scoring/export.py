"""The export of a closed round: the tables of its releases, or another program's format, and a list
of their hashes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from django.db import transaction

from fartbench import audit
from fartbench.models import Round, RoundState
from fartbench.rounds import refuse_unless
from fartbench.storage import disk_faults_in_words, file_sha256
from fartbench.times import utc
from review.models import AnswerSheet, MistakeReport
from scoring.errors import ExportRefused
from scoring.formats import WRITERS
from scoring.records import RoundRecord
from scoring.records.reading import read_round
from scoring.release.contents import write_tables
from scoring.release.kinds import documents_of
from scoring.release.rows import RowOfCells
from scoring.release.writers import write_csv

TABLES = "tables"
FORMATS = (TABLES, *WRITERS)
NOTES_HEADER = ("round", "stimulus", "reviewer", "kind", "text", "at")


def export_round(
    *,
    round_: Round,
    folder: Path,
    actor: str,
    reason: str,
    form: str = TABLES,
    free_text: bool = False,
) -> list[Path]:
    """Write the round to ``folder``, which is made and must not hold anything yet; return the
    files.

    ``form`` is one of FORMATS; ``free_text`` adds what reviewers wrote. The export says which
    configuration a stimulus is, so it is refused before the round is closed and is recorded as an
    unblinding. Reviewers appear as codes. Raises StepOutOfOrder, ExportRefused, RoundAltered or
    StorageFull.
    """
    refuse_unless(round_, "export", RoundState.LOCKED, RoundState.PUBLISHED)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExportRefused(
            f"{folder} is there already and not an empty folder. Name a new one; nothing was "
            "written."
        )
    record = read_round(round_)
    if record.windows and form != TABLES:
        raise ExportRefused(
            f"{form} holds clips that are judged whole; this round has rollouts. Export its "
            f"{TABLES}."
        )
    with disk_faults_in_words(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as work:
            made = Path(work) / "export"
            made.mkdir()
            _writer(form, round_.protocol.content)(made, record)
            if free_text:
                write_csv(made / "notes.csv", NOTES_HEADER, _notes(round_))
            _write_sums(made)
            made.chmod(0o755)
            with transaction.atomic():
                audit.record("round exported", actor=actor, round_name=round_.name, reason=reason)
                made.replace(folder)
    return sorted(folder.iterdir())


def _writer(
    form: str, protocol_content: Mapping[str, object]
) -> Callable[[Path, RoundRecord], None]:
    if form in WRITERS:
        return WRITERS[form]
    return lambda folder, record: write_tables(folder, documents_of(record), protocol_content)


def _write_sums(folder: Path) -> None:
    sums = [f"{file_sha256(path)}  {path.name}\n" for path in sorted(folder.iterdir())]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


def _notes(round_: Round) -> Iterator[RowOfCells]:
    """Yield what reviewers wrote in their own words."""
    unplayable = AnswerSheet.objects.filter(stimulus__round=round_, unplayable_at__isnull=False)
    for stimulus, code, text, at in unplayable.order_by("pk").values_list(
        "stimulus_id", "reviewer__code", "unplayable_reason", "unplayable_at"
    ):
        yield round_.name, stimulus, code, "unplayable", text, utc(at)
    mistakes = MistakeReport.objects.filter(sheet__stimulus__round=round_)
    for stimulus, code, text, at in mistakes.order_by("pk").values_list(
        "sheet__stimulus_id", "sheet__reviewer__code", "text", "reported_at"
    ):
        yield round_.name, stimulus, code, "mistake", text, utc(at)
