"""The files of a release, as its manifest names them.

What the manifest does not name does not exist for a visitor.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.utils.cache import get_conditional_response

from fartbench.storage import file_sha256
from scoring.models import Release
from scoring.release.croissant import ENCODINGS
from scoring.release.manifest import MANIFEST
from web.archive import release_archive

# A picture may style itself and load nothing; opened on its own, it is nobody's page.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
FALLBACK = "application/octet-stream"
TEXTS = frozenset({"text/csv", "text/markdown", "application/jsonlines"})


HOUR_S = 3600


def keep_for_an_hour(response: HttpResponseBase) -> None:
    """Let caches of everybody keep a response: it is the same for all."""
    response["Cache-Control"] = f"public, max-age={HOUR_S}"


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """A file of a release: its path there, its SHA-256 (empty for the manifest, which holds the
    others), its bytes.
    """

    path: str
    sha256: str
    size: int | None


def listed(release: Release) -> list[ReleaseFile]:
    """Return the files of a release, the manifest first."""
    hashes = {MANIFEST: "", **release.manifest["files"]}
    return [ReleaseFile(path, sha256, _size(release, path)) for path, sha256 in hashes.items()]


def _size(release: Release, path: str) -> int | None:
    file = release.folder / path
    return file.stat().st_size if file.is_file() else None


def published_file(release: Release, path: str) -> Path:
    """Return where a file of a release lies.

    Raises Http404 for a path that the manifest does not name, and for a file that is gone or was
    changed: it would go out under the digest of what was published.
    """
    files: dict[str, Any] = release.manifest["files"]
    if path != MANIFEST and path not in files:
        raise Http404
    file = release.folder / path
    if not file.resolve().is_relative_to(release.folder.resolve()) or not file.is_file():
        raise Http404
    if path in files and file_sha256(file) != files[path]:
        raise Http404
    return file


def send(request: HttpRequest, release: Release, path: str) -> HttpResponseBase:
    """Send a file. Raises Http404 as `published_file` does."""
    file = published_file(release, path)
    etag = f'"{release.manifest["files"].get(path, release.digest)}"'
    if unchanged := get_conditional_response(request, etag=etag):
        return unchanged
    kind = ENCODINGS.get(PurePosixPath(path).suffix.lstrip("."), FALLBACK)
    picture = kind == "image/svg+xml"
    response = FileResponse(
        file.open("rb"),
        as_attachment=not picture,
        filename=PurePosixPath(path).name,
        content_type=f"{kind}; charset=utf-8" if kind in TEXTS else kind,
    )
    response["ETag"] = etag
    keep_for_an_hour(response)
    response["Content-Security-Policy"] = (
        PICTURE_POLICY if picture else "default-src 'none'; sandbox"
    )
    return response


def send_archive(release: Release) -> HttpResponseBase:
    """Send all files of a release as one ZIP file. Raises Http404 when they are gone."""
    try:
        archive = release_archive(release)
    except FileNotFoundError as error:
        raise Http404 from error
    response = FileResponse(
        archive.open("rb"),
        as_attachment=True,
        filename=f"{release.round.name}-{release.number}.zip",
        content_type="application/zip",
    )
    keep_for_an_hour(response)
    return response
