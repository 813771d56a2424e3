"""The scores document: what “score --json” prints and a release freezes. No Django here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fartbench.protocol import Protocol
from scoring.scores.factual_score import CellResult, Standing
from scoring.scores.standings import RoundResults


def scores_document(results: RoundResults) -> dict[str, Any]:
    """Return the results as plain JSON; exact numbers are written as fractions, “13/2”."""
    record = results.record
    protocol = record.protocol
    return {
        "round": record.name,
        "protocol": {
            "name": protocol.name,
            "version": protocol.version,
            "digest": record.protocol_digest,
        },
        "incomplete_reason": record.incomplete_reason,
        **(
            {"smoke_test": record.is_smoke, "maturity": protocol.maturity}
            if protocol.scoring.is_weighted
            else {}
        ),
        "leaderboard": [_line(protocol, standing, record.scenes) for standing in results.standings],
    }


def _line(protocol: Protocol, standing: Standing, scenes: Sequence[str]) -> dict[str, Any]:
    return {
        **line_without_scenes(protocol, standing),
        "scenes": {scene: _scene(standing, scene) for scene in scenes},
    }


def line_without_scenes(protocol: Protocol, standing: Standing) -> dict[str, Any]:
    """Return a configuration's line, without what each clip showed.

    The score is below its name in the protocol.
    """
    points = {
        "scenes_all_right": str(standing.scenes_all_right),
        "earned": str(standing.earned),
        "possible": standing.possible,
    }
    return {
        "configuration": standing.configuration,
        protocol.scoring.rank_by[0]: str(standing.score),
        "rank": standing.rank,
        "ranked_apart": standing.apart,
        "unranked_because": standing.unranked_because,
        **({} if protocol.scoring.is_weighted else points),
        "delivered": standing.delivered,
    }


def _scene(standing: Standing, scene: str) -> dict[str, Any]:
    cells = [cell for cell in standing.cells if cell.scene == scene]
    # One clip per scene is the rule; a round with more replicates lists them.
    if len(cells) == 1:
        return _cell(cells[0])
    return {"replicates": [{"replicate": cell.replicate, **_cell(cell)} for cell in cells]}


def _cell(cell: CellResult) -> dict[str, Any]:
    facts = {
        key: {"consensus": fact.outcome, "votes": dict(fact.votes)}
        for key, fact in cell.consensus.items()
    }
    return {
        "status": cell.status,
        **({"reason": cell.reason} if cell.reason else {}),
        **_rated(cell),
        **facts,
    }


def _rated(cell: CellResult) -> dict[str, Any]:
    """Return a clip's weighted score, what it would be without its ceiling, and that ceiling's
    key.
    """
    if cell.rated is None:
        return {}
    capped = {"uncapped": str(cell.rated.uncapped), "cap": cell.rated.cap} if cell.rated.cap else {}
    return {"fartscore": str(cell.rated.score), **capped}
