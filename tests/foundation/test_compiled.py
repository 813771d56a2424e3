"""Compiled queries give what the same query built anew gives, whatever the values, on both
engines.
"""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from fartbench.compiled import CompiledQuery, CompiledWrite, Part
from fartbench.models import AuditEntry, Round, WorkerBeat
from review.backend import AccountBackend
from tests.factories import make_round, make_staff, open_round, reviewers_of

pytestmark = pytest.mark.django_db
ROUND = Part(Round)
by_name = CompiledQuery(
    lambda name, most: Round.objects.filter(name=name, pk__lte=most).values_list(*ROUND.columns)
)


def test_rows_are_those_of_the_query_with_their_types() -> None:
    first, second = make_round(name="one", scenes=["r01-lift"]), make_round(name="two")
    for round_ in (first, second):
        found = ROUND.stored(by_name.rows(name=round_.name, most=second.pk)[0])
        stored = Round.objects.get(pk=round_.pk)
        assert [getattr(found, name) for name in ROUND.names] == [
            getattr(stored, name) for name in ROUND.names
        ]
        assert not found._state.adding
    assert by_name.rows(name="one", most=0) == []
    assert by_name.rows(name="%s' OR 1=1 --", most=second.pk) == []


def test_a_column_that_was_left_out_is_read_when_it_is_asked_for() -> None:
    round_ = make_round()
    part = Part(Round, only=("id", "name"))
    query = CompiledQuery(lambda pk: Round.objects.filter(pk=pk).values_list(*part.columns))
    found = part.stored(query.rows(pk=round_.pk)[0])
    with CaptureQueriesContext(connection) as queries:
        assert found.seed == round_.seed
    assert len(queries) == 1


def test_a_query_that_does_not_take_a_value_as_it_is_says_so() -> None:
    query = CompiledQuery(lambda name: Round.objects.filter(name=name[:3]).values_list("pk"))
    with pytest.raises(ValueError, match="no use of name"):
        query.rows(name="spring")


def test_an_account_comes_with_its_reviewer_in_one_query_and_without_one_says_so() -> None:
    reviewer = reviewers_of(open_round(configurations=1, scenes=["r01-lift"]))[0]
    staff, away = make_staff(), User.objects.create_user("away", is_active=False)
    AccountBackend().get_user(staff.pk)
    with CaptureQueriesContext(connection) as queries:
        assert AccountBackend().get_user(reviewer.user_id).reviewer == reviewer
        assert not hasattr(AccountBackend().get_user(staff.pk), "reviewer")
        assert AccountBackend().get_user(away.pk) is None
        assert AccountBackend().get_user(0) is None
    assert len(queries) == 4


AUDITED = CompiledWrite(AuditEntry, tuple(Part(AuditEntry).names))
BEATS = CompiledWrite(
    WorkerBeat,
    ("name", "queue", "seen_at"),
    "(name, queue) DO UPDATE SET seen_at = EXCLUDED.seen_at",
)
ROUNDS = CompiledWrite(Round, ("replicates", "scene_keys", "opened_at"))


def test_what_is_written_reads_as_if_it_had_been_saved() -> None:
    entry = AuditEntry(
        sequence=1,
        at=timezone.now(),
        actor="%s",
        action="a '\"",
        details={"a": [1, None, "ä"]},
        previous_hash="",
        hash="h",
    )
    AUDITED.insert(entry)
    stored = AuditEntry.objects.get(pk=1)
    assert [getattr(stored, name) for name in AUDITED.columns] == [
        getattr(entry, name) for name in AUDITED.columns
    ]


def test_only_the_columns_named_of_only_the_row_given_are_written() -> None:
    changed, other = make_round(name="one"), make_round(name="two")
    changed.name, changed.replicates, changed.scene_keys, changed.opened_at = (
        "three",
        4,
        ["r01-lift"],
        timezone.now(),
    )
    ROUNDS.update(changed)
    stored = Round.objects.get(pk=changed.pk)
    assert (stored.name, stored.replicates, stored.scene_keys) == ("one", 4, ["r01-lift"])
    assert stored.opened_at == changed.opened_at
    assert Round.objects.filter(pk=other.pk).values_list(*ROUND.columns).get() == tuple(
        getattr(other, name) for name in ROUND.names
    )


def test_of_rows_that_come_together_new_ones_are_added_and_known_ones_changed() -> None:
    now = timezone.now()
    WorkerBeat.objects.create(name="one", queue="", seen_at=now - timedelta(days=1))
    BEATS.insert(
        WorkerBeat(name="one", queue="", seen_at=now),
        WorkerBeat(name="two", queue="media", seen_at=now),
    )
    assert set(WorkerBeat.objects.values_list("name", "queue", "seen_at")) == {
        ("one", "", now),
        ("two", "media", now),
    }


def test_a_session_opens_pages_until_it_ends() -> None:
    client = Client()
    client.force_login(make_staff())
    page = reverse("home")
    assert client.get(page).context["user"].is_authenticated
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not client.get(page).context["user"].is_authenticated
    client.cookies[settings.SESSION_COOKIE_NAME] = "nobody-has-this-key"
    assert not client.get(page).context["user"].is_authenticated
