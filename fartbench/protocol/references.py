"""The checks that one part of a protocol makes on another: every rule names things that exist.

No Django here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from operator import attrgetter

from fartbench.protocol.questions import NaRule, ValueRule
from fartbench.protocol.rollouts.soundness import rollout_faults
from fartbench.protocol.schema import PER_SCENE, Protocol
from fartbench.protocol.score_references import score_faults

KEY = attrgetter("key")


def reference_faults(protocol: Protocol) -> list[str]:
    """Return one sentence per fault, each starting with the path of what is wrong; empty when all
    is well.
    """
    return [
        *_what_is_asked(protocol),
        *_repeated_keys(protocol),
        *_question_faults(protocol),
        *_stage_faults(protocol),
        *_scene_faults(protocol),
        *_na_rule_faults(protocol),
        *_answer_rule_faults(protocol),
        *(rollout_faults(protocol.rollouts) if protocol.rollouts else ()),
        *score_faults(protocol),
        *_pair_faults(protocol),
        *_judge_faults(protocol),
    ]


def _what_is_asked(protocol: Protocol) -> Iterator[str]:
    """A protocol asks questions of its own and makes a score of them; or it has rollouts, with
    forms and metrics.
    """
    if protocol.rollouts is None:
        if not protocol.questions:
            yield "questions: there is none"
        if protocol.scoring.is_empty:
            yield "scoring: a score is made of gates or of dimensions: state one of them"
        return
    if protocol.questions or not protocol.scoring.is_empty:
        yield "rollouts: the questions are in its forms, and its metrics have no overall score"
    if list(map(KEY, protocol.scenes)) != list(map(KEY, protocol.rollouts.scenarios)):
        yield "scenes: those of a protocol with rollouts are its scenarios; leave the key out"
    for scenario in protocol.rollouts.scenarios:
        if scenario.duration_s != protocol.clip.duration_s:
            yield (
                f"scenarios.{scenario.key}.duration_s: {scenario.duration_s:g} s, and "
                "clip.duration_s says "
                f"{protocol.clip.duration_s:g} s"
            )


def _repeated_keys(protocol: Protocol) -> Iterator[str]:
    scoring = protocol.scoring
    judges = protocol.judges.models if protocol.judges else ()
    named: dict[str, Iterable[str]] = {
        "questions": map(KEY, protocol.questions),
        "scenes": map(KEY, protocol.scenes),
        "tracks": map(KEY, protocol.tracks),
        "reports": map(KEY, protocol.reports),
        "scoring.gates": scoring.gates,
        "scoring.dimensions": map(attrgetter("question"), scoring.dimensions),
        "scoring.caps": map(KEY, scoring.caps),
        "metrics": map(KEY, protocol.metrics),
        "playback.first_impression": protocol.playback.first_impression,
        "judges.models": map(attrgetter("name"), judges),
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
            yield (
                f"{path}.stage: stages go up in the order of the questions, and {question.stage} "
                f"follows {stage}"
            )
        stage = max(stage, question.stage)


def _stage_faults(protocol: Protocol) -> Iterator[str]:
    if not protocol.questions:
        return
    stages = [question.stage for question in protocol.questions]
    first, last = min(stages), max(stages)
    if protocol.stages and len(protocol.stages) != last:
        yield f"stages: {len(protocol.stages)} titles for {last} stages"
    named = protocol.playback.first_impression
    if not named:
        return
    for key in named:
        if key not in map(KEY, protocol.questions):
            yield f"playback.first_impression: there is no question {key!r}"
    for question in protocol.questions:
        if (question.stage == first) != (question.key in named):
            yield (
                f"playback.first_impression: it is the whole of the first stage; {question.key!r} "
                "is of stage "
                f"{question.stage}"
            )


def _scene_faults(protocol: Protocol) -> Iterator[str]:
    keys = set(map(KEY, protocol.questions))
    worded = {question.key for question in protocol.questions if question.wording == PER_SCENE}
    for scene in protocol.scenes:
        path = f"scenes.{scene.key}"
        unasked = set()
        for rule in protocol.na_rules:
            if rule.only and scene.key in (rule.scenes or [scene.key]):
                unasked.add(rule.question)
        for missing in sorted(worded - set(scene.wording) - unasked):
            yield f"{path}.wording: question {missing!r} has no wording in this scene"
        for extra in sorted(set(scene.wording) - worded):
            yield f"{path}.wording: question {extra!r} is not worded per scene"
        for extra in sorted(set(scene.help) - keys):
            yield f"{path}.help: there is no question {extra!r}"


def _only_answers(protocol: Protocol) -> set[tuple[str, str]]:
    """Return the questions, with a scene each, that an N/A is the only answer to."""
    alone = set()
    for rule in protocol.na_rules:
        if rule.only:
            for scene in rule.scenes or _scenes(protocol):
                alone.add((rule.question, scene))
    return alone


def _na_rule_faults(protocol: Protocol) -> Iterator[str]:
    order = list(map(KEY, protocol.questions))
    seen: list[tuple[str, str, str]] = []
    alone = _only_answers(protocol)
    for number, rule in enumerate(protocol.na_rules, start=1):
        path = f"na_rules[{number}]"
        if rule.question not in order:
            yield f"{path}.question: there is no question {rule.question!r}"
            continue
        if rule.reason not in protocol.na_reasons:
            yield f"{path}.reason: there is no N/A reason {rule.reason!r}"
        yield from _condition_faults(protocol, rule, path, order)
        for scene in rule.scenes or _scenes(protocol):
            if scene not in _scenes(protocol):
                yield f"{path}.scenes: there is no scene {scene!r}"
            if (rule.question, scene) in alone and not rule.only:
                yield (
                    f"{path}: {rule.question!r} has another N/A that is the only answer in scene "
                    f"{scene!r}"
                )
            if (rule.question, rule.reason, scene) in seen:
                yield (
                    f"{path}: N/A {rule.reason!r} of {rule.question!r} is stated twice for scene "
                    f"{scene!r}"
                )
            seen.append((rule.question, rule.reason, scene))


def _answer_rule_faults(protocol: Protocol) -> Iterator[str]:
    order = list(map(KEY, protocol.questions))
    for number, rule in enumerate(protocol.value_rules, start=1):
        if rule.question not in order:
            yield f"value_rules[{number}].question: there is no question {rule.question!r}"
        else:
            yield from _condition_faults(protocol, rule, f"value_rules[{number}]", order)
    for number, held in enumerate(protocol.consistency, start=1):
        for key in sorted(held.named - set(order)):
            yield f"consistency[{number}]: there is no question {key!r}"
        for key in sorted(held.compared & set(order)):
            answers = protocol.answer_sets.get(protocol.question(key).answers)
            if answers and not answers.can_be_compared:
                yield f"consistency[{number}]: the answers of {key!r} are not numbers"


def _condition_faults(
    protocol: Protocol, rule: NaRule | ValueRule, path: str, order: list[str]
) -> Iterator[str]:
    if rule.when is None:
        return
    needed = rule.when
    if needed.question not in order:
        yield f"{path}.when.question: there is no question {needed.question!r}"
    elif order.index(needed.question) >= order.index(rule.question):
        yield f"{path}.when.question: {needed.question!r} does not come before {rule.question!r}"
    else:
        answers = protocol.answer_sets.get(protocol.question(needed.question).answers)
        if answers and not answers.has(needed.value):
            yield f"{path}.when.value: {needed.question!r} has no answer {needed.value!r}"


def _pair_faults(protocol: Protocol) -> Iterator[str]:
    if protocol.pairs is None:
        return
    if protocol.pairs.reviewers > protocol.cohort.size:
        yield (
            f"pairs.reviewers: {protocol.pairs.reviewers} are asked about each pair, "
            f"and the cohort has {protocol.cohort.size}"
        )
    names, codes = _form_names(protocol), _metric_codes(protocol)
    for question in protocol.pairs.questions:
        path = f"pairs.questions.{question.key}"
        if protocol.rollouts is None:
            is_wrong = question.form is not None
        else:
            is_wrong = question.form not in names
        if is_wrong:
            listed = ", ".join(sorted(names)) or "none: clips of scenes meet as they are"
            yield (
                f"{path}.form: {question.form!r} is not a form whose windows can be compared; "
                f"there are {listed}"
            )
        if question.metric is not None and question.metric not in codes:
            yield f"{path}.metric: there is no metric {question.metric!r}"


def _judge_faults(protocol: Protocol) -> Iterator[str]:
    if protocol.judges is None:
        return
    for name in sorted(protocol.judges.media.of_forms.keys() - _form_names(protocol)):
        yield f"judges.media.of_forms.{name}: there is no such form"
    reports = map(KEY, protocol.reports)
    if protocol.judges.calibration is None and "human_ai_agreement" in reports:
        yield "judges.calibration: the report human_ai_agreement needs it"


def _form_names(protocol: Protocol) -> set[str]:
    if protocol.rollouts is None:
        return set()
    return {form.name for form in protocol.rollouts.forms.forms}


def _metric_codes(protocol: Protocol) -> set[str]:
    if protocol.rollouts is None:
        return set()
    return {metric.code for metric in protocol.rollouts.metrics.metrics}


def _scenes(protocol: Protocol) -> tuple[str, ...]:
    return tuple(map(KEY, protocol.scenes))


def scene_question_wording(protocol: Protocol, scene: str, question_key: str) -> str:
    """Return the text of a question as this scene asks it."""
    question = protocol.question(question_key)
    if question.wording == PER_SCENE:
        return protocol.scene(scene).wording[question_key]
    return question.wording
