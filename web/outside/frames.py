"""Results inside pages of other sites: a leaderboard or a plot in a frame, and oEmbed.

These pages have no form, no link that acts and no account, so nothing can be gained by laying
another page over them. Every other page of the site refuses to be framed.
"""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import urlsplit

from csp.decorators import csp_replace
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve, reverse
from django.views.decorators.clickjacking import xframe_options_exempt

from scoring.models import Release
from web.outside.open_to_all import open_to_all
from web.pages import rollouts
from web.pages.files import HOUR_S, keep_for_an_hour
from web.pages.published import board_of, documents_of, release_or_404

PLOTS = "plots/"
WIDTH, HEIGHT, LEAST = 800, 480, 200
"""The size of a frame (pixels) where a call names no other, and the smallest."""


def _in_frames(view: Any) -> Any:
    """Let the sites of the setting EMBED_ANCESTORS show a page in a frame."""
    allowed = settings.EMBED_ANCESTORS or ["'none'"]
    return xframe_options_exempt(csp_replace({"frame-ancestors": allowed})(open_to_all(view)))


def board(_: HttpRequest, name: str) -> HttpResponseBase:
    """Show the leaderboard of a round, or the columns of its systems, for a frame."""
    release = release_or_404(name)
    rules = release.round.protocol.rules
    context: dict[str, Any] = {"release": release, "round": release.round, "rules": rules}
    if rules.rollouts is None:
        context["board"] = board_of(release)
    else:
        context["columns"] = rollouts.read_columns(documents_of(release), rules, {})
    return _page("outside/board.html", context)


def plot(_: HttpRequest, name: str, plot: str) -> HttpResponseBase:
    """Show a plot of the newest release of a round, for a frame."""
    release = release_or_404(name)
    if f"{PLOTS}{plot}.svg" not in release.manifest["files"]:
        raise Http404
    context = {"release": release, "round": release.round, "path": f"{PLOTS}{plot}.svg"}
    return _page("outside/plot.html", context)


framed_board, framed_plot = _in_frames(board), _in_frames(plot)


def _page(template: str, context: dict[str, Any]) -> HttpResponse:
    response = HttpResponse(render_to_string(template, context))
    keep_for_an_hour(response)
    return response


@open_to_all
def oembed(request: HttpRequest) -> HttpResponseBase:
    """Answer with the frame that shows the leaderboard at ``url`` (oEmbed 1.0, JSON alone)."""
    if request.GET.get("format", "json") != "json":
        return HttpResponse("Only format=json is answered.", status=501, content_type="text/plain")
    release = _release_at(request.GET.get("url", ""))
    width, height = _size(request, "maxwidth", WIDTH), _size(request, "maxheight", HEIGHT)
    return JsonResponse(
        {
            "version": "1.0",
            "type": "rich",
            "title": f"Leaderboard of round {release.round.name}, release {release.number}",
            "provider_name": "FARTBench",
            "provider_url": f"{settings.BASE_URL}/",
            "cache_age": HOUR_S,
            "width": width,
            "height": height,
            "html": frame_code(release, width, height),
        }
    )


def frame_code(release: Release, width: int = WIDTH, height: int = HEIGHT) -> str:
    """Return the HTML that shows the leaderboard of a release's round in a frame."""
    name = escape(release.round.name)
    address = escape(f"{settings.BASE_URL}{reverse('embedded-board', args=[release.round.name])}")
    return (
        f'<iframe src="{address}" width="{width}" height="{height}" '
        f'title="Leaderboard of round {name}" loading="lazy" sandbox="allow-popups"></iframe>'
    )


def _release_at(address: str) -> Release:
    """Return the release that a page of this site is about. Raises Http404 for other addresses."""
    ours, asked = urlsplit(settings.BASE_URL), urlsplit(address)
    if (asked.scheme, asked.netloc) != (ours.scheme, ours.netloc):
        raise Http404
    try:
        match = resolve(asked.path)
    except Resolver404 as error:
        raise Http404 from error
    if match.url_name != "leaderboard":
        raise Http404
    return release_or_404(match.kwargs["name"])


def _size(request: HttpRequest, name: str, usual: int) -> int:
    """Return a wanted size (pixels): the usual one, or less where the query says so."""
    asked = request.GET.get(name, "")
    if not asked.isascii() or not asked.isdecimal():
        return usual
    return max(LEAST, min(usual, int(asked[:6])))
