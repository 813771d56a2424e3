"""Prompts: rendered the same each time, compared by rule, audited by a person, frozen for good."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from generation.commissioning import commission
from generation.configurations.loader import FOLDER
from generation.configuring import load_configurations, named
from generation.errors import PromptRefused
from generation.models import Prompt, PromptAudit, Sample
from generation.prompting import (
    audit_prompt,
    current_prompts,
    freeze_prompts,
    new_pilot_version,
    render_prompts,
    viewed_raw,
)
from generation.prompts import ADAPTERS, QUESTIONS, prompt_faults, read_specification
from generation.prompts.adapters import render
from tests import factories
from tests.generation.buying import YES, bought, running_stand_in, work

SCENES = ("r01-lift", "r01-squat", "r01-chair", "r01-toast")


def specification(scene: str = "r01-lift") -> Any:
    return read_specification("core-r01", "1.0.0", scene)[0]


def text(scene: str = "r01-lift", adapter: str = "veo") -> str:
    return render(specification(scene), ADAPTERS[adapter]).text


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("adapter", sorted(ADAPTERS))
def test_every_adapter_says_the_whole_scene_and_nothing_else(scene: str, adapter: str) -> None:
    rendered = render(specification(scene), ADAPTERS[adapter])
    assert prompt_faults(rendered.text, specification(scene), adapter=adapter) == []
    assert rendered == render(specification(scene), ADAPTERS[adapter])
    assert rendered.sha256 == hashlib.sha256(rendered.body).hexdigest()


def test_the_specifications_tell_what_the_protocol_tells() -> None:
    protocol = factories.load_protocol(factories.CORE_R01).protocol
    for scene in protocol.scenes:
        found = specification(scene.key)
        assert found.title == scene.title
        assert found.duration_s == protocol.clip.duration_s
        for start, end in found.windows:
            assert f"{start:g}" in scene.setting
            assert f"{end:g}" in scene.setting


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda t: t + " A dog barks.", "“dog”"),
        (lambda t: t + " Two children watch.", "“two”"),
        (lambda t: t.replace("03-00:04", "02-00:06"), "a window of 2 to 6 s"),
        (lambda t: t.replace("[00:03-00:04] ", ""), "dropped: the window"),
        (lambda t: t.replace("exactly once", "twice"), "“twice”"),
        (lambda t: t.replace("woman", "man"), "“man”"),
        (lambda t: t.replace(" and at nobody else", ""), "dropped: reactions.1"),
        (lambda t: t.replace("No visible gas.", ""), "dropped: prohibited.2"),
        (lambda t: t + " Ideally at once.", "softened: “ideally”"),
        (lambda t: t + " 60 fps.", "a number"),
    ],
)
def test_what_is_added_dropped_or_softened_is_found(change: Any, fault: str) -> None:
    found = prompt_faults(change(text()), specification(), adapter="veo")
    assert any(fault in one for one in found), found


def test_windows_that_change_places_are_found() -> None:
    swapped = (
        text("r01-chair").replace("[00:02-00:02]", "[X]").replace("[00:04-00:05]", "[00:02-00:02]")
    )
    found = prompt_faults(
        swapped.replace("[X]", "[00:04-00:05]"), specification("r01-chair"), adapter="veo"
    )
    assert [one for one in found if one.startswith("changed: the window of")]


def test_restating_a_fact_is_allowed() -> None:
    again = text() + " No visible gas. The camera does not move."
    assert prompt_faults(again, specification(), adapter="veo") == []


@pytest.fixture
def prompt() -> Prompt:
    load_configurations(folder=FOLDER / "seedance-2.5.yaml", actor="test")
    round_ = factories.make_round(scenes=["r01-lift"])
    return render_prompts(
        protocol=round_.protocol,
        configurations=named(["seedance-2.5"]),
        scenes=["r01-lift"],
        actor="test",
    )[0]


@pytest.mark.django_db
def test_prompts_that_a_command_renders_are_on_the_page_that_freezes_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    load_configurations(folder=FOLDER / "seedance-2.5.yaml", actor="test")
    round_ = factories.make_round(scenes=["r01-lift"])
    call_command("render_prompts", round_.name, "--configuration", "seedance-2.5")
    address = reverse("generation-prompts", args=[round_.name])
    assert (
        f"1 prompts rendered. A person audits and freezes 1 of them on {address}."
        in capsys.readouterr().out
    )
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    assert (
        reverse("generation-prompt", args=[Prompt.objects.get().pk])
        in client.get(address).content.decode()
    )


@pytest.mark.django_db
class TestFreezing:
    def test_without_an_audit_nothing_is_frozen(self, prompt: Prompt) -> None:
        with pytest.raises(PromptRefused, match="not audited"):
            freeze_prompts(prompts=[prompt], actor="ada")

    @pytest.mark.parametrize("question", sorted(QUESTIONS))
    def test_one_no_of_nine_is_enough(self, prompt: Prompt, question: str) -> None:
        audit_prompt(prompt=prompt, answers=YES | {question: False}, auditor="Ada")
        with pytest.raises(PromptRefused, match="not to be equivalent by Ada"):
            freeze_prompts(prompts=[prompt], actor="ada")

    def test_an_audit_has_nine_answers_and_a_name(self, prompt: Prompt) -> None:
        for answers, auditor in (
            ({**YES} | {"more": True}, "Ada"),
            (dict(list(YES.items())[1:]), "Ada"),
            (YES, " "),
        ):
            with pytest.raises(PromptRefused):
                audit_prompt(prompt=prompt, answers=answers, auditor=auditor)
        assert not PromptAudit.objects.exists()

    def test_changed_bytes_are_not_frozen(self, prompt: Prompt) -> None:
        audit_prompt(prompt=prompt, answers=YES, auditor="Ada")
        prompt.body = prompt.text.replace("once", "twice").encode()
        with pytest.raises(PromptRefused, match="bytes"):
            freeze_prompts(prompts=[prompt], actor="ada")

    def test_frozen_bytes_never_change(self, prompt: Prompt) -> None:
        audit_prompt(prompt=prompt, answers=YES, auditor="Ada")
        assert freeze_prompts(prompts=[prompt], actor="ada") == 1
        with pytest.raises(IntegrityError), transaction.atomic():
            Prompt.objects.update(body=b"something else")
        render_prompts(
            protocol=prompt.protocol,
            configurations=[prompt.configuration],
            scenes=["r01-lift"],
            actor="x",
        )
        prompt.refresh_from_db()
        assert hashlib.sha256(bytes(prompt.body)).hexdigest() == prompt.sha256
        assert prompt.sources
        assert all(source["retrieved"] for source in prompt.sources)


@pytest.mark.django_db
class TestPilotVersions:
    def test_a_change_makes_a_new_version_and_earlier_clips_development_only(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with running_stand_in(monkeypatch) as stand_in:
            round_ = bought("seedance-2.5")
            work()
            old = Sample.objects.get()
            viewed_raw(old, "ada")
            newer = dataclasses.replace(ADAPTERS["seedance"], version="1.1.0", times="stamps")
            monkeypatch.setitem(ADAPTERS, "seedance", newer)
            assert old.prompt is not None
            made = new_pilot_version(
                prompt=old.prompt, actor="ada", reason="timestamps are documented now"
            )
            assert (made.pilot_version, made.frozen_at) == (2, None)
            old.refresh_from_db()
            assert (old.counts, old.state) == (False, "delivered")
            new = Sample.objects.get()
            assert (new.pilot_version, new.state) == (2, "planned")
            audit_prompt(prompt=made, answers=YES, auditor="Ada")
            freeze_prompts(prompts=[made], actor="ada")
            commission(round_=round_, configurations=[made.configuration], actor="ada")
            work()
            assert Sample.objects.get().state == "delivered"
            assert len(stand_in.ledger.jobs()) == 2

    def test_the_same_bytes_are_no_new_version(self, prompt: Prompt) -> None:
        audit_prompt(prompt=prompt, answers=YES, auditor="Ada")
        freeze_prompts(prompts=[prompt], actor="ada")
        with pytest.raises(PromptRefused, match="same bytes"):
            new_pilot_version(prompt=prompt, actor="ada", reason="why not")
        assert len(current_prompts(prompt.protocol, [prompt.configuration])) == 1
