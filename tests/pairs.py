"""A protocol with blind pairs for tests: core-r01 with a section of pairs, so that scenes stand for tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from fartbench.models import ProtocolVersion
from fartbench.protocol import digest_of, parse_protocol
from tests.factories import CORE_R01

# Wording and keys: FARTBench Core v0.1, section 16, and the four answers that issue 9 names.
PAIRS: dict[str, Any] = {
    "questions": [
        {
            "key": "convincing",
            "label": "Preference",
            "wording": "Which of these two is more convincing?",
            "answers": "preference",
        }
    ],
    "answer_sets": {
        "preference": {
            "options": [
                {"value": "a", "label": "Clip A", "key": "a", "counts": "a"},
                {"value": "b", "label": "Clip B", "key": "b", "counts": "b"},
                {"value": "tie", "label": "Tie", "key": "t", "counts": "tie"},
                {"value": "both_bad", "label": "Both bad", "key": "x", "counts": "both_bad"},
            ]
        }
    },
    "meetings": 1,
    "reviewers": 3,
    "full_plays": 1,
}


@cache
def _core_r01() -> dict[str, Any]:
    content: dict[str, Any] = YAML(typ="safe").load((CORE_R01 / "protocol.yaml").read_text(encoding="utf-8"))
    return content


def content_with_pairs(**changes: Any) -> dict[str, Any]:
    """Return the content of core-r01 with pairs in it; ``changes`` are to the section of pairs."""
    report = {"key": "preference", "label": "FartElo"}
    core = _core_r01()
    return core | {"name": "paired", "pairs": PAIRS | changes, "reports": [*core["reports"], report]}


def protocol_with_pairs(folder: Path | None = None, **changes: Any) -> ProtocolVersion:
    """Return a loaded protocol with pairs; with a ``folder`` its file is written there too."""
    content = content_with_pairs(**changes)
    if folder is not None:
        with (folder / "protocol.yaml").open("w", encoding="utf-8") as file:
            YAML(typ="safe").dump(content, file)
    rules = parse_protocol(content, source="paired")
    found, _ = ProtocolVersion.objects.get_or_create(
        digest=digest_of(content), defaults={"name": rules.name, "version": rules.version, "content": content}
    )
    return found
