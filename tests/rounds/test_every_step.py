"""What holds for every step of a round: a button and a command of one name, and a second time that
changes nothing.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.core.management import call_command, get_commands
from django.test import Client
from django.urls import reverse

from fartbench.models import AuditEntry, Round
from rounds.steps import STEPS, for_browser
from tests.factories import make_round, make_staff
from tests.rounds.every_step import CASES, command_line

pytestmark = pytest.mark.engine("sqlite")


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a key for the provider of whom clips are commissioned; no worker sends anything."""
    monkeypatch.setenv("ARK_API_KEY", "a-key")


@pytest.fixture
def ada(db: None) -> Client:
    client, staff = Client(), make_staff()
    staff.user_permissions.add(*Permission.objects.filter(codename="change_round"))
    client.force_login(staff)
    return client


def docs_row(key: str) -> str:
    """Return what docs/commands.md says of a step."""
    step = STEPS[key]
    words = {"clip": "clip", "stimulus": "clip", "scene": "scene"}
    states = ", ".join(str(state.label).lower() for state in step.states)
    title, text = step.title.format(**words), step.words.format(**words)
    return f"| `{key}` | {title} | {states} | {text} |"


def press(client: Client, key: str, round_: Round, data: dict[str, Any]) -> str:
    """Press a step's button and return what the page says, which is no refusal."""
    address = reverse("staff-step", args=[round_.name])
    reply = client.post(address, {"step": key, **data}, follow=True)
    if reply.resolver_match.url_name == "staff-step":  # links, shown once
        assert reply.context["done"].links
        return str(reply.context["done"].words)
    (message,) = reply.context["messages"]
    assert message.level_tag == "success", message
    return str(message)


def entries() -> list[Any]:
    return list(AuditEntry.objects.values_list("pk", "action"))


def test_every_step_that_a_form_can_do_is_among_the_cases() -> None:
    assert {step.key for step in STEPS.values() if step.has_form} == set(CASES)


def test_every_step_has_a_command_of_its_name() -> None:
    assert set(STEPS) <= set(get_commands())


def test_the_document_of_commands_lists_the_steps_as_they_are() -> None:
    document = (Path(settings.BASE_DIR) / "docs" / "commands.md").read_text(encoding="utf-8")
    rows = [
        line for line in document.splitlines() if line.startswith("| `") and line.count("|") == 5
    ]
    assert rows == [docs_row(key) for key in STEPS]


@pytest.mark.parametrize("key", CASES)
def test_a_step_that_was_done_already_says_so_and_changes_nothing(
    ada: Client, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[key]
    round_ = case.make("spring")
    data = case.data(round_)
    assert "Nothing was changed" not in press(ada, key, round_, data | case.uploads)
    before = entries()
    round_.refresh_from_db()
    press(ada, key, round_, data | case.uploads)
    if not case.is_renewed:
        assert entries() == before
    if case.options is not None:
        call_command(*command_line(STEPS[key], round_, data, case.options))
        assert capsys.readouterr().out
    if not case.is_renewed:
        assert entries() == before


def test_a_step_that_was_killed_after_its_commit_ends_well_when_it_is_done_again(
    process_environment: dict[str, str], client: Client
) -> None:
    staff = make_staff()
    staff.user_permissions.add(*Permission.objects.filter(codename="change_round"))
    client.force_login(staff)
    killer = subprocess.Popen(
        [sys.executable, "-m", "tests.rounds.killed"], cwd=Path(settings.BASE_DIR),
        env=process_environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with killer:
        assert killer.stdin and killer.stdout
        for key, case in CASES.items():
            round_ = case.make(key)
            data = case.data(round_)
            print(json.dumps([key, round_.name, data, case.files]), file=killer.stdin, flush=True)
            assert killer.stdout.readline() == f"{signal.SIGKILL}\n", key
            before = entries()
            press(client, key, round_, data | case.uploads)
            assert case.is_renewed or entries() == before, key
        killer.stdin.close()


@pytest.mark.django_db
def test_a_browser_is_told_the_titles_of_steps_and_never_their_commands() -> None:
    round_ = make_round(name="spring")
    for key, step in STEPS.items():
        text = f"Next step: “{key} spring”. The state is “Draft”."
        words = for_browser(text, round_)
        title = step.worded(round_).title
        assert words == f"Next step: “{title}”. The state is “Draft”."
    assert for_browser("See “score spring”.", round_) == "See “Preview the scores”."
