"""Calls that must not be made twice: an Idempotency-Key, and what was answered to it.

The kept answer is written in the transaction of what the call does. A killed process leaves both or
neither; of two calls at the same moment the second waits for the first and repeats its answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from api.errors import FieldsRefused, KeyReused
from api.models import KeptAnswer, Token
from fartbench.sealing import seal, unseal

HEADER = "Idempotency-Key"
PURPOSE = "api.once"
KEPT_FOR = timedelta(days=1)
LONGEST = 128
FAILED = 400


def key_of(request: HttpRequest) -> str:
    """Return the key of a call, empty without one. Raises FieldsRefused."""
    key = request.headers.get(HEADER, "")
    if len(key) > LONGEST or not key.isprintable() or not key.isascii():
        raise FieldsRefused(
            "The headers", {HEADER: f"it has at most {LONGEST} letters, digits and signs"}
        )
    return key


def answered_once(
    request: HttpRequest, token: Token, key: str, answer: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Return what ``answer`` gives, or what it gave to the same call before.

    A refusal is not kept: it changed nothing, and the next call may succeed. Raises KeyReused.
    """
    digest = _digest(request)
    KeptAnswer.objects.filter(at__lt=timezone.now() - KEPT_FOR).delete()
    with transaction.atomic():
        row, is_new = KeptAnswer.objects.get_or_create(
            token=token, key=key, defaults={"digest": digest, "at": timezone.now()}
        )
        if not is_new:
            return _repeated(row, digest)
        response = answer()
        if response.status_code >= FAILED or not isinstance(response, HttpResponse):
            transaction.set_rollback(True)
            return response
        row.status = response.status_code
        row.location = response.headers.get("Location", "")
        # Sealed: an answer may hold links that let reviewers in.
        row.content = seal(PURPOSE, response.content.decode())
        row.save(update_fields=["status", "location", "content"])
    return response


def _repeated(row: KeptAnswer, digest: str) -> HttpResponse:
    if row.digest != digest:
        raise KeyReused(
            f"This {HEADER} came before with another call. Use a new key for a new call."
        )
    content = unseal(PURPOSE, row.content)
    if content is None:
        raise KeyReused(
            "This call was done, but its answer cannot be read any more: SECRET_KEY changed. Use "
            f"a new {HEADER} for a new call."
        )
    response = HttpResponse(content, status=row.status, content_type="application/json")
    if row.location:
        response["Location"] = row.location
    response["Idempotency-Replayed"] = "true"
    return response


def _digest(request: HttpRequest) -> str:
    said = f"{request.method} {request.get_full_path()}\n".encode()
    return hashlib.sha256(said + request.body).hexdigest()
