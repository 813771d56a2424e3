"""A protocol with blind pairs for tests: core-r01 with a section of pairs, so that scenes stand for
tests.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from django.utils import timezone
from ruamel.yaml import YAML

from fartbench.models import ProtocolVersion, Round
from fartbench.protocol import digest_of, parse_protocol
from review.models import PairTask, Reviewer
from review.pairs.selectors import task_of, tasks_of
from rounds import opening as rounds
from rounds.pairs import plan_pairs
from tests.factories import CLIP_SECONDS, CORE_R01, full_playback
from tests.scoring.rows import answer_all, make_filled_round

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
    content: dict[str, Any] = YAML(typ="safe").load(
        (CORE_R01 / "protocol.yaml").read_text(encoding="utf-8")
    )
    return content


def content_with_pairs(**changes: Any) -> dict[str, Any]:
    """Return the content of core-r01 with pairs in it; ``changes`` are to the section of pairs."""
    report = {"key": "preference", "label": "FartElo"}
    core = _core_r01()
    return core | {
        "name": "paired",
        "pairs": PAIRS | changes,
        "reports": [*core["reports"], report],
    }


def protocol_with_pairs(folder: Path | None = None, **changes: Any) -> ProtocolVersion:
    """Return a loaded protocol with pairs; with a ``folder`` its file is written there too."""
    content = content_with_pairs(**changes)
    if folder is not None:
        with (folder / "protocol.yaml").open("w", encoding="utf-8") as file:
            YAML(typ="safe").dump(content, file)
    rules = parse_protocol(content, source="paired")
    found, _ = ProtocolVersion.objects.get_or_create(
        digest=digest_of(content),
        defaults={"name": rules.name, "version": rules.version, "content": content},
    )
    return found


def open_pair_round(
    *,
    configurations: tuple[str, ...] = ("alpha", "beta", "gamma"),
    scenes: tuple[str, ...] = ("r01-lift", "r01-squat"),
    answered: bool = True,
    most: int | None = None,
    before_opening: Callable[[Round], None] = lambda _: None,
    **changes: Any,
) -> Round:
    """Return an open round with its pairs planned; with ``answered`` every sheet about single clips
    is locked.
    """
    round_ = make_filled_round(
        configurations=configurations, scenes=list(scenes), protocol=protocol_with_pairs(**changes)
    )
    before_opening(round_)
    rounds.open_round(round_=round_, actor="test")
    round_.members.update(consented_at=timezone.now(), sound_checked_at=timezone.now())
    if answered:
        answer_all(round_)
    plan_pairs(round_=round_, actor="test", most=most)
    round_.refresh_from_db()
    return round_


def first_task(reviewer: Reviewer, round_: Round) -> PairTask:
    """Return the first pair of a reviewer's list, with all that hangs on it."""
    due = tasks_of(reviewer, round_).first()
    assert due is not None
    task = task_of(reviewer, due.pair_id)
    assert task is not None
    return task


def both_played(seconds: float = CLIP_SECONDS) -> dict[str, object]:
    """Return what the page reports after each clip was played once."""
    return {"a": full_playback(seconds), "b": full_playback(seconds)}
