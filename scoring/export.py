"""The export of a closed round: tables that name protocol and digest on every row, and one list of their hashes."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from blinding.models import BlindingKey
from fartbench import audit
from fartbench.models import Round, RoundState
from fartbench.protocol import Response, canonical_bytes
from fartbench.storage import disk_faults_in_words, file_sha256
from generation.models import Configuration, Sample
from review.models import Answer, CohortMember
from scoring.document import scores_document
from scoring.errors import ExportRefused
from scoring.results import round_results
from scoring.steps import refuse_unless

Table = Iterable[Mapping[str, Any]]
# A spreadsheet runs a cell that starts with one of these.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def export_round(*, round_: Round, folder: Path, actor: str, reason: str) -> list[Path]:
    """Write the round's tables to ``folder``, which is made and must not hold anything yet; return the files.

    The export says which configuration a stimulus is, so it is refused before the round is closed and is recorded
    as an unblinding. Reviewers appear as codes. Raises StepOutOfOrder, ExportRefused or StorageFull.
    """
    refuse_unless(round_, "export", RoundState.LOCKED, RoundState.PUBLISHED)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExportRefused(f"{folder} is there already and not an empty folder. Name a new one; nothing was written.")
    with disk_faults_in_words(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as work:
            _write_all(round_, Path(work) / "export")
            with transaction.atomic():
                audit.record("round exported", actor=actor, round_name=round_.name, reason=reason)
                (Path(work) / "export").replace(folder)
    return sorted(folder.iterdir())


def _write_all(round_: Round, folder: Path) -> None:
    folder.mkdir()
    document = scores_document(round_results(round_))
    tables: dict[str, Table] = {
        "answers.csv": _answers(round_),
        "clips.csv": _clips(round_),
        "configurations.csv": _configurations(round_),
        "leaderboard.csv": _leaderboard(document),
    }
    protocol = round_.protocol
    every_row = {"protocol": str(protocol), "protocol_digest": protocol.digest, "round": round_.name}
    for name, rows in tables.items():
        _write_table(folder / name, every_row, rows)
    (folder / "scores.json").write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "protocol.json").write_bytes(canonical_bytes(protocol.content))
    sums = [f"{file_sha256(path)}  {path.name}\n" for path in sorted(folder.iterdir())]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="ascii")
    folder.chmod(0o755)


def _write_table(path: Path, every_row: Mapping[str, Any], rows: Table) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer: csv.DictWriter[str] | None = None
        for row in rows:
            whole = {name: _guarded(value) for name, value in {**every_row, **row}.items()}
            if writer is None:
                writer = csv.DictWriter(file, fieldnames=list(whole))
                writer.writeheader()
            writer.writerow(whole)


def _guarded(value: Any) -> Any:
    """Return a cell that no spreadsheet runs as a formula: a text that starts like one gets an apostrophe."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _answers(round_: Round) -> Iterator[dict[str, Any]]:
    cells = {
        key.stimulus_id: key.sample.cell
        for key in BlindingKey.objects.filter(stimulus__round=round_).select_related("sample__cell__configuration")
    }
    roles = dict(CohortMember.objects.filter(round=round_).values_list("reviewer_id", "role"))
    answers = Answer.objects.filter(sheet__stimulus__round=round_, sheet__locked_at__isnull=False)
    for answer in answers.select_related("sheet__reviewer").order_by("sheet__locked_at", "sheet_id", "pk").iterator():
        sheet, cell = answer.sheet, cells[answer.sheet.stimulus_id]
        yield {
            "configuration": cell.configuration.name,
            "scene": cell.scene,
            "replicate": cell.replicate,
            "stimulus": sheet.stimulus_id,
            "reviewer": sheet.reviewer.code,
            "role": roles.get(sheet.reviewer_id, ""),
            "question": answer.question,
            "answer": str(Response(value=answer.value, na_reason=answer.na_reason)),
            "source": sheet.source,
            "playback_measured": "yes" if sheet.playback_measured else "no",
            "locked_at": _utc(sheet.locked_at),
            "sheet_digest": sheet.digest,
        }


def _clips(round_: Round) -> Iterator[dict[str, Any]]:
    stimuli = {
        key.sample_id: key.stimulus
        for key in BlindingKey.objects.filter(stimulus__round=round_).select_related("stimulus")
    }
    samples = Sample.objects.filter(cell__round=round_).select_related("cell__configuration", "clip")
    for sample in samples.order_by("cell__configuration__name", "cell__scene", "cell__replicate"):
        stimulus = stimuli.get(sample.pk)
        yield {
            "configuration": sample.cell.configuration.name,
            "scene": sample.cell.scene,
            "replicate": sample.cell.replicate,
            "outcome": sample.state,
            "reason": sample.reason,
            "stimulus": stimulus.pk if stimulus else "",
            "raw_sha256": sample.clip.sha256 if sample.clip else "",
            "blind_sha256": stimulus.sha256 if stimulus else "",
            "cost_usd": sample.cost_usd,
            "seed": sample.generation_seed,
            "model_version": sample.model_version,
            "generated_at": _utc(sample.generated_at),
        }


def _configurations(round_: Round) -> Iterator[dict[str, Any]]:
    found = Configuration.objects.filter(cells__round=round_).distinct().select_related("family").order_by("name")
    for configuration in found:
        yield {
            "configuration": configuration.name,
            "label": configuration.label,
            "family": configuration.family.name if configuration.family else "",
            "provider": configuration.provider,
            "model_id": configuration.model_id,
            "track": configuration.track,
            "provisional": "yes" if configuration.provisional else "no",
        }


def _leaderboard(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for line in document["leaderboard"]:
        yield {name: value for name, value in line.items() if name != "scenes"}


def _utc(time: datetime | None) -> str:
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z") if time else ""
