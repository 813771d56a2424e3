"""A form and its rules, read from the protocol and stated nowhere else. No Django here.

Browser, server, database rows and judge schemas are all made from ``Form.allowed``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from fartbench.protocol.questions import Consistency, Option, Question, When
from fartbench.protocol.references import scene_question_wording
from fartbench.protocol.response import Response
from fartbench.protocol.schema import Protocol, Scene

Responses = Mapping[str, Response]


@dataclass(frozen=True, slots=True)
class AllowedAnswer:
    """An answer that may stand, when ``requires_question`` (if any) was answered with
    ``requires_value``.
    """

    question: str
    value: str | None
    na_reason: str | None
    requires_question: str | None = None
    requires_value: str | None = None

    @property
    def response(self) -> Response:
        return Response(value=self.value, na_reason=self.na_reason)

    def condition_holds(self, responses: Responses) -> bool:
        """Say whether the answers given so far permit this one."""
        if self.requires_question is None:
            return True
        earlier = responses.get(self.requires_question)
        return earlier is not None and earlier.value == self.requires_value


@dataclass(frozen=True, slots=True)
class Violation:
    """A question whose answer breaks a rule, and the rule in words."""

    question: str
    rule: str

    def __str__(self) -> str:
        return f"{self.question}: {self.rule}"


@dataclass(frozen=True)
class Form:
    """Questions in order, with every answer that may stand.

    ``protocol`` is the protocol with the questions and rules of this form in it: for clips of
    scenes it is the protocol as it was written, and ``key`` is the scene's. A form about windows of
    rollouts is worded by a scenario only where it has a checklist; without a ``scene`` it is the
    same for all.
    """

    protocol: Protocol
    key: str
    title: str
    scene: Scene | None = None

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.protocol.questions

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(question.key for question in self.questions)

    def wording(self, question: str) -> str:
        """Return the question's text as this scene asks it."""
        return scene_question_wording(self.protocol, self.key, question)

    def help(self, question: str) -> str:
        """Return the help line that is below the question, or an empty text."""
        own = self.scene.help.get(question) if self.scene else None
        return own or self.protocol.question(question).help or ""

    def options(self, question: str) -> tuple[Option, ...]:
        """Return the values that a question offers in this scene; none where only N/A may stand."""
        if question in self.settled:
            return ()
        return self.protocol.options(self.protocol.question(question))

    @cached_property
    def settled(self) -> Mapping[str, Response]:
        """The questions that do not apply in this scene, each with the one answer that may stand.

        Nobody is asked.
        """
        responses = {}
        for rule in self.protocol.na_rules:
            if rule.only and (rule.scenes is None or self.key in rule.scenes):
                responses[rule.question] = Response(na_reason=rule.reason)
        return responses

    def completed(self, responses: Responses) -> dict[str, Response]:
        """Return the answers with those of the questions that do not apply in this scene."""
        return {**self.settled, **responses}

    @property
    def first_impression(self) -> tuple[str, ...]:
        """The questions that are answered before all others and then stay as they were answered."""
        return self.protocol.playback.first_impression

    def asks(self, question: str) -> bool:
        """Say whether somebody is asked a question in this scene."""
        return question not in self.settled

    def na_options(self, question: str) -> list[tuple[AllowedAnswer, str]]:
        """Return the N/A answers of a question, each with the words a reviewer reads."""
        reasons = []
        for answer in self._allowed_by_question[question]:
            if answer.na_reason is not None:
                reasons.append((answer, self.protocol.na_reasons[answer.na_reason]))
        return reasons

    @cached_property
    def allowed(self) -> tuple[AllowedAnswer, ...]:
        """Every answer that may stand, values before N/A, in the order of the questions."""
        answers: list[AllowedAnswer] = []
        for question in self.questions:
            answers += self._allowed_for(question)
        return tuple(answers)

    @cached_property
    def possible(self) -> frozenset[tuple[str, Response]]:
        """Every question with each answer that may stand beside some others."""
        return frozenset((answer.question, answer.response) for answer in self.allowed)

    @cached_property
    def _allowed_by_question(self) -> Mapping[str, tuple[AllowedAnswer, ...]]:
        return {
            key: tuple(answer for answer in self.allowed if answer.question == key)
            for key in self.keys
        }

    def _allowed_for(self, question: Question) -> Iterator[AllowedAnswer]:
        needed = next(
            (rule.when for rule in self.protocol.value_rules if rule.question == question.key), None
        )
        for option in self.options(question.key):
            yield AllowedAnswer(question.key, option.value, None, *_condition(needed))
        for rule in self.protocol.na_rules:
            if rule.question != question.key or (
                rule.scenes is not None and self.key not in rule.scenes
            ):
                continue
            yield AllowedAnswer(question.key, None, rule.reason, *_condition(rule.when))

    def violations(self, responses: Responses, *, complete: bool = True) -> list[Violation]:
        """Return every broken rule, in the order of the questions; with ``complete`` a missing
        answer is one.
        """
        found = [
            Violation(key, "there is no such question") for key in responses if key not in self.keys
        ]
        for key in self.keys:
            response = responses.get(key)
            if response is None:
                if complete:
                    found.append(Violation(key, "the answer is missing"))
            elif rule := self._broken_rule(key, response, responses):
                found.append(Violation(key, rule))
        if complete:
            return [*found, *self._contradictions(responses)]
        return found

    def _contradictions(self, responses: Responses) -> Iterator[Violation]:
        for rule in self.protocol.consistency:
            answer, other = (responses.get(key) for key in (rule.question, rule.other))
            if (
                answer
                and other
                and answer.value
                and other.value
                and Decimal(answer.value) < _least(rule, other.value)
            ):
                yield Violation(rule.question, rule.text)

    def permitted(self, responses: Responses) -> dict[str, Response]:
        """Return the answers that may stand: what is no longer allowed is left out, and what
        depended on that too.
        """
        kept: dict[str, Response] = {}
        for key in self.keys:  # conditions only ever look back, so one pass settles every chain
            response = responses.get(key)
            if response is not None and self._broken_rule(key, response, kept) is None:
                kept[key] = response
        return kept

    def _broken_rule(self, key: str, response: Response, responses: Responses) -> str | None:
        candidates = [
            answer for answer in self._allowed_by_question[key] if answer.response == response
        ]
        if any(answer.condition_holds(responses) for answer in candidates):
            return None
        if not candidates:
            return self._no_such_answer(key, response)
        needed = candidates[0]
        if response.value is None:
            what = f"N/A ({response.na_reason})"
        else:
            what = "a value"
        return (
            f"{what} is allowed only when {needed.requires_question!r} was answered "
            f"{needed.requires_value!r}"
        )

    def _no_such_answer(self, key: str, response: Response) -> str:
        reasons = " or ".join(f"na:{answer.na_reason}" for answer, _ in self.na_options(key))
        if response.na_reason is None:
            values = self._values_in_words(key)
            if not values:
                return f"this question does not apply in this scene; its answer is {reasons}"
            return f"{response.value!r} is not an answer; allowed are {values}" + (
                f" and {reasons}" if reasons else ""
            )
        if not reasons:
            return "this question is never N/A in this scene"
        if not response.na_reason:
            return f"an N/A needs its reason: {reasons}"
        return f"{str(response)!r} is not an answer; an N/A here is {reasons}"

    def _values_in_words(self, key: str) -> str:
        found = self.protocol.answer_set(self.protocol.question(key))
        values = [option.value for option in self.options(key)]
        if found.is_number and values:
            return f"{values[0]} to {values[-1]} in steps of {found.step:g}"
        return ", ".join(values)


def _condition(when: When | None) -> tuple[str, str] | tuple[None, None]:
    if when:
        return (when.question, when.value)
    return (None, None)


def _least(rule: Consistency, other: str) -> Decimal:
    return Decimal(other if rule.at_least is None else str(rule.at_least))


def form_keys(protocol: Protocol, scenes: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the key of every form that is asked about these scenes (None for all), in the
    protocol's order.
    """
    if scenes is None:
        wanted = {scene.key for scene in protocol.scenes}
    else:
        wanted = set(scenes)
    if protocol.rollouts is not None:
        return protocol.rollouts.form_keys(wanted)
    return tuple(scene.key for scene in protocol.scenes if scene.key in wanted)


def form_for(protocol: Protocol, key: str) -> Form:
    """Return the form of this key: a scene's, or that of a kind of unit of a rollout.

    Raises KeyError for neither.
    """
    if protocol.rollouts is None:
        scene = protocol.scene(key)
        return Form(protocol, key, scene.title, scene)
    form, scenario = protocol.rollouts.form(key)
    found = protocol.rollouts.forms
    asking = protocol.model_copy(
        update={
            "answer_sets": found.answer_sets,
            "na_reasons": found.na_reasons,
            "questions": form.questions if scenario is None else form.questions_for(scenario),
            "na_rules": form.na_rules,
            "value_rules": form.value_rules,
            "consistency": form.consistency,
        }
    )
    title = protocol.rollouts.units.kind(form.unit).text
    return Form(asking, key, title, protocol.scene(scenario.key) if scenario else None)
