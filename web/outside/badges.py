"""Small pictures that say how a round or a configuration did, for pages of other sites."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.html import format_html

from scoring.models import Release
from scoring.release.pages import LEADERBOARD, SUMMARY, configuration_document
from web.outside.open_to_all import open_to_all
from web.pages.files import PICTURE_POLICY, keep_for_an_hour
from web.pages.published import documents_of, release_or_404, rows_of
from web.pages.results import ConfigurationResult

BRAND = "FARTBench"
LETTER, MARGIN = 6.4, 8
"""The width of a letter and of the space beside a text (pixels), at 11 pixels of sans-serif."""
_PICTURE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20"
 role="img" aria-label="{brand}: {words}">
<title>{brand}: {words}</title>
<rect width="{width}" height="20" rx="3" fill="#155e63"/>
<rect width="{left}" height="20" rx="3" fill="#333a3d"/>
<g fill="#fff" font-family="Verdana, Geneva, sans-serif" font-size="11">
<text x="{margin}" y="14" textLength="{brand_width}">{brand}</text>
<text x="{words_at}" y="14" textLength="{words_width}">{words}</text>
</g></svg>
"""


@open_to_all
def of_round(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send the badge of a round: how many configurations its newest release compares."""
    release = release_or_404(name)
    index = documents_of(release)([LEADERBOARD])[LEADERBOARD]
    count = len(index["configurations"])
    noun = "system" if release.round.protocol.rules.rollouts else "configuration"
    return _sent(request, release, f"{count} {noun}{'' if count == 1 else 's'}")


@open_to_all
def of_configuration(request: HttpRequest, name: str, configuration: str) -> HttpResponseBase:
    """Send the badge of a configuration: its score and the ranks that cannot be ruled out."""
    release = release_or_404(name)
    wanted = configuration_document(configuration)
    documents = documents_of(release)([wanted, SUMMARY])
    if wanted not in documents:
        raise Http404
    if release.round.protocol.rules.rollouts is not None:  # there is no overall score
        return _sent(request, release, configuration)
    (row,) = rows_of(release)([configuration])
    return _sent(request, release, _result_words(row, documents[SUMMARY]["total"]))


def _result_words(row: ConfigurationResult, total: int) -> str:
    score = f"{row.score_shown} of {total}"
    ranks = row.rank_set
    if row.rank is None:
        return f"{score} · not ranked"
    if ranks is None or ranks["low"] == ranks["high"]:
        return f"{score} · rank {row.rank}"
    return f"{score} · rank {ranks['low']} to {ranks['high']}"


def _sent(request: HttpRequest, release: Release, words: str) -> HttpResponseBase:
    kind = "demonstration · " if release.demonstration else ""
    picture = badge(f"{kind}{words} · release {release.number}")
    etag = f'"{release.digest}-badge"'
    if unchanged := get_conditional_response(request, etag=etag):
        return unchanged
    response = HttpResponse(picture, content_type="image/svg+xml")
    response["ETag"] = etag
    keep_for_an_hour(response)
    response["Content-Security-Policy"] = PICTURE_POLICY
    return response


def badge(words: str) -> str:
    """Return the SVG of a badge with these words beside the name of the program."""
    brand_width, words_width = round(LETTER * len(BRAND)), round(LETTER * len(words))
    left = brand_width + 2 * MARGIN
    return format_html(
        _PICTURE,
        brand=BRAND,
        words=words,
        width=left + words_width + 2 * MARGIN,
        left=left,
        margin=MARGIN,
        brand_width=brand_width,
        words_at=left + MARGIN,
        words_width=words_width,
    )
