"""A leaderboard as pages show it: a scores document in the words of its protocol. Nothing is scored here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fartbench.protocol import Protocol, Scene, form_for
from generation.manifest import CellKey
from scoring.consensus import INCOMPLETE, NA, SPLIT

_OUTCOME_WORDS = {NA: "N/A", SPLIT: "Split", INCOMPLETE: "Incomplete"}
_NO_VOTE = "none"


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
    def seats(self) -> list[str]:
        """One answer value for each place of the cohort, equal ones together; ``none`` where no vote came."""
        given = [vote.value for vote in self.votes for _ in range(vote.count)]
        return given + [_NO_VOTE] * (self.cohort - len(given))

    @property
    def counts(self) -> str:
        """The votes in words: ``3 Yes, 1 No``."""
        return ", ".join(f"{vote.count} {vote.label}" for vote in self.votes if vote.count) or "no votes"


@dataclass(frozen=True, slots=True)
class ClipResult:
    """One cell of a leaderboard. ``stimulus`` is empty when there is no clip to play."""

    scene: Scene
    replicate: int
    status: str
    reason: str
    gates: tuple[Gate, ...]
    stimulus: str

    @property
    def label(self) -> str:
        return self.status.replace("_", " ").capitalize()


@dataclass(frozen=True, slots=True)
class SceneResults:
    """What a configuration showed in one scene: one clip, or several replicates."""

    scene: Scene
    clips: tuple[ClipResult, ...]

    @property
    def passes(self) -> int:
        """How many gates passed, for sorting by a scene's column."""
        return sum(gate.outcome == "yes" for clip in self.clips for gate in clip.gates)


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A configuration's line. Scores are exact; `shown` writes them for people."""

    configuration: str
    rank: int | None
    score: Fraction
    all_right: Fraction
    earned: Fraction
    possible: int
    delivered: int
    unranked_because: str
    scenes: tuple[SceneResults, ...]

    @property
    def score_shown(self) -> str:
        return shown(self.score)

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


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that are ranked among themselves, or not ranked; ``title`` is empty for the main ranking."""

    title: str
    rows: tuple[BoardRow, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """A whole leaderboard."""

    scenes: tuple[Scene, ...]
    gate_labels: tuple[str, ...]
    total: int
    groups: tuple[RowGroup, ...]
    incomplete_reason: str

    @property
    def rows(self) -> list[BoardRow]:
        return [row for group in self.groups for row in group.rows]

    @property
    def without_clip(self) -> list[tuple[BoardRow, ClipResult]]:
        """The cells that brought no scored clip, each with its configuration."""
        return [(row, clip) for row in self.rows for clip in row.clips if not clip.gates]

    @property
    def delivered(self) -> int:
        return sum(row.delivered for row in self.rows)

    @property
    def cells(self) -> int:
        return sum(len(row.clips) for row in self.rows)

    def row(self, configuration: str) -> BoardRow | None:
        """Return the line of a configuration, or None."""
        return next((row for row in self.rows if row.configuration == configuration), None)


def shown(number: Fraction) -> str:
    """Write an exact number for people: ``6``, ``6.5``, or ``6 1/3`` where two decimals would not be exact."""
    whole, rest = divmod(number, 1)
    if not rest:
        return str(whole)
    if (number * 100).denominator == 1:
        return f"{float(number):g}"
    return f"{whole} {rest}" if whole else str(rest)


def board(document: Mapping[str, Any], protocol: Protocol, stimuli: Mapping[CellKey, str]) -> Board:
    """Put a scores document into the words of its protocol. ``stimuli`` names the clips that may be played."""
    scenes = tuple(scene for scene in protocol.scenes if _has_scene(document, scene.key))
    rows = [_row(line, protocol, scenes, stimuli) for line in document["leaderboard"]]
    ranked = tuple(row for row in rows if row.rank is not None)
    unranked = tuple(row for row in rows if row.rank is None)
    groups = (RowGroup("", ranked), RowGroup("Not ranked", unranked))
    return Board(
        scenes=scenes,
        gate_labels=tuple(protocol.question(gate).label for gate in protocol.scoring.gates),
        total=protocol.points_per_clip * len(scenes),
        groups=tuple(group for group in groups if group.rows),
        incomplete_reason=document.get("incomplete_reason", ""),
    )


def _has_scene(document: Mapping[str, Any], key: str) -> bool:
    lines = document["leaderboard"]
    return not lines or key in lines[0]["scenes"]


def _row(
    line: Mapping[str, Any], protocol: Protocol, scenes: tuple[Scene, ...], stimuli: Mapping[CellKey, str]
) -> BoardRow:
    name = line["configuration"]
    return BoardRow(
        configuration=name,
        rank=line["rank"],
        score=Fraction(line["factual_score"]),
        all_right=Fraction(line["scenes_all_right"]),
        earned=Fraction(line["earned"]),
        possible=line["possible"],
        delivered=line["delivered"],
        unranked_because=_with_titles(line["unranked_because"], scenes),
        scenes=tuple(
            SceneResults(scene, tuple(_clips(name, scene, line["scenes"][scene.key], protocol, stimuli)))
            for scene in scenes
        ),
    )


def _with_titles(words: str, scenes: tuple[Scene, ...]) -> str:
    for scene in scenes:
        words = words.replace(scene.key, f"{scene.title}:")
    return words


def _clips(
    name: str, scene: Scene, found: Mapping[str, Any], protocol: Protocol, stimuli: Mapping[CellKey, str]
) -> list[ClipResult]:
    cells = found.get("replicates", [{"replicate": 1, **found}])
    return [
        ClipResult(
            scene=scene,
            replicate=cell["replicate"],
            status=cell["status"],
            reason=cell.get("reason", ""),
            gates=tuple(_gate(gate, cell[gate], scene, protocol) for gate in protocol.scoring.gates if gate in cell),
            stimulus=stimuli.get(CellKey(name, scene.key, cell["replicate"]), ""),
        )
        for cell in cells
    ]


def _gate(key: str, found: Mapping[str, Any], scene: Scene, protocol: Protocol) -> Gate:
    question = protocol.question(key)
    labels = {option.value: option.label for option in protocol.options(question)} | _OUTCOME_WORDS
    return Gate(
        question=key,
        label=question.label,
        wording=form_for(protocol, scene.key).wording(key),
        outcome=found["consensus"],
        outcome_label=labels[found["consensus"]],
        votes=tuple(Vote(value, labels[value], count) for value, count in found["votes"].items()),
        cohort=protocol.cohort.size,
    )
