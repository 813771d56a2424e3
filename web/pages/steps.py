"""The steps that a page of a round offers, each with its form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from fartbench.models import Round
from rounds.due import Due
from rounds.forms import StepForm
from rounds.step import Place, Step
from rounds.steps import STEPS, for_browser


@dataclass
class Button:
    """A step that can be done now; ``bound`` is its form when it was sent with errors."""

    step: Step
    round: Round
    is_due: bool = False
    bound: StepForm | None = None

    @cached_property
    def form(self) -> StepForm:
        return self.bound or StepForm(self.step, self.round)

    @cached_property
    def note(self) -> str:
        """What to know before it is pressed."""
        return for_browser(self.step.note(self.round), self.round)


def buttons_of(
    round_: Round, place: Place, due: Due | None = None, bound: StepForm | None = None
) -> list[Button]:
    """Return the steps that one part of a round's pages offers, the due one marked."""
    due_key = due.key if due else ""
    bound_key = bound.step.key if bound else ""
    buttons = []
    for step in STEPS.values():
        is_due = step.key == due_key
        if step.place != place or not step.is_offered(round_):
            continue
        if step.only_when_due and not is_due:
            continue
        form = bound if step.key == bound_key else None
        buttons.append(Button(step.worded(round_), round_, is_due=is_due, bound=form))
    return buttons


@dataclass(frozen=True, slots=True)
class Next:
    """What a round waits for, as a page says it: the title of a step, empty when people can only
    wait, and why.
    """

    key: str
    title: str
    words: str


def next_of(round_: Round, due: Due | None) -> Next | None:
    """Return what a round waits for in the words of a page, or None when it is published."""
    if due is None:
        return None
    title = STEPS[due.key].worded(round_).title if due.key else ""
    return Next(due.key, title, for_browser(due.words, round_))
