"""What is kept of how a rollout came: its chunks and its prompts, logged, or as far as a declared
geometry says.
"""

from __future__ import annotations

from generation.models import Chunk, ChunkSource, Clip, PromptDelivery, Sample
from generation.rollouts.geometry import Geometry
from generation.rollouts.log import RolloutLog

SLACK_S = 0.001
"""How much later than a prompt a chunk may seem to begin and still be the one that it holds from:
rounding only.
"""


def keep_timing(sample: Sample, clip: Clip, log: RolloutLog | None) -> None:
    """Store how a delivered rollout came. Nothing is stored of a clip that is no rollout."""
    rollouts = sample.cell.round.protocol.rules.rollouts
    if rollouts is None:
        return
    if log is not None:
        keep_logged(sample, log)
    else:
        keep_declared(
            sample, clip, [update.at_s for update in rollouts.scenario(sample.cell.scene).updates]
        )


def keep_logged(sample: Sample, log: RolloutLog) -> None:
    """Store every chunk and prompt of a stream, also of one that broke off.

    Doing it again changes nothing.
    """
    places = [0, *log.boundaries]
    Chunk.objects.bulk_create(
        (
            Chunk(
                sample=sample, index=one.index, frame_start=place, frames=one.frames,
                media_s=one.starts_s,
                wall_s=one.wall_s, source=ChunkSource.LOGGED,
            )
            for one, place in zip(log.chunks, places, strict=False)
        ),
        ignore_conflicts=True,
    )  # fmt: skip
    starts = [chunk.starts_s for chunk in log.chunks]
    PromptDelivery.objects.bulk_create(
        (
            PromptDelivery(
                sample=sample, step=one.step, due_s=one.due_s, media_s=one.media_s,
                wall_s=one.wall_s,
                in_chunk=_first_from(one.media_s, starts),
            )
            for one in log.prompts
        ),
        ignore_conflicts=True,
    )  # fmt: skip


def keep_declared(sample: Sample, clip: Clip, updates_s: list[float]) -> None:
    """Store the chunks that the configuration's geometry says a whole rollout has, and its prompts
    at their times.

    Without a geometry there are no chunks: nobody can see where they meet.
    """
    declared = sample.cell.configuration.geometry
    starts: list[float] = []
    if declared is not None:
        geometry, frames = Geometry(**declared), int(clip.facts["frame_count"])
        places = [0, *geometry.boundaries(frames)]
        starts = [place / geometry.frame_rate for place in places]
        Chunk.objects.bulk_create(
            (
                Chunk(
                    sample=sample, index=index, frame_start=place, frames=after - place,
                    media_s=start,
                    source=ChunkSource.GEOMETRY,
                )
                for index, (place, after, start) in enumerate(zip(places, [*places[1:], frames],
                                                                  starts, strict=True))
            ),
            ignore_conflicts=True,
        )  # fmt: skip
    PromptDelivery.objects.bulk_create(
        (
            PromptDelivery(
                sample=sample,
                step=f"P{number}",
                due_s=at_s,
                media_s=at_s,
                in_chunk=_first_from(at_s, starts),
            )
            for number, at_s in enumerate(updates_s, 1)
        ),
        ignore_conflicts=True,
    )


def _first_from(media_s: float, starts: list[float]) -> int | None:
    return next((index for index, start in enumerate(starts) if start >= media_s - SLACK_S), None)
