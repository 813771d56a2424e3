"""The method page: a protocol in words, all from its own data."""

from __future__ import annotations

from dataclasses import dataclass

from fartbench.protocol import Option, Protocol, Question, Scene, form_for
from fartbench.protocol.rollouts.forms import UnitForm
from scoring.scores.fartscore import HUNDRED


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as one scene asks it, with every answer that may stand."""

    question: Question
    wording: str
    help: str
    options: tuple[Option, ...]
    na: tuple[str, ...]
    is_gate: bool


@dataclass(frozen=True, slots=True)
class SceneForm:
    """A scene with its questions in order."""

    scene: Scene
    questions: tuple[AskedQuestion, ...]


def scene_forms(protocol: Protocol) -> list[SceneForm]:
    """Return the form of every scene; none where windows of rollouts are judged, whose forms are no
    scene's.
    """
    if protocol.rollouts is not None:
        return []
    return [SceneForm(scene, tuple(_questions(protocol, scene))) for scene in protocol.scenes]


def _questions(protocol: Protocol, scene: Scene) -> list[AskedQuestion]:
    form = form_for(protocol, scene.key)
    return [
        AskedQuestion(
            question=question,
            wording=form.wording(question.key),
            help=form.help(question.key),
            options=form.options(question.key),
            na=tuple(_na_words(protocol, question.key, scene)),
            is_gate=question.key in protocol.facts,
        )
        for question in form.questions
    ]


def _na_words(protocol: Protocol, key: str, scene: Scene) -> list[str]:
    words, form = [], form_for(protocol, scene.key)
    for answer, reason in form.na_options(key):
        if key in form.settled:
            words.append(f"{reason}: not asked")
        elif answer.requires_question is None:
            words.append(f"{reason}: always possible")
        else:
            earlier = protocol.question(answer.requires_question)
            labels = {option.value: option.label for option in protocol.options(earlier)}
            words.append(f"{reason}: after {earlier.label} {labels[str(answer.requires_value)]}")
    return words


@dataclass(frozen=True, slots=True)
class NaRow:
    """Where one question may be answered N/A: a cell for each scene."""

    question: Question
    cells: tuple[str, ...]


def na_map(forms: list[SceneForm]) -> list[NaRow]:
    """Return the N/A map, questions by scenes; an empty text where N/A may not stand."""
    if not forms:
        return []
    return [
        NaRow(asked.question, tuple("; ".join(form.questions[index].na) for form in forms))
        for index, asked in enumerate(forms[0].questions)
    ]


@dataclass(frozen=True, slots=True)
class PointLine:
    """What earns points, in words."""

    points: int
    words: str


@dataclass(frozen=True, slots=True)
class WeightLine:
    """A dimension with its weight."""

    code: str
    label: str
    weight: int


def weight_lines(protocol: Protocol) -> list[WeightLine]:
    """Return the dimensions, the heaviest first as the protocol lists them."""
    return [
        WeightLine(one.code, protocol.question(one.question).label, one.weight)
        for one in protocol.scoring.dimensions
    ]


def score_total(protocol: Protocol) -> int:
    """Return the most that a configuration can reach."""
    return (
        HUNDRED if protocol.scoring.is_weighted else protocol.points_per_clip * len(protocol.scenes)
    )


def point_lines(protocol: Protocol) -> list[PointLine]:
    """Return the point rules in words."""
    lines = []
    for rule in protocol.scoring.points:
        words = f"“{protocol.question(rule.question).label}” has a Yes consensus"
        if rule.needs:
            words += f", and “{protocol.question(rule.needs).label}” has one too"
        lines.append(PointLine(rule.points, words))
    return lines


def unit_forms(protocol: Protocol) -> list[tuple[UnitForm, str]]:
    """Return every form about windows of rollouts, with what its kind of window is; none where
    clips are whole.
    """
    if protocol.rollouts is None:
        return []
    return [
        (form, protocol.rollouts.units.kind(form.unit).text)
        for form in protocol.rollouts.forms.forms
    ]
