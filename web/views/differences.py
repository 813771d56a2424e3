"""The page of a round that says which configurations differ, and what each scene tells."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponseBase

from scoring.release.pages import RANKING
from web.pages.differences import differences_of
from web.views.release_page import ReleasePage, of_release


@of_release("differences")
def differences(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """Show tiers, each pair, and each scene's difficulty; rounds of rollouts rank nothing and have
    no such page.
    """
    (ranking,) = page.documents(RANKING)
    if ranking is None:
        raise Http404
    context = {"found": differences_of(ranking, page.rules)}
    return page.show(request, "scoring/differences.html", context)
