"""What visitors see: published rounds, their newest releases, and the clips of those rounds alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KT

from blinding.models import BlindingKey, Stimulus
from fartbench.models import ProtocolVersion, Round, RoundState
from fartbench.protocol import Protocol, Scene
from generation.manifest import CellKey
from generation.models import Sample
from scoring.models import Release
from scoring.pages.board import Board, BoardRow, ClipResult, board


def newest_releases() -> QuerySet[Release]:
    """Return the release that stands for each published round, the newest first, without its scores."""
    newest = Release.objects.filter(round=OuterRef("round")).order_by("-number").values("pk")[:1]
    releases = Release.objects.filter(round__state=RoundState.PUBLISHED, pk=Subquery(newest))
    return releases.select_related("round__protocol").defer("scores", "round__protocol__content")


def with_leaders(releases: QuerySet[Release]) -> QuerySet[Release]:
    """Add who leads each release as ``leader``, and as ``second_rank`` how the next one is ranked."""
    return releases.annotate(
        leader=KT("scores__leaderboard__0__configuration"),
        leader_rank=KT("scores__leaderboard__0__rank"),
        second_rank=KT("scores__leaderboard__1__rank"),
    )


def published_release(name: str) -> Release | None:
    """Return the newest release of the published round of this name, scores loaded, or None."""
    found = Release.objects.filter(round__name=name, round__state=RoundState.PUBLISHED)
    return found.select_related("round__protocol").order_by("-number").first()


def newest_release() -> Release | None:
    """Return the newest release of all, scores loaded, or None."""
    found = Release.objects.filter(round__state=RoundState.PUBLISHED)
    return found.select_related("round__protocol").order_by("-created_at").first()


def board_of(release: Release) -> Board:
    """Return the leaderboard that a release froze, with the clips that visitors may play."""
    return board(release.scores, release.round.protocol.rules, stimuli_of(release.round))


def stimuli_of(round_: Round) -> dict[CellKey, str]:
    """Return the stimulus of each cell. It unblinds.

    Call it for a published round, or on a closed one for an act that is logged.
    """
    keys = BlindingKey.objects.filter(stimulus__round=round_, stimulus__retirement=None)
    cells = keys.values_list(
        "sample__cell__configuration__name", "sample__cell__scene", "sample__cell__replicate", "stimulus_id"
    )
    return {CellKey(name, scene, replicate): stimulus for name, scene, replicate, stimulus in cells}


def published_stimulus(round_name: str, stimulus_id: str) -> Stimulus | None:
    """Return a clip that everyone may play: one of a published round that was scored, or None."""
    return Stimulus.objects.filter(
        pk=stimulus_id, round__name=round_name, round__state=RoundState.PUBLISHED, retirement=None
    ).first()


@dataclass(frozen=True)
class SceneSample:
    """A scene of the protocol with a clip that shows it; without one ``clip`` and ``row`` are None."""

    scene: Scene
    row: BoardRow | None = None
    clip: ClipResult | None = None


def scene_samples(protocol: Protocol, found: Board | None) -> list[SceneSample]:
    """Return for each scene the clip of the best-placed configuration that got most of its gates right."""
    return [_sample(scene, found.rows if found else ()) for scene in protocol.scenes]


def _sample(scene: Scene, rows: Iterable[BoardRow]) -> SceneSample:
    clips = [(row, clip) for row in rows for clip in row.clips if clip.scene == scene and clip.stimulus]
    if not clips:
        return SceneSample(scene)
    # max keeps the first of equals, and rows come best first
    row, clip = max(clips, key=lambda pair: sum(gate.outcome == "yes" for gate in pair[1].gates))
    return SceneSample(scene, row, clip)


def samples_of(round_: Round, configuration: str) -> dict[tuple[str, int], Sample]:
    """Return a configuration's samples in a round by scene and replicate, with their raw clips."""
    found = Sample.objects.filter(cell__round=round_, cell__configuration__name=configuration)
    return {(sample.cell.scene, sample.cell.replicate): sample for sample in found.select_related("cell", "clip")}


def shown_protocol() -> ProtocolVersion | None:
    """Return the protocol that the site speaks of: of the newest release, else the newest that was loaded."""
    releases = Release.objects.filter(round__state=RoundState.PUBLISHED).order_by("-created_at")
    if newest := releases.values_list("round__protocol", flat=True).first():
        return ProtocolVersion.objects.get(pk=newest)
    return ProtocolVersion.objects.order_by("-loaded_at", "-pk").first()
