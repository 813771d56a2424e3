"""Scripted answers to every form about a window, consistent with what the forms permit and equal
each time.
"""

from __future__ import annotations

import hashlib
from functools import cache
from random import Random

from fartbench.protocol import form_for
from scoring.records import WindowRecord
from tests.streamav.rollout_record import streamav


@cache
def keys_of(form: str) -> tuple[str, ...]:
    return form_for(streamav().protocol, form).keys


def drawn(
    configuration: str, scene: str, window: WindowRecord, reviewer: int, *, quality: float = 3.0
) -> dict[str, str]:
    """Draw answers around ``quality`` (1 to 5); the later in the rollout, the lower."""
    name = "\n".join(
        [configuration, scene, window.form, window.place, str(window.end_s), str(reviewer)]
    )
    random = Random(hashlib.sha256(name.encode()).digest())
    middle = quality - window.end_s / 360

    def rating() -> int:
        return min(5, max(1, round(random.gauss(middle, 0.8))))

    answers: dict[str, str] = {}
    for key in keys_of(window.form):
        modality, _, what = key.partition("_")
        if what in {"started", "onset_latency", "target_latency", "fulfilment"}:
            answers |= (answers and {}) or update_answers(modality, rating(), random)
        elif key == "dependency_following":
            established = answers["source_state_established"] == "yes"
            answers[key] = str(rating()) if established else "na:source_not_established"
        elif key in {
            "generation_break",
            "deformation",
            "object_disappears",
            "audio_break",
            "audio_artefact",
        }:
            answers[key] = "yes" if random.random() < 0.2 else "no"
        elif key == "source_state_established":
            answers[key] = "yes" if random.random() < 0.7 else "no"
        else:
            answers[key] = str(rating())
    return answers


def update_answers(modality: str, fulfilment: int, random: Random) -> dict[str, str]:
    """Draw what is said of an update: nothing begins, or it begins and perhaps is reached later."""
    started = fulfilment > 1
    onset = random.randrange(0, 20) / 2
    reached = started and fulfilment >= 3
    times = {
        "onset_latency": f"{onset:g}" if started else "na:not_started",
        "target_latency": f"{onset + random.randrange(0, 20) / 2:g}"
        if reached
        else "na:not_reached",
    }
    found = {"started": "yes" if started else "no", **times, "fulfilment": str(fulfilment)}
    return {f"{modality}_{key}": value for key, value in found.items()}
