"""What spans rounds: configurations over time, and two releases beside each other."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from review.selectors import protocols_under_review
from web.pages.comparing import compare_releases
from web.pages.history import appearances_of, known_configurations
from web.pages.published import public_releases

CONFIGURATIONS_PER_PAGE = 50


@require_safe
def configurations(request: HttpRequest) -> HttpResponseBase:
    """List the configurations of all published rounds."""
    search = request.GET.get("q", "").strip()
    known = known_configurations(protocols_under_review(request.user), search)
    page = Paginator(known, CONFIGURATIONS_PER_PAGE).get_page(request.GET.get("page"))
    return TemplateResponse(request, "records/configurations.html", {"page": page, "q": search})


@require_safe
def history(request: HttpRequest, configuration: str) -> HttpResponseBase:
    """Show one configuration over all published rounds."""
    appearances = appearances_of(configuration, protocols_under_review(request.user))
    if not appearances:
        raise Http404
    context = {"configuration": configuration, "appearances": appearances}
    return TemplateResponse(request, "records/history.html", context)


@require_safe
def compare(request: HttpRequest) -> HttpResponseBase:
    """Show where two releases differ, cell by cell; without two, let them be chosen."""
    closed = protocols_under_review(request.user)
    releases = public_releases().defer(None).defer("scores").select_related("round__protocol")
    by_name = {
        f"{release.round.name}/{release.number}": release
        for release in releases.exclude(round__protocol__name__in=closed)
    }
    names = request.GET.get("one", ""), request.GET.get("other", "")
    one, other = (by_name.get(name) for name in names)
    context: dict[str, object] = {"names": list(by_name), "chosen": names}
    if one is not None and other is not None:
        context |= {"one": one, "other": other, "tables": compare_releases(one, other)}
    elif any(names):
        raise Http404
    return TemplateResponse(request, "records/compare.html", context)
