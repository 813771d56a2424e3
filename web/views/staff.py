"""Pages of staff and admins: the state of each round, and its steps as buttons."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from fartbench import audit
from fartbench.errors import Refusal
from fartbench.models import Round
from generation.selectors import simulated_samples
from review.progress import progress_of_round
from rounds.due import due_step
from rounds.errors import ReasonMissing
from rounds.forms import StepForm
from rounds.steps import for_browser
from web.archive import export_archive
from web.pages import rounds as read
from web.pages.grid import excluded_clips, grid_of
from web.pages.health import health_lines
from web.pages.steps import buttons_of, next_of
from web.pages.stimuli import blind_clips, unplayable_reports
from web.pages.trail import steps_of, trail_line
from web.pages.trail_search import TrailSearch, trail_csv
from web.pages.work import failed_jobs
from web.views.access import sees_rounds
from web.views.shared import for_staff, round_or_404

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
        **for_staff(request),
    }
    return TemplateResponse(request, "staff/home.html", context)


@require_safe
@sees_rounds
def round_page(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show one round: its state, its cells, its reviewers, and the steps that can be done."""
    return show_round(request, round_or_404(name))


def show_round(
    request: HttpRequest, round_: Round, bound: StepForm | None = None
) -> HttpResponseBase:
    """Show a round, with a form of its that was sent with errors."""
    due, grid = due_step(round_), grid_of(round_)
    members = progress_of_round(round_)
    context = {
        "round": round_,
        "rules": round_.protocol.rules,
        "due": next_of(round_, due),
        "stamp": read.stamp_of(round_, due),
        "marks": read.state_marks(round_),
        "buttons": buttons_of(round_, "round", due, bound),
        "reviewer_buttons": buttons_of(round_, "reviewers", due, bound),
        "grid": grid,
        "bars": read.bars_of(round_, members, grid),
        "members": members,
        "simulated": read.simulated_reviewers(round_),
        "simulated_clips": simulated_samples(round_).count(),
        "excluded": excluded_clips(round_),
        "reports": unplayable_reports(round_),
        "clips": blind_clips(round_),
        "failed_jobs": failed_jobs(round_),
        "plan": getattr(round_, "order_plan", None),
        "trail": [trail_line(entry) for entry in steps_of(round_.name)[:ENTRIES_ON_ROUND]],
        **for_staff(request),
    }
    return TemplateResponse(request, "staff/round.html", context)


@require_safe
@sees_rounds
def progress(_request: HttpRequest, name: str) -> HttpResponseBase:
    """Say how far the round is, for the page that shows it."""
    return JsonResponse(read.progress_of(round_or_404(name)).as_json())


@require_POST
@sees_rounds
def export(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send the tables of a closed round, for a reason that is written to the audit trail: they say
    whose clip is whose.
    """
    round_ = round_or_404(name)
    reason = request.POST.get("reason", "").strip()
    try:
        if not reason:
            raise ReasonMissing("Say what the export is for: it is recorded. Nothing was exported.")
        archive = export_archive(round_=round_, actor=request.user.get_username(), reason=reason)
    except Refusal as refusal:
        messages.error(request, for_browser(str(refusal), round_))
        return redirect("staff-round", round_.name)
    return FileResponse(
        archive, as_attachment=True, filename=f"{round_.name}.zip", content_type="application/zip"
    )


@require_safe
@sees_rounds
def health(request: HttpRequest) -> HttpResponseBase:
    """Say in words how the installation is, and what to do where something is amiss."""
    return TemplateResponse(
        request, "staff/health.html", {"lines": health_lines(), **for_staff(request)}
    )


@require_safe
@sees_rounds
def audit_trail(request: HttpRequest) -> HttpResponseBase:
    """Show what was done, the newest first."""
    search = TrailSearch(request.GET.dict())
    page = Paginator(search.found(), ENTRIES_PER_PAGE).get_page(request.GET.get("page"))
    query = urlencode({name: text for name, text in _asked(search).items() if text})
    context = {
        "page": page,
        "lines": [trail_line(entry) for entry in page],
        "search": search,
        "query": query,
        "head": audit.head(),
        **for_staff(request),
    }
    return TemplateResponse(request, "staff/audit.html", context)


def _asked(search: TrailSearch) -> dict[str, str]:
    return {name: search.data.get(name, "") for name in search.fields}


@require_safe
@sees_rounds
def audit_csv(request: HttpRequest) -> HttpResponseBase:
    """Send what a search of the trail finds as CSV; with an error go back to its page."""
    search = TrailSearch(request.GET.dict())
    if not search.is_valid():
        return redirect(f"{reverse('staff-audit')}?{request.GET.urlencode()}")
    lines = trail_csv(search.found().iterator())
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="audit-trail.csv"'
    return response
