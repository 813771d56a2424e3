"""The form of a step: a control for each of its fields, and errors beside them."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from fartbench.models import Round
from fartbench.storable import whole_number
from generation.manifest import CellKey
from generation.models import SampleState
from rounds.step import Field, Step

LONGEST = 200
WHY_MISSING = "Say why: the reason is recorded in the audit trail."
OFF = {"autocomplete": "off", "spellcheck": "false"}


class _CellField(forms.CharField):
    """A cell, written as ``configuration/scene/replicate``."""

    def clean(self, value: Any) -> CellKey:
        configuration, _, place = super().clean(value).partition("/")
        scene, _, number = place.partition("/")
        replicate = whole_number(number)
        if replicate is None:
            raise forms.ValidationError("Choose a cell.")
        return CellKey(configuration, scene, replicate)


class _EmailsField(forms.CharField):
    """Addresses with spaces, commas or line ends between them."""

    def clean(self, value: Any) -> list[str]:
        addresses = re.split(r"[\s,;]+", super().clean(value))
        return [address for address in addresses if address]


class _SamplesField(forms.Field):
    """Keys of samples; None when the form does not choose among them."""

    widget = forms.SelectMultiple

    def clean(self, value: Any) -> list[int] | None:
        if not value:
            return None
        numbers = [whole_number(text) for text in value]
        return [number for number in numbers if number is not None]


class StepForm(forms.Form):
    """What a step asks for, about one round. The step itself refuses what does not fit."""

    def __init__(self, step: Step, round_: Round, data: Any = None, files: Any = None) -> None:
        super().__init__(data, files, auto_id=f"{step.key}-%s")
        self.step = step
        for field in step.worded(round_).fields:
            if field.asked(round_):
                self.fields[field.name] = _control(field, round_)

    def clean(self) -> None:
        for field in self.step.fields:
            is_needed = self.cleaned_data.get(field.needed_with)
            if is_needed and not self.cleaned_data.get(field.name):
                self.add_error(field.name, WHY_MISSING)


def _control(field: Field, round_: Round) -> forms.Field:
    make = _MAKERS.get(field.kind, _text)
    return make(field, round_, {"label": field.label, "required": field.is_required})


def _text(_field: Field, _round: Round, common: dict[str, Any]) -> forms.Field:
    why = {"required": WHY_MISSING}
    widget = forms.TextInput(OFF)
    return forms.CharField(max_length=LONGEST, widget=widget, error_messages=why, **common)


def _cell(field: Field, round_: Round, common: dict[str, Any]) -> forms.Field:
    return _CellField(widget=_choice(field, round_), **common)


def _outcome(_field: Field, _round: Round, common: dict[str, Any]) -> forms.Field:
    states = SampleState.without_clip()
    return forms.ChoiceField(choices=[(state.value, state.label) for state in states], **common)


def _reviewer(field: Field, round_: Round, common: dict[str, Any]) -> forms.Field:
    return forms.CharField(widget=_choice(field, round_), **common)


def _email(_field: Field, _round: Round, common: dict[str, Any]) -> forms.Field:
    return forms.EmailField(max_length=150, widget=forms.EmailInput(OFF), **common)


def _emails(field: Field, round_: Round, common: dict[str, Any]) -> forms.Field:
    widget = forms.Textarea(OFF | {"rows": str(round_.protocol.rules.cohort.size)})
    return _EmailsField(widget=widget, initial="\n".join(field.choices(round_)), **common)


def _stimulus(_field: Field, _round: Round, common: dict[str, Any]) -> forms.Field:
    return forms.CharField(
        max_length=32, widget=forms.TextInput(OFF | {"list": "stimuli"}), **common
    )


def _number(_field: Field, _round: Round, common: dict[str, Any]) -> forms.Field:
    return forms.IntegerField(min_value=1, **common)


def _check(_field: Field, _round: Round, common: dict[str, Any]) -> forms.Field:
    return forms.BooleanField(**common)


def _samples(_field: Field, _round: Round, common: dict[str, Any]) -> forms.Field:
    return _SamplesField(**common)


def _amount(_field: Field, _round: Round, common: dict[str, Any]) -> forms.Field:
    faults = {"invalid": "This is not an amount in dollars, such as 25.00."}
    return forms.DecimalField(
        min_value=0, max_digits=12, decimal_places=2, error_messages=faults, **common
    )


def _file(_field: Field, _round: Round, common: dict[str, Any]) -> forms.Field:
    return forms.FileField(**common)


def _one_of(field: Field, round_: Round, common: dict[str, Any]) -> forms.Field:
    labels = list(field.choices(round_))
    return forms.ChoiceField(choices=[(label, label) for label in labels], **common)


def _choice(field: Field, round_: Round) -> forms.Select:
    return forms.Select(choices=[("", "Choose"), *((one, one) for one in field.choices(round_))])


_MAKERS = {
    "cell": _cell, "outcome": _outcome, "reviewer": _reviewer, "email": _email, "emails": _emails,
    "stimulus": _stimulus, "number": _number, "check": _check, "samples": _samples,
    "amount": _amount, "file": _file, "choice": _one_of,
}  # fmt: skip
