"""Pages of staff and admins: where each round stands, and the steps of the command line as
buttons.
"""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_POST, require_safe

from fartbench import audit
from fartbench.errors import Refusal
from fartbench.models import ProtocolVersion, Round
from fartbench.rounds import create_round
from generation.models import SampleState
from review.progress import progress_of_round
from rounds.steps import due_step
from rounds.steps_by_hand import ReasonMissing, run_step
from web.archive import export_archive
from web.pages import rounds as read
from web.pages.actions import ACTIONS, actions_for, placed
from web.pages.grid import excluded_clips, grid_of
from web.pages.health import health_lines
from web.pages.stimuli import blind_clips, unplayable_reports
from web.pages.trail import entries, steps_of, trail_line
from web.pages.work import failed_jobs
from web.views.access import runs_rounds, sees_rounds
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
        "protocols": ProtocolVersion.objects.defer("content").order_by("name", "version"),
        **for_staff(request),
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
    messages.success(request, f"Round {made.name} exists, on {made.protocol}.")
    return redirect("staff-round", made.name)


@require_safe
@sees_rounds
def round_page(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show one round: where it stands, its cells, its reviewers, and the steps that can be done."""
    round_ = round_or_404(name)
    due, grid = due_step(round_), grid_of(round_)
    actions, excluded = actions_for(round_, due), excluded_clips(round_)
    members = progress_of_round(round_)
    bars = read.bars_of(round_, members, grid)
    context = {
        "round": round_,
        "rules": round_.protocol.rules,
        "due": due,
        "stamp": read.stamp_of(round_, due),
        "marks": read.state_marks(round_),
        "actions": placed(actions, "round"),
        "reviewer_actions": placed(actions, "reviewers"),
        "grid": grid,
        "outcomes": SampleState.without_clip(),
        "bars": bars,
        "missing": sum(bar.total - bar.done for bar in bars if bar.key in {"sheets", "votes"}),
        "members": members,
        "simulated": read.simulated_reviewers(round_),
        "excluded": excluded,
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
@runs_rounds
def step(request: HttpRequest, name: str) -> HttpResponseBase:
    """Do one step of the round; a refusal is shown as it stands, and nothing was changed then."""
    round_, step_name = round_or_404(name), request.POST.get("step", "")
    fields = {
        key: str(value)
        for key, value in request.POST.items()
        if key not in {"csrfmiddlewaretoken", "step"}
    }
    try:
        done = run_step(round_, step_name, request.user.get_username(), **fields)
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect(_page_of(step_name), round_.name)
    messages.success(request, done.words)
    if done.links:
        return redirect("staff-reviewers", round_.name)  # shows them, as often as it is loaded
    return redirect(_page_of(step_name), round_.name)


def _page_of(step_name: str) -> str:
    """Return the page that has the button of a step."""
    pages = {"blinding": "staff-blinding", "pairs": "staff-pairs"}
    place = next((action.place for action in ACTIONS if action.step == step_name), "round")
    return pages.get(place, "staff-round")


@require_POST
@sees_rounds
def export(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send the tables of a closed round, for a reason that goes into the audit trail: they say
    whose clip is whose.
    """
    round_ = round_or_404(name)
    reason = request.POST.get("reason", "").strip()
    try:
        if not reason:
            raise ReasonMissing("Say what the export is for: it is recorded. Nothing was exported.")
        archive = export_archive(round_=round_, actor=request.user.get_username(), reason=reason)
    except Refusal as refusal:
        messages.error(request, str(refusal))
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
    round_name = request.GET.get("round", "")
    page = Paginator(entries(round_name), ENTRIES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": [trail_line(entry) for entry in page],
        "round_name": round_name,
        "head": audit.head(),
        "round_names": Round.objects.order_by("name").values_list("name", flat=True),
        **for_staff(request),
    }
    return TemplateResponse(request, "staff/audit.html", context)
