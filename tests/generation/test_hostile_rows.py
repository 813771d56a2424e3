"""What hostile providers leave in rows: no key, nothing that a database refuses, no number that is
none.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from fartbench import jobs
from fartbench.models import Job
from generation.models import (
    CostBasis,
    ProviderAccount,
    Sample,
    SampleEvent,
    SampleState,
    Submission,
)
from generation.providers.port import CannotTell
from generation.providers.registry import provider
from tests import factories
from tests.generation.buying import bought, only_sample, work
from tests.generation.hostile import KEY, Handler, Hostile, accepted, hostile
from tests.generation.test_adapters import order
from tests.generation.test_buying import run_one

pytestmark = pytest.mark.django_db
TASKS = "/ark/api/v3/contents/generations/tasks"
LIST = f"GET {TASKS}?"
BAD = "\x00\ud800"


class Ark:
    """ModelArk, but for what a test has it say to a submission, a look and a question for its
    list.
    """

    def __init__(self) -> None:
        self.submission: tuple[int, Any, dict[str, str]] = (200, {"id": "job-1"}, {})
        self.state: dict[str, Any] = {}
        self.jobs: Any = {}

    def __call__(self, handler: Handler) -> None:
        asked = f"{handler.command} {handler.path}"
        if asked.startswith("POST"):
            status, body, headers = self.submission
            handler.say(body, status, **headers)
        elif asked.startswith(LIST):
            handler.say(self.jobs)
        elif TASKS in asked:
            link = f"{handler.stand_in.url}/clip"
            handler.say({"status": "succeeded", "content": {"video_url": link}} | self.state)
        else:
            handler.raw(factories.tiny_clip(seconds=1.0))


@pytest.fixture
def ark() -> Ark:
    return Ark()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, ark: Ark) -> Iterator[Hostile]:
    # A test's rows are in a transaction that the thread which renews leases cannot see into.
    monkeypatch.setattr(jobs, "RENEW_EVERY_S", 3600.0)
    with hostile(monkeypatch, ark) as running:
        bought("seedance-2.5")
        yield running


def rows() -> str:
    tables = (Sample, Submission, SampleEvent, ProviderAccount, Job)
    return str([list(table._default_manager.values()) for table in tables])


@pytest.mark.parametrize("status", [200, 400, 401, 503])
def test_a_key_that_is_sent_back_is_stored_nowhere(status: int, ark: Ark, server: Hostile) -> None:
    error = {"error": {"message": f"bad key {KEY}", "code": KEY}}
    ark.submission = (status, {"id": KEY} if status == 200 else error, {"X_Request_Id": KEY})
    work()
    assert KEY not in rows()
    assert "•••" in rows()
    assert only_sample().state == {200: SampleState.LOST_UNCERTAIN}.get(status, SampleState.BLOCKED)
    assert server.posts == (5 if status == 503 else 1)


def test_a_key_in_what_comes_later_is_stored_nowhere(ark: Ark, server: Hostile) -> None:
    ark.state = {
        "revised_prompt": KEY,
        "model": "dreamina-seedance-2-5-260628",
        KEY: KEY,
        "seed": {KEY: KEY},
    }
    work()
    assert only_sample().state == SampleState.DELIVERED
    assert KEY not in rows()


def test_text_that_a_database_refuses_is_mended_and_cut(ark: Ark, server: Hostile) -> None:
    ark.submission = (200, {"id": "job-1", "more": BAD}, {})
    ark.state = {
        "status": "failed",
        "error": {"code": BAD + "c" * 5000, "message": BAD + "m" * 1_000_000},
    }
    work()
    sample = only_sample()
    assert sample.state == SampleState.FAILED
    assert sample.reason.startswith("���mm") or sample.reason.startswith("��mm")
    assert len(sample.reason) < 1200


@pytest.mark.parametrize("provider_id", [BAD, "x" * 301, "two\nlines"])
def test_an_id_that_cannot_be_kept_is_no_acceptance(
    provider_id: str, ark: Ark, server: Hostile
) -> None:
    ark.submission = (200, {"id": provider_id}, {})
    work()
    assert (only_sample().state, server.posts) == (SampleState.LOST_UNCERTAIN, 1)
    assert "an id that cannot be kept" in Submission.objects.get().words


@pytest.mark.parametrize(
    "tokens", [-5, 10**30, float("inf"), float("nan"), "many", [1], 10**12, True]
)
def test_an_impossible_count_is_a_clip_of_estimated_cost(
    tokens: Any, ark: Ark, server: Hostile
) -> None:
    ark.state = {"usage": {"completion_tokens": tokens}}
    work()
    sample = only_sample()
    assert (sample.state, sample.cost_basis) == (SampleState.DELIVERED, CostBasis.ESTIMATED)


def test_a_models_name_of_any_length_is_cut(ark: Ark, server: Hostile) -> None:
    ark.state = {"model": BAD + "x" * 100_000}
    work()
    sample = only_sample()
    assert len(sample.model_version) <= 120
    assert len(sample.reason) < 1000


def test_what_else_came_back_is_kept_up_to_a_size(ark: Ark, server: Hostile) -> None:
    ark.state = {"revised_prompt": "p" * 1_000_000}
    work()
    assert only_sample().state == SampleState.DELIVERED
    assert len(str(only_sample().returned)) < 2000


@pytest.mark.parametrize("wait", ["9" * 400, "31536000", "-5", "nan", "1e20"])
def test_no_provider_is_left_alone_for_years(wait: str, ark: Ark, server: Hostile) -> None:
    ark.submission = (429, {"error": {"message": "busy"}}, {"Retry_After": wait})
    run_one("dispatch")
    run_one("submit")
    sample = only_sample()
    assert sample.state == SampleState.READY
    assert sample.not_before is not None
    assert timezone.now() < sample.not_before <= timezone.now() + timedelta(hours=1)
    ark.submission = (200, {"id": "job-1"}, {})
    work()
    assert only_sample().state == SampleState.DELIVERED


def test_an_error_with_an_id_may_have_been_accepted(ark: Ark, server: Hostile) -> None:
    ark.submission = (503, {"id": "job-1"}, {})
    work()
    assert (only_sample().state, server.posts) == (SampleState.LOST_UNCERTAIN, 1)


@pytest.mark.parametrize("created", [None, "soon", float("nan"), [1]])
def test_a_list_that_cannot_be_read_proves_nothing(created: Any, ark: Ark, server: Hostile) -> None:
    ark.submission = (200, {}, {})
    ark.jobs = {"items": [{"id": "job-1", "model": "another", "created_at": created}]}
    work()
    assert (only_sample().state, server.posts) == (SampleState.LOST_UNCERTAIN, 1)


@pytest.mark.parametrize("more", [{"has_more": True}, {"total": 7}])
def test_a_list_that_goes_on_proves_nothing(
    more: dict[str, Any], ark: Ark, server: Hostile
) -> None:
    ark.submission = (200, {}, {})
    ark.jobs = {"items": []} | more
    work()
    assert (only_sample().state, server.posts) == (SampleState.LOST_UNCERTAIN, 1)


@pytest.mark.parametrize("status", [200, 404])
def test_a_job_that_is_found_by_name_is_ours_or_nothing_is_proved(
    status: int, server: Hostile
) -> None:
    server.act = lambda handler: (
        handler.say(accepted("known"), 200) if status == 200 else handler.raw(b"<html>", 404)
    )
    of = provider("kling")
    found = of.find(
        of.request(order("kling")), since=0, until=1, known=frozenset({"known"}), rivals=0
    )
    assert isinstance(found, CannotTell)
