"""Before the first clip of a round: what is asked, consent, and a sound check."""

from __future__ import annotations

import secrets
from contextlib import suppress

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from review.models import CohortMember, Reviewer
from review.selectors import memberships_of
from review.services import give_consent, note_sound_check
from review.tones import tones
from review.views.access import next_url, reviewers_only

FEWEST_TONES, MOST_TONES = 3, 6
LOUDEST = 1.0


@require_http_methods(["GET", "HEAD", "POST"])
@reviewers_only
def start(request: HttpRequest, reviewer: Reviewer, name: str) -> HttpResponseBase:
    """Show the instructions and the sound check; agreeing opens the first clip."""
    member = _member(reviewer, name)
    if request.method == "POST":
        give_consent(member)
        return redirect(next_url(reviewer, member.round))
    request.session["tones"] = FEWEST_TONES + secrets.randbelow(MOST_TONES - FEWEST_TONES + 1)
    protocol = member.round.protocol.rules
    context = {"member": member, "round": member.round, "protocol": protocol}
    return TemplateResponse(request, "review/start.html", context)


@require_safe
@reviewers_only
def tones_file(request: HttpRequest, reviewer: Reviewer, name: str) -> HttpResponseBase:
    """Send as many tones as the start page that is open asks to count."""
    _member(reviewer, name)
    return HttpResponse(tones(request.session.get("tones", FEWEST_TONES)), content_type="audio/wav")


@require_POST
@reviewers_only
def sound_check(request: HttpRequest, reviewer: Reviewer, name: str) -> HttpResponseBase:
    """Take the number of tones a reviewer heard; the right one is noted with the volume, a wrong one is tried again."""
    member = _member(reviewer, name)
    heard = request.POST.get("heard", "")
    is_right = heard.isdecimal() and int(heard) == request.session.get("tones")
    tries = request.session["tone_tries"] = request.session.get("tone_tries", 0) + 1
    if is_right:
        note_sound_check(member, tries=tries, volume=_volume(request.POST.get("volume", "")))
        request.session["tone_tries"] = 0
    return redirect(f"{request.path.removesuffix('sound')}?sound={'heard' if is_right else 'again'}#sound")


def _volume(text: str) -> float | None:
    with suppress(ValueError):
        if 0 <= float(text) <= LOUDEST:
            return round(float(text), 2)
    return None


def _member(reviewer: Reviewer, name: str) -> CohortMember:
    for member in memberships_of(reviewer):
        if member.round.name == name:
            return member
    raise Http404
