"""How a release is cited: BibTeX, and a citation file in the Citation File Format 1.2.0."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from ruamel.yaml import YAML

from scoring.models import Release
from web.outside.open_to_all import open_to_all
from web.pages.files import keep_for_an_hour
from web.pages.published import release_or_404

BIBTEX, CITATION = "cite.bib", "CITATION.cff"
UNNAMED = "FARTBench"
"""The author of a release where the installation does not say who runs it."""
_NEEDS_BACKSLASH = re.compile(r"([&%$#_{}])")


@open_to_all
def bibtex(_: HttpRequest, name: str) -> HttpResponseBase:
    """Send the BibTeX entry of the newest release of a round."""
    release = release_or_404(name)
    return _sent(bibtex_of(release), BIBTEX, "application/x-bibtex")


@open_to_all
def citation(_: HttpRequest, name: str) -> HttpResponseBase:
    """Send the citation file of the newest release of a round."""
    release = release_or_404(name)
    return _sent(citation_file_of(release), CITATION, "text/yaml")


def bibtex_of(release: Release) -> str:
    """Return the BibTeX entry of a release."""
    fields = {
        "title": f"{{{_escaped(_title(release))}}}",
        "author": f"{{{_escaped(_author())}}}",
        "year": f"{release.created_at:%Y}",
        "month": f"{release.created_at:%b}".lower(),
        "version": f"{release.number}",
        "url": _page(release),
        "note": f"SHA-256 of the release: {release.digest}",
    }
    key = f"fartbench_{release.round.name}_{release.number}"
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def citation_file_of(release: Release) -> str:
    """Return the citation file of a release, as YAML."""
    content: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use these results, please cite the release that you used.",
        "title": _title(release),
        "type": "dataset",
        "authors": [{"name": _author()}],
        "version": str(release.number),
        "date-released": release.created_at.date().isoformat(),
        "url": _page(release),
        "identifiers": [
            {
                "type": "other",
                "value": f"sha256:{release.digest}",
                "description": "SHA-256 of the manifest, which names every file of the release.",
            }
        ],
    }
    text = StringIO()
    writer = YAML()
    writer.width = 1000  # a long title stays on its line
    writer.dump(content, text)
    return text.getvalue()


def _title(release: Release) -> str:
    title = release.round.protocol.rules.title
    words = f"{title}, round {release.round.name}, release {release.number}"
    return f"{words} (demonstration)" if release.demonstration else words


def _author() -> str:
    return settings.OPERATOR or UNNAMED


def _page(release: Release) -> str:
    return f"{settings.BASE_URL}{reverse('leaderboard', args=[release.round.name])}"


def _escaped(text: str) -> str:
    return _NEEDS_BACKSLASH.sub(r"\\\1", text.replace("\\", r"\textbackslash "))


def _sent(text: str, name: str, kind: str) -> HttpResponseBase:
    response = HttpResponse(text, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    keep_for_an_hour(response)
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response
