"""Finding what is due goes by an index that leads straight to it, however much lies finished beside
it.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from fartbench.models import Job, JobState
from generation.cells import lay_out
from generation.dispatching import ready_samples
from generation.models import Configuration, Sample, SampleState
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def many_finished() -> None:
    configuration = Configuration.objects.create(name="one", label="One", provider="ark")
    round_ = factories.make_round()
    round_.replicates = 700
    round_.save()
    lay_out(round_, configuration)
    everything = list(Sample.objects.order_by("pk").values_list("pk", flat=True))
    for number, provider in enumerate(("ark", "fal", "xai", "runway", "vertex")):
        own = Sample.objects.filter(pk__in=everything[number::5])
        own.update(provider=provider, state=SampleState.REFUSED, reason="by the provider")
        for place, state in enumerate([SampleState.READY, *SampleState.in_flight()]):
            some = everything[number::5][5 * place : 5 * place + 5]
            Sample.objects.filter(pk__in=some).update(state=state, reason="")
    due = [
        Job(kind="look", subject=f"{number}.1", due_at=timezone.now(), state="done")
        for number in range(3000)
    ]
    Job.objects.bulk_create(due)
    Job.objects.create(kind="look", subject="x.1", due_at=timezone.now())
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def seeks(index: str, rows: QuerySet[Any]) -> bool:
    """Say whether the database looks rows up in an index, and does not read all of it."""
    plan = rows.explain()
    lines = [line for line in plan.splitlines() if index in line]
    return bool(lines) and (
        "Index Cond" in plan if connection.vendor == "postgresql" else "SEARCH" in lines[0]
    )


def test_ready_samples_are_found_by_the_index_of_what_is_under_way(many_finished: None) -> None:
    found = ready_samples("ark").order_by("not_before", "pk")[:20]
    assert found.count() == 5
    assert seeks("samples_under_way", found)


def test_samples_in_flight_are_counted_by_the_same_index(many_finished: None) -> None:
    in_flight = Sample.every.filter(provider="ark", state__in=SampleState.in_flight())
    assert in_flight.count() == 25
    assert seeks("samples_under_way", in_flight.values("pk"))


def test_due_jobs_are_found_by_an_index(many_finished: None) -> None:
    due = Job.objects.filter(
        state__in=(JobState.DUE, JobState.RUNNING), due_at__lte=timezone.now(), kind__in=["look"]
    )
    assert seeks("jobs_by_state_and_time", due.order_by("due_at", "pk")[:20])
