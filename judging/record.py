"""What came of asking a judge about one clip, in one canonical form, and its digest."""

from __future__ import annotations

from fartbench.protocol import digest_of
from judging.models import JudgeRun

ANSWERED = "judge answered"  # the audit trail's word for a run that ended, whatever it came to


def run_digest(run: JudgeRun) -> str:
    """Return the lower-case hex SHA-256 of all that an ended run says."""
    return digest_of(
        {
            "state": str(run.state),
            "code": run.code,
            "reason": run.reason,
            "answers": run.answers,
            "model_version": run.model_version,
            "response_id": run.response_id,
            "tokens": [run.input_tokens, run.output_tokens],
            "cost_usd": None if run.cost_usd is None else f"{run.cost_usd:.6f}",
            "ended_at": run.ended_at.isoformat() if run.ended_at else None,
        }
    )
