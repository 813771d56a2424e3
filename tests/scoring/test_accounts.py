"""Accounts: every change of one is an entry of the trail, and nobody sets the password of somebody
in a cohort.
"""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from fartbench.models import AuditEntry
from review.models import Reviewer
from tests.factories import reviewers_of
from tests.scoring.rows import make_filled_round, make_locked_round, make_open_round

pytestmark = pytest.mark.django_db
PASSWORD = "a-fresh-and-long-word-7"


@pytest.fixture
def root(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def stan() -> User:
    return User.objects.create_user(
        "stan", "stan@example.org", "an-old-and-long-word-3", is_staff=True
    )


def fields_of(user: User, **changes: Any) -> dict[str, Any]:
    rights = {
        name: "on" for name in ("is_active", "is_staff", "is_superuser") if getattr(user, name)
    }
    fields = {"username": user.username, "email": user.email, "first_name": "", "last_name": "",
              **rights,
              "date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}  # fmt: skip
    return {key: value for key, value in {**fields, **changes}.items() if value is not None}


def newest(action: str) -> AuditEntry:
    entry = AuditEntry.objects.filter(action=action).order_by("-sequence").first()
    assert entry is not None
    return entry


@pytest.mark.parametrize(
    ("changes", "recorded"),
    [
        ({"email": "new@example.org"}, {"fields": ["email"]}),
        ({"username": "stanley"}, {"fields": ["username"], "account": "stanley"}),
        ({"first_name": "Stan"}, {"fields": ["first_name"]}),
        ({"is_active": None}, {"is_active": [True, False]}),
        ({"is_staff": None}, {"is_staff": [True, False]}),
        ({"is_superuser": "on"}, {"is_superuser": [False, True]}),
    ],
)
def test_every_field_that_changes_on_the_page_is_recorded(
    root: Client, stan: User, changes: dict[str, Any], recorded: dict[str, Any]
) -> None:
    address = reverse("admin:auth_user_change", args=[stan.pk])
    assert root.post(address, fields_of(stan, **changes)).status_code == 302
    entry = newest("account changed")
    assert entry.actor == "root"
    assert entry.details == {"account": "stan", "fields": []} | recorded


def test_rights_that_are_given_and_taken_are_recorded(root: Client, stan: User) -> None:
    change = Permission.objects.get(codename="change_round")
    group = Group.objects.create(name="admins")
    address = reverse("admin:auth_user_change", args=[stan.pk])
    root.post(address, fields_of(stan, user_permissions=[change.pk], groups=[group.pk]))
    given = [
        entry.details for entry in AuditEntry.objects.filter(action="rights changed", actor="root")
    ]
    assert {"of": "stan", "add": ["fartbench.change_round"], "reverse": False} in given
    assert {"of": "stan", "add": ["group admins"], "reverse": False} in given
    root.post(address, fields_of(stan))
    assert newest("rights changed").details["remove"]
    root.post(
        reverse("admin:auth_group_change", args=[group.pk]),
        {"name": "admins", "permissions": [change.pk]},
    )
    assert newest("rights changed").details == {
        "of": "group admins", "add": ["fartbench.change_round"], "reverse": False,
    }  # fmt: skip


def test_a_password_is_recorded_by_page_and_by_command_and_never_written(
    root: Client, stan: User
) -> None:
    fields = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    assert (
        root.post(reverse("admin:auth_user_password_change", args=[stan.pk]), fields).status_code
        == 302
    )
    assert newest("account changed").actor == "root"
    assert newest("account changed").details == {"account": "stan", "fields": ["password"]}
    stan.refresh_from_db()
    assert stan.check_password(PASSWORD)
    own = Client()
    own.force_login(stan)
    changes = {
        "old_password": PASSWORD,
        "new_password1": f"{PASSWORD}x",
        "new_password2": f"{PASSWORD}x",
    }
    assert own.post(reverse("admin:password_change"), changes).status_code == 302
    assert newest("account changed").actor == "stan"
    assert PASSWORD not in str(list(AuditEntry.objects.values_list("details", flat=True)))


def test_a_login_is_no_change_though_its_password_is_hashed_anew(
    client: Client, settings: Any, stan: User
) -> None:
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.ScryptPasswordHasher",
        "django.contrib.auth.hashers.MD5PasswordHasher",
    ]  # fmt: skip
    before, old = AuditEntry.objects.count(), stan.password
    client.post(reverse("login"), {"username": "stan", "password": "an-old-and-long-word-3"})
    stan.refresh_from_db()
    assert stan.password != old
    assert AuditEntry.objects.count() == before


def test_accounts_that_are_made_and_deleted_are_recorded(root: Client, stan: User) -> None:
    fields = {
        "username": "mary",
        "password1": PASSWORD,
        "password2": PASSWORD,
        "usable_password": "true",
    }
    assert root.post(reverse("admin:auth_user_add"), fields).status_code == 302
    assert (newest("account added").actor, newest("account added").details) == (
        "root",
        {"account": "mary"},
    )
    assert (
        root.post(reverse("admin:auth_user_delete", args=[stan.pk]), {"post": "yes"}).status_code
        == 302
    )
    assert (newest("account deleted").actor, newest("account deleted").details["account"]) == (
        "root",
        "stan",
    )
    User.objects.create_superuser("second")
    assert newest("account made").details["is_superuser"] is True


@pytest.mark.parametrize("make", [make_filled_round, make_open_round, make_locked_round])
def test_nobody_sets_the_password_of_somebody_in_a_cohort(root: Client, make: Any) -> None:
    round_ = make(configurations=("alpha",), scenes=["r01-lift"])
    reviewer: Reviewer = reviewers_of(round_)[0]
    address = reverse("admin:auth_user_password_change", args=[reviewer.user.pk])
    old = reviewer.user.password
    response = root.post(
        address,
        {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"},
        follow=True,
    )
    assert f"This account reviews {round_.name}" in response.content.decode()
    reviewer.user.refresh_from_db()
    assert reviewer.user.password == old
    with pytest.raises(CommandError, match="invite link"):
        call_command("changepassword", reviewer.user.username)


def test_entries_about_a_reviewers_account_hold_its_code_and_no_address(root: Client) -> None:
    reviewer = reviewers_of(make_open_round(configurations=("alpha",), scenes=["r01-lift"]))[0]
    address = reverse("admin:auth_user_change", args=[reviewer.user.pk])
    root.post(
        address, fields_of(reviewer.user, email="stolen@example.org", username="stolen@example.org")
    )
    assert newest("account changed").details == {
        "account": reviewer.code,
        "fields": ["email", "username"],
    }
