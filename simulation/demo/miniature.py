"""The protocol of rollouts in miniature: two thirds of some rollouts, five times as fast, and small
pictures.

A whole round of it takes minutes. All else is the protocol's own: forms, metrics, units, wording.
No Django here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from fartbench.protocol import load_protocol

SCALE = 5
PART_S = 120.0
"""How much of a rollout there is, in seconds of the protocol."""
NAME = "streamav-miniature"
SCENARIOS = ("frog-pond-p", "radio-play-p", "frog-pond-i", "dumpling-evening-i")
PAIRS_OF_EACH_QUESTION = 20
_SMALL = {"width": 320, "height": 180, "video_bit_rate": 300_000, "audio_bit_rate": 64_000}
_TIMES = re.compile(r"\b(30|60|90|120|150|180)\b(?= s\b| and 120 s\b)")


def write_miniature(source: Path, folder: Path) -> Path:
    """Write the miniature of the protocol in ``source`` to ``folder`` and return that.

    The same source gives the same bytes. Raises what `load_protocol` does.
    """
    content = json.loads(json.dumps(load_protocol(source).content))
    folder.mkdir(parents=True, exist_ok=True)
    made = json.dumps(_miniature(content), ensure_ascii=False, indent=1, sort_keys=True)
    (folder / "protocol.yaml").write_text(made, encoding="utf-8")  # JSON is YAML
    return folder


def _miniature(content: dict[str, Any]) -> dict[str, Any]:
    rollouts, seconds = content["rollouts"], PART_S / SCALE
    scenarios = [_short(one) for one in rollouts["scenarios"] if one["key"] in SCENARIOS]
    units = rollouts["units"] | {
        "kinds": [_short_unit(kind) for kind in rollouts["units"]["kinds"]]
    }
    return content | {
        "name": NAME,
        "title": f"{content['title']} in miniature",
        "summary": f"{content['summary']} Here in miniature: {seconds:g} s instead of three "
        "minutes.",
        "clip": content["clip"] | {"duration_s": seconds},
        "blinding": content["blinding"]
        | {"format": content["blinding"]["format"] | _SMALL | {"seconds": seconds}},
        "pairs": content["pairs"] | {"count": PAIRS_OF_EACH_QUESTION},
        "rules": [_rule(rule, seconds) for rule in content["rules"]],
        "rollouts": rollouts | {"scenarios": scenarios, "units": units},
    }


def _rule(rule: dict[str, Any], seconds: float) -> dict[str, Any]:
    length = (
        f"A rollout lasts {seconds:g} s; {seconds / 2:g} s are the beginning of the same rollout."
    )
    return rule | {
        "text": length if rule["text"].startswith("A rollout lasts") else _in_words(rule["text"])
    }


def _short(scenario: dict[str, Any]) -> dict[str, Any]:
    return scenario | {
        "duration_s": PART_S / SCALE,
        "horizons_s": [at / SCALE for at in scenario["horizons_s"] if at <= PART_S],
        "interval_s": scenario["interval_s"] / SCALE,
        "updates": [
            one | {"at_s": one["at_s"] / SCALE}
            for one in scenario.get("updates", ())
            if one["at_s"] < PART_S
        ],
    }


def _short_unit(kind: dict[str, Any]) -> dict[str, Any]:
    """Shorten a kind of unit, but for what lies around a prompt: the picture's part is measured in
    four seconds.
    """
    if kind["windows"] == "around":
        return kind
    if "seconds" in kind:
        shorter = {"seconds": kind["seconds"] / SCALE}
    else:
        shorter = {}
    return kind | shorter | {"text": _in_words(kind["text"])}


def _in_words(text: str) -> str:
    return _TIMES.sub(lambda found: f"{int(found[1]) / SCALE:g}", text)
