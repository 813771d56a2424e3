"""The checks that one part of a protocol makes on another: every rule names things that exist. No Django here."""

from collections import Counter
from collections.abc import Iterable, Iterator

from fartbench.protocol.schema import PER_SCENE, NaRule, Protocol, Scene


def reference_faults(protocol: Protocol) -> list[str]:
    """Return one sentence per fault, each starting with the path of what is wrong; empty when all is well."""
    return [
        *_repeated_keys(protocol),
        *_question_faults(protocol),
        *_scene_faults(protocol),
        *_na_rule_faults(protocol),
        *_scoring_faults(protocol),
        *_pair_faults(protocol),
    ]


def _repeated_keys(protocol: Protocol) -> Iterator[str]:
    named: dict[str, Iterable[str]] = {
        "questions": [question.key for question in protocol.questions],
        "scenes": [scene.key for scene in protocol.scenes],
        "tracks": [track.key for track in protocol.tracks],
        "reports": [report.key for report in protocol.reports],
        "scoring.gates": protocol.scoring.gates,
    }
    for path, keys in named.items():
        for key, count in Counter(keys).items():
            if count > 1:
                yield f"{path}: {key!r} appears {count} times"


def _question_faults(protocol: Protocol) -> Iterator[str]:
    stage = 1
    for question in protocol.questions:
        path = f"questions.{question.key}"
        if question.answers not in protocol.answer_sets:
            yield f"{path}.answers: there is no answer set {question.answers!r}"
        if question.stage < stage:
            yield f"{path}.stage: stages go up in the order of the questions, and {question.stage} follows {stage}"
        stage = max(stage, question.stage)


def _scene_faults(protocol: Protocol) -> Iterator[str]:
    keys = {question.key for question in protocol.questions}
    worded = {question.key for question in protocol.questions if question.wording == PER_SCENE}
    for scene in protocol.scenes:
        path = f"scenes.{scene.key}"
        for missing in sorted(worded - set(scene.wording)):
            yield f"{path}.wording: question {missing!r} has no wording in this scene"
        for extra in sorted(set(scene.wording) - worded):
            yield f"{path}.wording: question {extra!r} is not worded per scene"
        for extra in sorted(set(scene.help) - keys):
            yield f"{path}.help: there is no question {extra!r}"


def _na_rule_faults(protocol: Protocol) -> Iterator[str]:
    order = [question.key for question in protocol.questions]
    seen: list[tuple[str, str, str]] = []
    for number, rule in enumerate(protocol.na_rules, start=1):
        path = f"na_rules[{number}]"
        if rule.question not in order:
            yield f"{path}.question: there is no question {rule.question!r}"
            continue
        if rule.reason not in protocol.na_reasons:
            yield f"{path}.reason: there is no N/A reason {rule.reason!r}"
        yield from _condition_faults(protocol, rule, path, order)
        for scene in rule.scenes or [scene.key for scene in protocol.scenes]:
            if scene not in {known.key for known in protocol.scenes}:
                yield f"{path}.scenes: there is no scene {scene!r}"
            if (rule.question, rule.reason, scene) in seen:
                yield f"{path}: N/A {rule.reason!r} of {rule.question!r} is stated twice for scene {scene!r}"
            seen.append((rule.question, rule.reason, scene))


def _condition_faults(protocol: Protocol, rule: NaRule, path: str, order: list[str]) -> Iterator[str]:
    if rule.when is None:
        return
    needed = rule.when
    if needed.question not in order:
        yield f"{path}.when.question: there is no question {needed.question!r}"
    elif order.index(needed.question) >= order.index(rule.question):
        yield f"{path}.when.question: {needed.question!r} does not come before {rule.question!r}"
    else:
        answers = protocol.answer_sets.get(protocol.question(needed.question).answers)
        if answers and needed.value not in {option.value for option in answers.options}:
            yield f"{path}.when.value: {needed.question!r} has no answer {needed.value!r}"


def _scoring_faults(protocol: Protocol) -> Iterator[str]:
    gates = protocol.scoring.gates
    for gate in gates:
        yield from _gate_faults(protocol, gate)
    for number, rule in enumerate(protocol.scoring.points, start=1):
        path = f"scoring.points[{number}]"
        if rule.question not in gates:
            yield f"{path}.question: {rule.question!r} is no gate"
        if rule.needs is not None and rule.needs not in gates:
            yield f"{path}.needs: {rule.needs!r} is no gate"


def _gate_faults(protocol: Protocol, gate: str) -> Iterator[str]:
    questions = {question.key: question for question in protocol.questions}
    if gate not in questions:
        yield f"scoring.gates: there is no question {gate!r}"
        return
    answers = protocol.answer_sets.get(questions[gate].answers)
    if answers and not {"yes", "no"} <= {option.value for option in answers.options}:
        yield f"scoring.gates: {gate!r} cannot be a gate, its answers hold no yes and no"


def _pair_faults(protocol: Protocol) -> Iterator[str]:
    if protocol.pairs is not None and protocol.pairs.reviewers > protocol.cohort.size:
        yield (
            f"pairs.reviewers: {protocol.pairs.reviewers} are asked about each pair, "
            f"and the cohort has {protocol.cohort.size}"
        )


def scene_question_wording(protocol: Protocol, scene: Scene, question_key: str) -> str:
    """Return the text of a question as this scene asks it."""
    question = protocol.question(question_key)
    return scene.wording[question_key] if question.wording == PER_SCENE else question.wording
