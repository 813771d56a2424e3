"""The scores document: what “score --json” prints and a release freezes. No Django here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.factual_score import CellResult, Standing
from scoring.standings import RoundResults


def scores_document(results: RoundResults) -> dict[str, Any]:
    """Return the results as plain JSON; exact numbers are written as fractions, “13/2”."""
    record = results.record
    protocol = record.protocol
    return {
        "round": record.name,
        "protocol": {"name": protocol.name, "version": protocol.version, "digest": record.protocol_digest},
        "incomplete_reason": record.incomplete_reason,
        "leaderboard": [_line(standing, record.scenes) for standing in results.standings],
    }


def _line(standing: Standing, scenes: Sequence[str]) -> dict[str, Any]:
    return {**line_without_scenes(standing), "scenes": {scene: _scene(standing, scene) for scene in scenes}}


def line_without_scenes(standing: Standing) -> dict[str, Any]:
    """Return a configuration's line, without what each clip showed."""
    return {
        "configuration": standing.configuration,
        "factual_score": str(standing.factual_score),
        "scenes_all_right": str(standing.scenes_all_right),
        "rank": standing.rank,
        "ranked_apart": standing.apart,
        "unranked_because": standing.unranked_because,
        "earned": str(standing.earned),
        "possible": standing.possible,
        "delivered": standing.delivered,
    }


def _scene(standing: Standing, scene: str) -> dict[str, Any]:
    cells = [cell for cell in standing.cells if cell.scene == scene]
    # One clip per scene is the rule; a round with more replicates lists them.
    if len(cells) == 1:
        return _cell(cells[0])
    return {"replicates": [{"replicate": cell.replicate, **_cell(cell)} for cell in cells]}


def _cell(cell: CellResult) -> dict[str, Any]:
    gates = {key: {"consensus": gate.outcome, "votes": dict(gate.votes)} for key, gate in cell.consensus.items()}
    return {"status": cell.status, **({"reason": cell.reason} if cell.reason else {}), **gates}
