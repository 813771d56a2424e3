"""Keys of providers and judges: entered once, sealed, tested with a free call, never shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from fartbench.entered_keys import enter_key, forget_key, note_test, opened
from fartbench.errors import Refusal
from fartbench.models import ServiceKey
from fartbench.service_access import is_in_environment
from generation.providers import access as providers
from judging.ports import access as judges
from web.generation.access import commissions, shared_context

JUDGES = "openai_compatible"
LABELS = {JUDGES: "AI judges with OpenAI's interface", "gemini": "gemini (also for AI judges)"}
LONGEST = 4000


def services() -> dict[str, tuple[str, ...]]:
    """Return the services that take a key, each with the variables that it needs."""
    names = {key: providers.needed(key) for key in providers.SERVICES if key != "websocket"}
    return names | {JUDGES: judges.NAMES[JUDGES]}


class KeyForm(forms.Form):
    """Everything that one service needs: an address is entered together with its keys."""

    def __init__(self, service: str, data: Any = None) -> None:
        super().__init__(data, auto_id=f"{service}-%s", label_suffix="")
        for name in services()[service]:
            self.fields[name] = _control(name)


def _control(name: str) -> forms.CharField:
    quiet = {"autocomplete": "off", "spellcheck": "false"}
    if name.endswith("_BASE_URL"):
        return _AddressField(max_length=200, widget=forms.URLInput(quiet), label=name)
    if name == "VERTEX_PROJECT":
        return forms.CharField(max_length=200, widget=forms.TextInput(quiet), label=name)
    hidden = forms.PasswordInput({"autocomplete": "new-password"}, render_value=False)
    return _KeyField(max_length=LONGEST, widget=hidden, label=name)


class _KeyField(forms.CharField):
    """A key, as it can be written in a header."""

    def clean(self, value: object) -> str:
        text: str = super().clean(value)
        if not text.isascii() or not text.isprintable() or " " in text:
            raise forms.ValidationError("A key has no spaces and only ASCII characters.")
        return text


class _AddressField(forms.CharField):
    """The address of a service on the public internet."""

    def clean(self, value: object) -> str:
        text: str = super().clean(value).rstrip("/")
        parts = urlsplit(text)
        is_plain = not (parts.username or parts.query or parts.fragment)
        if not is_plain or providers.Access(text, {}).is_simulated:
            raise forms.ValidationError(
                "Enter an address on the public internet that begins with https://. Addresses in "
                "your own network are set in the environment."
            )
        return text


@dataclass(frozen=True, slots=True)
class Card:
    """A service as the page shows it: ``source`` is where its key comes from, or empty."""

    service: str
    label: str
    source: str
    row: ServiceKey | None
    is_locked: bool
    form: KeyForm


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@commissions
def keys(request: HttpRequest) -> HttpResponseBase:
    """Show which services have a key, and enter, test or remove one."""
    if request.method != "POST":
        return _page(request)
    service = request.POST.get("service", "")
    if service not in services():
        raise Http404
    action, actor = request.POST.get("action"), request.user.get_username()
    if action == "test":
        _test(request, service)
    elif action == "remove":
        forget_key(service, actor=actor)
        messages.success(request, f"The key of {service} is removed.")
    else:
        form = KeyForm(service, request.POST)
        if not form.is_valid():
            return _page(request, refused=(service, form))
        enter_key(service, form.cleaned_data, actor=actor)
        messages.success(request, f"The key of {service} is stored. It is not shown again.")
    return redirect("generation-keys")


def _test(request: HttpRequest, service: str) -> None:
    from generation.providers import key_check  # noqa: PLC0415 - contracts are slow to import

    try:
        if service == JUDGES:
            entry = judges.access(service)
            headers = {"Authorization": f"Bearer {entry.key}"}
            check = key_check.ask(entry.base_url, "/v1/models", headers)
        else:
            check = key_check.check_key(service)
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return
    note_test(service, check.words)
    say = messages.error if check.accepted is False else messages.success
    say(request, f"{service}: {check.words}")


def _page(request: HttpRequest, refused: tuple[str, KeyForm] | None = None) -> HttpResponse:
    rows = {row.service: row for row in ServiceKey.objects.all()}
    cards = []
    for service in services():
        form = refused[1] if refused and refused[0] == service else KeyForm(service)
        cards.append(_card(service, rows.get(service), form))
    context = {"cards": cards, **shared_context()}
    status = 422 if refused else 200
    return TemplateResponse(request, "generation/keys.html", context, status=status)


def _card(service: str, row: ServiceKey | None, form: KeyForm) -> Card:
    label = LABELS.get(service, service)
    if is_in_environment(services()[service]):
        return Card(service, label, "environment", row, is_locked=True, form=form)
    if row is None:
        return Card(service, label, "", None, is_locked=False, form=form)
    source = "lost" if opened(row) is None else "entered"
    return Card(service, label, source, row, is_locked=False, form=form)
