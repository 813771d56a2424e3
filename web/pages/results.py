"""One configuration's results as pages show them, in the words of the protocol.

Nothing is scored here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.utils.safestring import SafeString

from fartbench.numbers import number_text
from fartbench.protocol import Scene
from scoring.scores.consensus import YES
from web.pages.figures import Figure
from web.pages.strips import gate_item, votes_strip

_NO_VOTE = "none"
MOST_CLIPS_DRAWN = 4


@dataclass(frozen=True, slots=True)
class Vote:
    """How many of the cohort gave one answer."""

    value: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Gate:
    """A factual question of one clip: what the cohort agreed on, and its votes."""

    question: str
    label: str
    wording: str
    outcome: str
    outcome_label: str
    votes: tuple[Vote, ...]
    cohort: int

    @property
    def seats(self) -> tuple[str, ...]:
        """One answer value for each place of the cohort, equal ones together; ``none`` where no
        vote came.
        """
        given = [vote.value for vote in self.votes for _ in range(vote.count)]
        return (*given, *[_NO_VOTE] * (self.cohort - len(given)))

    @property
    def counts(self) -> str:
        """The votes in words: ``3 Yes, 1 No``."""
        return (
            ", ".join(f"{vote.count} {vote.label}" for vote in self.votes if vote.count)
            or "no votes"
        )

    @property
    def strip(self) -> SafeString:
        return votes_strip(self.seats)

    @property
    def item(self) -> SafeString:
        return gate_item(
            self.label, self.outcome, f"{self.outcome_label}, {self.counts}", self.seats
        )


@dataclass(frozen=True, slots=True)
class ClipResult:
    """One cell of a configuration. ``stimulus`` is empty when there is no clip to play; ``cell``
    holds its facts.
    """

    scene: Scene
    replicate: int
    status: str
    reason: str
    gates: tuple[Gate, ...]
    cell: Mapping[str, str]
    score: Fraction | None = None
    uncapped: Fraction | None = None
    cap: str = ""

    @property
    def score_shown(self) -> str:
        """A weighted score to one decimal; empty where there is none."""
        return "" if self.score is None else number_text(self.score, ".1f")

    @property
    def uncapped_shown(self) -> str:
        return "" if self.uncapped is None else number_text(self.uncapped, ".1f")

    @property
    def stimulus(self) -> str:
        return self.cell["stimulus"]

    @property
    def label(self) -> str:
        return self.status.replace("_", " ").capitalize()

    @property
    def cost(self) -> str:
        """What it cost in US dollars, without zeros at the end; empty if unknown."""
        return f"{Decimal(self.cell['cost_usd']).normalize():f}" if self.cell["cost_usd"] else ""


@dataclass(frozen=True)
class SceneResults:
    """What a configuration showed in one scene: one clip, or several replicates.

    Its counts are kept: many read it.
    """

    scene: Scene
    clips: tuple[ClipResult, ...]
    score: Figure | None = None
    """The mean of a weighted score with its interval."""

    @cached_property
    def sort_value(self) -> float:
        """What a scene's column is sorted by: the mean weighted score, or how many gates passed."""
        if self.mean is not None:
            return float(self.mean)
        return sum(gate.outcome == YES for clip in self.clips for gate in clip.gates)

    @cached_property
    def mean(self) -> Fraction | None:
        """The mean weighted score of its clips; None where none is scored."""
        scores = [clip.score for clip in self.clips if clip.score is not None]
        return sum(scores, Fraction(0)) / len(scores) if scores else None

    @property
    def mean_shown(self) -> str:
        """The mean to one decimal; a dash where there is none."""
        return "–" if self.mean is None else number_text(self.mean, ".1f")

    @property
    def capped(self) -> list[tuple[str, list[ClipResult]]]:
        """Each ceiling that held a clip down, with those clips."""
        reasons = dict.fromkeys(clip.cap for clip in self.clips if clip.cap)
        return [(reason, [clip for clip in self.clips if clip.cap == reason]) for reason in reasons]

    @property
    def is_crowded(self) -> bool:
        """Say whether there are too many clips to draw the votes of each in a line of a table."""
        return len(self.clips) > MOST_CLIPS_DRAWN

    @cached_property
    def passed_of(self) -> list[tuple[str, int, int]]:
        """Each gate with how many of how many clips passed."""
        places = zip(*(clip.gates for clip in self.clips if clip.gates), strict=True)
        return [
            (found[0].label, sum(gate.outcome == YES for gate in found), len(found))
            for found in places
        ]


@dataclass(frozen=True, slots=True)
class ConfigurationResult:
    """A configuration's line. Scores are exact; `shown` writes them for people."""

    configuration: str
    rank: int | None
    score: Fraction
    all_right: Fraction
    earned: Fraction
    possible: int
    delivered: int
    unranked_because: str
    apart: str
    scenes: tuple[SceneResults, ...]
    is_weighted: bool
    interval: Figure
    rank_set: Mapping[str, Any] | None
    identity: Mapping[str, Any]

    @property
    def score_figure(self) -> Figure:
        """The exact score with its interval and what that rests on."""
        return replace(self.interval, value=self.score_shown)

    @property
    def score_shown(self) -> str:
        return number_text(self.score, ".1f") if self.is_weighted else shown(self.score)

    @property
    def all_right_shown(self) -> str:
        return shown(self.all_right)

    @property
    def earned_shown(self) -> str:
        return shown(self.earned)

    @property
    def score_sort(self) -> float:
        return float(self.score)

    @property
    def all_right_sort(self) -> float:
        return float(self.all_right)

    @property
    def clips(self) -> list[ClipResult]:
        return [clip for scene in self.scenes for clip in scene.clips]


def shown(number: Fraction) -> str:
    """Write an exact number for people: ``6``, ``6.5``, or ``6 1/3`` where two decimals would not
    be exact.
    """
    whole, rest = divmod(number, 1)
    if not rest:
        return str(whole)
    if (number * 100).denominator == 1:
        return f"{float(number):g}"
    return f"{whole} {rest}" if whole else str(rest)
