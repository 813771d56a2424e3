"""Reads what the AI judges of a closed round said, and refuses a judge that is not what was
frozen.
"""

from __future__ import annotations

from collections import defaultdict

from fartbench.models import Round
from fartbench.protocol import digest_of
from fartbench.times import utc
from judging.models import Judge, JudgeRun
from scoring.errors import RoundAltered
from scoring.records import MISSING
from scoring.records.judges import JudgeRecord, JudgeRunRecord
from scoring.records.shown import Shown

ROWS_AT_ONCE = 5_000


def read_judges(round_: Round, shown: Shown) -> tuple[JudgeRecord, ...]:
    """Return every judge of the round by name and variant; ``shown`` gives the places of each
    stimulus.

    Runs on clips that were replaced count for nothing. Raises RoundAltered when a judge protocol
    was changed.
    """
    judges = list(Judge.objects.filter(round=round_).order_by("name", "variant"))
    faults = [
        f"judge {judge}: its protocol has SHA-256 {found}, and {judge.digest} was frozen"
        for judge in judges
        if (found := digest_of(judge.content)) != judge.digest
    ]
    if faults:
        raise RoundAltered(round_.name, faults)
    runs = _runs(round_, shown) if judges else {}
    return tuple(
        JudgeRecord(
            name=judge.name,
            variant=judge.variant,
            digest=judge.digest,
            frozen_at=utc(judge.frozen_at),
            content=judge.content,
            runs=tuple(sorted(runs.get(judge.pk, ()), key=lambda run: (run.cell, run.window))),
        )
        for judge in judges
    )


def _runs(round_: Round, shown: Shown) -> dict[int, list[JudgeRunRecord]]:
    found: dict[int, list[JudgeRunRecord]] = defaultdict(list)
    runs = (
        JudgeRun.objects.filter(judge__round=round_, stimulus__retirement=None)
        .defer("response_id")
        .order_by()
    )
    for run in runs.iterator(chunk_size=ROWS_AT_ONCE):
        if run.stimulus_id not in shown.cell:
            raise RoundAltered(
                round_.name, [f"stimulus {run.stimulus_id}: no key says whose it is"]
            )
        found[run.judge_id].append(_run(run, shown))
    return found


def _run(run: JudgeRun, shown: Shown) -> JudgeRunRecord:
    return JudgeRunRecord(
        cell=shown.cell[run.stimulus_id],
        window=shown.window.get(run.stimulus_id, MISSING),
        state=run.state,
        code=run.code,
        reason=run.reason,
        model_version=run.model_version,
        input_tokens=run.input_tokens,
        output_tokens=run.output_tokens,
        cost_usd="" if run.cost_usd is None else f"{run.cost_usd:.6f}",
        ended_at=utc(run.ended_at),
        answers=run.answers or {},
    )
