"""What is asked about each unit of a rollout, in the words of its scenario. No Django here.

The forms are data (``forms.yaml``) and are the same for people and judge models. A criterion that a
scenario does not have is not asked; where an answer may be N/A, the file says for which reason and
when.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from fartbench.protocol.parts import Key, Part, Text, repeated
from fartbench.protocol.questions import AnswerSet, Consistency, NaRule, Question, ValueRule
from fartbench.protocol.rollouts.reading import read_model
from fartbench.protocol.rollouts.schema import Scenario
from fartbench.protocol.rollouts.units import Unit

FILE = "forms.yaml"
Shown = Literal["video", "audio", "both"]


class UnitForm(Part):
    """The questions about one kind of unit with one kind of media: a list, or the criteria of a
    checklist.

    ``applies`` keeps it to updates of some modalities; ``target`` is the text of the update that is
    shown beside it.
    """

    unit: Key
    shown: Shown
    questions: tuple[Question, ...] = ()
    na_rules: tuple[NaRule, ...] = ()
    value_rules: tuple[ValueRule, ...] = ()
    consistency: tuple[Consistency, ...] = ()
    criteria: Literal["video", "audio"] | None = None
    answers: Key | None = None
    lead: Text | None = None
    applies: tuple[Literal["video", "audio", "joint"], ...] = ()
    target: Literal["visual", "audio", "prompt"] | None = None

    @model_validator(mode="after")
    def _a_list_or_a_checklist(self) -> Self:
        if bool(self.questions) == (self.criteria is not None):
            raise ValueError(f"{self.unit}: either questions or a checklist")
        if (self.criteria is None) != (self.answers is None and self.lead is None):
            raise ValueError(
                f"{self.unit}: a checklist names its answers and its lead, and only a checklist"
            )
        return self

    @property
    def name(self) -> str:
        """What the form is called in keys: ``update-video``."""
        return f"{self.unit}-{self.shown}"

    def key_for(self, scenario: Scenario) -> str:
        """Return the key of the form as a scenario words it: one with a checklist has one for each
        scenario.
        """
        if self.criteria is None:
            return self.name
        return f"{self.name}.{scenario.key}"

    def questions_for(self, scenario: Scenario) -> tuple[Question, ...]:
        """Return what is asked about a scenario's units; nothing where its checklist has no
        criterion.
        """
        return self.questions or tuple(_criteria(self, scenario))


class Forms(Part):
    """``forms.yaml``: the forms, their answer sets, and why N/A may be answered."""

    source: Text
    answer_sets: dict[Key, AnswerSet]
    na_reasons: dict[Key, Text]
    forms: tuple[UnitForm, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _every_name_is_known(self) -> Self:
        if twice := repeated(form.name for form in self.forms):
            raise ValueError(f"there are two forms {twice[0]}")
        for form in self.forms:
            keys = [question.key for question in form.questions]
            sets = {question.answers for question in form.questions} | (
                {form.answers} if form.answers else set()
            )
            if unknown := sorted(sets - self.answer_sets.keys()):
                raise ValueError(f"{form.unit}: there is no answer set {unknown[0]!r}")
            rules: tuple[NaRule | ValueRule | Consistency, ...]
            rules = (*form.na_rules, *form.value_rules, *form.consistency)
            for rule in rules:
                if unknown := sorted(rule.named - set(keys)):
                    raise ValueError(f"{form.unit}: there is no question {unknown[0]!r}")
            _refuse_words(form, self.answer_sets)
            for na in form.na_rules:
                if na.reason not in self.na_reasons:
                    raise ValueError(f"{form.unit}: there is no N/A reason {na.reason!r}")
        return self


def _refuse_words(form: UnitForm, sets: dict[str, AnswerSet]) -> None:
    """Raise ValueError when answers are compared that are not numbers."""
    sets_of = {question.key: sets[question.answers] for question in form.questions}
    for held in form.consistency:
        if odd := [key for key in sorted(held.compared) if not sets_of[key].can_be_compared]:
            raise ValueError(f"{form.unit}: the answers of {odd[0]!r} are not numbers")


@dataclass(frozen=True, slots=True)
class Asked:
    """One form about one unit, in its scenario's words: ``form`` is its key, ``target`` the
    update's text that it is about, ``source`` that of the update it builds on, where a window shows
    that too. ``asked_at_s`` is when the target was given, in seconds of the one window; None where
    there are two, or no target.
    """

    form: str
    unit: Unit
    shown: Shown
    target: str
    questions: tuple[Question, ...]
    na_rules: tuple[NaRule, ...]
    source: str = ""
    asked_at_s: float | None = None


def read_forms(folder: Path) -> Forms:
    """Read ``forms.yaml``. Raises DataError or ScenarioError."""
    return read_model(folder / FILE, Forms)


def asked(forms: Forms, scenario: Scenario, unit: Unit) -> Iterator[Asked]:
    """Yield the forms about a unit.

    One whose checklist has no criterion, or whose modality differs, is left out.
    """
    for form in forms.forms:
        if form.unit != unit.kind or not _applies(form, scenario, unit):
            continue
        if questions := form.questions_for(scenario):
            target, source = _target(form, scenario, unit), _source(scenario, unit)
            at = _asked_at(form, scenario, unit)
            yield Asked(
                form.key_for(scenario),
                unit,
                form.shown,
                target,
                questions,
                form.na_rules,
                source,
                at,
            )


def _applies(form: UnitForm, scenario: Scenario, unit: Unit) -> bool:
    return not form.applies or scenario.update(unit.place).modality in form.applies


def _criteria(form: UnitForm, scenario: Scenario) -> Iterator[Question]:
    if form.criteria == "video":
        checklist = scenario.video_checklist
    else:
        checklist = scenario.audio_checklist
    for key, criterion in checklist.items():
        if criterion is not None:
            label = key.replace("_", " ").capitalize()
            yield Question(
                key=key,
                label=label,
                stage=1,
                answers=form.answers or "",
                wording=criterion,
                help=form.lead,
            )


def _asked_at(form: UnitForm, scenario: Scenario, unit: Unit) -> float | None:
    if form.target is None or len(unit.windows) > 1:
        return None
    return scenario.update(unit.place).at_s - unit.windows[0].begin_s


def _source(scenario: Scenario, unit: Unit) -> str:
    if all(window.role != "source" for window in unit.windows):
        return ""
    step = scenario.update(unit.place).depends_on
    if step:
        return scenario.update(step).prompt
    return ""


def _target(form: UnitForm, scenario: Scenario, unit: Unit) -> str:
    if form.target is None:
        return ""
    update = scenario.update(unit.place)
    return {"visual": update.visual, "audio": update.audio, "prompt": update.prompt}[
        form.target
    ] or ""
