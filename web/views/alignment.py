"""The page of a published round of rollouts that says how far people prefer what its metrics rank
higher.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase

from web.pages.alignment import alignment_lines, sources_of
from web.views.release_page import ReleasePage, of_release


@of_release("alignment")
def alignment(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """Show each metric's correlation with people's preferences, beside the published range and the
    ceiling.
    """
    (found,) = page.documents("alignment")
    context = {
        "lines": alignment_lines(found) if found else [],
        "sources": sources_of(found) if found else [],
        "published": found["published"] if found else None,
    }
    return page.show(request, "scoring/alignment.html", context)
