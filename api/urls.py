"""Addresses of the interface for programs. Operations are loaded with the first call of one."""

from __future__ import annotations

from pkgutil import resolve_name

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from api import views


@csrf_exempt  # A call is made by its token alone: no cookie lets anyone in.
def call(request: HttpRequest, rest: str) -> HttpResponseBase:
    """Answer a call of an operation."""
    response: HttpResponseBase = resolve_name("api.dispatch.answer")(request, rest)
    return response


urlpatterns = [
    path("staff/tokens/", views.tokens, name="tokens"),
    path("staff/tokens/<int:key>/revoke", views.revoke, name="token-revoke"),
    path("api/v1/docs", views.docs, name="api-docs"),
    path("api/v1/openapi.json", views.openapi, name="api-document"),
    path("api/v1/<path:rest>", call, name="api-call"),
]
