"""What a reviewer cannot open while a round of theirs is open: the method, the specifications and
the published rounds of its protocol.

They say what was asked for, word for word, and who answered it how. A protocol whose reviewers may
know shows it beside the clip instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse

from fartbench.models import Round, RoundState
from review.selectors import protocols_under_review
from web.pages.published import shown_protocol

ROUNDS, METHOD = ("rounds/", "public/rounds/", "embed/rounds/"), "method/"


class ClosedWhileReviewing:
    """Middleware: answers 403, with the reason, instead of calling such a page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, _view: Any, _args: Any, kwargs: Mapping[str, Any]
    ) -> HttpResponseBase | None:
        """Return the refusal for a page that is closed to this account, else None."""
        route = request.resolver_match.route if request.resolver_match else ""
        if not route.startswith((*ROUNDS, METHOD)):
            return None
        if settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return None
        closed = protocols_under_review(request.user)
        if not closed or _protocol_of(route, kwargs) not in closed:
            return None
        page = TemplateResponse(request, "review/closed_page.html", status=403)
        page["Cache-Control"] = "private, no-store"
        return page.render()


def _protocol_of(route: str, kwargs: Mapping[str, Any]) -> str | None:
    """Return the name of the protocol that a page is about, whatever its version."""
    name = kwargs.get("name")
    if route.startswith(ROUNDS):
        # A round that is not published answers by itself: 404, as if it did not exist.
        rounds = Round.objects.filter(name=name, state=RoundState.PUBLISHED)
        return rounds.values_list("protocol__name", flat=True).first()
    if name:
        return str(name)
    shown = shown_protocol()
    return shown.name if shown else None
