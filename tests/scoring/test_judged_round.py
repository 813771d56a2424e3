"""The proof: three scripted judges on 12 configurations x 4 scenes over real HTTP, killed in the
middle and resumed.

Every expected figure is computed here from the script, with none of the program's statistics.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.test import Client
from scipy import stats

from blinding.models import BlindingKey
from fartbench.models import Job, JobState, Round
from fartbench.protocol import Response
from fartbench.rounds import StepOutOfOrder
from judging.asking import LOST
from judging.models import JudgeAccount, JudgeRun, JudgeTry, RunState
from review.models import AnswerSheet, Source
from review.services import SheetEntry, enter_sheets
from rounds import opening as rounds
from scoring.export import export_round
from scoring.release.verifying import verify_release
from simulation.stand_ins.judges import StandInJudges
from simulation.stand_ins.judges.behaviours import Behaviour, Question, Said
from tests.factories import reviewers_of
from tests.judging.judged import clip
from tests.scoring.rows import make_open_round

CONFIGURATIONS = [f"c{number:02}" for number in range(12)]
GATES = {"cause": 75, "event": 70, "detail": 70}  # per cent, Core R01 method page
SCALES = ("sound", "timing", "people")
JUDGES = {
    "gemini-3.8-flash": "perfect",
    "gemini-3.7-flash": "constant_middle",
    "gemini-3.6-flash": "lenient",
}
AT_ONCE, KILLED_AFTER = 3, 40
Answers = dict[str, str]
Key = tuple[str, str]  # configuration, scene


def truth_of(configuration: str, scene: str) -> Answers:
    """Return what is right about a clip: drawn from the script's own seed."""
    draw = random.Random(f"{configuration}/{scene}")
    if draw.random() < 0.1:
        silent = {
            "event": "no",
            "cause": "na:no_event",
            "sound": "na:no_sound",
            "timing": "na:no_event",
        }
        return silent | {"detail": "no", "people": str(draw.randint(1, 5))}
    facts = {
        "event": "yes",
        "cause": draw.choice(["yes", "yes", "no"]),
        "detail": draw.choice(["yes", "no"]),
    }
    return facts | {scale: str(draw.randint(1, 5)) for scale in SCALES}


def person(truth: Answers, who: int, key: Key) -> Answers:
    """Return what a reviewer says: mostly the truth, with slips of a rating and now and then of a
    fact.
    """
    draw = random.Random(f"{who}/{key}")
    said = dict(truth)
    for scale in SCALES:
        if said[scale].isdigit():
            said[scale] = str(min(5, max(1, int(said[scale]) + draw.choice([-1, 0, 0, 1]))))
    if said["cause"] in ("yes", "no") and draw.random() < 0.12:
        said["cause"] = "no" if said["cause"] == "yes" else "yes"
    return said


def machine(behaviour: str, truth: Answers) -> Answers:
    """Return what a judge of this behaviour says, told from its description."""
    if behaviour == "constant_middle":
        return dict.fromkeys(GATES, "yes") | dict.fromkeys(SCALES, "3")
    return truth | ({"cause": "yes"} if behaviour == "lenient" and truth["cause"] == "no" else {})


class Holding(StandInJudges):
    """Stand-ins that hold their answers back after so many questions, until they are let go."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.let_go = threading.Event()

    def behaviour(self, model: str) -> Behaviour:
        answer = super().behaviour(model)

        def held(question: Question) -> Said:
            if len(self.asked) > KILLED_AFTER:
                self.let_go.wait(30)
            return answer(question)

        return held


def command(round_: Round, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    judge = [
        sys.executable,
        str(Path(settings.BASE_DIR) / "manage.py"),
        "judge",
        round_.name,
        "--at-once",
        str(AT_ONCE),
    ]
    return subprocess.Popen(judge, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_until(condition: Any, seconds: float = 600.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.engine("postgres")  # where workers really write at one time; once is enough
def test_three_judges_killed_and_resumed_are_calibrated_as_the_script_says(
    process_environment: dict[str, str],
) -> None:
    round_ = make_open_round(
        configurations=CONFIGURATIONS, clips=(clip(number) for number in range(48))
    )
    keys = BlindingKey.objects.filter(stimulus__round=round_).select_related(
        "stimulus", "sample__cell__configuration"
    )
    stimuli = {
        (key.sample.cell.configuration.name, key.stimulus.scene): key.stimulus for key in keys
    }
    truths = {key: truth_of(*key) for key in stimuli}
    people = {key: [person(truth, who, key) for who in range(4)] for key, truth in truths.items()}
    JudgeAccount.objects.create(service="gemini", max_in_flight=AT_ONCE, min_interval_s=0)

    by_sha256 = {stimuli[key].sha256: truth for key, truth in truths.items()}
    with Holding(behaviours=JUDGES, truths=by_sha256) as stand_in:
        environment = process_environment | {
            "STAND_IN_JUDGES_URL": stand_in.url,
            "DATA_DIR": os.environ["DATA_DIR"],
        }
        first = command(round_, environment)
        wait_until(lambda: len(stand_in.asked) == KILLED_AFTER + AT_ONCE)
        first.send_signal(signal.SIGKILL)
        first.communicate()
        stand_in.let_go.set()
        # The lease of a killed worker runs out in seconds; nobody here waits for that.
        Job.objects.filter(state=JobState.RUNNING).update(due_at="2026-01-01T00:00:00Z")
        second = command(round_, environment)
        said, wrong = second.communicate(timeout=600)
        assert second.returncode == 0, wrong.decode()
        asked = Counter((entry.model, entry.sha256) for entry in stand_in.asked)

    assert len(asked) == 3 * 48
    assert set(asked.values()) == {1}, "nothing is asked twice, whatever was killed"
    assert all(f"{name}: ".encode() in said for name in JUDGES)
    assert JudgeTry.objects.filter(state="open").count() == 0
    lost = {
        (run.judge.name, run.stimulus_id)
        for run in JudgeRun.objects.filter(code=LOST).select_related("judge")
    }
    assert 1 <= len(lost) <= AT_ONCE
    assert Counter(JudgeRun.objects.values_list("state", flat=True)) == {
        RunState.ANSWERED: 144 - len(lost), RunState.ERROR: len(lost),
    }  # fmt: skip

    answer_as(round_, stimuli, people)
    with pytest.raises(
        StepOutOfOrder
    ):  # whatever the judges said stays hidden until people are done
        call_export(round_)
    assert Client().get(f"/rounds/{round_.name}/human-ai/").status_code == 404
    rounds.close_round(round_=round_, actor="test")
    release = rounds.publish(round_=round_, actor="test")
    verify_release(release.folder)
    report = release.document("human_ai_agreement")
    found = {judge["judge"]: judge for judge in report["judges"]}
    assert list(found) == sorted(JUDGES)
    for name, behaviour in JUDGES.items():
        given = {
            key: None if (name, stimuli[key].pk) in lost else machine(behaviour, truth)
            for key, truth in truths.items()
        }
        check_facts(found[name]["facts"], people, given)
        check_ratings(found[name]["ratings"], people, given)
    assert found["gemini-3.8-flash"]["facts"]["cause"]["overall"]["met"] is True
    assert found["gemini-3.6-flash"]["facts"]["cause"]["leniency"]["overall"]["value"] > 0.9
    constant = found["gemini-3.7-flash"]["ratings"]
    assert all(part["discrimination"]["demonstrated"] is False for part in constant.values())
    assert found["gemini-3.8-flash"]["ratings"]["sound"]["discrimination"]["demonstrated"] is True
    page = Client().get(f"/rounds/{round_.name}/human-ai/").content.decode()
    assert "Gemini 3.8 Flash" in page
    assert "useful discrimination not demonstrated" in page
    assert "lost with the worker that asked" in page


def call_export(round_: Round) -> None:
    export_round(
        round_=round_, folder=Path(settings.DATA_DIR) / "early", actor="test", reason="curious"
    )


def answer_as(round_: Round, stimuli: dict[Key, Any], people: dict[Key, list[Answers]]) -> None:
    reviewers = reviewers_of(round_)
    entries = [
        SheetEntry(
            reviewer,
            stimuli[key],
            {question: Response.parse(text) for question, text in said[who].items()},
        )
        for key, said in people.items()
        for who, reviewer in enumerate(reviewers)
    ]
    enter_sheets(round=round_, source=Source.SIMULATED, entries=entries)
    assert AnswerSheet.objects.filter(locked_at__isnull=False).count() == 4 * 48


def consensus(votes: list[str]) -> str:
    """Return what three of four say, N/A pooled; else split."""
    answer, count = Counter("na" if vote.startswith("na:") else vote for vote in votes).most_common(
        1
    )[0]
    return answer if count >= 3 else "split"


def check_facts(
    facts: dict[str, Any], people: dict[Key, list[Answers]], given: dict[Key, Answers | None]
) -> None:
    for gate, needed in GATES.items():
        for scene in (None, *{scene for _, scene in people}):
            agreed, lenient, clusters = [], [], []
            for key, votes in people.items():
                human = consensus([vote[gate] for vote in votes])
                if human not in ("yes", "no", "unclear") or scene not in (None, key[1]):
                    continue
                answers = given[key]
                agreed.append(answers is not None and answers[gate] == human)
                clusters.append(key[0])
                if human == "no":
                    lenient.append(answers is not None and answers[gate] == "yes")
            part = facts[gate]["overall"] if scene is None else facts[gate]["by_scene"][scene]
            assert (part["n"], part["agreed"]) == (len(agreed), sum(agreed))
            enough = len(agreed) >= 10
            assert part["met"] == ((100 * sum(agreed) >= needed * len(agreed)) if enough else None)
            low, high = clustered(agreed, clusters)
            assert [part["share"]["low"], part["share"]["high"]] == pytest.approx(
                [low, high], abs=1e-8
            )
            if gate == "cause":
                stated = facts[gate]["leniency"]
                stated = stated["overall"] if scene is None else stated["by_scene"][scene]
                assert stated["n"] == len(lenient)
                if lenient:
                    assert stated["value"] == pytest.approx(sum(lenient) / len(lenient))


def clustered(hits: list[bool], clusters: list[str]) -> tuple[float, float]:
    """Return Wilson's interval with n / deff and t, deff from configurations, from its
    definition.
    """
    n, names = len(hits), sorted(set(clusters))
    share = sum(hits) / n
    if len(names) == n:
        interval = stats.binomtest(sum(hits), n).proportion_ci(method="wilson")
        return interval.low, interval.high
    off = [
        sum(hit - share for hit, cluster in zip(hits, clusters, strict=True) if cluster == name)
        for name in names
    ]
    variance = len(names) / (len(names) - 1) * sum(value**2 for value in off) / n**2
    binomial = share * (1 - share) / n
    size = n / max(1.0, variance / binomial) if binomial else float(n)
    z = stats.t.ppf(0.975, len(names) - 1)
    middle = (share + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * np.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    return (0.0 if share == 0 else max(0.0, middle - half)), (
        1.0 if share == 1 else min(1.0, middle + half)
    )


def check_ratings(
    ratings: dict[str, Any], people: dict[Key, list[Answers]], given: dict[Key, Answers | None]
) -> None:
    for scale, part in ratings.items():
        pairs, missing = [], 0
        for key, votes in people.items():
            numbers = [int(vote[scale]) for vote in votes if vote[scale].isdigit()]
            if len(numbers) < 3:
                continue
            answers = given[key]
            if answers is None or not answers[scale].isdigit():
                missing += 1
            else:
                pairs.append((statistics.median(numbers), int(answers[scale]), key[1], key[0]))
        errors = [abs(human - judge) for human, judge, _, _ in pairs]
        assert (part["n"], part["missing"]) == (len(pairs), missing)
        assert part["mae"]["value"] == pytest.approx(statistics.mean(errors))
        constant = statistics.median([human for human, *_ in pairs])
        best = statistics.mean([abs(human - constant) for human, *_ in pairs])
        assert part["best_constant"]["mae"]["value"] == pytest.approx(best)
        ordering, low = somers(pairs)
        assert part["discrimination"]["d"]["value"] == pytest.approx(ordering)
        if low is None:
            assert part["discrimination"]["d"]["low"] is None
        else:
            assert part["discrimination"]["d"]["low"] == pytest.approx(low, abs=1e-8)
        words = "demonstrated" if low is not None and low > 0 else "not demonstrated"
        met = "met" if sum(errors) <= len(errors) else "not met"
        assert part["reads"] == f"MAE criterion {met} · useful discrimination {words}"


def somers(clips: list[tuple[float, int, str, str]]) -> tuple[float, float | None]:
    """Return D and the lower limit of its jackknife over configurations, by counting every pair.

    There is no limit where D is the same without any configuration.
    """

    def d(chosen: list[tuple[float, int, str, str]]) -> float:
        pairs = [
            (a, b) for a, b in itertools.combinations(chosen, 2) if a[2] == b[2] and a[0] != b[0]
        ]
        return float(np.mean([np.sign(a[0] - b[0]) * np.sign(a[1] - b[1]) for a, b in pairs]))

    names = sorted({clip_[3] for clip_ in clips})
    left = np.array([d([clip_ for clip_ in clips if clip_[3] != name]) for name in names])
    error = np.sqrt((len(names) - 1) / len(names) * ((left - left.mean()) ** 2).sum())
    low = d(clips) - stats.t.ppf(0.975, len(names) - 1) * error if error else None
    return d(clips), low
