"""Puts the documents of a release on its configurations into the words of the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fartbench.protocol import Protocol, Scene, form_for
from scoring.scores.consensus import INCOMPLETE, NA, SPLIT
from web.pages.figures import figure
from web.pages.results import ClipResult, ConfigurationResult, Gate, SceneResults, Vote

OUTCOME_WORDS = {NA: "N/A", SPLIT: "Split", INCOMPLETE: "Incomplete"}


@dataclass(frozen=True, slots=True)
class GateWords:
    """A gate of a scene in the protocol's words: what it is called, how it is asked, and its
    outcomes by value.
    """

    label: str
    wording: str
    outcomes: Mapping[str, str]


def configuration_results(
    documents: Iterable[Mapping[str, Any]], protocol: Protocol
) -> list[ConfigurationResult]:
    """Put documents of configurations (`scoring.release.pages`) into the words of their
    protocol.
    """
    gates = {
        (scene.key, gate): _gate_words(gate, scene, protocol)
        for scene in protocol.scenes
        for gate in protocol.facts
        if not protocol.answer_set(protocol.question(gate)).is_number
    }
    words = Words(gates, {cap.key: cap.label for cap in protocol.scoring.caps})
    return [_result(document, protocol, words) for document in documents]


def _gate_words(key: str, scene: Scene, protocol: Protocol) -> GateWords:
    question = protocol.question(key)
    labels = {option.value: option.label for option in protocol.options(question)} | OUTCOME_WORDS
    return GateWords(question.label, form_for(protocol, scene.key).wording(key), labels)


@dataclass(frozen=True, slots=True)
class Words:
    """What a protocol calls things: its facts by scene and question, its ceilings by key."""

    gates: Mapping[tuple[str, str], GateWords]
    caps: Mapping[str, str]


def _result(document: Mapping[str, Any], protocol: Protocol, words: Words) -> ConfigurationResult:
    scenes = [scene for scene in protocol.scenes if scene.key in document["scenes"]]
    scores = document["reports"].get("test_scores", {})
    cohort = int(document.get("cohort", protocol.cohort.size))
    cells = {(cell["scene"], cell["replicate"]): cell for cell in document["cells"]}
    return ConfigurationResult(
        configuration=document["configuration"],
        rank=document["rank"],
        score=Fraction(document[protocol.scoring.rank_by[0]]),
        all_right=Fraction(document.get("scenes_all_right", 0)),
        earned=Fraction(document.get("earned", 0)),
        possible=document.get("possible", 0),
        delivered=document["delivered"],
        unranked_because=_with_titles(document["unranked_because"], scenes),
        apart=document["ranked_apart"],
        scenes=tuple(
            SceneResults(
                scene,
                tuple(_clips(scene, document["scenes"][scene.key], cells, cohort, words)),
                figure(scores[scene.key], digits=1) if scene.key in scores else None,
            )
            for scene in scenes
        ),
        is_weighted=protocol.scoring.is_weighted,
        interval=figure(
            document["score_interval"], digits=1 if protocol.scoring.is_weighted else 2
        ),
        rank_set=document["rank_set"],
        identity=document["identity"],
    )


def _with_titles(words: str, scenes: list[Scene]) -> str:
    for scene in scenes:
        words = words.replace(scene.key, f"{scene.title}:")
    return words


def _clips(
    scene: Scene,
    found: Mapping[str, Any],
    cells: Mapping[tuple[str, int], Mapping[str, str]],
    cohort: int,
    words: Words,
) -> Iterator[ClipResult]:
    for one in found.get("replicates", [{"replicate": 1, **found}]):
        gates = [
            (gate, one[gate]) for place, gate in words.gates if place == scene.key and gate in one
        ]
        yield ClipResult(
            scene=scene,
            replicate=one["replicate"],
            status=one["status"],
            reason=one.get("reason", ""),
            gates=tuple(
                _gate(gate, answered, words.gates[scene.key, gate], cohort)
                for gate, answered in gates
            ),
            cell=cells[scene.key, one["replicate"]],
            score=Fraction(one["fartscore"]) if "fartscore" in one else None,
            uncapped=Fraction(one["uncapped"]) if "uncapped" in one else None,
            cap=words.caps.get(one.get("cap", ""), ""),
        )


def _gate(key: str, found: Mapping[str, Any], words: GateWords, cohort: int) -> Gate:
    return Gate(
        question=key,
        label=words.label,
        wording=words.wording,
        outcome=found["consensus"],
        outcome_label=words.outcomes[found["consensus"]],
        votes=tuple(
            Vote(value, words.outcomes[value], count) for value, count in found["votes"].items()
        ),
        cohort=cohort,
    )
