"""The operations put together, and how their refusals are answered."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from api import problems
from api.errors import FieldsRefused, NotThere
from api.operations import about, clips, library, results, rounds, steps, trail
from fartbench.errors import Refusal

API = NinjaAPI(
    title="FARTBench",
    version="1",
    description=(
        "Everything that an admin does in the browser, for programs. Send a token of the page "
        "“Tokens” as “Authorization: Bearer fbk_…”. Refusals are problem documents (RFC 9457). A "
        "POST with an Idempotency-Key may be sent again: it is done once."
    ),
    docs_url=None,
    urls_namespace="api-1",
)
for router in (about, library, rounds, clips, steps, results, trail):
    API.add_router("", router.ROUTER)


@API.exception_handler(Refusal)
def _refused(request: HttpRequest, refusal: Any) -> HttpResponse:
    return problems.of_refusal(request, refusal)


@API.exception_handler(ValidationError)
def _invalid(request: HttpRequest, invalid: Any) -> HttpResponse:
    fields = {}
    for error in invalid.errors:
        place = [str(part) for part in error["loc"] if part not in ("body", "query", "path")]
        fields[".".join(place[1:] or place)] = error["msg"]
    return problems.of_refusal(request, FieldsRefused("The call", fields))


@API.exception_handler(HttpError)
def _unreadable(request: HttpRequest, error: Any) -> HttpResponse:
    return problems.problem(request, error.status_code, detail=str(error))


@API.exception_handler(Http404)
def _missing(request: HttpRequest, _error: Any) -> HttpResponse:
    return problems.of_refusal(request, NotThere(f"There is nothing at {request.path}."))


def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    return dict(API.get_openapi_schema(path_prefix="/api/v1/"))
