"""The checks on what makes the score and what is shown beside it: every rule names things that fit.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterator

from fartbench.protocol.questions import AnswerSet, When
from fartbench.protocol.schema import Protocol

KINDS_OF = {"median": ("time", "count"), "mean": ("scale",), "events_per_dollar": ("count",)}


def score_faults(protocol: Protocol) -> list[str]:
    """Return one sentence per fault, each starting with the path of what is wrong."""
    return [
        *_gate_faults(protocol),
        *_point_faults(protocol),
        *_dimension_faults(protocol),
        *_cap_faults(protocol),
        *_expectation_faults(protocol),
        *_metric_faults(protocol),
        *_smoke_faults(protocol),
    ]


def _answers(protocol: Protocol, key: str) -> AnswerSet | None:
    """Return what can be answered to a question; None when there is no such question, or no such
    answer set.
    """
    for question in protocol.questions:
        if question.key == key:
            return protocol.answer_sets.get(question.answers)
    return None


def _gate_faults(protocol: Protocol) -> Iterator[str]:
    keys = {question.key for question in protocol.questions}
    for gate in protocol.scoring.gates:
        answers = _answers(protocol, gate)
        if gate not in keys:
            yield f"scoring.gates: there is no question {gate!r}"
        elif answers and not (answers.has("yes") and answers.has("no")):
            yield f"scoring.gates: {gate!r} cannot be a gate, its answers hold no yes and no"


def _point_faults(protocol: Protocol) -> Iterator[str]:
    gates = protocol.scoring.gates
    for number, rule in enumerate(protocol.scoring.points, start=1):
        path = f"scoring.points[{number}]"
        if rule.question not in gates:
            yield f"{path}.question: {rule.question!r} is not a gate"
        if rule.needs is not None and rule.needs not in gates:
            yield f"{path}.needs: {rule.needs!r} is not a gate"


def _dimension_faults(protocol: Protocol) -> Iterator[str]:
    tops = set()
    for number, dimension in enumerate(protocol.scoring.dimensions, start=1):
        path = f"scoring.dimensions[{number}].question"
        answers = _answers(protocol, dimension.question)
        if answers is None:
            yield f"{path}: there is no question {dimension.question!r} with answers"
        elif answers.kind != "scale" or answers.options[0].value != "0":
            yield (
                f"{path}: {dimension.question!r} cannot be a dimension, because its answers are "
                "not a scale from 0"
            )
        elif dimension.question in protocol.playback.first_impression:
            yield f"{path}: {dimension.question!r} is a first impression and cannot be scored"
        else:
            tops.add(answers.options[-1].value)
    if len(tops) > 1:
        yield (
            "scoring.dimensions: all scales end at the same number, and these end at "
            f"{', '.join(sorted(tops))}"
        )
    if protocol.scoring.is_weighted:
        yield from _empty_scenes(protocol)


def _empty_scenes(protocol: Protocol) -> Iterator[str]:
    for scene in protocol.scenes:
        if all(
            _is_unasked(protocol, one.question, scene.key) for one in protocol.scoring.dimensions
        ):
            yield f"scenes.{scene.key}: no dimension applies, so its clips have no score"


def _is_unasked(protocol: Protocol, question: str, scene: str) -> bool:
    return any(
        rule.only and rule.question == question and scene in (rule.scenes or [scene])
        for rule in protocol.na_rules
    )


def _cap_faults(protocol: Protocol) -> Iterator[str]:
    known = {scene.key for scene in protocol.scenes}
    for cap in protocol.scoring.caps:
        path = f"scoring.caps.{cap.key}"
        for scene in cap.scenes or ():
            if scene not in known:
                yield f"{path}.scenes: there is no scene {scene!r}"
        for number, condition in enumerate(cap.when, start=1):
            yield from _fact_faults(protocol, condition, f"{path}.when[{number}]")
            for scene in sorted(known & set(cap.scenes or known)):
                if cap.scenes and _is_unasked(protocol, condition.question, scene):
                    yield f"{path}.scenes: {condition.question!r} is not asked in scene {scene!r}"


def _fact_faults(protocol: Protocol, condition: When, path: str) -> Iterator[str]:
    answers = _answers(protocol, condition.question)
    if answers is None:
        yield f"{path}.question: there is no question {condition.question!r} with answers"
    elif answers.kind == "scale":
        yield f"{path}.question: {condition.question!r} is a scale; a condition reads facts"
    elif not answers.has(condition.value):
        yield f"{path}.value: {condition.question!r} has no answer {condition.value!r}"


def _expectation_faults(protocol: Protocol) -> Iterator[str]:
    for scene in protocol.scenes:
        for question, value in scene.expects.items():
            path = f"scenes.{scene.key}.expects.{question}"
            yield from _fact_faults(protocol, When(question=question, value=value), path)
            if _is_unasked(protocol, question, scene.key):
                yield f"{path}: the question is not asked in this scene"


def _metric_faults(protocol: Protocol) -> Iterator[str]:
    scored = {dimension.question for dimension in protocol.scoring.dimensions}
    for metric in protocol.metrics:
        path = f"metrics.{metric.key}"
        if metric.question is not None:
            answers = _answers(protocol, metric.question)
            if answers is None:
                yield f"{path}.question: there is no question {metric.question!r} with answers"
            elif answers.kind not in KINDS_OF[metric.kind]:
                yield (
                    f"{path}.question: {metric.question!r} is no "
                    f"{' or '.join(KINDS_OF[metric.kind])}"
                )
            if metric.question in scored:
                yield (
                    f"{path}.question: {metric.question!r} is scored; a metric may not use a "
                    "scored question"
                )
        if metric.kind in {"events_per_dollar", "compliance_rate"}:
            yield from _unstated(protocol, path, metric.kind)


def _unstated(protocol: Protocol, path: str, kind: str) -> Iterator[str]:
    for scene in protocol.scenes:
        if kind == "compliance_rate" and not scene.expects:
            yield f"{path}: scene {scene.key!r} states no hard checks (“expects”)"
        if kind == "events_per_dollar" and scene.required_events is None:
            yield (
                f"{path}: scene {scene.key!r} does not say how many events it requires "
                "(“required_events”)"
            )


def _smoke_faults(protocol: Protocol) -> Iterator[str]:
    if protocol.smoke is None:
        return
    if protocol.smoke.scene not in {scene.key for scene in protocol.scenes}:
        yield f"smoke.scene: there is no scene {protocol.smoke.scene!r}"
    keys = {question.key for question in protocol.questions}
    for point in protocol.smoke.points:
        for key in point.questions:
            if key not in keys:
                yield f"smoke.points.{point.key}.questions: there is no question {key!r}"
