"""Results: what closed rounds came to, and what was published."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from ninja import Router, Schema

from api.errors import NotThere
from api.guard import operation, round_of, token_of
from api.scopes import Role, Scope
from fartbench import audit
from fartbench.models import Round, RoundState
from rounds.errors import ReasonMissing
from scoring.models import Release
from scoring.records.reading import read_round
from scoring.release.kinds import documents_of
from scoring.release.verifying import verify_release
from web.pages.files import listed, send

ROUTER = Router(tags=["results"])


class FileLine(Schema):
    """A file of a release; the manifest, which names the others, has no digest here."""

    path: str
    sha256: str
    size: int | None


class ReleaseLine(Schema):
    """A release of a round."""

    number: int
    sha256: str
    created_at: datetime
    demonstration: bool
    correction_reason: str
    files: list[FileLine]


class Verified(Schema):
    """What computing a release again from its answers found."""

    sha256: str
    files: int
    answers: int
    locks_checked: int
    locks: int


class Why(Schema):
    """Why results are looked at before they are published: it is recorded."""

    reason: str


@operation(
    ROUTER,
    "GET",
    "/rounds/{name}/releases",
    scope=Scope.RESULTS_READ,
    response=list[ReleaseLine],
)
def list_releases(request: HttpRequest, name: str) -> list[ReleaseLine]:
    """List the releases of a round, the newest first, with their files."""
    releases = Release.objects.filter(round=round_of(request, name)).order_by("-number")
    return [_line(release) for release in releases.select_related("round")]


@operation(
    ROUTER, "GET", "/rounds/{name}/releases/{number}/files/{path:path}", scope=Scope.RESULTS_READ
)
def get_file(request: HttpRequest, name: str, number: int, path: str) -> HttpResponseBase:
    """Send a file of a release."""
    return send(request, _release(round_of(request, name), number), path)


@operation(
    ROUTER,
    "POST",
    "/rounds/{name}/releases/{number}/verify",
    scope=Scope.RESULTS_READ,
    response=Verified,
)
def verify(request: HttpRequest, name: str, number: int) -> Verified:
    """Compute a release again from its answers, and compare every value."""
    found = verify_release(_release(round_of(request, name), number).folder)
    return Verified(
        sha256=found.digest,
        files=found.files,
        answers=found.answers,
        locks_checked=found.locks_checked,
        locks=found.locks,
    )


@operation(
    ROUTER,
    "POST",
    "/rounds/{name}/preview",
    scope=Scope.RESULTS_READ,
    role=Role.ADMIN,
    response=dict[str, Any],
)
def preview(request: HttpRequest, name: str, why: Why) -> dict[str, Any]:
    """Compute the scores and reports of a closed round, for a reason that is recorded."""
    round_ = round_of(request, name)
    if not why.reason.strip():
        raise ReasonMissing("Say why the results are looked at: it is recorded.")
    if round_.state not in (RoundState.LOCKED, RoundState.PUBLISHED):
        raise NotThere(f"Round {name} is not closed: it has no results yet.")
    documents = documents_of(read_round(round_))
    with transaction.atomic():
        audit.record(
            "scores previewed",
            actor=token_of(request).actor,
            round_name=round_.name,
            reason=why.reason.strip(),
        )
    return {"scores": documents.scores, "reports": documents.reports}


def _release(round_: Round, number: int) -> Release:
    release = Release.objects.filter(round=round_, number=number).select_related("round").first()
    if release is None:
        raise NotThere(f"Round {round_.name} has no release {number}.")
    return release


def _line(release: Release) -> ReleaseLine:
    return ReleaseLine(
        number=release.number,
        sha256=release.digest,
        created_at=release.created_at,
        demonstration=release.demonstration,
        correction_reason=release.correction_reason,
        files=[
            FileLine(path=file.path, sha256=file.sha256, size=file.size) for file in listed(release)
        ],
    )
