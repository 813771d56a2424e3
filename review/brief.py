"""What was asked for in a test, as reviewers read it beside the clip. No Django here.

A protocol shows it only where its file says so (``briefs``). Every word comes from the scene's
specification.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fartbench.protocol import Protocol
from fartbench.protocol.specification import Moment, Specification


@dataclass(frozen=True, slots=True)
class BriefLine:
    """One heading of a brief with what belongs under it, each a short text."""

    label: str
    texts: tuple[str, ...]


def brief_lines(protocol: Protocol, scene: str) -> tuple[BriefLine, ...]:
    """Return the brief of a scene; empty when reviewers of this protocol are not shown any."""
    specification = protocol.briefs.get(scene)
    if specification is None:
        return ()
    return tuple(line for line in _lines(specification) if line.texts)


def _lines(asked: Specification) -> Iterator[BriefLine]:
    people = {one.id: f"{one.who}: {one.anchor}" for one in asked.subjects}
    others = (text for key, text in people.items() if key != asked.target)
    yield BriefLine("Target", (people[asked.target],))
    yield BriefLine("Others", tuple(others))
    yield BriefLine("Time window", tuple(map(_timed, asked.timeline)))
    events = asked.events
    yield BriefLine("Length", (f"{asked.duration_s:g} seconds",))
    yield BriefLine("Count", (f"{events.count} × {events.type}, {events.condition}",))
    yield BriefLine("Required reaction", tuple(one.text for one in asked.reactions) or ("none",))
    yield BriefLine("Sound", (asked.audio.ambience, *asked.audio.rules))
    yield BriefLine("Camera", (asked.camera.shot, *asked.camera.rules))
    yield BriefLine("Prohibitions", tuple(one.text for one in asked.prohibited))


def _timed(moment: Moment) -> str:
    if moment.window is None:
        return moment.text
    start, end = moment.window
    return f"{start:g} to {end:g} s: {moment.text}"
