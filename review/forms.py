"""What reviewers type into plain forms, besides their answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from review.services.locking import MISTAKE_LENGTH

LONGEST_CODE = 60
MOST_HEARD = 99
LOUDEST = 1.0


class ReturnCodeForm(forms.Form):
    """The code with which a reviewer comes back."""

    code = forms.CharField(max_length=LONGEST_CODE, error_messages={"required": "Type the code."})


class SoundCheckForm(forms.Form):
    """How many tones were heard, and the player's volume (0 to 1) where a script measured it."""

    heard = forms.IntegerField(min_value=0, max_value=MOST_HEARD)
    volume = forms.FloatField(min_value=0, max_value=LOUDEST, required=False)


class ConsentForm(forms.Form):
    """The agreement to take part: each statement of the text is ticked, and then all of it."""

    shown = forms.CharField(max_length=64, required=False)
    agree = forms.BooleanField(
        error_messages={"required": "Tick the box to agree, or leave the page."}
    )

    def __init__(self, data: Any, *, statements: Sequence[str]) -> None:
        super().__init__(data)
        for number, statement in enumerate(statements, start=1):
            self.fields[f"statement-{number}"] = forms.BooleanField(
                label=statement,
                error_messages={"required": "Tick this as well, or leave the page."},
            )

    @property
    def statements(self) -> list[forms.BoundField]:
        """The boxes of the statements, in their order."""
        return [self[name] for name in self.fields if name.startswith("statement-")]


class MistakeForm(forms.Form):
    """A note about a mistake, beside a locked sheet."""

    text = forms.CharField(
        max_length=MISTAKE_LENGTH, error_messages={"required": "Say what is wrong."}
    )
