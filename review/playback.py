"""What a player reports about a clip, checked, and how much of the clip it amounts to. No Django
here.

A report holds, besides counters, the played parts of the clip as ``covered``: a list of levels,
where level k lists the ranges (seconds) that were played at least k + 1 times. So one full play is
a full first level, two are a full second one, however often the player was stopped, and seeking
over a part never counts as playing it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from review.errors import BadPlayback

MAX_BYTES = 8_000
Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Range = tuple[Seconds, Seconds]


class Playback(BaseModel):
    """A player's report.

    Nothing here tells one person's device from another's beyond its window's size.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    covered: tuple[Annotated[tuple[Range, ...], Field(max_length=60)], ...] = Field(
        default=(), max_length=5
    )
    plays: Count = 0
    watched_s: Seconds = 0
    hidden_s: Seconds = Field(
        default=0, description="Seconds of playing in a tab that was not shown."
    )
    muted_s: Seconds = Field(default=0, description="Seconds of playing without sound.")
    volume: Annotated[float, Field(ge=0, le=1)] | None = None
    stalls: Count = 0
    stalled_s: Seconds = 0
    dropped_frames: Count = 0
    tool_uses: Annotated[
        int, Field(ge=0, le=1_000_000, description="Frame steps, loops and changes of speed.")
    ] = 0
    viewport: tuple[Count, Count] | None = None
    errors: tuple[Annotated[str, Field(max_length=120)], ...] = Field(default=(), max_length=8)


def parse_playback(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report as it is stored.

    Raises BadPlayback for one that is too large or not of this shape.
    """
    try:
        playback = Playback.model_validate(report)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"]) or "the report"
        raise BadPlayback(
            f"The playback report was not understood: {where}: {fault['msg']}."
        ) from error
    stored = playback.model_dump(mode="json", exclude_defaults=True)
    if len(playback.model_dump_json()) > MAX_BYTES:
        raise BadPlayback(f"The playback report is larger than {MAX_BYTES} bytes.")
    return stored


def union_length(ranges: list[Range], *, end: float) -> float:
    """Return the seconds of [0, ``end``] that the ranges cover together; overlaps count once."""
    total = reached = 0.0
    for start, stop in sorted(ranges):
        start, stop = max(start, reached), min(stop, end)  # noqa: PLW2901 - cut to what is new and inside
        if stop > start:
            total += stop - start
            reached = stop
    return total


def is_played(
    report: Mapping[str, Any], *, duration: float, full_plays: int, fraction: float
) -> bool:
    """Say whether a stored report holds ``full_plays`` plays of at least ``fraction`` of
    ``duration`` seconds each.
    """
    if full_plays == 0:
        return True
    levels = report.get("covered", [])
    if len(levels) < full_plays:
        return False
    ranges = [(float(start), float(stop)) for start, stop in levels[full_plays - 1]]
    return union_length(ranges, end=duration) >= fraction * duration
