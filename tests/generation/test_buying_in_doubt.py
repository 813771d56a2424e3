"""Orders of which nobody knows whether they arrived, and workers that are killed: nothing is bought
twice.
"""

from decimal import Decimal

import pytest
from django.db import transaction
from django.utils import timezone

from fartbench import jobs
from fartbench.models import Job, JobState
from generation import collecting, dispatching, spool, steps, submitting
from generation.errors import NotForOperators
from generation.models import (
    ProviderAccount,
    Sample,
    SampleEvent,
    SampleState,
    Submission,
)
from generation.operating import (
    cancel,
    send_again,
    set_paused,
    settle_absent,
    settle_found,
    settle_lost,
)
from generation.providers.port import Accepted
from simulation.stand_ins.providers import StandIn
from tests.generation.buying import bought, only_sample, work
from tests.generation.test_buying import LISTED, UNLISTED, run_one, stand_in, states

__all__ = ["stand_in"]  # fixtures

pytestmark = pytest.mark.django_db


class TestDoubt:
    def test_an_order_that_is_found_in_the_providers_list_is_taken_up(
        self, stand_in: StandIn
    ) -> None:
        bought(LISTED)
        stand_in.faults.add("ark", "timeout_after_send")  # type: ignore[attr-defined]
        work()
        assert only_sample().state == SampleState.DELIVERED
        assert "uncertain" in states(only_sample())
        assert stand_in.ledger.submissions["ark"] == 1

    def test_an_order_that_the_list_surely_does_not_have_is_sent_again(
        self, stand_in: StandIn
    ) -> None:
        bought(LISTED)
        stand_in.faults.add("ark", "reset")  # type: ignore[attr-defined]
        work()
        assert only_sample().state == SampleState.DELIVERED
        assert [one.answer_class for one in Submission.objects.order_by("number")] == [
            "proved_absent",
            "accepted",
        ]
        assert len(stand_in.ledger.jobs()) == 1

    @pytest.mark.parametrize("fault", ["timeout_after_send", "reset", "no_id"])
    def test_where_nobody_can_tell_it_is_never_sent_again(
        self, stand_in: StandIn, fault: str
    ) -> None:
        round_ = bought(UNLISTED)
        stand_in.faults.add("dashscope", fault)  # type: ignore[attr-defined]
        work()
        sample = only_sample()
        assert sample.state == SampleState.LOST_UNCERTAIN
        assert not send_again(samples=[sample], actor="ada")
        assert not cancel(samples=[sample], actor="ada", reason="too long")
        set_paused(round_=round_, paused=False, actor="ada")
        work()
        assert stand_in.ledger.submissions["dashscope"] == 1
        # It may have been paid for.
        assert dispatching.committed(round_.pk) == Decimal("0.8")

    def test_two_in_doubt_at_one_time_are_not_told_apart_by_guessing(
        self, stand_in: StandIn
    ) -> None:
        bought(LISTED, scenes=["r01-lift", "r01-chair"])
        stand_in.faults.add("ark", "timeout_after_send", "timeout_after_send")  # type: ignore[attr-defined]
        for kind in ("dispatch", "submit", "submit"):
            run_one(kind)
        work()
        assert set(Sample.objects.values_list("state", flat=True)) == {"lost_uncertain"}

    def test_an_id_that_belongs_to_another_order_is_no_acceptance(self, stand_in: StandIn) -> None:
        bought(UNLISTED, scenes=["r01-lift", "r01-chair"])
        ProviderAccount.objects.update(max_in_flight=1)
        stand_in.faults.add("dashscope", "", "duplicate_id")  # type: ignore[attr-defined]
        work()
        assert sorted(Sample.objects.values_list("state", flat=True)) == [
            "delivered",
            "lost_uncertain",
        ]
        assert "belongs to another order" in Submission.objects.get(state="uncertain").words

    def test_an_operator_settles_a_doubt_with_a_reason(self, stand_in: StandIn) -> None:
        bought(UNLISTED, scenes=["r01-lift", "r01-chair", "r01-toast"])
        stand_in.faults.add("dashscope", *["timeout_after_send"] * 3)  # type: ignore[attr-defined]
        work()
        found, absent, lost = Sample.objects.filter(state="lost_uncertain").order_by("pk")
        with pytest.raises(NotForOperators):
            settle_lost(sample=lost, actor="ada", reason=" ")
        job = next(job for job in stand_in.ledger.jobs() if job.prompt == found.prompt.text)
        settle_found(sample=found, provider_id=job.id, actor="ada", reason="on the console")
        settle_absent(sample=absent, actor="ada", reason="not on the console")
        settle_lost(sample=lost, actor="ada", reason="the console is gone")
        work()
        for sample, state in ((found, "delivered"), (absent, "delivered"), (lost, "lost")):
            sample.refresh_from_db()
            assert sample.state == state

    def test_nothing_but_a_doubt_can_be_settled(self, stand_in: StandIn) -> None:
        bought(UNLISTED)
        work()
        with pytest.raises(NotForOperators, match="no doubt"):
            settle_absent(sample=only_sample(), actor="ada", reason="why not")


class TestKilledWorkers:
    def open_try(self) -> tuple[Sample, Submission]:
        """Leave behind what a worker leaves that is killed between its row and the answer."""
        run_one("dispatch")
        sample = only_sample()
        with transaction.atomic():
            Sample.objects.update(state=SampleState.SUBMITTING)
            submission = Submission.objects.create(
                sample=sample, number=1, provider=sample.provider, request_sha256="0" * 64,
                endpoint="/", client="x",
                started_at=timezone.now(),
            )  # fmt: skip
        return sample, submission

    def test_killed_before_the_answer_it_is_in_doubt(self, stand_in: StandIn) -> None:
        bought(UNLISTED)
        self.open_try()
        work()
        assert only_sample().state == SampleState.LOST_UNCERTAIN
        assert stand_in.ledger.submissions["dashscope"] == 0

    def test_killed_between_answer_and_database_the_spool_has_it(self, stand_in: StandIn) -> None:
        bought(UNLISTED)
        sample, submission = self.open_try()
        job = stand_in.ledger.accept("dashscope", ("wan3.0-video", sample.prompt.text, 104729, ""))
        spool.put(str(submission.token), Accepted(job.id))
        work()
        assert only_sample().state == SampleState.DELIVERED
        assert spool.get(str(submission.token)) is None
        assert stand_in.ledger.submissions["dashscope"] == 0

    def test_an_answer_that_comes_after_the_doubt_still_counts(self, stand_in: StandIn) -> None:
        bought(UNLISTED)
        sample, submission = self.open_try()
        run_one("submit")
        run_one("find")
        assert only_sample().state == SampleState.LOST_UNCERTAIN
        job = stand_in.ledger.accept("dashscope", ("wan3.0-video", sample.prompt.text, 104729, ""))
        submission.refresh_from_db()
        submitting.accept(only_sample(), submission, Accepted(job.id))
        work()
        assert only_sample().state == SampleState.DELIVERED

    @pytest.mark.parametrize("step", ["submit", "look", "fetch"])
    def test_a_job_that_comes_twice_changes_nothing(self, stand_in: StandIn, step: str) -> None:
        bought(LISTED)
        handlers = {"submit": submitting.submit, "look": collecting.look, "fetch": collecting.fetch}
        seen: list[str] = []
        while jobs.waiting():
            Job.objects.filter(state=JobState.DUE).update(due_at="2026-01-01T00:00:00Z")
            claim = jobs.claim_next()
            assert claim is not None
            jobs.run(claim)
            if claim.job.kind == step:
                seen.append(claim.job.subject)
        events = SampleEvent.objects.count()
        for subject in seen:
            handlers[step](subject, lambda _part: None)
        assert seen
        assert (SampleEvent.objects.count(), stand_in.ledger.submissions["ark"]) == (events, 1)
        assert len(stand_in.ledger.jobs()) == 1

    def test_a_sample_under_way_whose_job_is_gone_gets_another(self, stand_in: StandIn) -> None:
        round_ = bought(LISTED)
        run_one("dispatch")
        run_one("submit")
        Job.objects.all().delete()
        assert steps.revive(Sample.objects.filter(cell__round=round_)) == 1
        work()
        assert only_sample().state == SampleState.DELIVERED
