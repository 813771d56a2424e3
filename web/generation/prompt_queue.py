"""The prompts of a round one after another, and the form in which a person audits one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from fartbench.models import Round
from generation.models import Prompt, PromptAudit
from generation.prompting import current_prompts
from generation.prompts import QUESTIONS
from generation.prompts.schedule import SCHEDULE
from web.generation.rounds import configurations_of

LONGEST_NOTE = 500
_ANSWERS = (("yes", "Yes"), ("no", "No"))
_NOT_ANSWERED = "Answer yes or no."


class AuditForm(forms.Form):
    """The nine questions, each yes or no, and a note."""

    note = forms.CharField(label="Note", required=False, max_length=LONGEST_NOTE)

    def __init__(self, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, auto_id="audit-%s", label_suffix="")
        for key, words in QUESTIONS.items():
            self.fields[key] = forms.ChoiceField(
                label=words,
                choices=_ANSWERS,
                widget=forms.RadioSelect,
                error_messages={"required": _NOT_ANSWERED, "invalid_choice": _NOT_ANSWERED},
            )

    @property
    def questions(self) -> list[forms.BoundField]:
        """Return the nine questions in their order."""
        return [self[key] for key in QUESTIONS]

    @property
    def answers(self) -> dict[str, bool]:
        """Return each question's answer; the form is valid."""
        return {key: self.cleaned_data[key] == "yes" for key in QUESTIONS}


@dataclass(frozen=True)
class PromptQueue:
    """Where one prompt is among those of its round. ``number`` counts from 1; ``before`` and
    ``after`` are None at the ends; ``due`` is the next one that nobody has audited, or None.
    """

    round: Round
    number: int
    total: int
    before: Prompt | None
    after: Prompt | None
    due: Prompt | None
    left: int


def prompts_of(round_: Round) -> list[Prompt]:
    """Return the newest version of each prompt of a round, scene by scene."""
    by_place = current_prompts(round_.protocol, configurations_of(round_))
    return [prompt for (_, scene), prompt in sorted(by_place.items()) if scene in round_.scenes]


def queue_of(round_name: str, prompt: Prompt) -> PromptQueue | None:
    """Return the place of a prompt in the round of this name, or None when it is not in it."""
    round_ = Round.objects.select_related("protocol").filter(name=round_name).first()
    if round_ is None:
        return None
    prompts = [one for one in prompts_of(round_) if one.adapter != SCHEDULE]
    keys = [one.pk for one in prompts]
    if prompt.pk not in keys:
        return None
    place = keys.index(prompt.pk)
    in_turn = prompts[place + 1 :] + prompts[:place]
    audited = _audited(prompts)
    waiting = [one for one in in_turn if not _is_audited(one, audited)]
    return PromptQueue(
        round=round_,
        number=place + 1,
        total=len(prompts),
        before=prompts[place - 1] if place else None,
        after=prompts[place + 1] if place + 1 < len(prompts) else None,
        due=waiting[0] if waiting else None,
        left=len(waiting),
    )


def first_due(prompts: list[Prompt]) -> Prompt | None:
    """Return the first prompt that nobody has audited, or None."""
    audited = _audited(prompts)
    for prompt in prompts:
        if prompt.adapter != SCHEDULE and not _is_audited(prompt, audited):
            return prompt
    return None


def _audited(prompts: list[Prompt]) -> set[tuple[str, str]]:
    digests = [prompt.sha256 for prompt in prompts]
    audits = PromptAudit.objects.filter(sha256__in=digests)
    return set(audits.values_list("sha256", "specification_digest"))


def _is_audited(prompt: Prompt, audited: set[tuple[str, str]]) -> bool:
    """Say whether an audit is there: it holds for all equal bytes about one specification."""
    return prompt.frozen_at is not None or (prompt.sha256, prompt.specification_digest) in audited
