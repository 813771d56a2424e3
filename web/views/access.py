"""Who may call a page of the staff, in one place.

For an account that may not see a page, it does not exist.
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

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def may_see_rounds(user: Any) -> bool:
    """Say whether the account is staff: it sees the state of each round, and never an answer of an
    open one.
    """
    return bool(user.is_active and user.is_staff)


def may_run_rounds(user: Any) -> bool:
    """Say whether the account is an admin: staff that may also change rounds and see who reviews
    them.
    """
    return may_see_rounds(user) and bool(user.has_perm("fartbench.change_round"))


def sees_rounds(view: View[P]) -> View[P]:
    """Let staff in; others log in, or find nothing."""

    @wraps(view)
    def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(
                request.get_full_path() if request.method == "GET" else reverse("staff-home")
            )
        if not may_see_rounds(request.user):
            raise Http404
        return view(request, *args, **kwargs)

    guarded: View[P] = never_cache(checked)
    return guarded


def runs_rounds(view: View[P]) -> View[P]:
    """Let admins in; other staff read that an admin is needed."""

    @wraps(view)
    def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not may_run_rounds(request.user):
            raise PermissionDenied("Only an admin can do this: an account that may change rounds.")
        return view(request, *args, **kwargs)

    return sees_rounds(checked)
