"""The form that makes a token."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest

from api.scopes import Scope
from api.tokens import LONGEST_DAYS
from fartbench import throttle
from fartbench.models import Round

USUAL_DAYS = 90
OFF = {"autocomplete": "off", "spellcheck": "false"}


class TokenForm(forms.Form):
    """What a token is for, what it may do, until when; and the password of who makes it."""

    name = forms.CharField(max_length=60, label="What it is for", widget=forms.TextInput(OFF))
    scopes = forms.MultipleChoiceField(
        choices=[(scope.value, f"{scope.value}: {scope.words}") for scope in Scope],
        widget=forms.CheckboxSelectMultiple,
        label="What it may do",
        error_messages={"required": "Choose at least one."},
    )
    rounds = forms.MultipleChoiceField(
        required=False, label="Only in these rounds; none chosen means all"
    )
    days = forms.IntegerField(
        min_value=1, max_value=LONGEST_DAYS, initial=USUAL_DAYS, label="Days until it expires"
    )
    password = forms.CharField(
        label="Your password, once more",
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
    )

    def __init__(self, request: HttpRequest, data: Any = None) -> None:
        super().__init__(data, auto_id="token-%s", label_suffix="")
        self.request = request
        names = Round.objects.order_by("-created_at").values_list("name", flat=True)
        rounds: Any = self.fields["rounds"]
        rounds.choices = [(name, name) for name in names]

    def clean_password(self) -> str:
        """Refuse a wrong password; wrong ones are counted as at the login."""
        user: Any = self.request.user
        try:
            admission = throttle.admit(self.request, user.get_username())
        except throttle.TooManyTries as refusal:
            raise forms.ValidationError(str(refusal)) from refusal
        if not isinstance(user, User) or not user.check_password(self.cleaned_data["password"]):
            raise forms.ValidationError("This is not your password.")
        admission.forgive()
        return ""
