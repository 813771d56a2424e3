"""What machines ask of the web process, under any name of the host: /healthz, /readyz, /metrics."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

PROBES = frozenset({"/healthz", "/readyz", "/metrics"})


def answer_any_host(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Let probes ask by whatever address they reach the process.

    Prometheus, Docker and Kubernetes send that as Host. None of the three answers has a link.
    """
    host = urlsplit(settings.BASE_URL).netloc

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path_info in PROBES:
            request.META["HTTP_HOST"] = host
        return get_response(request)

    return middleware
