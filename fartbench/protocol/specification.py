"""The canonical specification of a scene: the facts that every prompt of it states, and no others.

No Django here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from fartbench.datafiles import DataError, faults_of, read_yaml, tuples
from fartbench.protocol.parts import Key, Part, Text

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "specifications"


class SpecificationError(DataError):
    """A specification file that cannot be used."""


class Subject(Part):
    """One person, or several alike: who, and where in the picture."""

    id: Key
    who: Text
    anchor: Text
    count: int = Field(default=1, ge=1)


class Events(Part):
    """How many events of which type there are, and whether they are heard."""

    count: int = Field(ge=0)
    type: Text
    condition: Literal["audible", "silent"]


class Moment(Part):
    """Something that happens, in its order; ``window`` is in seconds from the start, both ends
    included.
    """

    id: Key
    actor: Key
    text: Text
    window: tuple[float | int, float | int] | None = None


class Reaction(Part):
    """A required reaction, and whom it is directed at."""

    actor: Key
    toward: Key
    text: Text


class Audio(Part):
    """What is heard besides the moments."""

    ambience: Text
    rules: tuple[Text, ...] = ()


class Camera(Part):
    """The shot, and what the camera may not do."""

    shot: Text
    rules: tuple[Text, ...] = Field(min_length=1)


class Prohibition(Part):
    """Something that must not be, and the same as a desired state."""

    text: Text
    positive: Text


class Checks(Part):
    """What a clip is checked for: the expected answer to each hard check, and what does not apply
    in this scene.
    """

    expected: dict[Key, Text]
    not_applicable: tuple[Key, ...] = ()


class Specification(Part):
    """A whole specification. ``events.count`` is the number of required events."""

    key: Key
    version: Text
    title: Text
    objective: Text | None = None
    duration_s: float | int = Field(gt=0)
    location: Text
    subjects: tuple[Subject, ...] = Field(min_length=1)
    target: Key
    events: Events
    timeline: tuple[Moment, ...] = Field(min_length=1)
    reactions: tuple[Reaction, ...] = ()
    audio: Audio
    camera: Camera
    style: Text
    prohibited: tuple[Prohibition, ...] = Field(min_length=1)
    checks: Checks | None = None

    @model_validator(mode="after")
    def _names_and_windows_hold(self) -> Self:
        known = {subject.id for subject in self.subjects}
        named = {
            self.target,
            *(m.actor for m in self.timeline),
            *(n for r in self.reactions for n in (r.actor, r.toward)),
        }
        if strangers := sorted(named - known):
            raise ValueError(
                f"{strangers[0]!r} is not one of the subjects {', '.join(sorted(known))}"
            )
        for moment in self.timeline:
            if moment.window and not 0 <= moment.window[0] <= moment.window[1] <= self.duration_s:
                raise ValueError(
                    f"the window of {moment.id!r} does not lie within {self.duration_s} s"
                )
        return self

    @property
    def windows(self) -> set[tuple[float, float]]:
        """The timing windows of the scene, in seconds."""
        return {(float(m.window[0]), float(m.window[1])) for m in self.timeline if m.window}

    def facts(self) -> dict[str, tuple[str, ...]]:
        """Return every fact by its path, each with the wordings that state it in full."""
        fields: dict[str, tuple[str, ...]] = {"location": (self.location,), "style": (self.style,)}
        for subject in self.subjects:
            fields[f"subjects.{subject.id}.who"] = (subject.who,)
            fields[f"subjects.{subject.id}.anchor"] = (subject.anchor,)
        fields |= {f"timeline.{moment.id}": (moment.text,) for moment in self.timeline}
        fields |= {
            f"reactions.{number}": (one.text,) for number, one in enumerate(self.reactions, 1)
        }
        fields |= {"audio.ambience": (self.audio.ambience,), "camera.shot": (self.camera.shot,)}
        fields |= {
            f"audio.rules.{number}": (text,) for number, text in enumerate(self.audio.rules, 1)
        }
        fields |= {
            f"camera.rules.{number}": (text,) for number, text in enumerate(self.camera.rules, 1)
        }
        return fields | {
            f"prohibited.{n}": (one.text, one.positive) for n, one in enumerate(self.prohibited, 1)
        }


def parse_specification(content: Any, *, source: str) -> Specification:
    """Check ``content`` and return it; ``source`` names it in errors. Raises SpecificationError."""
    try:
        return Specification.model_validate(tuples(content))
    except ValidationError as error:
        raise SpecificationError(source, faults_of(error)) from error


def read_specification(
    protocol: str, version: str, scene: str, *, folder: Path = FOLDER
) -> tuple[Specification, dict[str, Any]]:
    """Return the specification of a protocol's scene and the content it was read from.

    Raises SpecificationError.
    """
    path = folder / protocol / version / f"{scene}.yaml"
    content = read_yaml(path)
    return parse_specification(content, source=str(path)), content
