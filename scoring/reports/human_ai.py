"""How the AI judges compare with people: calibration of each, and what its sensitivity runs show.
No Django here.

People are the reference. Nothing here enters a gate, a score or a rank, and agreement on ratings
is never shown without agreement on facts before it.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from decimal import Decimal
from typing import Any

from scoring.records import Tally
from scoring.records.judges import JudgeRecord
from scoring.report_classes.judges import Calibrated, JudgeReport, SensitivityRun
from scoring.reports.gates import read_gates
from scoring.reports.judge_answers import JudgeAnswers, read_judge
from scoring.reports.judged_facts import judged_facts
from scoring.reports.judged_ratings import judged_ratings
from scoring.reports.sensitivity import sensitivity_of

NO_JUDGES = JudgeReport(judges=[], note="no AI judge has answered this round")


def human_ai_report(votes: Tally) -> JudgeReport:
    """Return the report on every judge of the round; without any it says so."""
    record = votes.record
    rules = record.protocol.judges
    if rules is None or rules.calibration is None or not record.judges:
        return NO_JUDGES
    gates = read_gates(votes)
    read = {(judge.name, judge.variant): read_judge(record, judge) for judge in record.judges}
    frozen = [answers for answers in read.values() if answers.judge.is_frozen_run]
    judges, sensitivity = [], []
    for answers in frozen:
        judges.append(
            Calibrated(
                **_about(answers.judge, record.closed_at),
                facts=judged_facts(gates, votes, answers, rules.calibration),
                ratings=judged_ratings(votes, answers, rules.calibration),
            )
        )
        for varied in _variants(read, answers):
            questions = sensitivity_of(votes, answers, varied)
            about = _about(varied.judge, record.closed_at)
            sensitivity.append(SensitivityRun(**about, questions=questions))
    return JudgeReport(judges=judges, sensitivity=sensitivity, note="")


def _variants(
    read: dict[tuple[str, str], JudgeAnswers], frozen: JudgeAnswers
) -> list[JudgeAnswers]:
    name = frozen.judge.name
    return [
        answers
        for (judge, _), answers in read.items()
        if judge == name and not answers.judge.is_frozen_run
    ]


def _about(judge: JudgeRecord, closed_at: str) -> dict[str, Any]:
    costs = [Decimal(run.cost_usd) for run in judge.runs if run.cost_usd]
    return {
        "judge": judge.name,
        "variant": judge.variant,
        "label": judge.label,
        "service": judge.service,
        "model": judge.model,
        "digest": judge.digest,
        "frozen_at": judge.frozen_at,
        "frozen_before_close": datetime.fromisoformat(judge.frozen_at)
        < datetime.fromisoformat(closed_at),
        "runs": dict(sorted(Counter(run.state for run in judge.runs).items())),
        "errors": dict(sorted(Counter(run.code for run in judge.runs if run.code).items())),
        "cost_usd": str(sum(costs, Decimal(0))) if costs else "",
    }
