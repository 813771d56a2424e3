"""What visitors see: published rounds, their newest releases, and the clips of those rounds
alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404

from blinding.models import Stimulus
from fartbench.models import ProtocolVersion, Round, RoundState
from fartbench.protocol import Protocol, Scene
from fartbench.recent import Recent
from generation.models import Cell, Prompt, Sample
from scoring.models import Release, ReleaseDocument
from scoring.release.pages import LEADERBOARD, SUMMARY
from scoring.scores.consensus import YES
from web.pages.board import Board, Read, Rows, read_board, rows_from
from web.pages.results import ClipResult, ConfigurationResult

INDEXES_KEPT, ROWS_KEPT = 8, 200


def public_releases() -> QuerySet[Release]:
    """Return every release of the published rounds, without what is large."""
    return Release.objects.filter(round__state=RoundState.PUBLISHED).defer("scores", "manifest")


def newest_releases() -> QuerySet[Release]:
    """Return the current release of each published round, the newest first."""
    newest = Release.objects.filter(round=OuterRef("round")).order_by("-number").values("pk")[:1]
    releases = (
        public_releases()
        .filter(pk=Subquery(newest))
        .defer("scores", "manifest", "round__protocol__content")
    )
    return releases.select_related("round__protocol").order_by("-created_at")


def summaries(releases: Iterable[Release]) -> dict[int, Any]:
    """Return the summary of each release, in one query."""
    found = ReleaseDocument.objects.filter(
        release__in=[release.pk for release in releases], name=SUMMARY
    )
    return dict(found.values_list("release_id", "content"))


def published_release(name: str, number: int | None = None) -> Release | None:
    """Return a release of the published round of this name, the newest without a number; or
    None.
    """
    releases = releases_of(name)
    return (releases if number is None else releases.filter(number=number)).first()


def releases_of(name: str) -> QuerySet[Release]:
    """Return the releases of the published round of this name, the newest first."""
    releases = public_releases().defer(None).defer("scores").filter(round__name=name)
    return releases.select_related("round__protocol").order_by("-number")


def release_or_404(name: str, number: int | None = None) -> Release:
    """Return what `published_release` does. Raises Http404 where that is None."""
    release = published_release(name, number)
    if release is None:
        raise Http404
    return release


def newest_release() -> Release | None:
    """Return the newest release whose protocol ranks by a score, or None: what the first page shows
    a leader of.
    """
    releases = public_releases().select_related("round__protocol").order_by("-created_at")
    return next((one for one in releases if not one.round.protocol.rules.scoring.is_empty), None)


def documents_of(release: Release) -> Read:
    """Return what reads the documents of a release: one query for each call."""

    def read(names: Sequence[str]) -> dict[str, Any]:
        wanted = [name for name in names if name != LEADERBOARD]
        found = dict(release.documents.filter(name__in=wanted).values_list("name", "content"))
        return found | {name: index_of(release) for name in names if name == LEADERBOARD}

    return read


# A release never changes, so each process keeps what it read last, for all its threads.
Identity = tuple[str, datetime]
_indexes: Recent[Identity, Any] = Recent(INDEXES_KEPT)
_rows: Recent[tuple[Identity, str], ConfigurationResult] = Recent(ROWS_KEPT)


def index_of(release: Release) -> Any:
    """Return the leaderboard document of a release. It names every configuration and may be
    long.
    """
    key = (release.digest, release.created_at)
    index = _indexes.known([key]).get(key)
    if index is None:
        index = release.document(LEADERBOARD)
        _indexes.keep({key: index})
    return index


def rows_of(release: Release) -> Rows:
    """Return what reads the results of configurations: one query for those that were not read
    lately.
    """
    identity = (release.digest, release.created_at)
    read = rows_from(documents_of(release), release.round.protocol.rules)

    def rows(names: Sequence[str]) -> list[ConfigurationResult]:
        results = _rows.known([(identity, name) for name in names])
        missing = [name for name in names if (identity, name) not in results]
        if missing:
            fresh = {(identity, row.configuration): row for row in read(missing)}
            _rows.keep(fresh)
            results |= fresh
        return [results[identity, name] for name in names]

    return rows


def board_of(release: Release, **wanted: Any) -> Board:
    """Return the leaderboard that a release froze."""
    return read_board(
        documents_of(release), rows_of(release), release.round.protocol.rules, **wanted
    )


def published_stimulus(round_name: str, stimulus_id: str) -> Stimulus | None:
    """Return a clip that everyone may play: one of a published round that was scored, or None."""
    return Stimulus.objects.filter(
        pk=stimulus_id, round__name=round_name, round__state=RoundState.PUBLISHED, retirement=None
    ).first()


@dataclass(frozen=True)
class SceneSample:
    """A scene of the protocol with a clip that shows it; without one ``clip`` and ``row`` are
    None.
    """

    scene: Scene
    row: ConfigurationResult | None = None
    clip: ClipResult | None = None


def scene_samples(protocol: Protocol, found: Board | None) -> list[SceneSample]:
    """Return for each scene the clip of the best-placed configuration that got most of its gates
    right.
    """
    return [_sample(scene, found.rows if found else ()) for scene in protocol.scenes]


def _sample(scene: Scene, rows: Iterable[ConfigurationResult]) -> SceneSample:
    clips = [
        (row, clip) for row in rows for clip in row.clips if clip.scene == scene and clip.stimulus
    ]
    if not clips:
        return SceneSample(scene)
    # max keeps the first of equals, and rows come best first
    row, clip = max(clips, key=lambda pair: sum(gate.outcome == YES for gate in pair[1].gates))
    return SceneSample(scene, row, clip)


def prompts_of(round_: Round, configuration: str) -> list[Prompt]:
    """Return the frozen prompts that a configuration's clips of a round were made from, by
    scene.
    """
    # The configuration's few cells lead to them; through the round a database would look at all of
    # its samples.
    cells = Cell.objects.filter(round=round_, configuration__name=configuration)
    used = Sample.objects.filter(cell__in=cells).values("prompt")
    return list(Prompt.objects.filter(pk__in=used, frozen_at__isnull=False).order_by("scene"))


def shown_protocol() -> ProtocolVersion | None:
    """Return the protocol that the site speaks of: of the newest release, else the newest that was
    loaded.
    """
    releases = Release.objects.filter(round__state=RoundState.PUBLISHED).order_by("-created_at")
    if newest := releases.values_list("round__protocol", flat=True).first():
        return ProtocolVersion.objects.get(pk=newest)
    return ProtocolVersion.objects.order_by("-loaded_at", "-pk").first()
