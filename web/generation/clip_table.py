"""The page of one upload: its clips beside the cells that they are for, the check, and what came of
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_http_methods

from fartbench.errors import Refusal
from fartbench.models import Round
from generation.clip_notes import clip_notes
from generation.expectations import expected_of
from generation.models import Configuration
from generation.uploads.folder import PIECE_BYTES, Upload, UploadGone, find_upload
from generation.uploads.looking import Seen, clips_of, seen
from generation.uploads.services import (
    UploadRefused,
    Verdict,
    archive_of,
    check,
    finished,
    put_table,
    settled_cells,
    table_of,
    unpack_archive,
)
from generation.uploads.table import (
    LEFT_OUT,
    MOST_ROWS,
    TableRow,
    kept_rows,
    open_cells,
    rows_from,
)
from rounds.steps import for_browser
from web.generation.access import commissions, shared_context
from web.generation.rounds import round_or_404

OUTCOMES_WITHOUT_CLIP = (
    ("", "Comes later"),
    ("refused", "Refused by the model"),
    ("failed", "Failed"),
)
OUTCOMES_WITH_CLIP = (("ok", "Take in"), (LEFT_OUT, "Leave out"))
MOST_OPEN_CELLS = 100
MOST_FAULTS = 500


@dataclass(frozen=True)
class Line:
    """A row of the page: what was filled in, the file's place, what was seen, and the faults."""

    row: TableRow
    number: int | None = None
    seen: Seen | None = None
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@require_http_methods(["GET", "HEAD", "POST"])
@commissions
def upload_page(request: HttpRequest, name: str, key: str) -> HttpResponseBase:
    """Show an upload, and do what its buttons say."""
    round_ = round_or_404(name)
    try:
        upload = find_upload(key, round_name=round_.name)
        done = finished(upload)
        if done is not None:
            return _show_done(request, round_, done)
        if request.method == "POST":
            return _act(request, round_, upload)
        return _show(request, round_, upload)
    except UploadGone as refusal:
        messages.error(request, str(refusal))
    except Refusal as refusal:
        messages.error(request, str(refusal))
    return redirect("generation-clips", round_.name)


def _act(request: HttpRequest, round_: Round, upload: Upload) -> HttpResponseBase:
    form, actor = request.POST, request.user.get_username()
    action = form.get("action", "check")
    if action == "discard":
        upload.throw_away()
        messages.success(request, "The upload was thrown away. The round is unchanged.")
        return redirect("generation-clips", round_.name)
    if action == "csv":
        return _put_csv(request, round_, upload)
    if upload.is_complete:
        upload = unpack_archive(upload)  # what it holds belongs to the page that follows
    rows = None
    if table_of(upload) is None:
        rows = rows_from(dict(form.lists()), upload)
    try:
        verdict = check(
            upload,
            round_,
            actor=actor,
            rows=rows,
            replacing="replace" in form,
            reason=form.get("reason_to_replace", ""),
            dry_run=action != "take_in",
        )
    except Refusal as refusal:
        verdict = Verdict(faults=[for_browser(str(refusal), round_)])
    if verdict.done:
        messages.success(request, "The clips are in the round.")
        return redirect("generation-upload", round_.name, upload.key)
    return _show(request, round_, upload, verdict)


def _put_csv(request: HttpRequest, round_: Round, upload: Upload) -> HttpResponseBase:
    """Take a CSV file for clips that are here, and check them with it."""
    sent = request.FILES.get("table")
    try:
        if sent is None:
            raise UploadRefused("The upload", ["choose a CSV file"])
        upload = put_table(upload, str(sent.name), sent.read())
        verdict = check(upload, round_, actor=request.user.get_username())
    except Refusal as refusal:
        verdict = Verdict(faults=[for_browser(str(refusal), round_)])
    return _show(request, round_, upload, verdict)


def _show_done(request: HttpRequest, round_: Round, done: dict[str, Any]) -> HttpResponseBase:
    if request.method == "POST":
        messages.info(request, "This upload was taken in already. Nothing was changed again.")
    context = {
        "round": round_,
        "done": done,
        "done_at": parse_datetime(done["at"]),
        "report": done["report"],
        **shared_context(),
    }
    return TemplateResponse(request, "generation/upload_done.html", context)


def _show(
    request: HttpRequest, round_: Round, upload: Upload, verdict: Verdict | None = None
) -> HttpResponseBase:
    table = table_of(upload)
    is_too_long = len(clips_of(upload)) > MOST_ROWS
    is_packed = archive_of(upload) is not None
    has_table = table is None and not is_too_long and not is_packed
    rows = kept_rows(upload, round_) if has_table else []
    faults = verdict.by_file if verdict else {}
    without = open_cells(rows, round_, settled_cells(round_))[:MOST_OPEN_CELLS]
    without_clip = [Line(row, faults=tuple(faults.get(row.cell, ()))) for row in without]
    general_faults = verdict.faults if verdict else []
    scenes = [round_.protocol.rules.scene(key) for key in round_.scenes]
    context = {
        "round": round_,
        "upload": upload,
        "piece_bytes": PIECE_BYTES,
        "table": table,
        "is_too_long": is_too_long,
        "is_packed": is_packed,
        "lines": _lines(upload, round_, rows, faults),
        "without_clip": without_clip,
        "verdict": verdict,
        "faults": general_faults[:MOST_FAULTS],
        "faulty": len(faults) + len(general_faults),
        "can_take_in": verdict is not None and _changes(verdict),
        "replacing": "replace" in request.POST,
        "reason_to_replace": request.POST.get("reason_to_replace", ""),
        "scenes": scenes,
        "replicates": range(1, round_.replicates + 1),
        "known": Configuration.objects.order_by("name").values_list("name", flat=True)[:200],
        "with_clip": OUTCOMES_WITH_CLIP,
        "outcomes": OUTCOMES_WITHOUT_CLIP,
        **shared_context(),
    }
    return TemplateResponse(request, "generation/upload.html", context)


def _changes(verdict: Verdict) -> bool:
    report = verdict.report
    return report is not None and bool(report.added or report.replaced)


def _lines(
    upload: Upload, round_: Round, rows: list[TableRow], faults: dict[str, list[str]]
) -> list[Line]:
    places = {file.path: place for place, file in enumerate(upload.files)}
    lines = []
    for row in rows:
        if row.file in places:
            place = places[row.file]
            file_seen = seen(upload, upload.files[place])
            notes = _notes(file_seen, row, round_)
            lines.append(Line(row, place, file_seen, notes, _faults(row, file_seen, faults)))
    return lines


def _notes(file_seen: Seen | None, row: TableRow, round_: Round) -> tuple[str, ...]:
    if file_seen is None or file_seen.facts is None or row.scene not in round_.scenes:
        return ()
    return tuple(clip_notes(file_seen.facts, expected_of(round_, row.scene)))


def _faults(row: TableRow, file_seen: Seen | None, faults: dict[str, list[str]]) -> tuple[str, ...]:
    named = tuple(faults.get(row.file, ()))
    if file_seen is None or not file_seen.fault or not row.is_used or named:
        return named
    return (f"file: {file_seen.fault}",)
