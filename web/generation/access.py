"""Who may call these pages: admins, and of those about scenarios experts.

For an account that may not know of them, they do not exist.
"""

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
_NO_EXPERT = (
    "Only an expert can do this: an account with the permission “Can add scenario verdict”."
)


def may_commission(user: Any) -> bool:
    """Say whether the account is an admin: staff that may change rounds."""
    return bool(user.is_active and user.is_staff and user.has_perm("fartbench.change_round"))


def is_expert(user: Any) -> bool:
    """Say whether the account is an expert: staff whose verdicts on scenarios count."""
    return bool(
        user.is_active and user.is_staff and user.has_perm("generation.add_scenarioverdict")
    )


def _lets_in(may: Callable[[Any], bool], refusal: str, home: str) -> Callable[[View[P]], View[P]]:
    """Return a decorator that lets those accounts in; other staff get the reason, and others find
    nothing.
    """

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            user = request.user
            if not user.is_authenticated:
                return redirect_to_login(
                    request.get_full_path() if request.method == "GET" else reverse(home)
                )
            if not (user.is_active and user.is_staff):
                raise Http404
            if not may(user):
                raise PermissionDenied(refusal)
            return view(request, *args, **kwargs)

        guarded: View[P] = never_cache(checked)
        return guarded

    return decorate


def commissions(view: View[P]) -> View[P]:
    """Let admins in: staff that may change rounds. They see prompts, raw clips and costs, and
    buy.
    """
    refusal = "Only an admin can do this: an account that may change rounds."
    return _lets_in(may_commission, refusal, "generation-home")(view)


def judges_scenarios(view: View[P]) -> View[P]:
    """Let experts in: their verdicts on scenarios count."""
    return _lets_in(is_expert, _NO_EXPERT, "scenario-protocols")(view)


def sees_scenarios(view: View[P]) -> View[P]:
    """Let experts in, and admins, who see where scenarios stand."""
    return _lets_in(
        lambda user: is_expert(user) or may_commission(user), _NO_EXPERT, "scenario-protocols"
    )(view)


def shared_context() -> dict[str, Any]:
    """Return what every page of this part shows: that it is an admin's, and whether work waits for
    nobody.
    """
    return {"runs_rounds": True, "silence": _silence()}


def _silence() -> dict[str, Any] | None:
    waiting = jobs.waiting()
    seconds = jobs.last_beat_s() if waiting else None
    if not waiting or (seconds is not None and seconds < SILENT_AFTER_S):
        return None
    return {"waiting": waiting, "seconds": None if seconds is None else int(seconds)}
