"""Reads battles in the form of FastChat strictly: a JSON list of objects. No Django here.

`scoring.release.battles` writes them and names the keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fartbench.errors import BadInput
from fartbench.regular import regular_text
from scoring.release.battles import WINNER

MAX_BYTES = 50_000_000
OUTCOME = {winner: outcome for outcome, winner in WINNER.items()}
REQUIRED = ("model_a", "model_b", "winner", "judge")
TEXTS = (*REQUIRED, "question_id", "scene", "question", "language")
NUMBERS = ("tstamp", "turn", "replicate_a", "replicate_b")
# What other programs add and nothing here reads.
PASSED_OVER = ("anony", "conversation_a", "conversation_b")


@dataclass(frozen=True, slots=True)
class BattleRow:
    """A battle as a file says it, counted from 1; what it does not say is empty, and replicates are
    1.
    """

    number: int
    model_a: str
    model_b: str
    outcome: str
    judge: str
    question_id: str
    scene: str
    question: str
    replicate_a: int
    replicate_b: int
    at: datetime | None

    def fault(self, field: str, rule: str) -> str:
        """Name a fault of this row as people look for it."""
        return f"row {self.number}, {field}: {rule}"


def read_battles(path: Path) -> list[BattleRow]:
    """Read a file of battles strictly: a JSON list, or one object a line.

    Raises BadInput, naming row and field of every fault: a missing or unknown key, a value of
    another kind, a winner that there is not.
    """
    faults: list[str] = []
    rows = [_row(number, found, faults) for number, found in enumerate(_objects(path), start=1)]
    if not rows and not faults:
        faults.append("there is no battle in it")
    if faults:
        raise BadInput(str(path), faults)
    return [row for row in rows if row is not None]


def _objects(path: Path) -> Sequence[Any]:
    text = regular_text(path, MAX_BYTES)
    try:
        if text.lstrip().startswith("["):
            found: Sequence[Any] = json.loads(text)
            return found
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise BadInput(
            str(path), [f"this is neither a JSON list nor one JSON object a line: {error}"]
        ) from error


def _row(number: int, found: Any, faults: list[str]) -> BattleRow | None:
    if not isinstance(found, dict):
        faults.append(f"row {number}: this is not a JSON object")
        return None
    wrong = _faults(number, found)
    faults += wrong
    if wrong:
        return None
    given = {
        field: value for field, value in found.items() if value
    }  # an empty field is one that was left out
    return BattleRow(
        number=number,
        model_a=found["model_a"],
        model_b=found["model_b"],
        outcome=OUTCOME[found["winner"]],
        judge=found["judge"],
        question_id=given.get("question_id", ""),
        scene=given.get("scene", ""),
        question=given.get("question", ""),
        replicate_a=int(given.get("replicate_a", 1)),
        replicate_b=int(given.get("replicate_b", 1)),
        at=datetime.fromtimestamp(given["tstamp"], tz=UTC) if "tstamp" in given else None,
    )


def _faults(number: int, found: Mapping[str, Any]) -> list[str]:
    known = {*TEXTS, *NUMBERS, *PASSED_OVER}
    faults = [f"row {number}, {key}: there is no such key" for key in found if key not in known]
    faults += [
        f"row {number}, {key}: this key is missing" for key in REQUIRED if not found.get(key)
    ]
    for key in TEXTS:
        if found.get(key) is not None and not isinstance(found[key], str):
            faults.append(f"row {number}, {key}: {found[key]!r} is not text")
    for key in NUMBERS:
        value = found.get(key)
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or not _fits(value)
        ):
            faults.append(f"row {number}, {key}: {value!r} is not a number that it can be")
    winner = found.get("winner")
    if isinstance(winner, str) and winner and winner not in OUTCOME:
        faults.append(f"row {number}, winner: {winner!r} is not one of: {', '.join(OUTCOME)}")
    if isinstance(found.get("model_a"), str) and found.get("model_a") == found.get("model_b"):
        faults.append(f"row {number}, model_b: both sides are {found['model_b']!r}")
    return faults


def _fits(value: float) -> bool:
    return 0 <= value < 1e11  # noqa: PLR2004 - of seconds: the year 5138
