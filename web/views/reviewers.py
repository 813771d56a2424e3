"""The page of a round's reviewers: their links, how far they are, reminders, and who replaces
whom.

Looking at it makes nothing. Only a button makes a new link.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_safe

from fartbench.errors import Refusal
from fartbench.models import Round, RoundState
from rounds.steps import STEPS, for_browser
from web.pages.members import can_join, links_csv, member_cards
from web.views.access import runs_rounds
from web.views.shared import for_staff, round_or_404

LONGEST_REASON = 200
REPLACE = "replace_reviewer"
NEW_LINK = "invite_again"


class ReplaceForm(forms.Form):
    """Who takes the place of a reviewer, and why."""

    old = forms.CharField(widget=forms.HiddenInput)
    new = forms.EmailField(label="Address of the new reviewer", max_length=150)
    reason = forms.CharField(label="Why", max_length=LONGEST_REASON)


@require_http_methods(["GET", "HEAD", "POST"])
@runs_rounds
def reviewers(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show the reviewers of a round; make a new link, or put somebody in another's place."""
    round_ = round_or_404(name)
    if request.method != "POST":
        return _page(request, round_)
    if request.POST.get("act") == NEW_LINK:
        return _new_link(request, round_)
    return _replace(request, round_)


def _new_link(request: HttpRequest, round_: Round) -> HttpResponseBase:
    values = {"reviewer": request.POST.get("code", "")}
    try:
        done = STEPS[NEW_LINK].perform(round_, request.user.get_username(), values)
    except Refusal as refusal:
        messages.error(request, for_browser(str(refusal), round_))
    else:
        messages.success(request, done.words)
    return redirect("staff-reviewers", round_.name)


def _replace(request: HttpRequest, round_: Round) -> HttpResponseBase:
    form = ReplaceForm(request.POST, auto_id=f"{request.POST.get('old', '')}-%s", label_suffix="")
    if form.is_valid():
        try:
            done = STEPS[REPLACE].perform(round_, request.user.get_username(), form.cleaned_data)
        except Refusal as refusal:
            form.add_error("new", for_browser(str(refusal), round_))
        else:
            messages.success(request, for_browser(done.words, round_))
            return redirect("staff-reviewers", round_.name)
    return _page(request, round_, refused=form, status=422)


def _page(
    request: HttpRequest, round_: Round, *, refused: ReplaceForm | None = None, status: int = 200
) -> HttpResponse:
    cards = member_cards(round_)
    is_open = round_.state == RoundState.REVIEWING
    context = {
        "round": round_,
        "rules": round_.protocol.rules,
        "can_join": can_join(round_),
        "members": [(card, _form_of(card.progress.code, refused, is_open)) for card in cards],
        **for_staff(request),
    }
    return TemplateResponse(request, "staff/reviewers.html", context, status=status)


def _form_of(code: str, refused: ReplaceForm | None, is_open: bool) -> ReplaceForm | None:
    """Return the form that replaces a reviewer, with its faults when it was just refused."""
    if not is_open:
        return None
    if refused is not None and refused.data.get("old") == code:
        return refused
    initial: dict[str, Any] = {"old": code}
    return ReplaceForm(initial=initial, auto_id=f"{code}-%s", label_suffix="")


@require_safe
@runs_rounds
def invite_links(_request: HttpRequest, name: str) -> HttpResponseBase:
    """Send the reviewers of a round and their links as CSV."""
    round_ = round_or_404(name)
    response = HttpResponse(links_csv(member_cards(round_)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{round_.name}-reviewers.csv"'
    return response
