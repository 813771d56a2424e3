"""What keeps strangers out, beyond who may call what: forged forms, guessed passwords, sessions,
uploads, the browser's policy. Who may call what is in ``tests/test_access.py``.
"""

from __future__ import annotations

import re
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from fartbench.models import AuditEntry, EntryTry
from fartbench.sessionstore import SessionStore, stored_key
from review.models import Invite, Reviewer
from review.services import issue_return_code
from tests.factories import make_staff, open_round, reviewers_of
from tests.test_access import CALLS, OPEN, ROLES, client_of, names_of
from tests.test_access import world as world  # noqa: PLC0414 - a fixture

pytestmark = pytest.mark.django_db
PASSWORD = "seven quiet lifts"


@pytest.fixture
def rae() -> Reviewer:
    reviewer = reviewers_of(open_round(configurations=1, scenes=["r01-lift"]))[0]
    reviewer.user.set_password(PASSWORD)
    reviewer.user.save()
    return reviewer


def try_password(name: str, password: str, address: str = "192.0.2.1") -> int:
    fields = {"username": name, "password": password}
    return Client().post(reverse("login"), fields, REMOTE_ADDR=address).status_code


# Forged forms


def test_no_address_that_changes_anything_takes_a_form_without_its_token(
    world: dict[str, str],
) -> None:
    changing = {name: call for name, call in CALLS.items() if call.method != "get"}
    assert len(changing) > 10
    for name, call in changing.items():
        role = next(role for role in ROLES if call.outcomes[role] == OPEN)
        client = client_of(role, world)
        client.handler.enforce_csrf_checks = True
        response = call.make(client, reverse(name, args=[world[arg] for arg in call.args]))
        assert response.status_code == 403, name


def test_the_ways_in_take_no_form_without_its_token() -> None:
    client = Client(enforce_csrf_checks=True)
    for address in (
        reverse("login"),
        reverse("review-return"),
        reverse("invite", args=["x"]),
        "/admin/login/",
    ):
        assert (
            client.post(address, {"username": "a", "password": "b", "code": "c"}).status_code == 403
        )


# Guessed passwords and codes


def test_after_five_wrong_passwords_from_one_address_the_right_one_waits_there_too(
    rae: Reviewer,
) -> None:
    assert [try_password(rae.email, "wrong") for _ in range(6)] == [200] * 5 + [429]
    assert try_password(rae.email.upper(), PASSWORD) == 429
    assert try_password(rae.email, PASSWORD, "192.0.2.2") == 302, (
        "somebody else's guesses keep nobody out"
    )
    with time_machine.travel(timezone.now() + timedelta(minutes=16), tick=False):
        assert try_password(rae.email, PASSWORD) == 302
        assert EntryTry.objects.count() == 0


def test_a_right_password_makes_up_for_wrong_ones_before(rae: Reviewer) -> None:
    for _ in range(3):
        assert [try_password(rae.email, "wrong") for _ in range(4)] == [200] * 4
        assert try_password(rae.email, PASSWORD) == 302


def test_one_account_tried_from_everywhere_waits_and_one_address_that_tries_everybody(
    rae: Reviewer,
) -> None:
    for number in range(50):
        assert try_password(rae.email, "wrong", f"192.0.2.{number}") == 200
    assert try_password(rae.email, "wrong", "192.0.2.200") == 429
    for number in range(50):
        assert try_password(f"person-{number}", "wrong", "198.51.100.1") == 200
    assert try_password("person-51", "wrong", "198.51.100.1") == 429


def test_the_login_of_the_records_waits_too() -> None:
    make_staff("nora")
    client, fields = Client(), {"username": "nora", "password": "wrong"}
    for _ in range(5):
        client.post("/admin/login/", fields)
    page = client.post("/admin/login/", fields | {"password": "a-long-password"})
    assert "Too many wrong tries" in page.content.decode()
    assert "_auth_user_id" not in client.session


def test_return_codes_cannot_be_tried_without_end(rae: Reviewer) -> None:
    code, client = issue_return_code(rae), Client()
    assert {
        client.post(reverse("review-return"), {"code": "nonsense"}).status_code for _ in range(50)
    } == {422}
    page = client.post(reverse("review-return"), {"code": code})
    assert page.status_code == 429
    assert "Too many wrong tries" in page.content.decode()


def test_tries_hold_neither_a_name_nor_an_address(rae: Reviewer) -> None:
    try_password(rae.email, "wrong")
    row = EntryTry.objects.values().get()
    assert not any(secret in str(row) for secret in (rae.email, "192.0.2.1"))


def test_behind_a_proxy_the_address_is_the_one_that_the_proxy_saw(rae: Reviewer) -> None:
    def tries(forwarded: str) -> int:
        fields = {"username": rae.email, "password": "wrong"}
        return (
            Client()
            .post(reverse("login"), fields, headers={"x-forwarded-for": forwarded})
            .status_code
        )

    with override_settings(BEHIND_PROXY=True):
        assert [tries(f"10.0.0.{number}, 192.0.2.1") for number in range(6)] == [200] * 5 + [429]
        assert tries("192.0.2.1, 192.0.2.9") == 200


# Sessions and invites


def test_sessions_of_reviewers_end_after_two_weeks_and_of_staff_after_half_a_day(
    rae: Reviewer,
) -> None:
    make_staff("nora")
    for name, password, lasts in (
        (rae.email, PASSWORD, timedelta(days=14)),
        ("nora", "a-long-password", timedelta(hours=12)),
    ):
        client = Client()
        client.post(reverse("login"), {"username": name, "password": password})
        session = Session.objects.get(session_key=stored_key(client.session.session_key))
        assert abs(session.expire_date - timezone.now() - lasts) < timedelta(minutes=1)
        with time_machine.travel(session.expire_date + timedelta(seconds=1), tick=False):
            assert client.get(reverse("review-home")).status_code == 302


def test_no_row_of_the_database_opens_a_session(rae: Reviewer) -> None:
    client, thief = Client(), Client()
    client.force_login(rae.user)
    client.get(reverse("review-home"))
    key = client.session.session_key
    row = Session.objects.get()
    assert key not in str(Session.objects.values().get()) + str(row.get_decoded())
    thief.cookies[settings.SESSION_COOKIE_NAME] = row.session_key
    assert thief.get(reverse("review-home")).status_code == 302
    thief.cookies[settings.SESSION_COOKIE_NAME] = key
    assert thief.get(reverse("review-home")).status_code == 200


def test_a_session_lives_and_ends_under_the_hash_of_its_key() -> None:
    store = SessionStore()
    store["seen"] = 1
    store.save()
    first = store.session_key
    assert SessionStore().exists(first)
    assert SessionStore(first)["seen"] == 1
    store.cycle_key()
    assert (SessionStore().exists(first), SessionStore(store.session_key)["seen"]) == (False, 1)
    store.flush()
    assert Session.objects.count() == 0


def test_those_who_are_logged_in_stay_so_when_keys_become_hashes(rae: Reviewer) -> None:
    client = Client()
    client.force_login(rae.user)
    row = Session.objects.get()
    Session.objects.all().delete()
    row.session_key = client.cookies[settings.SESSION_COOKIE_NAME].value
    row.save(force_insert=True)  # as before this version
    import_module("fartbench.migrations.0007_hashed_session_keys").hash_keys(apps, None)
    assert client.get(reverse("review-home")).status_code == 200
    assert Session.objects.count() == 1


def test_a_reviewer_can_log_out_everywhere_else(rae: Reviewer) -> None:
    here, there, stranger = Client(), Client(), Client()
    other = reviewers_of(open_round(configurations=1, scenes=["r01-lift"]))[0]
    for client, user in ((here, rae.user), (there, rae.user), (stranger, other.user)):
        client.force_login(user)
    here.post(reverse("review-way-back"), {"way": "nowhere"})
    assert [
        client.get(reverse("review-home")).status_code for client in (here, there, stranger)
    ] == [200, 302, 200]


def test_a_new_password_ends_the_other_sessions(rae: Reviewer) -> None:
    here, there = Client(), Client()
    here.force_login(rae.user)
    there.force_login(rae.user)
    new = "nine loud chairs"
    here.post(
        reverse("review-way-back"), {"way": "password", "new_password1": new, "new_password2": new}
    )
    assert [client.get(reverse("review-home")).status_code for client in (here, there)] == [
        200,
        302,
    ]


def test_whoever_is_shut_out_has_no_session_and_no_way_in_until_a_new_invite(rae: Reviewer) -> None:
    code, client = issue_return_code(rae), Client()
    client.force_login(rae.user)
    call_command("revoke_access", rae.code, "--reason", "the laptop was stolen")
    assert client.get(reverse("review-home")).status_code == 302
    assert try_password(rae.email, PASSWORD) == 200
    assert Client().post(reverse("review-return"), {"code": code}).status_code == 422
    assert not Invite.objects.filter(member__reviewer=rae, used_at=None, revoked_at=None).exists()
    entry = AuditEntry.objects.get(action="access revoked")
    assert entry.details == {
        "account": rae.code,
        "reason": "the laptop was stolen",
        "sessions": 1,
        "invites": 1,
    }


@pytest.mark.parametrize(
    ("person", "reason", "words"), [("nobody", "x", "no reviewer"), ("", "x", "no reviewer")]
)
def test_shutting_out_nobody_is_refused(
    rae: Reviewer, person: str, reason: str, words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("revoke_access", person, "--reason", reason)


def test_shutting_out_takes_a_reason(rae: Reviewer) -> None:
    with pytest.raises(CommandError, match="Say why"):
        call_command("revoke_access", rae.code, "--reason", " ")
    rae.user.refresh_from_db()
    assert rae.user.has_usable_password()


def test_an_admin_shuts_a_reviewer_out_by_a_button(world: dict[str, str]) -> None:
    ada, rae = client_of("ada", world), client_of("rae", world)
    code = Reviewer.objects.get(user__username=world["rae"]).code
    fields = {"step": "revoke_access", "person": code, "reason": "left the lab"}
    assert ada.post(reverse("staff-step", args=[world["open"]]), fields).status_code == 302
    assert rae.get(reverse("review-home")).status_code == 302


# What a request may carry


def upload(world: dict[str, str], files: dict[str, Any]) -> int:
    address = reverse("staff-step", args=[world["open"]])
    return client_of("ada", world).post(address, {"step": "import_outcomes", **files}).status_code


def test_a_form_with_a_large_file_or_many_files_is_refused(world: dict[str, str]) -> None:
    table = SimpleUploadedFile("outcomes.csv", b"configuration,scene\n")
    assert upload(world, {"outcomes": table}) == 302
    assert upload(world, {"outcomes": SimpleUploadedFile("outcomes.csv", b"x" * 1_000_001)}) == 400
    table.seek(0)
    assert (
        upload(world, {"outcomes": table, "another": SimpleUploadedFile("more.csv", b"x")}) == 400
    )


@pytest.mark.parametrize("number", ["²", "9" * 5000, "-1", "1e3"])
def test_what_is_no_plain_number_is_refused_and_no_fault_of_ours(
    world: dict[str, str], number: str
) -> None:
    table = f"configuration,scene,replicate,outcome,reason\nalpha,lift,{number},refused,why\n"
    assert upload(world, {"outcomes": SimpleUploadedFile("outcomes.csv", table.encode())}) == 302
    assert upload(world, {"step": "cancel_orders", "samples": number}) == 302
    ada = client_of("ada", world)
    mark = {"step": "mark_cell", "cell": f"alpha/lift/{number}", "outcome": "lost", "reason": "why"}
    assert ada.post(reverse("staff-step", args=[world["open"]]), mark).status_code == 302
    build = {"name": "another", "protocol": "core-r01@1.0.0", "replicates": number}
    assert ada.post(reverse("make-round"), build).status_code == 200


def test_a_file_is_refused_before_it_is_known_who_sends_it() -> None:
    address = reverse("login")
    assert (
        Client().post(address, {"file": SimpleUploadedFile("x", b"x" * 1_000_001)}).status_code
        == 400
    )
    assert Client().post(address, {"username": "x" * 1_000_001}).status_code == 400


# What a browser may do, and what addresses tell


def policy_at(client: Client, address: str) -> str:
    response = client.get(address)
    if response.streaming:
        response.getvalue()  # reads to the end and lets go of the file
    return response["Content-Security-Policy"]


def policy_of(response: Any) -> dict[str, list[str]]:
    directives = [directive.split() for directive in response["Content-Security-Policy"].split(";")]
    return {words[0]: words[1:] for words in directives if words}


def test_every_page_has_the_one_strict_policy_the_records_too(world: dict[str, str]) -> None:
    addresses = [
        reverse(name, args=[world[arg] for arg in call.args])
        for name, call in CALLS.items()
        if call.method == "get"
    ]
    addresses += [
        "/admin/",
        "/admin/login/",
        "/admin/fartbench/round/",
        "/admin/auth/user/",
        "/admin/auth/user/add/",
        "/no-such-page",
    ]
    framed = [address for address in addresses if address.startswith("/embed/")]
    addresses = [address for address in addresses if address not in framed]
    policies = set()
    for role in ("visitor", "rae", "ada"):
        client = client_of(role, world)
        if role == "ada":
            User.objects.filter(username="ada").update(is_superuser=True)
        policies |= {policy_at(client, address) for address in addresses}
    # Of a release's files, which need nothing at all, and of pictures, which style themselves.
    policies.remove("default-src 'none'; sandbox")
    policies.remove("default-src 'none'; style-src 'unsafe-inline'; sandbox")
    assert len(policies) == 1
    policy = policy_of({"Content-Security-Policy": policies.pop()})
    # A page for frames has the policy of all, but for who may frame it.
    assert len(framed) > 1
    for address in framed:
        found = policy_of({"Content-Security-Policy": policy_at(Client(), address)})
        assert found == policy | {"frame-ancestors": ["*"]}
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
    assert (
        policy["script-src"]
        == policy["style-src"]
        == policy["img-src"]
        == policy["form-action"]
        == ["'self'"]
    )
    sources = {source for directive in policy.values() for source in directive}
    assert sources == {"'none'", "'self'", "blob:"}
    assert policy["media-src"] == ["'self'", "blob:"]


def test_every_answer_says_that_it_is_nobody_elses_to_frame_sniff_or_be_sent_on_from(
    world: dict[str, str],
) -> None:
    response = client_of("rae", world).get(reverse("review-home"))
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"


def patterns(found: list[URLPattern | URLResolver]) -> list[URLPattern]:
    flat: list[URLPattern] = []
    for pattern in found:
        flat += [pattern] if isinstance(pattern, URLPattern) else patterns(pattern.url_patterns)
    return flat


def test_no_address_of_a_visitor_or_reviewer_counts_rows() -> None:
    counting = {
        pattern.name
        for pattern in patterns(
            [p for p in get_resolver().url_patterns if getattr(p, "namespace", "") != "admin"]
        )
        if re.search(r"<int:(?!place|number)", str(pattern.pattern))
    }
    assert all(
        CALLS[name].outcomes["rae"] == CALLS[name].outcomes["other"] == "404" for name in counting
    )
    assert counting < set(names_of(get_resolver().url_patterns))


def test_what_opens_something_is_drawn_from_at_least_96_random_bits(rae: Reviewer) -> None:
    from blinding.models import opaque_id  # noqa: PLC0415
    from review.codes import new_return_code  # noqa: PLC0415

    for draw, bits_each in (
        (opaque_id, 6),
        (lambda: new_return_code().replace("-", ""), 4.95),
    ):
        drawn = {draw() for _ in range(200)}
        assert len(drawn) == 200
        assert min(len(one) for one in drawn) * bits_each >= 96
