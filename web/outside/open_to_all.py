"""What makes an address readable by a script of any other site."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_http_methods

View = Callable[..., HttpResponseBase]
DAY_S = 24 * 3600


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
            response["Access-Control-Max-Age"] = str(DAY_S)
        else:
            response = view(request, *args, **kwargs)
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = "ETag"
        return response

    restricted: View = require_http_methods(["GET", "HEAD", "OPTIONS"])(answered)
    return restricted
