"""The diagnostics of a round's reviewers as tables for staff."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fartbench.protocol import Protocol
from web.pages.figures import Figure, figure

EVERYBODY = "everybody"


@dataclass(frozen=True, slots=True)
class RatingHabit:
    """How a reviewer used one scale, beside the others on the same clips."""

    question: str
    severity: Figure
    correlation: Figure
    gain: Figure
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class FactHabit:
    """How a reviewer answered one factual question, beside the others."""

    question: str
    minority: int
    three_to_one: int
    agreement: Figure
    unclear: int
    n: int


@dataclass(frozen=True, slots=True)
class ReviewerLine:
    """One reviewer of the primary cohort.

    ``seconds`` is the median time of a clip, None when none was measured.
    """

    code: str
    sheets: int
    ratings: tuple[RatingHabit, ...]
    facts: tuple[FactHabit, ...]
    minority: int
    three_to_one: int
    na: int
    na_of: int
    seconds: float | None
    seconds_n: int
    playback: Mapping[str, int]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WithoutLine:
    """A figure with everybody, and without each reviewer in turn."""

    label: str
    everybody: Any
    without: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All of it: a line for each reviewer, and alpha and gates without each."""

    reviewers: tuple[ReviewerLine, ...]
    alpha: tuple[WithoutLine, ...]
    gates: tuple[WithoutLine, ...]


def diagnosis(document: Mapping[str, Any], protocol: Protocol) -> Diagnosis:
    """Return a document of `scoring.diagnostics` for reading."""
    codes = [one["reviewer"] for one in document["reviewers"]]
    without = document["sensitivity"]
    alpha = (
        WithoutLine(
            protocol.question(key).label,
            figure(found[EVERYBODY]),
            tuple(figure(found[one]) for one in codes),
        )
        for key, found in without["alpha"].items()
    )
    gates = (
        WithoutLine(
            f"{protocol.question(key).label}, of {found['n']} clips",
            found[EVERYBODY],
            tuple(found[one] for one in codes),
        )
        for key, found in without["gates"].items()
    )
    return Diagnosis(
        tuple(_line(one, protocol) for one in document["reviewers"]), tuple(alpha), tuple(gates)
    )


def _line(found: Mapping[str, Any], protocol: Protocol) -> ReviewerLine:
    seconds = found.get("seconds_per_clip", {"median": None, "n": 0})
    ratings = [_rating(protocol.question(key).label, one) for key, one in found["ratings"].items()]
    facts = [_fact(protocol.question(key).label, one) for key, one in found["facts"].items()]
    na = found["na"].values()
    return ReviewerLine(
        code=found["reviewer"],
        sheets=found["sheets"],
        ratings=tuple(ratings),
        facts=tuple(facts),
        minority=found["minority_votes"]["count"],
        three_to_one=found["minority_votes"]["n"],
        na=sum(one["count"] for one in na),
        na_of=sum(one["n"] for one in na),
        seconds=seconds["median"],
        seconds_n=seconds["n"],
        playback=found.get("playback", {}),
        flags=tuple(found["flags"]),
    )


def _rating(question: str, found: Mapping[str, Any]) -> RatingHabit:
    return RatingHabit(
        question=question,
        severity=figure(found["severity"]),
        correlation=figure(found["correlation_with_others"]),
        gain=figure(found["alpha_gain_without"]),
        counts=tuple(found["counts"].items()),
    )


def _fact(question: str, found: Mapping[str, Any]) -> FactHabit:
    return FactHabit(
        question=question,
        minority=found["minority_votes"],
        three_to_one=found["three_to_one"],
        agreement=figure(found["agreement_with_others"], percent=True),
        unclear=found["unclear"]["count"],
        n=found["unclear"]["n"],
    )
