"""The login page, of the site and of the records: passwords cannot be tried without end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpResponse

from fartbench import throttle

TOO_MANY = "too_many"

if TYPE_CHECKING:
    Form = AuthenticationForm
else:
    Form = object


class Throttled(Form):
    """What a login form does before it looks at a password, and after it was right."""

    def clean(self) -> dict[str, Any]:
        if self.request is None or not {"username", "password"} <= self.cleaned_data.keys():
            return super().clean()
        try:
            admission = throttle.admit(self.request, self.cleaned_data["username"])
        except throttle.TooManyTries as refusal:
            raise forms.ValidationError(str(refusal), code=TOO_MANY) from refusal
        cleaned = super().clean()
        admission.forgive()
        return cleaned


class LoginForm(Throttled, AuthenticationForm):
    """The login of the site.

    Reviewers log in with their address, staff with the name of their account.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "E-mail address or user name"


class RecordsLoginForm(Throttled, AdminAuthenticationForm):
    """The login of the records."""


class Login(LoginView):
    """The login page; it answers 429 when there were too many tries."""

    authentication_form = LoginForm

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        if form.has_error("__all__", TOO_MANY):
            response.status_code = 429
        return response
