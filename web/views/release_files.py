"""The files of every release of a published round, and how its results are used elsewhere."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from scoring.models import Release
from web.outside.citing import bibtex_of
from web.outside.frames import frame_code
from web.outside.tables import table_names
from web.pages.files import ReleaseFile, listed, send, send_archive
from web.pages.published import release_or_404, releases_of
from web.views.release_page import ReleasePage, of_release


@of_release("releases")
def releases(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """List every release of the round with its digest and files."""
    every = list(releases_of(page.release.round.name))
    newest = every[0]
    context = {
        "releases": _with_neighbours(every),
        "elsewhere": {
            "tables": table_names(newest),
            "badge_code": _badge_code(newest),
            "frame_code": frame_code(newest) if settings.EMBED_ANCESTORS else "",
            "bibtex": bibtex_of(newest),
        },
    }
    page.documents()
    return page.show(request, "scoring/releases.html", context)


@require_safe
def archive(_request: HttpRequest, name: str, number: int) -> HttpResponseBase:
    """Send all files of a release of a published round as one ZIP file."""
    return send_archive(release_or_404(name, number))


@require_safe
def file(request: HttpRequest, name: str, number: int, path: str) -> HttpResponseBase:
    """Send a file of a release of a published round; any other path is not there."""
    return send(request, release_or_404(name, number), path)


def _with_neighbours(
    every: list[Release],
) -> list[tuple[Release, int | None, int | None, list[ReleaseFile]]]:
    """Return each release with the numbers of the one that it replaces and of the one that replaces
    it, and with its files.
    """
    numbers: dict[int | None, int] = {release.pk: release.number for release in every}
    replaced_by = {release.replaces_id: release.number for release in every}
    return [
        (release, numbers.get(release.replaces_id), replaced_by.get(release.pk), listed(release))
        for release in every
    ]


def _badge_code(release: Release) -> str:
    """Return the Markdown of a badge that leads to the leaderboard."""
    name = release.round.name
    picture = f"{settings.BASE_URL}{reverse('round-badge', args=[name])}"
    page = f"{settings.BASE_URL}{reverse('leaderboard', args=[name])}"
    return f"[![FARTBench: round {name}]({picture})]({page})"
