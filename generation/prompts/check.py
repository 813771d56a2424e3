"""Compares prompt bytes with the specification: nothing added, dropped or softened. No Django here.

The check reads the text alone and not how it was made, so that a prompt written by hand is held to
the same rules (Core v0.1 document, section 5). It is a rule and no judgement: the audit by a person
comes after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fartbench.protocol.specification import Specification
from generation.prompts.adapters import ADAPTERS

# Words that join facts and state none. A number, a person or a thing is never among them.
JOINTS = frozenset(
    [
        "a",
        "an",
        "and",
        "at",
        "between",
        "by",
        "in",
        "is",
        "it",
        "of",
        "on",
        "or",
        "s",
        "seconds",
        "the",
        "then",
        "to",
        "while",
        "with",
    ]
)
SOFTENERS = frozenset(
    [
        "maybe",
        "perhaps",
        "possibly",
        "might",
        "may",
        "could",
        "ideally",
        "optionally",
        "optional",
        "somewhat",
        "roughly",
        "approximately",
        "around",
        "about",
        "slightly",
        "almost",
        "try",
        "preferably",
        "should",
    ]
)
NUMBER_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "twice",
    "several",
    "many",
    "few",
]
_WINDOWS = (
    re.compile(r"\[(?P<m1>\d\d):(?P<a>\d\d)-(?P<m2>\d\d):(?P<b>\d\d)\]"),
    re.compile(r"\[(?P<a>[\d.]+)s-(?P<b>[\d.]+)s\]"),
    re.compile(r"[Bb]etween (?P<a>[\d.]+) and (?P<b>[\d.]+) seconds"),
    re.compile(r"[Aa]t (?P<a>[\d.]+) seconds"),
)


def prompt_faults(text: str, specification: Specification, *, adapter: str) -> list[str]:
    """Return a sentence for each way in which ``text`` does not say what the specification says."""
    facts = specification.facts()
    return [
        *_dropped(text, facts),
        *_window_faults(text, specification),
        *_misplaced(text, specification),
        *_softened(text, facts),
        *_added(text, facts, adapter),
    ]


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).casefold()


def _dropped(text: str, facts: dict[str, tuple[str, ...]]) -> Iterator[str]:
    plain = _plain(text)
    for path, wordings in facts.items():
        if not any(_plain(wording) in plain for wording in wordings):
            yield f"dropped: {path} (“{wordings[0]}”)"


def _window_faults(text: str, specification: Specification) -> Iterator[str]:
    spans = set()
    for pattern in _WINDOWS:
        for match in pattern.finditer(text):
            spans.add(_span(match))
    for start, end in sorted(specification.windows - spans):
        yield f"dropped: the window of {start:g} to {end:g} s"
    for start, end in sorted(spans - specification.windows):
        yield f"added or changed: a window of {start:g} to {end:g} s"


def _misplaced(text: str, specification: Specification) -> Iterator[str]:
    """Yield moments that stand out of their order, and windows that stand before another moment
    than their own.
    """
    plain, last = _plain(text), -1
    for moment in specification.timeline:
        place = plain.find(_plain(moment.text))
        if place < 0:
            continue  # reported as dropped
        if place < last:
            yield f"changed: {moment.id} appears before what it must follow"
        last = place
        ahead = plain[max(0, place - 40) : place].rstrip(" ,")
        window = next(
            (m for p in _WINDOWS for m in p.finditer(ahead) if m.end() == len(ahead)), None
        )
        if (found := _span(window) if window else None) != (
            (float(moment.window[0]), float(moment.window[1])) if moment.window else None
        ):
            yield f"changed: the window of {moment.id} is {found}, not {moment.window}"


def _span(match: re.Match[str]) -> tuple[float, float]:
    parts = match.groupdict()
    start = 60 * float(parts.get("m1") or 0) + float(parts["a"])
    return start, 60 * float(parts.get("m2") or 0) + float(parts["b"]) if parts.get("b") else start


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:[’'-][^\W_]+)*", text.casefold())


def _softened(text: str, facts: dict[str, tuple[str, ...]]) -> Iterator[str]:
    own = {word for wordings in facts.values() for wording in wordings for word in _words(wording)}
    for word in sorted(set(_words(text)) & (SOFTENERS - own)):
        yield f"softened: “{word}”"


def _added(text: str, facts: dict[str, tuple[str, ...]], adapter: str) -> Iterator[str]:
    """Yield what is left when every window, heading and fact is taken out of the text, each fact as
    often as it occurs.

    Restating a fact is allowed (the document permits it); a word that belongs to no fact is not.
    """
    left = _plain(text)
    for pattern in _WINDOWS:
        left = re.sub(pattern.pattern, " ", left, flags=re.IGNORECASE)
    wordings = set()
    for ways in facts.values():
        for wording in ways:
            wordings.add(_plain(wording))
    if adapter in ADAPTERS:
        headings = {_plain(heading) for heading in ADAPTERS[adapter].headings.values()}
    else:
        headings = set()
    for known in sorted(wordings | headings, key=len, reverse=True):
        left = left.replace(known, " ")
    for word in dict.fromkeys(_words(left)):
        if word not in JOINTS and word not in SOFTENERS:
            kind = "a number" if word.isdigit() or word in NUMBER_WORDS else "a word"
            yield f"added: {kind} that is in no fact, “{word}”"
