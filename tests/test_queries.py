"""No page asks the database more often when there is more to show: every address, at 10 and at
1,000 more rows.
"""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from fartbench.models import AuditEntry, Job, Round
from generation.models import Sample
from tests.growing import grow
from tests.test_access import CALLS, OPEN, RECORDS, client_of, outcome, world

__all__ = ["world"]  # a fixture

# Both engines are asked by the same code.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

# Whoever sees most of a page; a reviewer's own pages are the reviewer's.
BEST = ("ada", "rae", "visitor")
# They answer with files and have no rows of their own to show.
NO_PAGES = {"release-archive", "release-file", "published-clip", "media", "training-media",
            "generation-clip",
            "generation-manifest", "review-tones"}  # fmt: skip


def counts(world: dict[str, str]) -> dict[str, int]:
    """Return how many queries each address takes that is called by GET."""
    found = {}
    for name, call in CALLS.items():
        role = next((role for role in BEST if call.outcomes[role] == OPEN), None)
        if (
            call.method != "get" or name in NO_PAGES or role is None
        ):  # some are not there in this world
            continue
        client = client_of(role, world)
        with CaptureQueriesContext(connection) as queries:
            assert (
                outcome(call.make(client, reverse(name, args=[world[arg] for arg in call.args])))
                == OPEN
            ), name
        found[name] = len(queries)
    return found | counts_of_records()


def counts_of_records() -> dict[str, int]:
    """Return how many queries each list of records takes."""
    found, client = {}, Client()
    client.force_login(
        User.objects.get_or_create(username="root", is_staff=True, is_superuser=True)[0]
    )
    for app, model in RECORDS:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(reverse(f"admin:{app}_{model}_changelist")).status_code == 200
        found[f"{app}.{model}"] = len(queries)
    return found


def test_no_page_asks_more_often_when_rows_grow(world: dict[str, str]) -> None:
    counts(world)  # what is read once for the whole process is read
    grow(10)
    few = counts(world)
    grow(990)
    many = counts(world)
    assert min(model.objects.count() for model in (Sample, Round, AuditEntry, Job)) >= 1_000
    assert len(few) > 60
    grown = {name: (few[name], many[name]) for name in few if many[name] > few[name]}
    assert grown == {}
    assert len(few) > 50
