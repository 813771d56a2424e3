"""What the generator builds scenarios from: themes and sentences, as data. No Django here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from fartbench.protocol.parts import Key, Part, Text
from fartbench.protocol.rollouts.reading import read_model

# Where a noun phrase continues to say more.
_MORE = re.compile(r",| (?:with|under|of|full|beneath|in|before|between|at|above|on|after)\b")


class Event(Part):
    """Something that happens: how it is seen and heard, and what it leaves behind for a later
    update to build on.
    """

    see: Text | None = None
    hear: Text
    leaves: Text


Subject = Annotated[
    tuple[Key, Key, Key, Text, Text, Text, Text], Field(description="see themes.yaml")
]


class Place(Part):
    """A place with its four subjects; every field is a phrase."""

    key: Key
    place: Text
    thing: Text
    changes: Event
    weather: Event
    background: Text
    others: Text
    busy: Text
    crowd: Text
    subjects: tuple[Subject, ...] = Field(min_length=1)


class Themes(Part):
    """``themes.yaml``: places by scene domain."""

    domains: dict[Key, tuple[Place, ...]]


class Style(Part):
    """How a visual style is asked for and asked about."""

    lead: Text
    question: Text


class Wording(Part):
    """``wording.yaml``: sentences with fields in braces."""

    styles: dict[Key, Style]
    scene: dict[Key, Text]
    subject: Text
    entity: dict[Key, Text]
    activity: dict[Key, str]
    audio: dict[Key, Text]
    endings: dict[Key, Text]
    questions: dict[Key, Text | dict[Key, Text]]
    actions: dict[Key, tuple[Event, ...]]
    actions_heard: dict[Key, tuple[Event, ...]]
    audio_changes: tuple[Event, ...]
    after_seen: dict[Key, tuple[Event, ...]]
    after_heard: dict[Key, tuple[Event, ...]]


@dataclass(frozen=True, slots=True)
class Theme:
    """A subject at its place, with the phrases that sentences are filled with."""

    key: str
    title: str
    domain: str
    category: str
    audio_domain: str
    place: Place
    phrases: dict[str, str]

    def fill(self, sentence: str, **more: str) -> str:
        """Return the sentence with its fields filled.

        Raises KeyError for a field there is none for.
        """
        phrases = self.phrases | more
        return sentence.format_map(
            phrases | {_capital(name): _capital(text) for name, text in phrases.items()}
        )


@dataclass(frozen=True, slots=True)
class Material:
    """All themes, in the order of the file, and the sentences."""

    themes: tuple[Theme, ...]
    wording: Wording


def read_material(folder: Path) -> Material:
    """Read ``themes.yaml`` and ``wording.yaml``. Raises DataError or ScenarioError."""
    places = read_model(folder / "themes.yaml", Themes).domains
    themes = []
    for domain, found in places.items():
        for place in found:
            for subject in place.subjects:
                themes.append(_theme(domain, place, subject))
    return Material(tuple(themes), read_model(folder / "wording.yaml", Wording))


def _theme(domain: str, place: Place, subject: Subject) -> Theme:
    key, category, audio_domain, who, name, does, heard = subject
    plural = not re.match(r"\S*[^s]s\b", does)  # "beats" is one that beats, "beat" are several
    person = category == "person" or plural
    phrases = {
        "who": who, "the": f"the {name}", "does": does, "heard": heard,
        "its": "their" if person else "its",
        "s": "" if plural else "s", "es": "" if plural else "es",
        "place": place.place, "thing": place.thing, "background": place.background,
        "others": place.others, "other": _head(place.others), "busy": place.busy,
        "crowd": place.crowd,
    }  # fmt: skip
    where = _MORE.split(place.place)[0]
    return Theme(
        f"{place.key}-{key}",
        f"{_capital(who)}, {where}",
        domain,
        category,
        audio_domain,
        place,
        phrases,
    )


def _head(who: str) -> str:
    """Return the noun of a phrase such as “a boy who shells peas”, without its article."""
    return re.split(r" (?:who|in|with|at)\b", who)[0].split(" ", 1)[1]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
