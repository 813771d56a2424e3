"""The commands: “judge” asks with a bar and says what is wrong; “stand_in_judges” stands in."""

import json
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone

from fartbench.models import RoundState
from judging import working
from judging.models import Judge, JudgeAccount, JudgeCeiling, JudgeRun, RunState
from simulation.stand_ins.judges import BEHAVIOURS, StandInJudges
from tests import factories
from tests.judging.judged import GEMINI, judged_round, request
from web.pages.steps import buttons_of

pytestmark = pytest.mark.engine("sqlite")  # what stands in rows is tested on both in test_runs


def status_of(*arguments: str) -> tuple[int, str]:
    with pytest.raises(CommandError) as caught:
        call_command(*arguments)
    return caught.value.returncode, str(caught.value)


@pytest.mark.django_db(transaction=True)
def test_every_judge_of_the_protocol_is_asked_and_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    round_ = judged_round(clips=2)
    with StandInJudges(behaviours={"gemini-3.7-flash": "blocked"}) as stand_in:
        monkeypatch.setenv("STAND_IN_JUDGES_URL", stand_in.url)
        call_command("judge", round_.name, "--ceiling", "1.5")
        call_command(
            "judge", round_.name, "--variant", "muted", "--judge", GEMINI, "--at-once", "1"
        )
    said = capsys.readouterr().out
    assert f"{GEMINI}: 2 answered, $0.0048" in said
    assert "gemini-3.7-flash: 2 blocked" in said
    assert f"{GEMINI} (without sound): 2 answered" in said
    assert Judge.objects.get(name=GEMINI, variant="frozen").digest in said
    assert JudgeCeiling.objects.get().usd == 1.5
    assert len(stand_in.asked) == 8


@pytest.mark.django_db(transaction=True)
def test_what_could_not_be_asked_is_said_with_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    round_ = judged_round(clips=2)
    with StandInJudges() as stand_in:
        monkeypatch.setenv("STAND_IN_JUDGES_URL", stand_in.url)
        status, words = status_of("judge", round_.name, "--judge", GEMINI, "--ceiling", "0.001")
        assert status == 1
        assert "Not everything could be asked" in words
        assert "--ceiling USD" in words
        assert stand_in.asked == []
        call_command("judge", round_.name, "--judge", GEMINI, "--ceiling", "1")
    assert set(JudgeRun.objects.values_list("state", flat=True)) == {RunState.ANSWERED}


@pytest.mark.django_db(transaction=True)
def test_what_other_judges_could_not_be_asked_is_not_this_ones_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    round_ = judged_round()
    with StandInJudges() as stand_in:
        monkeypatch.setenv("STAND_IN_JUDGES_URL", stand_in.url)
        stand_in.faults[GEMINI].append("401")
        status, words = status_of("judge", round_.name, "--judge", GEMINI)
        assert (status, f"gemini does not take the question of {GEMINI}: HTTP 401" in words) == (
            1,
            True,
        )
        call_command("judge", round_.name, "--judge", "gemini-3.7-flash")
    assert set(JudgeRun.objects.values_list("judge__name", "state")) == {
        (GEMINI, RunState.DUE), ("gemini-3.7-flash", RunState.ANSWERED),
    }  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_a_long_wait_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "LOOK_EVERY_S", 0.01)
    JudgeAccount.objects.create(
        service="gemini", cooldown_until=timezone.now() + timedelta(hours=1)
    )
    JudgeAccount.objects.create(
        service="openai_compatible", cooldown_until=timezone.now() + timedelta(seconds=5)
    )
    said: list[str] = []
    stop, told = threading.Event(), threading.Event()

    def tell(words: str) -> None:
        said.append(words)
        told.set()

    watch = threading.Thread(target=working._watch, args=(stop, tell))
    watch.start()
    assert told.wait(30)
    stop.set()
    watch.join()
    assert [words.partition(" until ")[0] for words in said] == ["gemini asks to be left alone"]


@pytest.mark.django_db
def test_the_judges_may_be_frozen_and_left_to_workers(capsys: pytest.CaptureFixture[str]) -> None:
    round_ = judged_round()
    call_command("judge", round_.name, "--freeze-only", "--at-once", "7", "--interval", "0.25")
    account = JudgeAccount.objects.get()
    assert (account.service, account.max_in_flight, account.min_interval_s) == ("gemini", 7, 0.25)
    assert Judge.objects.count() == 3
    assert set(JudgeRun.objects.values_list("state", flat=True)) == {RunState.DUE}
    assert capsys.readouterr().out.count("SHA-256") == 3


@pytest.mark.django_db
def test_wrong_use_and_refusals_have_their_status(tmp_path: Path) -> None:
    round_ = judged_round()
    assert status_of("judge", round_.name, "--ceiling", "much")[0] == 2
    for wrong in (["--at-once=0"], ["--at-once=few"], ["--interval=-1"], ["--interval=nan"]):
        assert "it takes a number from" in status_of("judge", round_.name, *wrong)[1]
    assert status_of("judge", round_.name, "--ceiling", "-1")[0] == 2
    assert status_of("judge", round_.name, "--judge", "gpt")[0] == 1
    assert status_of("judge", round_.name, "--add", str(tmp_path / "none.yaml"))[0] == 1
    assert status_of("judge", round_.name, "--ask-lost-again")[0] == 1
    status, words = status_of("judge", factories.make_round().name)
    assert status == 1
    assert "once it was opened" in words
    assert Judge.objects.count() == 0


@pytest.mark.django_db
def test_whoever_publishes_is_told_what_judges_were_not_asked() -> None:
    round_ = judged_round(clips=2)
    round_.state = RoundState.LOCKED

    def words() -> str:
        return next(
            button.note for button in buttons_of(round_, "round") if button.step.key == "publish"
        )

    assert "None of the 3 AI judges that the protocol names was asked." in words()
    round_.state = RoundState.REVIEWING
    (judge,) = request(round_)
    round_.state = RoundState.LOCKED
    assert "2 of 2 questions to AI judges are open." in words()
    judge.runs.update(state=RunState.ERROR)
    assert "AI judges" not in words()


@pytest.mark.django_db
def test_asking_again_what_was_lost_needs_a_reason_and_says_how_much(
    capsys: pytest.CaptureFixture[str],
) -> None:
    round_ = judged_round()
    (judge,) = request(round_)
    judge.runs.update(state=RunState.ERROR, code="lost")
    call_command(
        "judge",
        round_.name,
        "--judge",
        GEMINI,
        "--ask-lost-again",
        "--reason",
        "power cut",
        "--freeze-only",
    )
    assert "1 lost questions are due again" in capsys.readouterr().out
    assert judge.runs.get().state == RunState.DUE


def test_the_stand_ins_serve_until_they_are_stopped(tmp_path: Path) -> None:
    truths = tmp_path / "truths.json"
    truths.write_text(json.dumps({"0" * 64: {"event": "yes"}}))
    program = [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), "stand_in_judges"]
    options = ["--port", "0", "--judge", "a-model=lenient", "--truths", str(truths)]
    with subprocess.Popen([*program, *options], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = next(
            word for word in server.stdout.readline().split() if word.startswith("http")
        ).rstrip(";")
        assert httpx.get(f"{address}/ledger", timeout=60).json() == {"asked": []}
        server.terminate()
        assert "Stopped." in server.stdout.read()
    assert server.returncode == 0
    assert status_of("stand_in_judges", "--judge", "a-model=kind") == (
        2, "--judge takes MODEL=BEHAVIOUR, not 'a-model=kind'."
    )  # fmt: skip


def test_what_the_stand_ins_cannot_start_with_is_said(tmp_path: Path) -> None:
    wrong = tmp_path / "truths.json"
    wrong.write_text('["yes"]')
    assert status_of("stand_in_judges", "--truths", str(tmp_path / "none.json"))[0] == 2
    assert "by the SHA-256 of a clip" in status_of("stand_in_judges", "--truths", str(wrong))[1]
    with StandInJudges() as other:
        status, words = status_of("stand_in_judges", "--port", other.url.rpartition(":")[2])
    assert (status, "cannot be used" in words) == (1, True)


def test_every_behaviour_is_there() -> None:
    assert set(BEHAVIOURS) == {
        "perfect", "constant_middle", "lenient", "scene_only", "blocked", "schema_breaking",
        "wrong_model", "slow",
    }  # fmt: skip
