"""Help: the documents that an account may read."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from web.pages.help import help_html, help_pages, readable


@require_safe
def help_index(request: HttpRequest) -> HttpResponseBase:
    """List the help pages of this account."""
    return TemplateResponse(request, "help.html", {"pages": help_pages(request.user)})


@require_safe
def help_page(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show a help page; one that is not for this account is not there."""
    if slug not in readable(request.user):
        raise Http404
    # The document is the program's own, and the parser escapes HTML in it.
    text = mark_safe(help_html(slug, request.user))  # noqa: S308
    context = {"pages": help_pages(request.user), "slug": slug, "text": text}
    return TemplateResponse(request, "help.html", context)
