"""Problem documents (RFC 9457): every refusal of the product as an answer for programs."""

from __future__ import annotations

import json
import re
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from api.errors import FieldsRefused
from fartbench.errors import MOST_SHOWN, BadInput, Refusal
from fartbench.models import Round
from fartbench.rounds import StepOutOfOrder
from fartbench.tables import row_number
from generation.uploads.folder import PieceRefused
from rounds.due import due_step

CONTENT_TYPE = "application/problem+json"
DECLINED = 409
INVALID = 422
# By the name of a refusal's class, or of one that it derives from.
STATUS = {
    "KeyMissing": 400,
    "Unauthorised": 401,
    "NotAllowed": 403,
    "NotThere": 404,
    "UnknownRound": 404,
    "UnknownProtocol": 404,
    "UnknownConfiguration": 404,
    "UnknownStimulus": 404,
    "PieceRefused": 409,
    "CannotOpen": 409,
    "ClipsUnderReview": 409,
    "ReleaseBlocked": 409,
    "UploadGone": 410,
    "FieldsRefused": INVALID,
    "KeyReused": INVALID,
    "ReasonMissing": INVALID,
    "RoundRefused": INVALID,
    "BadInput": INVALID,
    "TooManyTries": 429,
    "TooManyCalls": 429,
    "StorageAway": 503,
    "StorageFull": 507,
}
TITLES = {
    400: "The call cannot be read",
    405: "The address does not take this method",
    413: "The body is too large",
    500: "A fault of the program",
}


def status_of(refusal: Refusal | type[Refusal]) -> int:
    """Return the HTTP status of a refusal."""
    kind = refusal if isinstance(refusal, type) else type(refusal)
    names = (base.__name__ for base in kind.__mro__)
    return next((STATUS[name] for name in names if name in STATUS), DECLINED)


def slug_of(kind: type[Refusal]) -> str:
    """Return the name of a refusal in the address of its description: “step-out-of-order”."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", kind.__name__).lower()


def title_of(kind: type[Refusal]) -> str:
    """Return what a refusal is about: the first sentence of its description."""
    words = " ".join((kind.__doc__ or kind.__name__).split())
    return words.split(". ")[0].split("; ")[0].rstrip(".")


def of_refusal(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Return a refusal as a problem document."""
    kind = type(refusal)
    more: dict[str, Any] = {}
    if errors := errors_of(refusal):
        more["errors"] = errors
    if isinstance(refusal, PieceRefused):
        more["received"] = refusal.received
    if isinstance(refusal, StepOutOfOrder) and (due := _due(request)):
        more["due_step"] = due
    return problem(
        request,
        status_of(refusal),
        slug=slug_of(kind),
        title=title_of(kind),
        detail=str(refusal),
        **more,
    )


def errors_of(refusal: Refusal) -> list[dict[str, Any]]:
    """Return the faults of an input, each with what it is about: a field, or a file and a row."""
    if isinstance(refusal, FieldsRefused):
        return [
            {"pointer": f"#/{name.replace('.', '/')}", "field": name, "detail": words}
            for name, words in refusal.fields.items()
        ]
    if not isinstance(refusal, BadInput):
        return []
    errors = []
    for fault in refusal.faults[:MOST_SHOWN]:
        error: dict[str, Any] = {"file": refusal.what, "detail": fault}
        if fault.startswith("row "):
            error["row"] = row_number(fault)
        errors.append(error)
    return errors


def _due(request: HttpRequest) -> dict[str, str] | None:
    name = getattr(request, "api_arguments", {}).get("name", "")
    round_ = Round.objects.select_related("protocol").filter(name=name).first()
    due = due_step(round_) if round_ else None
    return {"key": due.key, "words": due.words} if due else None


def problem(
    request: HttpRequest,
    status: int,
    *,
    slug: str = "",
    title: str = "",
    detail: str = "",
    **more: Any,
) -> HttpResponse:
    """Return a problem document; ``slug`` names its section of the description."""
    document = {
        "type": f"{settings.BASE_URL}/api/v1/docs#{slug}" if slug else "about:blank",
        "title": title or TITLES.get(status, ""),
        "status": status,
        "detail": detail or title or TITLES.get(status, ""),
        "instance": request.path,
        **more,
    }
    content = json.dumps(document, ensure_ascii=False)
    return HttpResponse(content, status=status, content_type=CONTENT_TYPE)
