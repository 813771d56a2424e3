"""What makes an address readable by a script of any other site."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_http_methods

from scoring.models import Release
from web.pages.published import published_release

View = Callable[..., HttpResponseBase]
HOUR_S = 3600


def open_to_all(view: View) -> View:
    """Let a view answer scripts of every site (CORS), which may ask whether something changed.

    Only for what is the same for everybody: browsers send no cookie along.
    """

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "OPTIONS":
            response: HttpResponseBase = HttpResponse(status=204)
            response["Access-Control-Allow-Methods"] = "GET, HEAD"
            response["Access-Control-Allow-Headers"] = "If-None-Match"
            response["Access-Control-Max-Age"] = str(24 * HOUR_S)
        else:
            response = view(request, *args, **kwargs)
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = "ETag"
        return response

    restricted: View = require_http_methods(["GET", "HEAD", "OPTIONS"])(answered)
    return restricted


def release_or_404(name: str, number: int | None = None) -> Release:
    """Return the newest release of a published round, or the one of a number. Raises Http404."""
    newest = published_release(name)
    if newest is None:
        raise Http404
    if number is None or number == newest.number:
        return newest
    found = Release.objects.filter(round=newest.round, number=number)
    release = found.select_related("round__protocol").first()
    if release is None:
        raise Http404
    return release
