"""The character NUL in an address or a form: PostgreSQL keeps no text with it."""

from __future__ import annotations

from collections.abc import Callable

from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest

WORDS = "The address or the form holds the character NUL (0x00). Send it without. Nothing changed."


class RefuseNul:
    """Middleware: answers 400 where a query with such a text came to the database."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, _request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the refusal for this error of the database, else None."""
        if isinstance(error, DataError) and "NUL" in str(error):
            return HttpResponseBadRequest(WORDS, content_type="text/plain; charset=utf-8")
        return None
