"""Pages of commissioning: from an empty list to bought clips, by an admin with a browser."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from fartbench.models import AuditEntry, Round, WorkerBeat
from generation import buying
from generation.built_in import make_missing
from generation.cells import lay_out
from generation.commissioning import commission
from generation.configurations.loader import FOLDER
from generation.configuring import load_configurations, named
from generation.models import Ceiling, Prompt, PromptAudit, ProviderAccount, RawView, Sample
from simulation.stand_ins.providers import StandIn
from tests import factories
from tests.generation.buying import YES, bought, freeze, running_stand_in, work
from tests.generation.rows import make_prompt

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]
HOME = "/staff/generation/"
BUILT_IN = ["local-maestro"]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with running_stand_in(monkeypatch) as running:
        yield running


@pytest.fixture
def admin() -> Client:
    user = factories.make_staff("ada")
    user.first_name, user.last_name = "Ada", "Auditor"
    user.save()
    user.user_permissions.add(*Permission.objects.filter(codename="change_round"))
    client = Client()
    client.force_login(user)
    return client


def page(client: Client, address: str) -> str:
    response = client.get(address, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def act(client: Client, round_: Round, step: str, **fields: object) -> str:
    response = client.post(
        reverse("staff-step", args=[round_.name]), {"step": step, **fields}, follow=True
    )
    assert response.status_code == 200
    return response.content.decode()


def launch(client: Client, round_: Round, **fields: object) -> str:
    answer = client.post(f"{HOME}rounds/{round_.name}/launch/", fields, follow=True)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_empty_lists_say_what_to_do(admin: Client) -> None:
    assert "Load some" in page(admin, HOME)
    assert "No protocol is loaded yet" in page(admin, "/staff/new-round/")
    assert "Nothing is in doubt" in page(admin, f"{HOME}doubts/")


def test_a_round_from_the_form_to_its_clips(admin: Client, stand_in: StandIn) -> None:
    factories.make_protocol()
    for name in ("seedance-2.5", "kling-4.0"):
        load_configurations(folder=FOLDER / f"{name}.yaml", actor="test")
    form = {
        "name": "first", "protocol": "core-r01@1.0.0", "replicates": "1", "source": "providers",
        "configurations": ["seedance-2.5", "kling-4.0"], "scenes": ["r01-lift"],
    }  # fmt: skip
    estimate = admin.post("/staff/new-round/", form | {"action": "estimate"}).content.decode()
    assert "$1.85" in estimate
    assert "kling-4.0" in estimate
    assert not Round.objects.exists()
    made = admin.post("/staff/new-round/", form | {"action": "create"}, follow=True)
    assert made.redirect_chain[-1][0] == f"{HOME}rounds/first/prompts/"
    assert stand_in.ledger.jobs() == []
    round_ = Round.objects.get()
    # Unfrozen prompts are not bought with.
    seedance = {"configurations": ["seedance-2.5"], "ceiling": "5"}
    assert "not frozen" in launch(admin, round_, **seedance, confirmation="5")
    for prompt in Prompt.objects.all():
        shown = page(admin, f"{HOME}prompts/{prompt.pk}/")
        assert "timeline.fart" in shown
        assert "every fact of the specification is stated" in shown
        admin.post(f"{HOME}prompts/{prompt.pk}/", dict.fromkeys(YES, "yes") | {"action": "audit"})
    assert set(PromptAudit.objects.values_list("auditor", flat=True)) == {"Ada Auditor"}
    admin.post(f"{HOME}rounds/first/prompts/", {"action": "freeze"})
    both = seedance | {"configurations": ["seedance-2.5", "kling-4.0"]}
    assert "no known price" in launch(admin, round_, **both, confirmation="5")
    assert "1 clips are asked for" in launch(admin, round_, **seedance, confirmation="5")
    buying.set_ceilings(round_, {"": None}, "test")
    round_.refresh_from_db()
    commission(round_=round_, configurations=named(["kling-4.0"]), actor="test")
    work()
    shown = page(admin, f"{HOME}rounds/first/")
    assert shown.count("Delivered") >= 2
    assert "computed from reported usage" in shown
    assert "no figure" in shown  # credits without a price


def test_an_unfinished_audit_is_refused(admin: Client, stand_in: StandIn) -> None:
    bought("seedance-2.5")
    fresh = make_prompt(factories.make_round(scenes=["r01-chair"]))
    shown = admin.post(f"{HOME}prompts/{fresh}/", {"subjects": "yes"}).content.decode()
    assert shown.count("Answer yes or no.") == 8
    kept = re.search(r'name="subjects"[^>]*value="yes"[^>]*checked', shown)
    assert kept, "what was answered stays"
    assert not PromptAudit.objects.filter(sha256=Prompt.objects.get(pk=fresh).sha256).exists()


@pytest.mark.parametrize(
    ("preset", "clips"), [("smoke", "1 test"), ("pilot", "8 tests"), ("whole", "every scene")]
)
def test_presets_fill_the_form(admin: Client, preset: str, clips: str) -> None:
    factories.make_protocol()
    for name in ("seedance-2.5", "kling-4.0", "wan-3.0", "veo-3.1"):
        load_configurations(folder=FOLDER / f"{name}.yaml", actor="test")
    shown = page(admin, f"/staff/new-round/?preset={preset}")
    assert clips in shown
    ticked = shown.count('" checked')
    # core-r01 has four scenes; the presets for three configurations take the first three. One more
    # tick says where the clips come from.
    assert ticked == {"smoke": 3 + 1, "pilot": 3 + 4, "whole": 4 + 4}[preset] + 1


def test_a_doubt_is_settled_on_its_page(admin: Client, stand_in: StandIn) -> None:
    bought("wan-3.0")
    stand_in.faults.add("dashscope", "timeout_after_send")  # type: ignore[attr-defined]
    work()
    sample = Sample.objects.get()
    shown = page(admin, f"{HOME}doubts/")
    assert str(sample.cell) in shown
    settle = f"{HOME}samples/{sample.pk}/settle"
    assert "Say why" in admin.post(settle, {"finding": "lost"}, follow=True).content.decode()
    found = {
        "finding": "accepted",
        "provider_id": stand_in.ledger.jobs()[0].id,
        "reason": "on the console",
    }
    admin.post(settle, found)
    work()
    sample.refresh_from_db()
    assert sample.state == "delivered"
    assert AuditEntry.objects.filter(action="doubt settled: accepted", actor="ada").exists()


def test_buttons_pause_cancel_and_send_again(admin: Client, stand_in: StandIn) -> None:
    round_ = bought("seedance-2.5", scenes=["r01-lift", "r01-chair"])
    act(admin, round_, "pause_orders")
    work()
    assert "Paused" in page(admin, f"{HOME}rounds/{round_.name}/")
    assert stand_in.ledger.jobs() == []
    stand_in.faults.add("ark", "invalid")  # type: ignore[attr-defined]
    act(admin, round_, "resume_orders")
    work()
    blocked = Sample.objects.get(state="blocked")
    assert "value is not allowed" in page(admin, f"{HOME}rounds/{round_.name}/")
    assert "1 cells are sent again" in act(admin, round_, "send_again", samples=["", blocked.pk])
    work()
    assert set(Sample.objects.values_list("state", flat=True)) == {"delivered"}
    assert "Say why" in act(admin, round_, "cancel_orders")
    assert "0 cells" in act(admin, round_, "cancel_orders", reason="late")


@pytest.mark.parametrize(
    ("usd", "words"),
    [("lots", "not an amount"), ("-1", "greater than or equal to 0"), ("NaN", "not an amount")],
)
def test_a_ceiling_that_is_none_is_refused(
    admin: Client, stand_in: StandIn, usd: str, words: str
) -> None:
    round_ = bought("seedance-2.5")
    assert words in act(admin, round_, "set_ceiling", provider="", usd=usd)
    assert not Ceiling.objects.exists()


def test_a_ceiling_and_an_account_are_set(admin: Client, stand_in: StandIn) -> None:
    round_ = bought("seedance-2.5")
    act(admin, round_, "set_ceiling", provider="ark", usd="12.50")
    assert "of $12.50" in page(admin, f"{HOME}rounds/{round_.name}/")
    admin.post(
        f"{HOME}accounts/ark", {"max_in_flight": "7", "min_interval_s": "0.5", "paused": "on"}
    )
    account = ProviderAccount.objects.get(provider="ark")
    assert (account.max_in_flight, account.min_interval_s, account.paused) == (7, 0.5, True)
    refused = admin.post(
        f"{HOME}accounts/ark", {"max_in_flight": "many", "min_interval_s": "0"}, follow=True
    )
    assert "not numbers" in refused.content.decode()


def test_the_manifest_says_what_was_asked_and_what_came(admin: Client, stand_in: StandIn) -> None:
    round_ = bought("seedance-2.5", "wan-3.0")
    stand_in.faults.add("dashscope", "refuse_later")  # type: ignore[attr-defined]
    work()
    Sample.objects.filter(state="refused").update(reason="=HYPERLINK(1)")
    sent = admin.get(f"{HOME}rounds/{round_.name}/manifest.csv")
    rows = list(csv.DictReader(io.StringIO(b"".join(sent).decode())))  # type: ignore[arg-type]
    by_name = {row["configuration"]: row for row in rows}
    assert by_name["wan-3.0"]["outcome"] == "refused"
    assert by_name["wan-3.0"]["reason"] == "'=HYPERLINK(1)"  # a spreadsheet must not run it
    bought_row = by_name["seedance-2.5"]
    assert (bought_row["seed"], bought_row["cost_basis"], bought_row["tries"]) == (
        "104729",
        "computed",
        "1",
    )
    assert bought_row["clip_sha256"] == Sample.objects.get(state="delivered").clip.sha256


def test_outcomes_made_by_hand_come_in_whole_or_not_at_all(
    admin: Client, stand_in: StandIn
) -> None:
    round_ = bought("seedance-2.5", scenes=["r01-lift", "r01-chair"])
    act(admin, round_, "pause_orders")
    head = "configuration,scene,replicate,outcome,reason\n"
    bad = (
        head
        + "seedance-2.5,r01-lift,1,refused,by the provider\nseedance-2.5,r01-chair,1,splendid,why\n"
    )
    shown = act(
        admin, round_, "import_outcomes", outcomes=SimpleUploadedFile("by-hand.csv", bad.encode())
    )
    assert "row 3, outcome" in shown
    assert not Sample.objects.filter(state="refused").exists()
    good = bad.replace("splendid", "not_generated")
    assert "2 outcomes" in act(
        admin, round_, "import_outcomes", outcomes=SimpleUploadedFile("by-hand.csv", good.encode())
    )
    assert sorted(Sample.objects.values_list("state", flat=True)) == ["not_generated", "refused"]


def test_who_looked_at_a_raw_clip_is_noted(admin: Client, stand_in: StandIn) -> None:
    bought("seedance-2.5")
    work()
    sample = Sample.objects.get()
    sent = admin.get(f"{HOME}samples/{sample.pk}/clip")
    assert b"".join(sent) == sample.clip.path.read_bytes()  # type: ignore[arg-type,union-attr]
    assert RawView.objects.get().viewer == "ada"
    assert "looked at by ada" in page(admin, f"{HOME}samples/{sample.pk}/")


def test_no_worker_alive_is_said_in_words(admin: Client, stand_in: StandIn) -> None:
    bought("seedance-2.5")
    assert "No worker has ever been alive" in page(admin, HOME)
    WorkerBeat.objects.create(name="one", seen_at="2026-01-01T00:00:00Z")
    assert "No worker alive for" in page(admin, HOME)


def test_progress_is_told_to_the_page(admin: Client, stand_in: StandIn) -> None:
    round_ = bought("seedance-2.5", scenes=["r01-lift", "r01-chair"])
    before = admin.get(f"{HOME}rounds/{round_.name}/progress").json()
    work()
    after = admin.get(f"{HOME}rounds/{round_.name}/progress").json()
    assert (before["bars"]["all"], after["bars"]["all"]) == ([0, 2], [2, 2])
    assert before["stamp"] != after["stamp"]


def ready_to_launch() -> Round:
    """A round whose one prompt is frozen, and which nobody launched."""
    load_configurations(folder=FOLDER / "seedance-2.5.yaml", actor="test")
    round_ = factories.make_round(scenes=["r01-lift"])
    configurations = named(["seedance-2.5"])
    lay_out(round_, configurations[0])
    freeze(round_, configurations)
    return round_


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"ceiling": ""}, "is not an amount in dollars"),
        ({"ceiling": "0"}, "is not an amount in dollars"),
        ({"ceiling": "NaN"}, "is not an amount in dollars"),
        ({"ceiling": "1e9"}, "is not an amount in dollars"),
        ({"ceiling": "5", "confirmation": "50"}, "What you typed is not the same"),
        ({"ceiling": "5", "confirmation": ""}, "is not an amount in dollars"),
        ({"ceiling": "5", "configurations": []}, "Choose at least one configuration"),
    ],
)
def test_nothing_is_bought_without_a_ceiling_that_was_typed_twice(
    admin: Client, stand_in: StandIn, fields: dict[str, object], words: str
) -> None:
    round_ = ready_to_launch()
    given = {"configurations": ["seedance-2.5"], "confirmation": "5"} | fields
    assert words in launch(admin, round_, **given)
    work()
    assert stand_in.ledger.jobs() == []
    assert not Ceiling.objects.exists()


def test_launching_says_what_it_means_before_it_buys(admin: Client, stand_in: StandIn) -> None:
    round_ = ready_to_launch()
    first = " ".join(page(admin, f"{HOME}rounds/{round_.name}/launch/").split())
    assert "1.85" in first
    shown = launch(admin, round_, configurations=["seedance-2.5"], ceiling="1.00")
    for words in ("<dd>$1.85</dd>", "<dd>$1.00</dd>", "<dd>$0.00</dd>", "Type the ceiling once"):
        assert words in shown
    assert "higher than what may still be bought" in shown
    assert stand_in.ledger.jobs() == []
    done = launch(admin, round_, configurations=["seedance-2.5"], ceiling="4.00", confirmation="4")
    assert "1 clips are asked for" in done
    assert Ceiling.objects.get().usd == 4
    work()
    assert Sample.objects.get().state == "delivered"
    assert "Nothing waits to be launched" in page(admin, f"{HOME}rounds/{round_.name}/launch/")


def test_what_is_drawn_here_is_free_and_takes_the_name(admin: Client) -> None:
    make_missing(BUILT_IN)
    round_ = factories.make_round(scenes=["r01-lift"])
    lay_out(round_, named(BUILT_IN)[0])
    shown = launch(admin, round_, configurations=BUILT_IN)
    assert "costs nothing" in shown
    assert "not the same" in launch(admin, round_, configurations=BUILT_IN, confirmation="no")
    done = launch(admin, round_, configurations=BUILT_IN, confirmation=round_.name)
    assert "1 clips are asked for" in done
    assert not Ceiling.objects.exists()
