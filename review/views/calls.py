"""What the calls of a page's script have in common: a JSON object with a revision, answers and
playback.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, JsonResponse

from fartbench.errors import Refusal

MAX_BODY = 20_000


class BadRequestBody(Refusal):
    """The body of a call is not the JSON object that the page's script sends."""


def body_of(request: HttpRequest) -> dict[str, Any]:
    """Return the body.

    Raises BadRequestBody when it is too large or not a JSON object with such fields.
    """
    if len(request.body) > MAX_BODY:
        raise BadRequestBody(f"The request is larger than {MAX_BODY} bytes.")
    try:
        body = json.loads(request.body)
    except ValueError as error:
        raise BadRequestBody("The request is not JSON.") from error
    if not isinstance(body, dict) or not isinstance(body.get("playback", {}), dict):
        raise BadRequestBody("The request is not a JSON object with the fields of a sheet.")
    return body


def revision_of(body: Mapping[str, Any]) -> int:
    """Return the revision that the changes were made on. Raises BadRequestBody when there is
    none.
    """
    revision = body.get("revision")
    if not isinstance(revision, int) or revision < 0:
        raise BadRequestBody("The request names no revision.")
    return revision


def refused(
    refusal: Refusal, codes: Mapping[type[Exception], tuple[str, int]], **more: Any
) -> JsonResponse:
    """Tell the page's script of a refusal: its code of ``codes`` (else "bad", 400), its words, and
    ``more``.
    """
    code, status = next(
        (found for kind, found in codes.items() if isinstance(refusal, kind)), ("bad", 400)
    )
    return JsonResponse({"code": code, "message": str(refusal), **more}, status=status)
