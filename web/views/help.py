"""Help: the documents that an account may read."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from web.pages.help import help_html, help_pages, readable
from web.views.access import may_run_rounds, may_see_rounds


def documents_for(user: Any) -> tuple[str, ...]:
    """Return the documents that an account may read."""
    return readable(is_staff=may_see_rounds(user), is_admin=may_run_rounds(user))


@require_safe
def help_index(request: HttpRequest) -> HttpResponseBase:
    """List the help pages of this account."""
    return TemplateResponse(
        request, "help.html", {"pages": help_pages(documents_for(request.user))}
    )


@require_safe
def help_page(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show a help page; one that is not for this account is not there."""
    allowed = documents_for(request.user)
    if slug not in allowed:
        raise Http404
    # The document is the program's own, and the parser escapes HTML in it.
    text = mark_safe(help_html(slug, allowed))  # noqa: S308
    context = {"pages": help_pages(allowed), "text": text}
    return TemplateResponse(request, "help.html", context)
