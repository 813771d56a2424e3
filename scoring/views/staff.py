"""Pages of staff and admins: where each round stands, and the steps of the command line as buttons."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from fartbench import audit
from fartbench.errors import Refusal
from fartbench.models import ProtocolVersion, Round, RoundState
from fartbench.rounds import create_round
from generation.models import SampleState
from review.selectors import progress_of_round
from scoring.archive import export_archive
from scoring.pages import rounds as read
from scoring.pages.actions import actions_for
from scoring.pages.board import read_board
from scoring.pages.trail import entries, steps_of, trail_line
from scoring.release.contents import Documents
from scoring.release.pages import page_documents
from scoring.results import round_results
from scoring.steps import due_step
from scoring.steps_by_hand import ReasonMissing, StepDone, run_step
from scoring.views.access import may_run_rounds, runs_rounds, sees_rounds

ROUNDS_PER_PAGE = 20
ENTRIES_PER_PAGE = 50
ENTRIES_ON_ROUND = 6


@require_safe
@sees_rounds
def home(request: HttpRequest) -> HttpResponseBase:
    """List the rounds with their state and the step that is due."""
    rounds = Round.objects.select_related("protocol").order_by("-created_at", "-pk")
    page = Paginator(rounds, ROUNDS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": read.round_lines(list(page)),
        "protocols": ProtocolVersion.objects.defer("content").order_by("name", "version"),
        **_for_staff(request),
    }
    return TemplateResponse(request, "staff/home.html", context)


@require_POST
@runs_rounds
def new_round(request: HttpRequest) -> HttpResponseBase:
    """Make a round."""
    name, protocol = (request.POST.get(key, "").strip() for key in ("name", "protocol"))
    try:
        made = create_round(name=name, protocol=protocol, actor=request.user.get_username())
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("staff-home")
    messages.success(request, f"Round {made.name} stands, on {made.protocol}.")
    return redirect("staff-round", made.name)


@require_safe
@sees_rounds
def round_page(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show one round: where it stands, its cells, its reviewers, and the steps that can be done."""
    round_ = _round_or_404(name)
    due, grid = due_step(round_), read.grid_of(round_)
    excluded = read.excluded_clips(round_)
    bars = read.bars_of(round_, grid)
    context = {
        "round": round_,
        "rules": round_.protocol.rules,
        "due": due,
        "stamp": read.stamp_of(round_, due),
        "marks": read.state_marks(round_),
        "actions": actions_for(round_, due),
        "grid": grid,
        "outcomes": SampleState.without_clip(),
        "bars": bars,
        "missing": sum(bar.total - bar.done for bar in bars if bar.key == "sheets"),
        "members": progress_of_round(round_),
        "simulated": read.simulated_reviewers(round_),
        "excluded": excluded,
        "reports": read.unplayable_reports(round_),
        "clips": read.blind_clips(round_),
        "failed_jobs": read.failed_jobs(round_),
        "plan": getattr(round_, "order_plan", None),
        "trail": [trail_line(entry) for entry in steps_of(round_.name)[:ENTRIES_ON_ROUND]],
        **_for_staff(request),
    }
    return TemplateResponse(request, "staff/round.html", context)


@require_safe
@sees_rounds
def progress(_request: HttpRequest, name: str) -> HttpResponseBase:
    """Say how far the round is, for the page that shows it."""
    return JsonResponse(read.progress_of(_round_or_404(name)).as_json())


@require_POST
@runs_rounds
def step(request: HttpRequest, name: str) -> HttpResponseBase:
    """Do one step of the round; a refusal is shown as it stands, and nothing was changed then."""
    round_ = _round_or_404(name)
    fields = {key: str(value) for key, value in request.POST.items() if key not in {"csrfmiddlewaretoken", "step"}}
    try:
        done = run_step(round_, request.POST.get("step", ""), request.user.get_username(), **fields)
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("staff-round", round_.name)
    if done.links:
        return _show_once(request, round_, done)
    messages.success(request, done.words)
    return redirect("staff-round", round_.name)


def _show_once(request: HttpRequest, round_: Round, done: StepDone) -> HttpResponseBase:
    # Links are secrets: they are in this answer alone, never in a message, a cookie or a row.
    return TemplateResponse(request, "staff/links.html", {"round": round_, "done": done, **_for_staff(request)})


@require_http_methods(["GET", "HEAD", "POST"])
@sees_rounds
def preview(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show the scores of a closed round before it is published: for a reason that goes into the audit trail."""
    round_ = _round_or_404(name)
    if round_.state != RoundState.LOCKED:
        raise Http404
    context = {"round": round_, **_for_staff(request)}
    reason = request.POST.get("reason", "").strip()
    if not reason:
        context["reason_missing"] = request.method == "POST"
        return TemplateResponse(request, "staff/preview_reason.html", context)
    try:
        documents = dict(page_documents(Documents.of(round_results(round_))))
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("staff-round", round_.name)
    with transaction.atomic():
        audit.record("scores previewed", actor=request.user.get_username(), round_name=round_.name, reason=reason)
    every = read_board(
        lambda names: {name: documents[name] for name in names}, round_.protocol.rules, rows=len(documents)
    )
    context |= {
        "board": every,
        "incomplete_reason": round_.incomplete_reason,
        "rules": round_.protocol.rules,
        "preview": True,
        "demonstration": read.has_simulated_answers(round_),
    }
    return TemplateResponse(request, "staff/preview.html", context)


@require_POST
@sees_rounds
def export(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send the tables of a closed round, for a reason that goes into the audit trail: they say whose clip is whose."""
    round_ = _round_or_404(name)
    reason = request.POST.get("reason", "").strip()
    try:
        if not reason:
            raise ReasonMissing("Say what the export is for: it is recorded. Nothing was exported.")
        archive = export_archive(round_=round_, actor=request.user.get_username(), reason=reason)
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("staff-round", round_.name)
    return FileResponse(archive, as_attachment=True, filename=f"{round_.name}.zip", content_type="application/zip")


@require_safe
@sees_rounds
def audit_trail(request: HttpRequest) -> HttpResponseBase:
    """Show what was done, the newest first."""
    round_name = request.GET.get("round", "")
    page = Paginator(entries(round_name), ENTRIES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": [trail_line(entry) for entry in page],
        "round_name": round_name,
        "round_names": Round.objects.order_by("name").values_list("name", flat=True),
        **_for_staff(request),
    }
    return TemplateResponse(request, "staff/audit.html", context)


def _round_or_404(name: str) -> Round:
    found = Round.objects.select_related("protocol", "order_plan").filter(name=name).first()
    if found is None:
        raise Http404
    return found


def _for_staff(request: HttpRequest) -> dict[str, Any]:
    return {"runs_rounds": may_run_rounds(request.user), "silence": read.worker_silence()}
