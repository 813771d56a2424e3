"""Deleting a round that came to nothing, after its name was typed."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from fartbench.errors import Refusal
from rounds.deleting import delete_round, why_kept
from rounds.steps import for_browser
from web.generation.access import commissions, shared_context
from web.generation.rounds import round_or_404


@require_http_methods(["GET", "HEAD", "POST"])
@commissions
def delete(request: HttpRequest, name: str) -> HttpResponseBase:
    """Ask for the name of the round once more, and delete it."""
    round_ = round_or_404(name)
    typed = request.POST.get("name", "").strip()
    if request.method == "POST" and typed == round_.name:
        try:
            delete_round(round_=round_, actor=request.user.get_username())
        except Refusal as refusal:
            messages.error(request, for_browser(str(refusal), round_))
        else:
            messages.success(request, f"Round {name} is deleted.")
            return redirect("staff-home")
    context = {
        "round": round_,
        "reason": why_kept(round_),
        "is_wrong": request.method == "POST" and typed != round_.name,
        "typed": typed,
        "cells": round_.cells.count(),
        "members": round_.members.count(),
        **shared_context(),
    }
    return TemplateResponse(request, "generation/delete_round.html", context)
