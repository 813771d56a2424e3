"""Buying a clip from a provider: the states of a sample, what is written down, and that nothing is
bought twice.
"""

import hashlib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from fartbench.media.errors import MediaToolDied
from fartbench.media.probe import MediaFacts, probe
from fartbench.models import Job, JobState
from fartbench.storage import file_sha256
from fartbench.stores import raw_clips
from generation import buying, steps, storing, submitting
from generation.commissioning import commission
from generation.models import (
    CostBasis,
    ProviderAccount,
    Sample,
    SampleEvent,
    SampleState,
    Submission,
    SubmissionState,
)
from generation.operating import cancel, send_again, set_paused
from simulation.stand_ins.providers import StandIn
from tests.generation.buying import bought, clip_of, only_sample, run_one, running_stand_in, work

pytestmark = pytest.mark.django_db

LISTED, UNLISTED = "seedance-2.5", "wan-3.0"  # a provider with a list of jobs, and one without


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with running_stand_in(monkeypatch) as running:
        yield running


def states(sample: Sample) -> list[str]:
    return [event.after for event in sample.events.all()]


class TestOneClip:
    def test_it_is_stored_untouched_with_all_that_is_known_of_it(self, stand_in: StandIn) -> None:
        bought(LISTED)
        work()
        sample, (job,) = only_sample(), stand_in.ledger.jobs()
        assert sample.state == SampleState.DELIVERED
        assert states(sample) == [
            "ready",
            "queued",
            "accepted",
            "running",
            "output_ready",
            "delivered",
        ]
        assert sample.clip is not None
        assert sample.clip.path.read_bytes() == clip_of(job)
        assert file_sha256(sample.clip.path) == sample.clip.sha256
        assert (sample.generation_seed, job.seed, job.model) == (
            "104729",
            104729,
            "dreamina-seedance-2-5-260628",
        )
        assert sample.prompt is not None
        assert job.prompt == sample.prompt.text
        assert sample.returned["revised_prompt"] == job.prompt
        # 172,800 tokens at $10.70 a million, both as the provider and its price list say.
        assert (sample.cost_usd, sample.cost_basis) == (Decimal("1.848960"), CostBasis.COMPUTED)

    def test_the_try_is_logged_without_a_key(self, stand_in: StandIn) -> None:
        bought(LISTED)
        work()
        submission = Submission.objects.get()
        assert submission.state == SubmissionState.ACCEPTED
        assert (submission.http_status, submission.number) == (200, 1)
        assert len(submission.request_sha256) == 64
        assert submission.latency_ms is not None
        assert submission.provider_id == stand_in.ledger.jobs()[0].id
        assert "stand-in-ark" not in str(
            [list(Submission.objects.values()), list(SampleEvent.objects.values())]
        )

    def test_the_row_is_there_before_the_socket_opens(
        self, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bought(LISTED)
        seen: list[object] = []
        original = submitting._timed

        def looking(*arguments: object) -> object:
            seen.append(
                (
                    Submission.objects.get().state,
                    Sample.objects.get().state,
                    stand_in.ledger.submissions["ark"],
                )
            )
            return original(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(submitting, "_timed", looking)
        work()
        assert seen == [("open", "submitting", 0)]

    def test_commissioning_again_buys_nothing_more(self, stand_in: StandIn) -> None:
        round_ = bought(LISTED)
        work()
        configuration = only_sample().cell.configuration
        assert commission(round_=round_, configurations=[configuration], actor="test") == 0
        work()
        assert stand_in.ledger.submissions["ark"] == 1

    def test_the_replicates_have_the_protocols_seeds_where_a_seed_is_exposed(
        self, stand_in: StandIn
    ) -> None:
        bought(LISTED, UNLISTED, "kling-4.0", replicates=3)
        assert set(Sample.objects.values_list("cell__configuration__name", "generation_seed")) == {
            *(
                (name, seed)
                for name in (LISTED, UNLISTED)
                for seed in ("104729", "130363", "155921")
            ),
            ("kling-4.0", ""),
        }

    @pytest.mark.parametrize(
        "name", ["grok-imagine-1.5", "kling-o3-standard", "kling-4.0", "gemini-omni-1.2-flash"]
    )
    def test_a_cost_says_how_it_is_known(self, stand_in: StandIn, name: str) -> None:
        bought(name)
        work()
        sample = only_sample()
        assert (sample.cost_basis, sample.cost_usd) == {
            "grok-imagine-1.5": ("reported", Decimal("1.120000")),
            "kling-o3-standard": ("estimated", Decimal("0.896000")),
            "kling-4.0": ("unknown", None),  # credits without a price
            "gemini-omni-1.2-flash": ("computed", Decimal("0.552000")),
        }[name]


class TestResults:
    @pytest.mark.parametrize(
        ("fault", "state"),
        [
            ("refuse_now", "refused"),
            ("refuse_later", "refused"),
            ("fail", "failed"),
            ("no_output", "failed"),
            ("gone_link", "lost"),
            ("truncated", "lost"),
            ("wrong_file", "failed"),
        ],
    )
    def test_what_a_provider_does_is_a_result_and_never_asked_for_again(
        self, stand_in: StandIn, fault: str, state: str
    ) -> None:
        round_ = bought(LISTED)
        stand_in.faults.add("ark", fault)  # type: ignore[attr-defined]
        work()
        sample = only_sample()
        assert (sample.state, bool(sample.reason), sample.clip) == (state, True, None)
        assert stand_in.ledger.submissions["ark"] == 1
        steps.revive(Sample.objects.filter(cell__round=round_))
        assert not Job.objects.exclude(state=JobState.DONE).exists()

    @pytest.mark.parametrize(
        "fault", ["look_500", "look_reset", "expired_link", "truncated_once", "candidates", "slow"]
    )
    def test_what_passes_after_acceptance_is_waited_out(
        self, stand_in: StandIn, fault: str
    ) -> None:
        bought("seedance-2.0")
        stand_in.faults.add("fal", fault)  # type: ignore[attr-defined]
        work()
        sample = only_sample()
        assert (sample.state, stand_in.ledger.submissions["fal"]) == ("delivered", 1)
        assert len(sample.returned["outputs"]) == (3 if fault == "candidates" else 1)
        # Of several candidates the first is taken, by rule.
        assert sample.clip is not None
        assert sample.clip.path.read_bytes() == clip_of(stand_in.ledger.jobs()[0])

    def test_a_clip_of_another_model_is_no_result_of_this_one(self, stand_in: StandIn) -> None:
        bought("gemini-omni-1.2-flash")
        stand_in.faults.add("gemini", "wrong_model")  # type: ignore[attr-defined]
        work()
        sample = only_sample()
        assert sample.state == SampleState.BLOCKED
        assert "another-model" in sample.reason
        assert not send_again(samples=[sample], actor="test")

    def test_bytes_that_are_no_clip_are_kept_all_the_same(self, stand_in: StandIn) -> None:
        bought(LISTED)
        stand_in.faults.add("ark", "wrong_file")  # type: ignore[attr-defined]
        work()
        assert (
            raw_clips().path(only_sample().returned["artifact_sha256"]).read_bytes()
            == b"<html>This is no clip.</html>"
        )

    @pytest.mark.parametrize("deaths", [2, 1000])
    def test_a_clip_that_kills_its_reader_is_kept_and_ends_as_failed_only_when_it_always_does(
        self, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch, deaths: int
    ) -> None:
        bought(LISTED)
        looks = 0

        def die_at_first(path: Path) -> MediaFacts:
            nonlocal looks
            looks += 1
            if looks <= deaths:
                raise MediaToolDied(path, "made the reader of media stop (status -11).")
            return probe(path)

        monkeypatch.setattr(storing, "probe", die_at_first)
        work()
        sample = only_sample()
        content = clip_of(stand_in.ledger.jobs()[0])
        assert raw_clips().path(hashlib.sha256(content).hexdigest()).read_bytes() == content
        assert not Job.objects.exclude(state=JobState.DONE).exists()
        if deaths == 2:
            assert sample.state == SampleState.DELIVERED
        else:
            assert sample.state == SampleState.FAILED
            assert "could not be read in 6 tries. Its bytes are kept as " in sample.reason
            assert "made the reader of media stop" in sample.reason


class TestTries:
    @pytest.mark.parametrize("fault", ["429", "500", "503"])
    def test_what_was_surely_not_accepted_is_sent_again_byte_for_byte(
        self, stand_in: StandIn, fault: str
    ) -> None:
        bought(LISTED)
        stand_in.faults.add("ark", fault, fault)  # type: ignore[attr-defined]
        work()
        tries = list(Submission.objects.order_by("number"))
        assert [one.answer_class for one in tries] == ["not_taken", "not_taken", "accepted"]
        assert (
            len({one.request_sha256 for one in tries})
            == len({one.prompt_sha256 for one in tries})
            == 1
        )
        assert only_sample().state == SampleState.DELIVERED
        assert len(stand_in.ledger.jobs()) == 1

    def test_a_provider_that_asks_to_wait_is_left_alone_that_long(self, stand_in: StandIn) -> None:
        bought(LISTED)
        stand_in.faults.add("ark", "429")  # type: ignore[attr-defined]
        run_one("dispatch")
        run_one("submit")
        account = ProviderAccount.objects.get(provider="ark")
        assert account.cooldown_until is not None
        assert account.cooldown_until > timezone.now() - timezone.timedelta(seconds=1)
        ProviderAccount.objects.update(
            cooldown_until=timezone.now() + timezone.timedelta(minutes=5)
        )
        run_one("dispatch")
        assert only_sample().state == SampleState.READY
        assert Job.objects.get(
            kind="dispatch", state=JobState.DUE
        ).due_at > timezone.now() + timezone.timedelta(minutes=4)

    def test_tries_end_and_a_person_is_asked(self, stand_in: StandIn) -> None:
        bought(LISTED)
        stand_in.faults.add("ark", *["500"] * 5)  # type: ignore[attr-defined]
        work()
        sample = only_sample()
        assert sample.state == SampleState.BLOCKED
        assert "after 5 tries" in sample.reason
        assert send_again(samples=[sample], actor="ada") == 1
        work()
        assert only_sample().state == SampleState.DELIVERED

    @pytest.mark.parametrize("fault", ["401", "402", "invalid", "retired"])
    def test_what_needs_a_person_is_not_tried_again(self, stand_in: StandIn, fault: str) -> None:
        bought(LISTED)
        stand_in.faults.add("ark", fault)  # type: ignore[attr-defined]
        work()
        sample = only_sample()
        assert (sample.state, stand_in.ledger.submissions["ark"]) == ("blocked", 1)
        assert sample.reason
        # A key or credit that is missing would fail the next order too.
        assert ProviderAccount.objects.get(provider="ark").paused == (fault in ("401", "402"))

    def test_an_account_that_stands_still_is_not_sent_to(self, stand_in: StandIn) -> None:
        bought(LISTED, scenes=["r01-lift", "r01-chair"])
        ProviderAccount.objects.update(max_in_flight=1)
        stand_in.faults.add("ark", "401")  # type: ignore[attr-defined]
        work()
        assert stand_in.ledger.submissions["ark"] == 1
        assert sorted(Sample.objects.values_list("state", flat=True)) == ["blocked", "ready"]


class TestSchema:
    def test_a_second_sample_that_counts_cannot_exist(self, stand_in: StandIn) -> None:
        bought(LISTED)
        with pytest.raises(IntegrityError), transaction.atomic():
            Sample.every.create(cell=only_sample().cell, pilot_version=2)

    def test_a_second_try_that_may_be_accepted_cannot_exist(self, stand_in: StandIn) -> None:
        bought(LISTED)
        work()
        fields = {
            "sample": only_sample(),
            "provider": "ark",
            "endpoint": "/",
            "client": "x",
            "request_sha256": "",
        }
        with pytest.raises(IntegrityError), transaction.atomic():
            Submission.objects.create(number=2, started_at=timezone.now(), **fields)

    def test_only_an_id_makes_an_acceptance(self, stand_in: StandIn) -> None:
        bought(LISTED)
        fields = {
            "sample": only_sample(),
            "provider": "ark",
            "endpoint": "/",
            "client": "x",
            "request_sha256": "",
        }
        with pytest.raises(IntegrityError), transaction.atomic():
            Submission.objects.create(
                number=1, started_at=timezone.now(), state="accepted", **fields
            )

    def test_the_log_of_states_cannot_be_changed(self, stand_in: StandIn) -> None:
        bought(LISTED)
        with pytest.raises(IntegrityError), transaction.atomic():
            SampleEvent.objects.update(words="nothing happened")
        with pytest.raises(IntegrityError), transaction.atomic():
            SampleEvent.objects.all().delete()


class TestMoney:
    def test_a_ceiling_stops_before_the_submission_that_would_pass_it(
        self, stand_in: StandIn
    ) -> None:
        round_ = bought(LISTED, scenes=["r01-lift", "r01-chair", "r01-toast"])
        # One clip is estimated at $1.848.
        buying.set_ceilings(round_, {"": Decimal("4.00")}, "ada")
        work()
        assert sorted(Sample.objects.values_list("state", flat=True)) == [
            "delivered",
            "delivered",
            "ready",
        ]
        assert "ceiling of the round" in Sample.objects.get(state="ready").reason
        assert stand_in.ledger.submissions["ark"] == 2
        buying.set_ceilings(round_, {"": None}, "ada")
        work()
        assert stand_in.ledger.submissions["ark"] == 3

    def test_a_ceiling_of_one_provider_leaves_the_others_alone(self, stand_in: StandIn) -> None:
        round_ = bought(LISTED, UNLISTED)
        buying.set_ceilings(round_, {"ark": Decimal("1.00")}, "ada")
        work()
        assert dict(Sample.objects.values_list("provider", "state")) == {
            "ark": "ready",
            "dashscope": "delivered",
        }

    def test_an_unknown_price_is_not_sent_under_a_ceiling(self, stand_in: StandIn) -> None:
        round_ = bought("kling-4.0")
        buying.set_ceilings(round_, {"": Decimal("1000.00")}, "ada")
        work()
        assert only_sample().state == SampleState.READY
        assert "is unknown" in only_sample().reason
        assert stand_in.ledger.submissions["runway"] == 0

    def test_a_paused_round_sends_nothing_and_goes_on_when_resumed(self, stand_in: StandIn) -> None:
        round_ = bought(LISTED)
        set_paused(round_=round_, paused=True, actor="ada")
        work()
        assert (only_sample().state, stand_in.ledger.submissions["ark"]) == ("ready", 0)
        set_paused(round_=round_, paused=False, actor="ada")
        work()
        assert only_sample().state == SampleState.DELIVERED

    def test_what_is_not_accepted_can_be_cancelled(self, stand_in: StandIn) -> None:
        bought(LISTED)
        assert cancel(samples=[only_sample()], actor="ada", reason="wrong round") == 1
        work()
        sample = only_sample()
        assert (sample.state, stand_in.ledger.submissions["ark"]) == ("not_generated", 0)
        assert sample.reason == "Cancelled: wrong round"

    def test_what_is_accepted_cannot_be_cancelled(self, stand_in: StandIn) -> None:
        bought(LISTED)
        run_one("dispatch")
        run_one("submit")
        assert cancel(samples=[only_sample()], actor="ada", reason="too late") == 0

    def test_no_more_are_under_way_than_an_account_takes(self, stand_in: StandIn) -> None:
        bought(LISTED, replicates=3, scenes=["r01-lift", "r01-chair"])
        ProviderAccount.objects.update(max_in_flight=2)
        run_one("dispatch")
        assert Sample.objects.filter(state=SampleState.QUEUED).count() == 2
        run_one("dispatch")
        assert Sample.objects.filter(state=SampleState.QUEUED).count() == 2
        work()
        assert set(Sample.objects.values_list("state", flat=True)) == {"delivered"}
