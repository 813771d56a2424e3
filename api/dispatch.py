"""The way of a call: its token is found and counted, it is done once, and its answer gets the
headers that every answer has.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, UnreadablePostError
from django.http.response import HttpResponseBase
from django.urls import Resolver404, URLResolver
from django.urls.resolvers import RegexPattern
from django.utils import timezone

from api import once, problems
from api.errors import NotThere, TooManyCalls, Unauthorised
from api.models import Token
from api.tokens import find_token, note_use
from fartbench.errors import Refusal
from fartbench.throttle import count_call

MOST_CALLS = 100
"""How many calls a token may make in one minute."""
WINDOW_S = 60


@cache
def _addresses() -> URLResolver:
    from api.application import API  # noqa: PLC0415 - takes long, and waits for the first call

    return URLResolver(RegexPattern(r"^"), API.urls[0])


def answer(request: HttpRequest, rest: str) -> HttpResponseBase:
    """Answer a call of the address ``rest`` below /api/v1/."""
    response = _answer(request, rest)
    if not response.has_header("Cache-Control"):
        response["Cache-Control"] = "no-store"
    return response


def _answer(request: HttpRequest, rest: str) -> HttpResponseBase:
    calls: Any = request
    try:
        match = _addresses().resolve(rest)
    except Resolver404:
        refusal = NotThere(f"There is no operation at {request.path}. See /api/v1/docs.")
        return problems.of_refusal(request, refusal)
    calls.api_arguments, calls.token = match.kwargs, None
    used = 0
    try:
        calls.token = token = _token(request)
        if token is not None:
            used = _counted(token)
        response = _once(request, token, match.func, match.kwargs)
    except Refusal as refused:
        response = problems.of_refusal(request, refused)
    except RequestDataTooBig as error:
        response = problems.problem(request, 413, detail=str(error))
    except UnreadablePostError as error:
        response = problems.problem(request, 400, detail=f"The body ended early: {error}")
    if used:
        _say_what_is_left(response, used)
    if response.status_code == 401:  # noqa: PLR2004 - HTTP's own
        response["WWW-Authenticate"] = 'Bearer realm="FARTBench"'
    return response


def _once(
    request: HttpRequest, token: Token | None, call: Any, arguments: Mapping[str, Any]
) -> HttpResponseBase:
    key = once.key_of(request) if request.method == "POST" else ""
    if token is None or not key:
        response: HttpResponseBase = call(request, **arguments)
        return response
    return once.answered_once(request, token, key, lambda: call(request, **arguments))


def _token(request: HttpRequest) -> Token | None:
    """Return the token of a call, or None without one: a session does not count."""
    header = request.headers.get("Authorization", "")
    if not header:
        return None
    kind, _, text = header.partition(" ")
    if kind.lower() != "bearer":
        raise Unauthorised("Send the token as “Authorization: Bearer fbk_…”.")
    token = find_token(text.strip())
    request.user = token.user
    return token


def _counted(token: Token) -> int:
    """Count a call and return how many there were in this minute. Raises TooManyCalls."""
    used = count_call(f"token {token.pk}")
    if used == 1:
        note_use(token, timezone.now())
    if used > MOST_CALLS:
        raise TooManyCalls(
            f"This token made more than {MOST_CALLS} calls in a minute. Wait as long as "
            "Retry-After says."
        )
    return used


def _say_what_is_left(response: HttpResponseBase, used: int) -> None:
    """Add the headers of draft-ietf-httpapi-ratelimit-headers."""
    wait = WINDOW_S - timezone.now().second
    response["RateLimit-Policy"] = f'"calls";q={MOST_CALLS};w={WINDOW_S}'
    response["RateLimit"] = f'"calls";r={max(0, MOST_CALLS - used)};t={wait}'
