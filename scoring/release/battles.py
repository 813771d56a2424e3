"""The votes of a round as battles in the form that FastChat's analysis reads. No Django here.

The keys are those of the “clean battle” files of Chatbot Arena: model_a and model_b, winner
(model_a, model_b, tie or tie (bothbad)), judge, turn, anony, language and tstamp (seconds since
1970); question_id is the id of the pair.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from scoring.records import RoundRecord

WINNER = {"a": "model_a", "b": "model_b", "tie": "tie", "both_bad": "tie (bothbad)"}


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
        for vote in sorted(
            record.pair_votes, key=lambda each: (each.locked_at, each.pair, each.reviewer)
        )
        if vote.reviewer in primary
    ]


def battle_bytes(record: RoundRecord) -> bytes:
    """Return the battles as the bytes of a file."""
    rows = [json.dumps(row, ensure_ascii=False) for row in battle_documents(record)]
    return ("[\n" + ",\n".join(rows) + "\n]\n").encode()


def write_battles(folder: Path, record: RoundRecord) -> None:
    """Write the battles of a round to ``folder``."""
    (folder / "battles.json").write_bytes(battle_bytes(record))


def _seconds(at: str) -> float:
    return round(datetime.fromisoformat(at).timestamp(), 6)
