"""Who may call a reviewer's page, and how a call that is refused is answered."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache

from fartbench.models import Round
from review.models import Assignment, CohortMember, Reviewer
from review.pairs.selectors import next_pair
from review.selectors import assignment_of, memberships_of, next_assignment, reviewer_of
from review.views.kept import after_login

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, Reviewer, P], HttpResponseBase]
JSON = "application/json"


def wants_json(request: HttpRequest) -> bool:
    """Say whether the page's own script calls, and not the browser by itself."""
    return request.headers.get("Accept", "") == JSON


def reviewers_only(view: View[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Hand the reviewer behind the session to ``view``; others log in (a script gets a code that
    says so), or may not see it.
    """

    def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        reviewer = reviewer_of(request.user)
        if reviewer is not None:
            return view(request, reviewer, *args, **kwargs)
        if wants_json(request):
            return JsonResponse({"code": "login", "login": reverse("login")}, status=401)
        if request.user.is_authenticated:
            raise PermissionDenied("Only a reviewer's account can open this page.")
        return redirect_to_login(after_login(request))

    update_wrapper(checked, view)
    return never_cache(checked)


def own_assignment(reviewer: Reviewer, stimulus_id: str) -> Assignment:
    """Return the reviewer's assignment, or answer 404 for one that is someone else's as for one
    that is not there.
    """
    assignment = assignment_of(reviewer, stimulus_id)
    if assignment is None:
        raise Http404
    return assignment


def own_membership(reviewer: Reviewer, name: str) -> CohortMember:
    """Return the reviewer's place in an opened round, or answer 404."""
    for member in memberships_of(reviewer):
        if member.round.name == name:
            return member
    raise Http404


def next_url(reviewer: Reviewer, round: Round) -> str:
    """Return where the reviewer continues: to the clip that is due, then to the pair that is, then
    to the end page.
    """
    if due := next_assignment(reviewer, round):
        return reverse("review-sheet", args=[due.stimulus_id])
    if pair := next_pair(reviewer, round):
        return reverse("review-pair", args=[pair])
    return reverse("review-done", args=[round.name])


def no_store(response: HttpResponse) -> HttpResponse:
    """Keep a page with a secret in its address out of caches.

    (No page of the site sends its address elsewhere.)
    """
    response["Cache-Control"] = "no-store"
    return response
