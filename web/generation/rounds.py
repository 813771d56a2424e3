"""A round that is bought: launching it, watching it, and what an operator can do meanwhile."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_POST, require_safe

from fartbench.errors import Refusal
from fartbench.models import Round
from fartbench.storable import whole_number
from generation import buying, operating, selectors
from generation.configuring import named
from generation.errors import NotForOperators
from generation.exporting import manifest_lines
from generation.launching import budget_of, launch_lines
from generation.models import Configuration, ProviderAccount, Sample, SampleState, VerdictWaiver
from generation.verdicts import unreviewed, waive_verdicts
from web.generation.access import commissions, shared_context
from web.generation.outcomes import take_outcomes


@require_safe
@commissions
def home(request: HttpRequest) -> HttpResponseBase:
    """List the rounds, the configurations and the accounts."""
    context = {
        "rounds": Round.objects.select_related("protocol").order_by("-created_at", "-pk")[:50],
        "configurations": Configuration.objects.exclude(digest="").select_related("family"),
        "accounts": ProviderAccount.objects.order_by("provider"),
        "doubts": selectors.in_doubt().count(),
        **shared_context(),
    }
    return TemplateResponse(request, "generation/home.html", context)


@require_safe
@commissions
def round_page(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show how far a round's clips are, what they cost and what waits for a person."""
    round_ = round_or_404(name)
    lines = selectors.lines_of(round_)
    budget = budget_of(round_, launch_lines(round_))
    context = {
        "round": round_,
        "lines": lines,
        "scenes": [round_.protocol.rules.scene(key) for key in round_.scenes],
        "done": sum(line.done for line in lines),
        "total": sum(line.total for line in lines),
        "stamp": selectors.stamp_of(round_, lines),
        "spending": selectors.spending_of(round_),
        "troubled": selectors.troubled(round_)[: selectors.SHOWN],
        "without_clip": selectors.without_clip(round_)[: selectors.SHOWN],
        "retried": selectors.retried(round_),
        "failed_jobs": selectors.failed_jobs(round_),
        "paused": getattr(getattr(round_, "commissioning", None), "paused", False),
        "budget": budget,
        "unreviewed": len(unreviewed(round_)),
        "waiver": VerdictWaiver.objects.filter(round=round_).first(),
        "waiting": Sample.objects.filter(
            cell__round=round_, state__in=operating.CANCELLABLE
        ).count(),
        **shared_context(),
    }
    return TemplateResponse(request, "generation/round.html", context)


@require_safe
@commissions
def progress(_request: HttpRequest, name: str) -> HttpResponseBase:
    """Say how far the round is, for the page that shows it."""
    return JsonResponse(selectors.progress_json(round_or_404(name)))


@require_safe
@commissions
def manifest(_request: HttpRequest, name: str) -> HttpResponseBase:
    """Send the generation manifest."""
    round_ = round_or_404(name)
    answer = StreamingHttpResponse(manifest_lines(round_), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{round_.name}-generation.csv"'
    return answer


@require_POST
@commissions
def act(request: HttpRequest, name: str) -> HttpResponseBase:
    """Do what a button of the round's page says; a refusal is shown unchanged, and nothing was
    changed then.
    """
    round_, form = round_or_404(name), request.POST
    handler = _ACTIONS.get(form.get("action", ""))
    if handler is None:
        messages.error(request, "There is no such step.")
        return redirect("generation-round", round_.name)
    try:
        with transaction.atomic():
            words = handler(round_, request, request.user.get_username())
    except Refusal as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, words)
    return redirect("generation-round", round_.name)


def _waive(round_: Round, request: HttpRequest, actor: str) -> str:
    waive_verdicts(round_=round_, reason=request.POST.get("reason", ""), actor=actor)
    return "The round continues without experts' verdicts; its results will say why."


def _pause(round_: Round, _request: HttpRequest, actor: str) -> str:
    operating.set_paused(round_=round_, paused=True, actor=actor)
    return "Paused. Accepted orders continue; nothing new is sent."


def _resume(round_: Round, _request: HttpRequest, actor: str) -> str:
    operating.set_paused(round_=round_, paused=False, actor=actor)
    return "Resumed."


def _cancel(round_: Round, request: HttpRequest, actor: str) -> str:
    samples = list(_chosen(round_, request).filter(state__in=operating.CANCELLABLE))
    count = operating.cancel(samples=samples, actor=actor, reason=request.POST.get("reason", ""))
    return f"{count} cells cancelled."


def _send_again(round_: Round, request: HttpRequest, actor: str) -> str:
    samples = list(_chosen(round_, request).filter(state=SampleState.BLOCKED))
    return (
        f"{operating.send_again(samples=samples, actor=actor)} cells are sent again, with the very "
        "same bytes."
    )


def _ceilings(round_: Round, request: HttpRequest, actor: str) -> str:
    provider, text = request.POST.get("provider", "").strip(), request.POST.get("usd", "").strip()
    try:
        usd = Decimal(text) if text else None
    except InvalidOperation as error:
        raise NotForOperators(f"{text!r} is not an amount in dollars, such as 25.00.") from error
    if usd is not None and (not usd.is_finite() or usd < 0):
        raise NotForOperators("A ceiling is an amount in dollars of at least 0.")
    buying.set_ceilings(round_, {provider: usd}, actor)
    return "The ceiling is set." if usd is not None else "The ceiling is lifted."


def _outcomes(round_: Round, request: HttpRequest, actor: str) -> str:
    return take_outcomes(round_, request.FILES.get("outcomes"), actor)


def _chosen(round_: Round, request: HttpRequest) -> Any:
    samples = Sample.objects.filter(cell__round=round_).select_related(
        "cell__round", "cell__configuration"
    )
    keys = [
        key for text in request.POST.getlist("samples") if (key := whole_number(text)) is not None
    ]
    return samples.filter(pk__in=keys) if keys or "only" in request.POST else samples


_ACTIONS = {
    "waive": _waive,
    "pause": _pause,
    "resume": _resume,
    "cancel": _cancel,
    "send_again": _send_again,
    "ceiling": _ceilings,
    "outcomes": _outcomes,
}


def round_or_404(name: str) -> Round:
    """Return the round of that name, or answer that there is none."""
    found = Round.objects.select_related("protocol", "commissioning").filter(name=name).first()
    if found is None:
        raise Http404
    return found


def configurations_of(round_: Round) -> list[Configuration]:
    """Return the configurations of a round that are loaded from files."""
    return named(
        Configuration.objects.filter(cells__round=round_)
        .exclude(digest="")
        .values_list("name", flat=True)
    )
