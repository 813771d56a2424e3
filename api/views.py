"""The pages of the interface for programs: one's tokens, and what can be called."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from api.forms import TokenForm
from api.models import Token
from api.tokens import make_token, revoke_token
from fartbench.errors import BadInput
from web.views.access import may_run_rounds, sees_rounds
from web.views.shared import for_staff


@require_http_methods(["GET", "HEAD", "POST"])
@sees_rounds
def tokens(request: HttpRequest) -> HttpResponseBase:
    """Show the tokens of an account, an admin those of everybody, and make one."""
    user: Any = request.user
    form = TokenForm(request, request.POST or None)
    text = ""
    if form.is_bound and form.is_valid():
        given = form.cleaned_data
        try:
            _, text = make_token(
                user=user,
                name=given["name"],
                scopes=given["scopes"],
                days=given["days"],
                rounds=given["rounds"],
            )
            form = TokenForm(request)
        except BadInput as refusal:
            for fault in refusal.faults:
                form.add_error(None, fault)
    every = Token.objects.select_related("user")
    context = {
        "form": form,
        "text": text,  # shown once: it is stored nowhere
        "tokens": every if may_run_rounds(user) else every.filter(user=user),
        "now": timezone.now(),
        **for_staff(request),
    }
    return TemplateResponse(request, "api/tokens.html", context)


@require_POST
@sees_rounds
def revoke(request: HttpRequest, key: int) -> HttpResponseBase:
    """End a token: one's own, or as an admin anybody's."""
    token = Token.objects.filter(pk=key).first()
    user: Any = request.user
    if token is None or (token.user_id != user.pk and not may_run_rounds(user)):
        raise Http404
    revoke_token(token=token, actor=user.get_username())
    messages.success(request, f"The token “{token.name}” is revoked: it does not work any more.")
    return redirect("tokens")


@require_safe
@sees_rounds
def docs(request: HttpRequest) -> HttpResponseBase:
    """Show every operation with what it asks for."""
    from api.application import document  # noqa: PLC0415 - takes long, and is needed here alone
    from api.reference import operations_of, problems_listed  # noqa: PLC0415

    context = {
        "operations": operations_of(document()),
        "problems": problems_listed(),
        **for_staff(request),
    }
    return TemplateResponse(request, "api/docs.html", context)


@require_safe
def openapi(_request: HttpRequest) -> HttpResponseBase:
    """Send the OpenAPI document to everybody: tools read it without a token, and it says no more
    than the guide.
    """
    from api.application import document  # noqa: PLC0415 - takes long, and is needed here alone

    return JsonResponse(document(), json_dumps_params={"indent": 1})
