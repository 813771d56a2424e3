"""What staff may look into: how blinding went and, after the close and for a recorded reason, whose
clip is whose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_safe

from blinding.models import BlindingKey
from blinding.reports import fingerprint_of
from fartbench import audit
from fartbench.errors import Refusal
from fartbench.models import Round, RoundState
from generation.models import Cell
from review.comments import comments_of
from rounds.forms import StepForm
from rounds.steps import for_browser
from scoring.diagnostics import reviewer_diagnostics
from scoring.records.reading import read_round
from scoring.records.rollout_reading import read_rollout
from scoring.release.kinds import documents_of, kind_of
from scoring.release.rollouts.pages import timeline_of
from web.pages.blinding import copies_of, copy_line, fingerprint_in_words
from web.pages.board import read_board, rows_from
from web.pages.diagnostics import diagnosis
from web.pages.grid import excluded_clips
from web.pages.rollout_systems import previews_of
from web.pages.rollouts import read_columns
from web.pages.rounds import is_simulated
from web.pages.steps import buttons_of
from web.pages.stimuli import blind_clips
from web.pages.work import failed_jobs
from web.views.access import sees_rounds
from web.views.shared import for_staff, round_or_404

COPIES_PER_PAGE = 50
PREVIEWED = "previewed"  # in a session: the rounds whose preview was opened for a reason
CLOSED = (RoundState.LOCKED, RoundState.PUBLISHED)
Context = dict[str, Any]


@require_safe
@sees_rounds
def blinding(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show what blinding removed from each clip and what was proven, by cell; the buttons take
    opaque ids.
    """
    return show_blinding(request, round_or_404(name))


def show_blinding(
    request: HttpRequest, round_: Round, bound: StepForm | None = None
) -> HttpResponseBase:
    """Show how blinding went, with a form of a step that was sent with errors."""
    page = Paginator(copies_of(round_), COPIES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "round": round_,
        "rules": round_.protocol.rules,
        "page": page,
        "lines": [copy_line(copy) for copy in page],
        "excluded": excluded_clips(round_),
        "failed_jobs": failed_jobs(round_),
        "clips": blind_clips(round_) if round_.state == RoundState.REVIEWING else [],
        "buttons": buttons_of(round_, "blinding", bound=bound),
        **for_staff(request),
    }
    return TemplateResponse(request, "staff/blinding.html", context)


@require_safe
@sees_rounds
def fingerprint(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show how far the technical facts of the blind files tell configurations apart; measured when
    it is asked for.
    """
    round_ = round_or_404(name)
    report = fingerprint_in_words(fingerprint_of(round_))
    context = {
        "round": round_,
        "rules": round_.protocol.rules,
        "report": report,
        **for_staff(request),
    }
    return TemplateResponse(request, "staff/fingerprint.html", context)


def _with_reason(
    request: HttpRequest,
    round_: Round,
    *,
    ask: Context,
    action: str,
    answer: Callable[[Round], Context],
    template: str,
) -> HttpResponseBase:
    """Ask for a reason, record it, and only then show what ``answer`` returns."""
    context = {"round": round_, "rules": round_.protocol.rules, "ask": ask, **for_staff(request)}
    reason = request.POST.get("reason", "").strip()
    if not reason:
        context["reason_missing"] = request.method == "POST"
        return TemplateResponse(request, "staff/ask_reason.html", context)
    try:
        found = answer(round_)
    except Refusal as refusal:
        messages.error(request, for_browser(str(refusal), round_))
        return redirect("staff-round", round_.name)
    with transaction.atomic():
        audit.record(
            action, actor=request.user.get_username(), round_name=round_.name, reason=reason
        )
    return TemplateResponse(request, template, context | found)


def _round_in(name: str, *states: RoundState) -> Round:
    round_ = round_or_404(name)
    if round_.state not in states:
        raise Http404
    return round_


@require_http_methods(["GET", "HEAD", "POST"])
@sees_rounds
def preview(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show the scores of a closed round before it is published: for a reason that is written to the
    audit trail.
    """
    ask = {
        "title": "Preview the scores",
        "button": "Show the preview",
        "words": "The round is closed and not published. The preview shows its figures, and whose "
        "they are: "
        "it unblinds the round for you.",
    }
    round_ = _round_in(name, RoundState.LOCKED)

    def answer(round_: Round) -> Context:
        found = _preview(round_)
        request.session[PREVIEWED] = sorted({*request.session.get(PREVIEWED, ()), round_.name})
        return found

    return _with_reason(
        request,
        round_,
        ask=ask,
        action="scores previewed",
        answer=answer,
        template="staff/preview.html",
    )


@require_safe
@sees_rounds
def preview_timeline(
    request: HttpRequest, name: str, configuration: str, scene: str, replicate: int
) -> HttpResponseBase:
    """Draw one rollout along its time before it is published: a picture of the preview, and for
    anyone who opened that.
    """
    round_ = _round_in(name, RoundState.LOCKED)
    rollouts = round_.protocol.rules.rollouts
    if rollouts is None or name not in request.session.get(PREVIEWED, ()):
        raise Http404
    cell = get_object_or_404(
        Cell, round=round_, configuration__name=configuration, scene=scene, replicate=replicate
    )
    scenario = rollouts.scenario(cell.scene)
    found = timeline_of(read_rollout(cell), {update.id: update.at_s for update in scenario.updates})
    from web.pages.timeline import timeline_plot  # noqa: PLC0415 - few requests draw anything

    drawing = timeline_plot(
        f"{configuration}: {scenario.title}", {**found, "seconds": scenario.duration_s}
    )
    return HttpResponse(drawing, content_type="image/svg+xml")


def _preview(round_: Round) -> Context:
    rules = round_.protocol.rules
    documents = dict(kind_of(rules).pages(documents_of(read_round(round_))))

    def chosen(names: Any) -> Context:
        return {name: documents[name] for name in names}

    if rules.rollouts is None:
        shown: Context = {
            "board": read_board(chosen, rows_from(chosen, rules), rules, rows=len(documents))
        }
    else:
        shown = {
            "columns": read_columns(chosen, rules, {}),
            "rollouts": previews_of(documents, rules),
        }
    return {
        **shown,
        "incomplete_reason": round_.incomplete_reason,
        "rules": rules,
        "preview": True,
        "demonstration": is_simulated(round_),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@sees_rounds
def unblind(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show which configuration each stimulus is, retired ones too: after the close, for a recorded
    reason.
    """
    round_ = _round_in(name, *CLOSED)
    stimulus = round_.protocol.rules.words.stimulus
    ask = {
        "title": f"Whose {stimulus} is whose",
        "button": "Show it",
        "words": f"The round is closed. This says which configuration each {stimulus} is that "
        "reviewers knew by an "
        "opaque id.",
    }
    return _with_reason(
        request,
        round_,
        ask=ask,
        action="round unblinded",
        answer=_unblind,
        template="staff/unblind.html",
    )


def _unblind(round_: Round) -> Context:
    keys = BlindingKey.objects.filter(stimulus__round=round_).select_related(
        "sample__cell__configuration"
    )
    cells = (
        "sample__cell__configuration__name",
        "sample__cell__scene",
        "sample__cell__replicate",
        "pk",
    )
    return {"keys": keys.select_related("stimulus__retirement").order_by(*cells)}


@require_http_methods(["GET", "HEAD", "POST"])
@sees_rounds
def diagnostics(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show how each reviewer rated, with flags, and how the figures stand without each.

    Nobody is ever removed.
    """
    ask = {
        "title": "How the reviewers rated",
        "button": "Show it",
        "words": "Severity, minority votes, agreement, use of N/A, time and playback of each "
        "reviewer, and what they "
        "reported. It flags what may need attention and removes no reviewer: the cohort was fixed "
        "before.",
    }
    round_ = _round_in(name, *CLOSED)
    return _with_reason(
        request,
        round_,
        ask=ask,
        action="reviewers diagnosed",
        answer=_diagnosed,
        template="staff/diagnostics.html",
    )


def _diagnosed(round_: Round) -> Context:
    found = diagnosis(reviewer_diagnostics(round_), round_.protocol.rules)
    return {"diagnosis": found, "comments": comments_of(round_)}
