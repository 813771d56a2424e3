"""Prompts beside their specification: compared by rule, audited by the person who looks, frozen."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from fartbench.errors import Refusal
from fartbench.models import Round
from generation.models import Prompt
from generation.prompting import (
    audit_prompt,
    current_prompts,
    first_view,
    freeze_prompts,
    last_audit,
    new_pilot_version,
    render_prompts,
)
from generation.prompts import QUESTIONS, audit_faults, parse_specification, prompt_faults
from generation.prompts.schedule import SCHEDULE
from rounds.steps import for_browser
from web.generation.access import commissions, shared_context
from web.generation.rounds import configurations_of, round_or_404


@require_http_methods(["GET", "HEAD", "POST"])
@commissions
def prompts(request: HttpRequest, name: str) -> HttpResponseBase:
    """List a round's prompts, and freeze those whose audit is all YES."""
    round_ = round_or_404(name)
    if request.method == "POST":
        _freeze_audited(request, round_)
        return redirect("generation-prompts", round_.name)
    rows = [_row(prompt) for prompt in _prompts_of(round_)]
    context = {
        "round": round_,
        "rows": rows,
        "open": sum(not row["prompt"].frozen_at for row in rows),
        "ready": sum(row["may_freeze"] for row in rows),
        **shared_context(),
    }
    return TemplateResponse(request, "generation/prompts.html", context)


def _prompts_of(round_: Round) -> list[Prompt]:
    found = current_prompts(round_.protocol, configurations_of(round_))
    return [prompt for (_, scene), prompt in sorted(found.items()) if scene in round_.scenes]


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
        audited = [row["prompt"] for row in map(_row, _prompts_of(round_)) if row["may_freeze"]]
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
    if request.method == "POST":
        return _change(request, row)
    specification = parse_specification(row.specification, source=str(row))
    text = row.text
    facts = [
        {
            "path": path,
            "wording": ways[0],
            "stated": next((way for way in ways if way.casefold() in text.casefold()), ""),
        }
        for path, ways in specification.facts().items()
    ]
    context = {
        "prompt": row,
        "text": text,
        "specification": specification,
        "facts": facts,
        "faults": prompt_faults(text, specification, adapter=row.adapter),
        "questions": QUESTIONS,
        "audit": last_audit(row),
        "viewed": first_view(row.configuration, row.scene),
        "same": Prompt.objects.filter(sha256=row.sha256).exclude(pk=row.pk).count(),
        **shared_context(),
    }
    return TemplateResponse(request, "generation/prompt.html", context)


def _change(request: HttpRequest, row: Prompt) -> HttpResponseBase:
    form, user = request.POST, request.user
    actor = (user.get_full_name() if user.is_authenticated else "") or user.get_username()
    try:
        if form.get("action") == "new_version":
            made = new_pilot_version(prompt=row, actor=actor, reason=form.get("reason", ""))
            messages.success(
                request,
                f"{made} is open; what was made with the version before is development-only.",
            )
            return redirect("generation-prompt", made.pk)
        answers = {key: form[key] == "yes" for key in QUESTIONS if form.get(key) in ("yes", "no")}
        audit_prompt(prompt=row, answers=answers, auditor=actor, note=form.get("note", ""))
        messages.success(
            request, "The audit is stored; it holds for every prompt of these very bytes."
        )
    except Refusal as refusal:
        messages.error(request, str(refusal))
    return redirect("generation-prompt", row.pk)
