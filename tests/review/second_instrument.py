"""A small second instrument, which shares nothing with core-r01 but the shape of a protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.factories import CORE_R01


def write_second_instrument(folder: Path) -> Path:
    """Two reviewers, two plays, one scale from 0 and one choice in one stage, then a choice with
    two N/A reasons.
    """
    content: dict[str, Any] = YAML(typ="safe").load((CORE_R01 / "protocol.yaml").read_text())
    content |= {
        "name": "small",
        "cohort": {"size": 2, "quorum": 2},
        "playback": {"full_plays": 2, "played_fraction": 0.9},
        "answer_sets": {
            "much": {
                "kind": "scale",
                "options": [{"value": str(n), "label": f"Much {n}"} for n in range(4)],
            },
            "side": {
                "kind": "choice",
                "options": [{"value": v, "label": v.title()} for v in ("yes", "no", "both")],
            },
        },
        "questions": [
            {
                "key": "wit",
                "label": "Wit",
                "stage": 1,
                "answers": "much",
                "wording": "How witty is it?",
            },
            {
                "key": "side",
                "label": "Side",
                "stage": 1,
                "answers": "side",
                "wording": "Is it one side?",
            },
            {"key": "why", "label": "Why", "stage": 2, "answers": "side", "wording": "per_scene"},
        ],
        "na_reasons": {"dark": "Too dark", "still": "Nothing moves"},
        "na_rules": [
            {"question": "why", "reason": "dark"},
            {"question": "why", "reason": "still", "when": {"question": "wit", "value": "0"}},
        ],
        "scenes": [
            {
                "key": "hall",
                "title": "The Hall",
                "setting": "A hall.",
                "wording": {"why": "Is that why?"},
                "help": {},
            }
        ],
        "scoring": content["scoring"]
        | {
            "gates": ["side"],
            "points": [{"question": "side", "points": 1}],
            "rank_by": ["factual_score"],
        },
    }
    with (folder / "protocol.yaml").open("w") as file:
        YAML(typ="safe").dump(content, file)
    return folder
