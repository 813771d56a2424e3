"""The ways in: the invite link, the return code, and how a reviewer comes back without the link."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.forms import SetPasswordForm
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from fartbench import throttle
from fartbench.errors import Refusal
from fartbench.sessions import end_sessions
from review.errors import InviteAddressWrong, InviteRefused, InviteUsed, TooManyNotes
from review.forms import ReturnCodeForm
from review.models import Invite, Reviewer
from review.selectors import reviewer_of
from review.services import issue_return_code, use_invite, use_return_code
from review.services.invites import has_begun, openable_invite
from review.views.access import no_store, reviewers_only


@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: HttpRequest, token: str) -> HttpResponse:
    """Show what an invite is for, and let its reviewer in by the button.

    Previews and scanners of links may open it, and some press the button: see
    `review.services.invites`.
    """
    try:
        found = openable_invite(token)
        reviewer, begun = found.member.reviewer, has_begun(found.member.reviewer)
        if request.method == "POST":
            return no_store(_come_in(request, token, reviewer, begun=begun))
    except InviteRefused as refusal:
        if isinstance(refusal, InviteUsed) and reviewer_of(request.user):
            return redirect("review-home")
        page = TemplateResponse(
            request, "review/invite_refused.html", {"refusal": refusal}, status=410
        )
        return no_store(page)
    if found.used_at and reviewer_of(request.user) == reviewer:
        return redirect("review-home")
    return no_store(_invite_page(request, found, begun=begun))


def _come_in(request: HttpRequest, token: str, reviewer: Reviewer, *, begun: bool) -> HttpResponse:
    """Let a reviewer in by the invite.

    One who has begun types an address, and tries of that are counted.
    """
    if not begun:
        return _enter(request, use_invite(token), has_code=False)
    try:
        admission = throttle.admit(request, reviewer.email)
        use_invite(token, request.POST.get("address", ""))
    except InviteAddressWrong as refusal:
        return _invite_page(
            request, openable_invite(token), begun=True, refusal=refusal, status=422
        )
    except throttle.TooManyTries as refusal:
        return _invite_page(
            request, openable_invite(token), begun=True, refusal=refusal, status=429
        )
    admission.forgive()
    return _enter(request, reviewer, has_code=bool(reviewer.return_code_hash))


def _invite_page(
    request: HttpRequest,
    found: Invite,
    *,
    begun: bool,
    refusal: Refusal | None = None,
    status: int = 200,
) -> TemplateResponse:
    context = {
        "member": found.member,
        "opened_at": found.used_at,
        "has_begun": begun,
        "refusal": refusal,
    }
    return TemplateResponse(request, "review/invite.html", context, status=status)


def _enter(request: HttpRequest, reviewer: Reviewer, *, has_code: bool) -> HttpResponse:
    """Log a reviewer in. Before they have begun, a return code counts for nothing: a program may
    have pressed for it and nobody has read it.
    """
    login(request, reviewer.user)
    has_way_back = reviewer.user.has_usable_password() or has_code
    return redirect("review-home" if has_way_back else "review-way-back")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def come_back(request: HttpRequest) -> HttpResponse:
    """Log a reviewer in by return code."""
    target = request.POST.get("next", request.GET.get("next", ""))
    form = ReturnCodeForm(request.POST) if request.method == "POST" else ReturnCodeForm()
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            admission = throttle.admit(request)
            reviewer = use_return_code(form.cleaned_data["code"])
        except InviteRefused as refusal:
            form.add_error("code", str(refusal))
        except throttle.TooManyTries as refusal:
            form.add_error("code", str(refusal))
            status = 429
        else:
            admission.forgive()
            login(request, reviewer.user)
            is_ours = url_has_allowed_host_and_scheme(
                target, {request.get_host()}, require_https=request.is_secure()
            )
            return redirect(target if is_ours else "review-home")
    context = {"form": form, "next": target}
    return TemplateResponse(request, "review/return.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@reviewers_only
def way_back(request: HttpRequest, reviewer: Reviewer) -> HttpResponseBase:
    """Let a reviewer choose a password or take a return code, so that the session is not the only
    way in.
    """
    form, code = SetPasswordForm(reviewer.user), None
    if request.POST.get("way") == "password":
        form = SetPasswordForm(reviewer.user, request.POST)
        if form.is_valid():
            update_session_auth_hash(request, form.save())  # every other session ends
            messages.success(
                request, "Your password is set. With it and your address you can log in anywhere."
            )
            return redirect("review-home")
    elif request.POST.get("way") == "nowhere":
        ended = end_sessions(reviewer.user, but=request.session.session_key)
        messages.success(
            request, f"You are logged out everywhere else ({ended} session{'s' * (ended != 1)})."
        )
        return redirect("review-home")
    elif request.method == "POST":
        try:
            code = issue_return_code(reviewer)
        except TooManyNotes as refusal:
            messages.error(request, str(refusal))
    return TemplateResponse(
        request, "review/way_back.html", {"form": form, "return_code": code, "reviewer": reviewer}
    )
