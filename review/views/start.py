"""Before the first clip of a round: what is asked, a sound check, and consent."""

from __future__ import annotations

import secrets

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from fartbench.protocol import Protocol
from fartbench.sessions import end_sessions
from review.forms import ConsentForm, SoundCheckForm
from review.models import CohortMember, Reviewer
from review.selectors import training_of
from review.services import consent_document, consent_of, give_consent, note_sound_check
from review.services.invites import has_begun
from review.tones import tones
from review.views.access import own_membership, reviewers_only
from review.views.training import onward

FEWEST_TONES, MOST_TONES = 3, 6


@require_http_methods(["GET", "HEAD", "POST"])
@reviewers_only
def start(request: HttpRequest, reviewer: Reviewer, name: str) -> HttpResponseBase:
    """Show the instructions and the sound check; agreeing opens the training, or the first clip."""
    member = own_membership(reviewer, name)
    if request.method == "POST":
        document = consent_document(member.round.protocol)
        if request.POST.get("shown", document.digest) != document.digest:
            return _start_page(request, member, is_new_text=True)
        form = ConsentForm(request.POST, statements=document.statements)
        if not form.is_valid():
            return _start_page(request, member, consent=form)
        if member.sound_checked_at is None:
            # The boxes of this text stay ticked while the sound is checked.
            request.session["agrees"] = document.digest
            return redirect(f"{request.path}?sound=first")
        begins = not has_begun(reviewer)
        if not give_consent(member, form.cleaned_data["shown"]):
            return _start_page(request, member, is_new_text=True)
        if begins:
            # Anyone else who opened the invite, such as a program that checks e-mail, is logged
            # out.
            end_sessions(reviewer.user, but=request.session.session_key)
        return redirect(onward(reviewer, member))
    return _start_page(request, member)


def _start_page(
    request: HttpRequest,
    member: CohortMember,
    consent: ConsentForm | None = None,
    *,
    is_new_text: bool = False,
) -> HttpResponse:
    """Return the start page with new tones to count; ``consent`` is what was just refused, and
    ``is_new_text`` whether another text than the one that was read holds by now.
    """
    request.session["tones"] = FEWEST_TONES + secrets.randbelow(MOST_TONES - FEWEST_TONES + 1)
    protocol = member.round.protocol.rules
    given = consent_of(member)
    document = consent_document(member.round.protocol)
    if member.consented_at and given:
        document = given.text.document
    is_refused = consent is not None
    if consent is None:
        ticked = {f"statement-{n}": "on" for n in range(1, 1 + len(document.statements))}
        data = ticked if request.session.get("agrees") == document.digest else None
        consent = ConsentForm(data, statements=document.statements)
    context = {
        "member": member,
        "document": document,
        "given": given,
        "is_new_text": is_new_text,
        "is_refused": is_refused,
        "round": member.round,
        "protocol": protocol,
        "has_unclear": _has_unclear(protocol),
        "training": training_of(member.round),
        "agrees": request.session.get("agrees") == document.digest,
        "consent": consent,
    }
    status = 422 if is_refused or is_new_text else 200
    return TemplateResponse(request, "review/start.html", context, status=status)


def _has_unclear(protocol: Protocol) -> bool:
    sets = protocol.rollouts.forms.answer_sets if protocol.rollouts else protocol.answer_sets
    return any(option.value == "unclear" for one in sets.values() for option in one.options)


@require_safe
@reviewers_only
def tones_file(request: HttpRequest, reviewer: Reviewer, name: str) -> HttpResponseBase:
    """Send as many tones as the start page that is open asks to count."""
    own_membership(reviewer, name)
    return HttpResponse(tones(request.session.get("tones", FEWEST_TONES)), content_type="audio/wav")


@require_POST
@reviewers_only
def sound_check(request: HttpRequest, reviewer: Reviewer, name: str) -> HttpResponseBase:
    """Take the number of tones a reviewer heard; the right one is noted with the volume, a wrong
    one is tried again.
    """
    member = own_membership(reviewer, name)
    form = SoundCheckForm(request.POST)
    form.is_valid()  # what cannot be read was not heard
    heard = form.cleaned_data.get("heard")
    is_right = heard is not None and heard == request.session.get("tones")
    tries = request.session["tone_tries"] = request.session.get("tone_tries", 0) + 1
    if is_right:
        volume = form.cleaned_data.get("volume")
        rounded = None if volume is None else round(volume, 2)
        note_sound_check(member, tries=tries, volume=rounded)
        request.session["tone_tries"] = 0
    # Without a fragment the page's own "autofocus" takes effect: the box for the number of tones.
    result = "heard#sound" if is_right else "again"
    return redirect(f"{request.path.removesuffix('sound')}?sound={result}")
