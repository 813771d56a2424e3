"""Battles in the form that FastChat's analysis reads and writes: a JSON list of objects. No Django here.

The keys are those of the “clean battle” files of Chatbot Arena: model_a and model_b, winner (model_a, model_b, tie or
tie (bothbad)), judge, turn, anony, language and tstamp (seconds since 1970); question_id is the id of the pair.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fartbench.errors import BadInput
from scoring.records import RoundRecord

MAX_BYTES = 50_000_000
WINNER = {"a": "model_a", "b": "model_b", "tie": "tie", "both_bad": "tie (bothbad)"}
OUTCOME = {winner: outcome for outcome, winner in WINNER.items()}
REQUIRED = ("model_a", "model_b", "winner", "judge")
TEXTS = (*REQUIRED, "question_id", "scene", "question", "language")
NUMBERS = ("tstamp", "turn", "replicate_a", "replicate_b")
# What other programs add and nothing here reads.
PASSED_OVER = ("anony", "conversation_a", "conversation_b")


@dataclass(frozen=True, slots=True)
class BattleRow:
    """A battle as a file says it, counted from 1; what it does not say is empty, and replicates are 1."""

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


def battle_documents(record: RoundRecord) -> list[dict[str, Any]]:
    """Return every locked vote of the primary cohort, by time and id."""
    cells = record.cell_of
    pairs, primary = record.protocol.pairs, set(record.primary)
    if pairs is None:
        return []
    return [
        {
            "question_id": vote.pair,
            "model_a": cells[vote.a].configuration,
            "model_b": cells[vote.b].configuration,
            "winner": WINNER[pairs.outcome(vote.question, vote.answer)],
            "judge": vote.reviewer,
            "turn": 1,
            "anony": True,
            "language": "",
            "tstamp": _seconds(vote.locked_at),
            "scene": vote.scene,
            "question": vote.question,
            "replicate_a": cells[vote.a].replicate,
            "replicate_b": cells[vote.b].replicate,
        }
        for vote in sorted(record.pair_votes, key=lambda each: (each.locked_at, each.pair, each.reviewer))
        if vote.reviewer in primary
    ]


def battle_bytes(record: RoundRecord) -> bytes:
    """Return the battles as the bytes of a file."""
    rows = [json.dumps(row, ensure_ascii=False) for row in battle_documents(record)]
    return ("[\n" + ",\n".join(rows) + "\n]\n").encode()


def write_battles(folder: Path, record: RoundRecord) -> None:
    """Write the battles of a round to ``folder``."""
    (folder / "battles.json").write_bytes(battle_bytes(record))


def read_battles(path: Path) -> list[BattleRow]:
    """Read a file of battles strictly: a JSON list, or one object a line.

    Raises BadInput, naming row and field of every fault: a missing or unknown key, a value of another kind, a winner
    that there is not.
    """
    faults: list[str] = []
    rows = [_row(number, found, faults) for number, found in enumerate(_objects(path), start=1)]
    if not rows and not faults:
        faults.append("there is no battle in it")
    if faults:
        raise BadInput(str(path), faults)
    return [row for row in rows if row is not None]


def _objects(path: Path) -> Sequence[Any]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadInput(str(path), [f"the file is larger than {MAX_BYTES} bytes"])
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise BadInput(str(path), ["there is no such file"]) from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(str(path), [f"the file cannot be read as UTF-8: {error}"]) from error
    try:
        if text.lstrip().startswith("["):
            found: Sequence[Any] = json.loads(text)
            return found
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise BadInput(str(path), [f"this is neither a JSON list nor one JSON object a line: {error}"]) from error


def _row(number: int, found: Any, faults: list[str]) -> BattleRow | None:
    if not isinstance(found, dict):
        faults.append(f"row {number}: this is no JSON object")
        return None
    wrong = _faults(number, found)
    faults += wrong
    if wrong:
        return None
    return BattleRow(
        number=number,
        model_a=found["model_a"],
        model_b=found["model_b"],
        outcome=OUTCOME[found["winner"]],
        judge=found["judge"],
        question_id=found.get("question_id") or "",
        scene=found.get("scene") or "",
        question=found.get("question") or "",
        replicate_a=int(found.get("replicate_a") or 1),
        replicate_b=int(found.get("replicate_b") or 1),
        at=datetime.fromtimestamp(found["tstamp"], tz=UTC) if found.get("tstamp") else None,
    )


def _faults(number: int, found: Mapping[str, Any]) -> list[str]:
    known = {*TEXTS, *NUMBERS, *PASSED_OVER}
    faults = [f"row {number}, {key}: there is no such key" for key in found if key not in known]
    faults += [f"row {number}, {key}: this key is missing" for key in REQUIRED if not found.get(key)]
    for key in TEXTS:
        if found.get(key) is not None and not isinstance(found[key], str):
            faults.append(f"row {number}, {key}: {found[key]!r} is no text")
    for key in NUMBERS:
        value = found.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not _fits(value)):
            faults.append(f"row {number}, {key}: {value!r} is no number that it can be")
    winner = found.get("winner")
    if isinstance(winner, str) and winner and winner not in OUTCOME:
        faults.append(f"row {number}, winner: {winner!r} is none of {', '.join(OUTCOME)}")
    if isinstance(found.get("model_a"), str) and found.get("model_a") == found.get("model_b"):
        faults.append(f"row {number}, model_b: both sides are {found['model_b']!r}")
    return faults


def _fits(value: float) -> bool:
    return 0 <= value < 1e11  # noqa: PLR2004 - of seconds: the year 5138


def _seconds(at: str) -> float:
    return round(datetime.fromisoformat(at).timestamp(), 6)
