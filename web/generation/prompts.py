"""Prompts beside their specification: compared by rule, audited by the person who looks, frozen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from fartbench.errors import Refusal
from fartbench.models import Round
from generation.models import Prompt
from generation.prompting import (
    audit_prompt,
    first_view,
    freeze_prompts,
    last_audit,
    new_pilot_version,
    render_prompts,
)
from generation.prompts import audit_faults, parse_specification, prompt_faults
from generation.prompts.schedule import SCHEDULE
from rounds.steps import for_browser
from web.generation.access import commissions, shared_context
from web.generation.prompt_queue import AuditForm, PromptQueue, first_due, prompts_of, queue_of
from web.generation.rounds import configurations_of, round_or_404


@require_http_methods(["GET", "HEAD", "POST"])
@commissions
def prompts_page(request: HttpRequest, name: str) -> HttpResponseBase:
    """List a round's prompts, and freeze those whose audit is all YES."""
    round_ = round_or_404(name)
    if request.method == "POST":
        _freeze_audited(request, round_)
        return redirect("generation-prompts", round_.name)
    prompts = prompts_of(round_)
    rows = [_row(prompt) for prompt in prompts]
    context = {
        "round": round_,
        "rows": rows,
        "due": first_due(prompts),
        "open": sum(not row["prompt"].frozen_at for row in rows),
        "ready": sum(row["may_freeze"] for row in rows),
        **shared_context(),
    }
    return TemplateResponse(request, "generation/prompts.html", context)


def _row(prompt: Prompt) -> dict[str, Any]:
    audited = last_audit(prompt)
    equal = audited is not None and not audit_faults(audited.answers)
    return {
        "prompt": prompt,
        "is_schedule": prompt.adapter == SCHEDULE,
        "audit": audited,
        "equal": equal,
        "may_freeze": equal and not prompt.frozen_at,
    }


def _freeze_audited(request: HttpRequest, round_: Round) -> None:
    actor = request.user.get_username()
    try:
        if request.POST.get("action") == "render":
            made = render_prompts(
                protocol=round_.protocol,
                configurations=configurations_of(round_),
                scenes=round_.scenes,
                actor=actor,
            )
            messages.success(request, f"{len(made)} prompts rendered; frozen ones stay.")
            return
        audited = [row["prompt"] for row in map(_row, prompts_of(round_)) if row["may_freeze"]]
        messages.success(request, f"{freeze_prompts(prompts=audited, actor=actor)} prompts frozen.")
    except Refusal as refusal:
        messages.error(request, for_browser(str(refusal), round_))


@require_http_methods(["GET", "HEAD", "POST"])
@commissions
def prompt(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Show one prompt beside the facts that it is to state, with the nine questions; a schedule is
    its scenario.
    """
    row = Prompt.objects.select_related("configuration", "protocol").filter(pk=pk).first()
    if row is None:
        raise Http404
    if row.adapter == SCHEDULE:
        return redirect("scenario", row.protocol.name, row.protocol.version, row.scene)
    queue = queue_of(request.GET.get("round", ""), row)
    form = AuditForm()
    if request.method == "POST":
        if request.POST.get("action") == "new_version":
            return _open_new_version(request, row)
        form = AuditForm(request.POST)
        if form.is_valid():
            return _store_audit(request, row, form, queue)
    specification = parse_specification(row.specification, source=str(row))
    text = row.text
    facts = [_fact(path, ways, text) for path, ways in specification.facts().items()]
    context = {
        "prompt": row,
        "text": text,
        "specification": specification,
        "facts": sorted(facts, key=lambda fact: fact["is_verbatim"]),
        "form": form,
        "queue": queue,
        "faults": prompt_faults(text, specification, adapter=row.adapter),
        "audit": last_audit(row),
        "viewed": first_view(row.configuration, row.scene),
        "same": Prompt.objects.filter(sha256=row.sha256).exclude(pk=row.pk).count(),
        **shared_context(),
    }
    return TemplateResponse(request, "generation/prompt.html", context)


def _fact(path: str, ways: Sequence[str], text: str) -> dict[str, Any]:
    """Return a fact with the first of its ways that the prompt has, if any."""
    stated = next((way for way in ways if way.casefold() in text.casefold()), "")
    return {
        "path": path,
        "wording": ways[0],
        "stated": stated,
        "is_verbatim": stated == ways[0],
    }


def _name_of(request: HttpRequest) -> str:
    user = request.user
    return (user.get_full_name() if user.is_authenticated else "") or user.get_username()


def _open_new_version(request: HttpRequest, row: Prompt) -> HttpResponseBase:
    reason = request.POST.get("reason", "")
    try:
        made = new_pilot_version(prompt=row, actor=_name_of(request), reason=reason)
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("generation-prompt", row.pk)
    messages.success(
        request, f"{made} is open; what was made with the version before is development-only."
    )
    return redirect("generation-prompt", made.pk)


def _store_audit(
    request: HttpRequest, row: Prompt, form: AuditForm, queue: PromptQueue | None
) -> HttpResponseBase:
    """Store an audit and continue with the next prompt of the round that has none."""
    note = form.cleaned_data["note"]
    try:
        audit_prompt(prompt=row, answers=form.answers, auditor=_name_of(request), note=note)
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect(request.get_full_path())
    words = f"The audit of {row} is stored; it holds for every prompt of these very bytes."
    messages.success(request, words)
    if queue is None:
        return redirect("generation-prompt", row.pk)
    after = queue_of(queue.round.name, row)
    if after is None or after.due is None:
        return redirect("generation-prompts", queue.round.name)
    address = reverse("generation-prompt", args=[after.due.pk])
    return redirect(f"{address}?{urlencode({'round': queue.round.name})}")
