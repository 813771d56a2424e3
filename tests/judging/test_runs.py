"""Asking: once per judge and clip, logged before it is sent; what comes back is taken for what it
says.
"""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from fartbench import jobs, spool
from fartbench.models import AuditEntry, Job, JobState
from fartbench.protocol import JudgeModel
from judging import asking, limits
from judging.asking import LOST, ask_lost_again
from judging.limits import committed_usd
from judging.models import JudgeAccount, JudgeRun, JudgeTry, RunState
from judging.ports import faults
from judging.ports.gemini import GeminiJudge
from judging.ports.port import KeyMissing
from judging.selectors import progress_of
from judging.working import request_judging, set_ceiling
from simulation.stand_ins.judges import StandInJudges, behaviours
from tests.judging.judged import (
    GEMINI,
    RIGHT,
    asked,
    judged_round,
    request,
    running_judges,
    truths_of,
    work,
)

pytestmark = pytest.mark.django_db
ONCE = pytest.mark.engine("sqlite")  # what an answer is taken for is no matter of engines


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandInJudges]:
    with running_judges(monkeypatch) as running:
        yield running


def test_an_answer_is_stored_with_all_that_is_known_of_it(stand_in: StandInJudges) -> None:
    round_ = judged_round()
    stand_in.truths = truths_of(round_)
    (run,) = asked(round_)
    assert (run.state, run.answers, run.model_version, run.response_id) == (
        RunState.ANSWERED,
        RIGHT,
        GEMINI,
        "r1",
    )
    assert (run.input_tokens, run.output_tokens) == (2500, 140)
    # 2500 tokens at $0.75 and 140 at $3.75 for a million
    assert run.cost_usd == Decimal("0.002400")
    made = run.tries.get()
    assert (made.state, made.answer_class, made.http_status, made.number) == (
        "closed",
        "answered",
        200,
        1,
    )
    assert made.usage["thoughts_token_count"] == 100
    assert made.media_sha256 == run.stimulus.sha256 == stand_in.asked[0].sha256
    assert "google-genai 3." in made.client
    assert "stand-in-gemini" not in made.response


def test_a_judge_is_asked_about_a_clip_once(stand_in: StandInJudges) -> None:
    round_ = judged_round(clips=2)
    asked(round_)
    asked(round_)
    assert len(stand_in.asked) == 2
    assert JudgeTry.objects.count() == 2


def test_the_row_is_there_before_the_socket_opens(
    stand_in: StandInJudges, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    original = GeminiJudge.send

    def look(self: GeminiJudge, sent: object, clip: bytes) -> object:
        seen.append(
            (JudgeTry.objects.get().state, JudgeRun.objects.get().state, len(stand_in.asked))
        )
        return original(self, sent, clip)

    monkeypatch.setattr(GeminiJudge, "send", look)
    asked(judged_round())
    assert seen == [("open", "asking", 0)]


def test_what_a_judge_said_never_changes(stand_in: StandInJudges) -> None:
    (run,) = asked(judged_round())
    for change in ({"answers": RIGHT | {"sound": "1"}}, {"state": RunState.DUE, "answers": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            JudgeRun.objects.filter(pk=run.pk).update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        JudgeTry.objects.update(response="")


@ONCE
@pytest.mark.parametrize(
    ("behaviour", "state", "code", "words"),
    [
        ("blocked", "blocked", "", "input: SAFETY"),
        ("schema_breaking", "invalid", "", "event: this question is never N/A"),
        (
            "wrong_model",
            "error",
            "wrong_model",
            "answered with model 'gemini-3.8-flash-successor'; frozen is",
        ),
    ],
)
def test_what_is_no_answer_is_recorded_and_not_asked_again(
    stand_in: StandInJudges, behaviour: str, state: str, code: str, words: str
) -> None:
    stand_in.behaviours = {GEMINI: behaviour}
    round_ = judged_round()
    asked(round_)
    (run,) = asked(round_)
    assert (run.state, run.code, run.answers) == (state, code, None)
    assert words in run.reason
    assert len(stand_in.asked) == 1
    assert run.cost_usd is not None, "it was paid all the same"


@ONCE
@pytest.mark.parametrize("fault", ["429", "500", "503", "reset"])
def test_a_fault_of_transport_is_sent_again_with_the_same_bytes(
    stand_in: StandInJudges, fault: str
) -> None:
    stand_in.faults[GEMINI].extend([fault, fault])
    (run,) = asked(judged_round())
    tries = list(run.tries.order_by("number"))
    assert run.state == RunState.ANSWERED
    assert [made.answer_class for made in tries] == ["transport", "transport", "answered"]
    assert len({made.request_sha256 for made in tries}) == 1


@ONCE
def test_tries_end(stand_in: StandInJudges) -> None:
    stand_in.faults[GEMINI].extend(["500"] * 9)
    (run,) = asked(judged_round())
    assert (run.state, run.code, run.tries.count()) == (RunState.ERROR, "transport", asking.TRIES)


@ONCE
def test_a_service_that_was_away_may_be_asked_again_with_as_many_tries(
    stand_in: StandInJudges,
) -> None:
    stand_in.faults[GEMINI].extend(["500"] * (asking.TRIES + 2))
    round_ = judged_round()
    (run,) = asked(round_)
    assert ask_lost_again([run], actor="ada", reason="the service was away") == 1
    (run,) = asked(round_)
    assert (run.state, run.tries.count(), len(stand_in.asked)) == (
        RunState.ANSWERED,
        asking.TRIES + 3,
        1,
    )


@ONCE
@pytest.mark.parametrize("service", ["gemini", "openai_compatible"])
def test_a_silence_is_recorded_and_not_asked_again(
    stand_in: StandInJudges, monkeypatch: pytest.MonkeyPatch, service: str
) -> None:
    monkeypatch.setattr(faults, "SECONDS_TO_ANSWER", 2.0)
    monkeypatch.setattr(behaviours, "SLOW_S", 20.0)
    stand_in.behaviours = {"a-slow-one": "slow"}
    own = JudgeModel(name="own", label="Own", service=service, model="a-slow-one")
    (run,) = asked(judged_round(), "own", own=[own])
    assert (run.state, run.code, run.tries.count()) == (RunState.ERROR, "timeout", 1)
    assert "ReadTimeout" in run.reason
    assert len(stand_in.asked) == 1


@ONCE
def test_a_service_that_declines_is_paused_until_somebody_asks_again(
    stand_in: StandInJudges,
) -> None:
    stand_in.faults[GEMINI].append("401")
    round_ = judged_round(clips=3)
    asked(round_)
    account = JudgeAccount.objects.get()
    assert "This key is not known" in account.paused_because
    assert JudgeRun.objects.filter(state=RunState.DUE).count() == 3
    assert stand_in.asked == []
    assert JudgeTry.objects.count() == 1
    assert {run.state for run in asked(round_)} == {RunState.ANSWERED}


@ONCE
def test_one_refused_clip_does_not_stop_the_others(stand_in: StandInJudges) -> None:
    round_ = judged_round(clips=3)
    (judge,) = request(round_)
    claim = jobs.claim_next([jobs.JUDGE])
    assert claim is not None
    jobs.run(claim)
    stand_in.faults[GEMINI].append("400")
    work()
    assert sorted(judge.runs.values_list("state", flat=True)) == ["answered", "answered", "error"]


@ONCE
def test_without_a_key_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STAND_IN_JUDGES_URL", raising=False)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    request(judged_round())
    claim = jobs.claim_next([jobs.JUDGE])
    assert claim is not None
    jobs.run(claim)
    job = Job.objects.get()
    assert (job.state, JudgeRun.objects.get().state) == (JobState.FAILED, RunState.DUE)
    assert "GEMINI_API_KEY" in job.error
    monkeypatch.setenv("STAND_IN_JUDGES_URL", "http://example.org")
    with pytest.raises(KeyMissing, match="loopback"):
        GeminiJudge().send(GeminiJudge().request, b"")  # type: ignore[arg-type]


class TestACrash:
    def left_open(self) -> JudgeTry:
        """Return the try of a worker that was killed after it had sent the question."""
        run = JudgeRun.objects.get()
        JudgeRun.objects.filter(pk=run.pk).update(state=RunState.ASKING)
        return JudgeTry.objects.create(
            run=run,
            number=1,
            request_sha256="0" * 64,
            media_sha256="0" * 64,
            started_at="2026-01-01T00:00:00Z",
        )

    def test_what_it_left_on_disk_is_the_answer(self, stand_in: StandInJudges) -> None:
        request(judged_round())
        made = self.left_open()
        spool.put(
            str(made.token), {"state": "answered", "answer_class": "answered", "answers": RIGHT}
        )
        work()
        run = JudgeRun.objects.get()
        assert (run.state, run.answers, stand_in.asked) == ("answered", RIGHT, [])
        assert spool.get(str(made.token)) is None

    def test_otherwise_it_is_lost_and_not_asked_twice(self, stand_in: StandInJudges) -> None:
        request(judged_round())
        self.left_open()
        work()
        run = JudgeRun.objects.get()
        assert (run.state, run.code, stand_in.asked) == ("error", LOST, [])

    def test_a_person_may_ask_again_what_was_lost_and_nothing_else(
        self, stand_in: StandInJudges
    ) -> None:
        round_ = judged_round(clips=2)
        (judge,) = request(round_)
        claim = jobs.claim_next([jobs.JUDGE])
        assert claim is not None
        jobs.run(claim)
        other = judge.runs.get(state=RunState.DUE)
        JudgeRun.objects.filter(pk=other.pk).update(state=RunState.ERROR, code=LOST)
        assert ask_lost_again(list(judge.runs.all()), actor="ada", reason="power cut") == 1
        assert (
            AuditEntry.objects.get(action="lost judge runs asked again").details["reason"]
            == "power cut"
        )
        asked(round_)
        assert [run.state for run in judge.runs.all()] == [RunState.ANSWERED, RunState.ANSWERED]
        assert len(stand_in.asked) == 2

    def test_a_worker_that_comes_back_late_changes_nothing(self, stand_in: StandInJudges) -> None:
        request(judged_round())
        made = self.left_open()
        work()
        run = JudgeRun.objects.select_related("judge__round").get()
        asking._conclude(run, made, asking.Outcome(RunState.ANSWERED, "answered", answers=RIGHT))
        run.refresh_from_db()
        assert (run.state, run.code, run.answers) == ("error", LOST, None)


class TestLimits:
    def test_a_service_gets_so_many_at_once_and_so_far_apart(self, stand_in: StandInJudges) -> None:
        round_ = judged_round(clips=3)
        (judge,) = request(round_)
        account = JudgeAccount.objects.create(
            service="gemini", max_in_flight=1, min_interval_s=1000
        )
        busy = judge.runs.first()
        JudgeRun.objects.filter(pk=busy.pk).update(state=RunState.ASKING)
        other = judge.runs.last()
        with pytest.raises(jobs.NotYet):
            asking.ask(str(other.pk), lambda _part: None)
        JudgeRun.objects.filter(pk=busy.pk).update(state=RunState.DUE)
        asking.ask(str(other.pk), lambda _part: None)
        with pytest.raises(jobs.NotYet) as later:
            asking.ask(str(busy.pk), lambda _part: None)
        assert 0 < later.value.seconds <= account.min_interval_s
        assert len(stand_in.asked) == 1

    def test_a_service_that_asks_to_wait_is_left_alone(
        self, stand_in: StandInJudges, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "pace", lambda: 1000.0)
        stand_in.faults[GEMINI].append("429")
        request(judged_round(clips=2))
        for _ in range(2):
            claim = jobs.claim_next([jobs.JUDGE])
            assert claim is not None
            jobs.run(claim)
        assert JudgeTry.objects.count() == 1
        assert JudgeAccount.objects.get().cooldown_until is not None

    def test_a_ceiling_is_never_passed(self, stand_in: StandInJudges) -> None:
        round_ = judged_round(clips=4)
        set_ceiling(round_=round_, usd=Decimal("0.02"), actor="ada")
        asked(round_)
        # The first may cost $0.0114 by upper figures; then each is known to cost $0.0024: all four
        # fit into 2 cents.
        assert committed_usd(round_) == Decimal("0.0096")
        other = judged_round(clips=4)
        set_ceiling(round_=other, usd=Decimal("0.01"), actor="ada")
        before = len(stand_in.asked)
        asked(other)
        assert len(stand_in.asked) == before
        assert "Raise it with" in Job.objects.filter(round_name=other.name).first().error
        set_ceiling(round_=other, usd=Decimal(1), actor="ada")
        assert {run.state for run in asked(other)} == {RunState.ANSWERED}


@ONCE
def test_a_judge_without_a_known_price_is_not_asked_under_a_ceiling(
    stand_in: StandInJudges,
) -> None:
    round_ = judged_round()
    (model,) = [
        m.model_copy(update={"price": None, "name": "free"})
        for m in round_.protocol.rules.judges.models[:1]
    ]
    set_ceiling(round_=round_, usd=Decimal(1), actor="ada")
    request_judging(round_=round_, models=[model], actor="test")
    work()
    assert "nobody knows what free costs" in Job.objects.get().error
    assert stand_in.asked == []


def test_judging_never_reads_what_people_answered(stand_in: StandInJudges) -> None:
    round_ = judged_round(clips=2)
    with CaptureQueriesContext(connection) as queries:
        asked(round_)
        progress_of(round_)
    read = " ".join(query["sql"] for query in queries)
    assert "judging_judgerun" in read
    for table in (
        "review_answer",
        "review_answersheet",
        "review_reviewer",
        "generation_",
        "blinding_blindingkey",
    ):
        assert table not in read
