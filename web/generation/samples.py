"""Single samples: those in doubt, their history, and their raw clips."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_POST, require_safe

from fartbench.errors import Refusal
from generation import operating, selectors
from generation.expectations import notes_of
from generation.models import ProviderAccount, Sample
from generation.prompting import viewed_raw
from web.generation.access import commissions, shared_context


@require_safe
@commissions
def doubts(request: HttpRequest) -> HttpResponseBase:
    """List what may or may not have been accepted, with what an operator can do about it."""
    return TemplateResponse(
        request, "generation/doubts.html", {"samples": selectors.in_doubt(), **shared_context()}
    )


@require_POST
@commissions
def settle(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Settle one doubt: accepted under an id, not accepted, or given up."""
    sample, form, actor = _sample(pk), request.POST, request.user.get_username()
    reason = form.get("reason", "")
    try:
        with transaction.atomic():
            if form.get("finding") == "accepted":
                found = form.get("provider_id", "")
                operating.settle_found(sample=sample, provider_id=found, actor=actor, reason=reason)
            elif form.get("finding") == "absent":
                operating.settle_absent(sample=sample, actor=actor, reason=reason)
            else:
                operating.settle_lost(sample=sample, actor=actor, reason=reason)
        messages.success(request, f"{sample.cell}: settled.")
    except Refusal as refusal:
        messages.error(request, str(refusal))
    return redirect("generation-doubts")


@require_safe
@commissions
def sample_page(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Show everything that is known of one sample."""
    sample = _sample(pk)
    context = {
        "sample": sample,
        "notes": notes_of(sample),
        "tries": sample.submissions.order_by("number"),
        "events": sample.events.order_by("pk"),
        "views": sample.views.order_by("pk"),
        "others": Sample.every.filter(cell=sample.cell)
        .exclude(pk=sample.pk)
        .order_by("pilot_version"),
        **shared_context(),
    }
    return TemplateResponse(request, "generation/sample.html", context)


@require_safe
@commissions
def raw_clip(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Send a raw clip as a download, and note who looked at it when: that decides what a later
    change means.
    """
    sample = _sample(pk)
    if sample.clip is None or not sample.clip.path.is_file():
        raise Http404
    viewed_raw(sample, request.user.get_username())
    name = f"{sample.cell}-v{sample.pilot_version}.mp4".replace("/", "-")
    return FileResponse(sample.clip.path.open("rb"), as_attachment=True, filename=name)


@require_POST
@commissions
def account(request: HttpRequest, provider: str) -> HttpResponseBase:
    """Set how much an account takes at once, or stop it."""
    form = request.POST
    if not ProviderAccount.objects.filter(provider=provider).exists():
        raise Http404
    try:
        operating.set_account(
            provider=provider,
            actor=request.user.get_username(),
            paused="paused" in form,
            max_in_flight=int(form.get("max_in_flight", "")),
            min_interval_s=float(form.get("min_interval_s", "")),
        )
        messages.success(request, f"The account with {provider} is set.")
    except (Refusal, ValueError) as error:
        messages.error(
            request, str(error) if isinstance(error, Refusal) else "These are not numbers."
        )
    return redirect("generation-home")


def _sample(pk: int) -> Sample:
    found = (
        Sample.every.select_related("cell__round", "cell__configuration", "clip", "prompt")
        .filter(pk=pk)
        .first()
    )
    if found is None:
        raise Http404
    return found
