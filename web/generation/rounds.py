"""A round that is bought: launching it, watching it, and what an operator can do while it runs."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from fartbench.models import Round
from generation import operating, selectors
from generation.configuring import named
from generation.exporting import manifest_lines
from generation.launching import budget_of, launch_lines
from generation.models import Configuration, ProviderAccount, Sample, VerdictWaiver
from generation.verdicts import unreviewed
from web.generation.access import commissions, shared_context


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
