"""The rules about one scenario that are more than a count, by the names that constraint files use.
No Django here.

Each takes a scenario and the values of its claim and yields what is off, in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fartbench.protocol.rollouts.schema import Scenario, Update

Values = Mapping[str, tuple[Any, ...]]
Check = Callable[[Scenario, Values], Iterator[str]]


def schedule(scenario: Scenario, values: Values) -> Iterator[str]:
    """Updates of a track have these names at these times, in this order; other tracks have none."""
    updates = [(update.id, update.at_s) for update in scenario.updates]
    if scenario.track in values["tracks"]:
        wanted = list(zip(values["ids"], values["at_s"], strict=True))
    else:
        wanted = []
    if updates != wanted:
        yield f"updates are {_listed(updates)}, not {_listed(wanted)}"


def intervals(scenario: Scenario, values: Values) -> Iterator[str]:
    """The duration is so many whole intervals."""
    wanted = values["count"][0]
    if scenario.interval_s * wanted != scenario.duration_s:
        whole = scenario.duration_s / scenario.interval_s
        yield (
            f"{scenario.duration_s:g} s hold {whole:g} intervals of {scenario.interval_s:g} s, not "
            f"{wanted}"
        )


def adjacent_source(scenario: Scenario, values: Values) -> Iterator[str]:  # noqa: ARG001
    """An adjacent update depends on the update just before it."""
    for place, update in enumerate(scenario.updates):
        if place:
            before = scenario.updates[place - 1].id
        else:
            before = None
        if update.dependency == "adjacent" and (before is None or update.depends_on != before):
            yield (
                f"{update.id} is adjacent and depends on {_name(update.depends_on)}, not on "
                f"{_name(before)}"
            )


def long_range_source(scenario: Scenario, values: Values) -> Iterator[str]:  # noqa: ARG001
    """A long-range update depends on an earlier update that is not the one just before it."""
    for place, update in enumerate(scenario.updates):
        earlier = [one.id for one in scenario.updates[: max(place - 1, 0)]]
        if update.dependency == "long_range" and update.depends_on not in earlier:
            possible = " or ".join(earlier) or "any, for there is none so early"
            yield (
                f"{update.id} is long-range and depends on {_name(update.depends_on)}, not on "
                f"{possible}"
            )


def independent_source(scenario: Scenario, values: Values) -> Iterator[str]:  # noqa: ARG001
    """An independent update names no source."""
    for update in scenario.updates:
        if update.dependency == "independent" and update.depends_on is not None:
            yield f"{update.id} is independent and depends on {update.depends_on}"


def dependency_place(scenario: Scenario, values: Values) -> Iterator[str]:
    """A dependency of one kind occurs only at these steps."""
    for update in scenario.updates:
        if update.dependency in values["dependencies"] and update.id not in values["steps"]:
            yield (
                f"{update.id} is {update.dependency}, which only {', '.join(values['steps'])} can "
                "be"
            )


def parts_of_modality(scenario: Scenario, values: Values) -> Iterator[str]:  # noqa: ARG001
    """An update has a part for each modality that it changes, and for no other."""
    for update in scenario.updates:
        wanted = {"video": (True, False), "audio": (False, True), "joint": (True, True)}[
            update.modality
        ]
        if (update.visual is not None, update.audio is not None) != wanted:
            yield f"{update.id} is {update.modality} and has {_parts(update)}"


def checklist_fields(scenario: Scenario, values: Values) -> Iterator[str]:
    """Both checklists have exactly these fields."""
    for name, checklist in (
        ("video", scenario.video_checklist),
        ("audio", scenario.audio_checklist),
    ):
        if set(checklist) != set(values[name]):
            yield f"{name}_checklist has {', '.join(checklist)}, not {', '.join(values[name])}"


def checklist_questions(scenario: Scenario, values: Values) -> Iterator[str]:
    """Each criterion is a question or null, and at least so many are questions."""
    questions = [*_questions(scenario.video_checklist), *_questions(scenario.audio_checklist)]
    for field, question in questions:
        if not question.endswith("?"):
            yield f"the criterion {field} is not a question: {question!r}"
    if len(questions) < values["at_least"][0]:
        yield f"only {len(questions)} criteria are questions; {values['at_least'][0]} must be"


RULES: dict[str, Check] = {
    rule.__name__: rule
    for rule in (
        schedule, intervals, adjacent_source, long_range_source, independent_source,
        dependency_place,
        parts_of_modality, checklist_fields, checklist_questions,
    )
}  # fmt: skip
NUMBER = (int, float)
VALUES: dict[str, dict[str, type | tuple[type, ...]]] = {
    "schedule": {"tracks": str, "ids": str, "at_s": NUMBER},
    "intervals": {"count": NUMBER},
    "dependency_place": {"dependencies": str, "steps": str},
    "checklist_fields": {"video": str, "audio": str},
    "checklist_questions": {"at_least": NUMBER},
}
"""The values that a rule takes, and of what kind; a rule that is not here takes none."""
ONE_VALUE = ("intervals", "checklist_questions")


def _questions(checklist: Mapping[str, str | None]) -> list[tuple[str, str]]:
    return [(field, question) for field, question in checklist.items() if question is not None]


def _parts(update: Update) -> str:
    parts = []
    for name, text in (("visual", update.visual), ("audio", update.audio)):
        if text is not None:
            parts.append(name)
    if len(parts) == 1:
        return f"only the part {parts[0]}"
    return " and ".join(parts) or "neither part"


def _name(step: str | None) -> str:
    return step or "none"


def _listed(steps: list[tuple[str, float]]) -> str:
    return ", ".join(f"{step} at {at:g} s" for step, at in steps) or "none"
