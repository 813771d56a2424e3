"""What machines ask: whether the process lives, whether it can serve, and how the installation
is.
"""

from __future__ import annotations

import secrets
import sys

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.defaults import server_error

from operations import health


@require_safe
@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    """Say that the process lives.

    Asks nobody else, so that a database that is away restarts no web process.
    """
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(_request: HttpRequest) -> HttpResponse:
    """Say whether requests can be served: 200, or 503 with the part that is missing."""
    parts = health.readiness()
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Give figures in Prometheus' format to staff and to anyone who has METRICS_TOKEN; others find
    nothing.
    """
    if not (
        _has_token(request) or (request.user.is_active and getattr(request.user, "is_staff", False))
    ):
        raise Http404
    from operations.metrics import exposition  # noqa: PLC0415 - costs a web process memory only if it is asked

    return HttpResponse(exposition(), content_type="text/plain; version=0.0.4; charset=utf-8")


def failed(request: HttpRequest) -> HttpResponse:
    """Answer for a page that failed: 503, “ask again”, while the database is away; else 500."""
    response = server_error(request)
    if isinstance(sys.exception(), OperationalError | InterfaceError):
        response.status_code = 503
        response["Retry-After"] = "5"
    return response


def _has_token(request: HttpRequest) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    wanted = settings.METRICS_TOKEN
    return (
        bool(wanted)
        and scheme == "Bearer"
        and secrets.compare_digest(given.encode(), wanted.encode())
    )
