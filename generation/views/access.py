"""Who may call these pages: admins. An account that may not know of them is not told that they exist."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import reverse
from django.views.decorators.cache import never_cache

from fartbench import jobs

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
SILENT_AFTER_S = 30


def commissions(view: View[P]) -> View[P]:
    """Let admins in: staff that may change rounds. They see prompts, raw clips and costs, and buy."""

    @wraps(view)
    def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        user = request.user
        if not user.is_authenticated:
            target = request.get_full_path() if request.method == "GET" else reverse("generation-home")
            return redirect_to_login(target)
        if not (user.is_active and user.is_staff):
            raise Http404
        if not user.has_perm("fartbench.change_round"):
            raise PermissionDenied("Only an admin can do this: an account that may change rounds.")
        return view(request, *args, **kwargs)

    guarded: View[P] = never_cache(checked)
    return guarded


def shared_context() -> dict[str, Any]:
    """Return what every page of this part shows: that it is an admin's, and whether work waits for nobody."""
    return {"runs_rounds": True, "silence": _silence()}


def _silence() -> dict[str, Any] | None:
    waiting = jobs.waiting()
    seconds = jobs.last_beat_s() if waiting else None
    if not waiting or (seconds is not None and seconds < SILENT_AFTER_S):
        return None
    return {"waiting": waiting, "seconds": None if seconds is None else int(seconds)}
