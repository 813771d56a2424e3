"""Clips by browser: files are chosen or dropped, sent piece by piece, checked as a manifest is, and
taken in all at once.

Every page works without a script: then one form sends all files at once.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from django.conf import settings
from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from fartbench.errors import BadInput, Refusal
from fartbench.models import Round
from fartbench.storable import whole_number
from fartbench.storage import disk_faults_in_words
from fartbench.uploads import FilesOnDisk
from generation.cells import COLLECTING
from generation.uploads.folder import (
    PIECE_BYTES,
    PieceRefused,
    Upload,
    UploadGone,
    find_upload,
    uploads_of,
    uploads_root,
)
from generation.uploads.looking import clips_of, look_at_next, poster_path, seen
from generation.uploads.services import begin_upload, finished, unpack_archive
from generation.uploads.table import guessed_rows, spreadsheet_text
from rounds.steps import for_browser
from web.generation.access import commissions, shared_context
from web.generation.rounds import round_or_404


@require_http_methods(["GET", "HEAD", "POST"])
@csrf_exempt
@commissions
def clips(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show where clips are added, and begin an upload.

    Who may not do that is turned away before a byte of a file is read; then the form is read,
    and its token checked.
    """
    round_ = round_or_404(name)
    if request.method != "POST":
        return _show(request, round_)
    if request.content_type == "application/json":
        answer: HttpResponseBase = _begin_by_script(request, round_)
        return answer
    with tempfile.TemporaryDirectory(dir=uploads_root()) as folder:
        handler = FilesOnDisk(request, Path(folder))
        request.upload_handlers = [handler]
        form_answer: HttpResponseBase = _begin_by_form(request, round_, handler)
        return form_answer


def _show(request: HttpRequest, round_: Round) -> HttpResponseBase:
    context = {
        "round": round_,
        "uploads": uploads_of(round_.name),
        "collecting": round_.state in COLLECTING,
        "piece_bytes": PIECE_BYTES,
        "max_gb": settings.UPLOAD_MAX_BYTES // 1_000_000_000,
        "max_files": settings.UPLOAD_MAX_FILES,
        "scenes": [round_.protocol.rules.scene(key) for key in round_.scenes],
        **shared_context(),
    }
    return TemplateResponse(request, "generation/clips.html", context)


@csrf_protect
def _begin_by_script(request: HttpRequest, round_: Round) -> JsonResponse:
    try:
        upload = begin_upload(
            round_=round_, files=_announced(request), by=request.user.get_username()
        )
    except Refusal as refusal:
        return JsonResponse({"words": str(refusal)}, status=400)
    return JsonResponse({"url": reverse("generation-upload", args=[round_.name, upload.key])})


def _announced(request: HttpRequest) -> list[tuple[str, int]]:
    """Return the paths and sizes that a script announces. Raises BadInput for anything else."""
    fault = BadInput("The list of files", ["it is not a list of names and sizes"])
    try:
        listed = json.loads(request.body)["files"]
        files = [(file["path"], file["size"]) for file in listed]
    except (ValueError, TypeError, KeyError) as error:
        raise fault from error
    for path, size in files:
        if not isinstance(path, str) or type(size) is not int or not 0 <= size < 1 << 50:
            raise fault
    return files


@csrf_protect
def _begin_by_form(request: HttpRequest, round_: Round, handler: FilesOnDisk) -> HttpResponseBase:
    request.POST.get("csrfmiddlewaretoken")  # reads the form, where the check of its token did not
    files = [(file, path.stat().st_size) for file, path in handler.saved]
    places = dict(handler.saved)
    try:
        upload = begin_upload(round_=round_, files=files, by=request.user.get_username())
        with disk_faults_in_words(upload.folder):
            for file in upload.files:
                upload.adopt(file, places[file.path])
        unpack_archive(upload)
    except Refusal as refusal:
        messages.error(request, for_browser(str(refusal), round_))
        return redirect("generation-clips", round_.name)
    return redirect("generation-upload", round_.name, upload.key)


@require_POST
@commissions
def piece(request: HttpRequest, name: str, key: str) -> HttpResponseBase:
    """Take a piece of a file: its bytes are the body, its place and SHA-256 are in the address."""
    try:
        upload = find_upload(key, round_name=name)
        received = _add_piece(request, upload)
    except PieceRefused as refusal:
        return JsonResponse({"words": str(refusal), "received": refusal.received}, status=409)
    except UploadGone as refusal:
        return JsonResponse({"words": str(refusal)}, status=410)
    except Refusal as refusal:
        return JsonResponse({"words": str(refusal)}, status=507)
    return JsonResponse({"received": received})


def _add_piece(request: HttpRequest, upload: Upload) -> int:
    number = whole_number(request.GET.get("file", ""))
    place = whole_number(request.GET.get("piece", ""))
    if number is None or place is None or number >= len(upload.files):
        raise PieceRefused("There is no such file in this upload.", 0)
    # One byte more than a piece has: a longer body is noticed, and not read to its end.
    body = request.read(PIECE_BYTES + 1)
    digest = request.GET.get("sha256", "")
    return upload.add_piece(upload.files[number], place * PIECE_BYTES, body, digest)


@require_safe
@commissions
def upload_state(_request: HttpRequest, name: str, key: str) -> HttpResponseBase:
    """Say how much of each file has come."""
    upload = _upload_or_404(name, key)
    files = [
        {
            "path": file.path,
            "size": file.size,
            "received": upload.received(file),
            "last_piece": upload.last_piece(file),
        }
        for file in upload.files
    ]
    return JsonResponse({"files": files, "piece_bytes": PIECE_BYTES})


@require_POST
@commissions
def look(_request: HttpRequest, name: str, key: str) -> HttpResponseBase:
    """Look at one more file of a complete upload; its ZIP is unpacked first."""
    try:
        unpacked = unpack_archive(find_upload(key, round_name=name))
        more = look_at_next(unpacked)
    except UploadGone as refusal:
        return JsonResponse({"words": str(refusal)}, status=410)
    except Refusal as refusal:
        return JsonResponse({"words": str(refusal)}, status=400)
    every = clips_of(unpacked)
    looked = sum(seen(unpacked, file) is not None for file in every)
    return JsonResponse({"looked": looked, "total": len(every), "more": more})


@require_safe
@commissions
def poster(_request: HttpRequest, name: str, key: str, number: int) -> HttpResponseBase:
    """Send the still picture of a file."""
    upload = _upload_or_404(name, key)
    path = poster_path(upload, upload.files[number]) if number < len(upload.files) else None
    if path is None or not path.is_file():
        raise Http404
    return FileResponse(path.open("rb"), content_type="image/jpeg")


@require_safe
@commissions
def guessed_table(_request: HttpRequest, name: str, key: str) -> HttpResponseBase:
    """Send what was guessed from the names of the files, as a CSV file to correct."""
    upload = _upload_or_404(name, key)
    text = spreadsheet_text(guessed_rows(upload, round_or_404(name)))
    answer = HttpResponse(text, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}-clips.csv"'
    return answer


def _upload_or_404(name: str, key: str) -> Upload:
    """Return an upload whose files are there, or answer that there is none."""
    try:
        upload = find_upload(key, round_name=name)
    except UploadGone as error:
        raise Http404 from error
    if finished(upload) is not None:
        raise Http404
    return upload
