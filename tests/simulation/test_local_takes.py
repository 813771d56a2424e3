"""Takes, what is true of them, and how often the built-in configurations commit which fault.

Nothing is rendered.
"""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest

from simulation.local import (
    CONFIGURATIONS,
    Failed,
    Fault,
    LocalConfiguration,
    Reaction,
    Refused,
    Scene,
    Sound,
    Take,
    TakeImpossible,
    Timing,
    Voice,
    configuration,
    draw_outcome,
    draw_take,
    truth_of,
)

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("scene", list(Scene))
@pytest.mark.parametrize("seed", range(20))
def test_a_faultless_take_earns_everything(scene, seed):
    truth = truth_of(Take(scene=scene, seed=seed))
    answers = truth.answers
    assert (answers.event, answers.cause, answers.detail) == ("yes", "yes", "yes")
    assert (answers.sound, answers.timing, answers.people) == (5.0, 5.0, 5.0)
    start, end = scene.window
    assert start <= truth.events[0].onset <= end
    assert truth.source_right


@pytest.mark.parametrize(
    ("scene", "faults", "expected"),
    [
        (Scene.LIFT, {"events": 0}, ("no", "no", "no")),
        (Scene.LIFT, {"events": 2}, ("no", "yes", "yes")),
        (Scene.LIFT, {"wrong_source": True}, ("yes", "no", "no")),
        (
            Scene.LIFT,
            {"wrong_source": True, "reaction": Reaction.SOMEONE_ELSE},
            ("yes", "no", "yes"),
        ),
        (Scene.LIFT, {"reaction": Reaction.SOMEONE_ELSE}, ("yes", "yes", "no")),
        (Scene.LIFT, {"reaction": Reaction.NOBODY}, ("yes", "yes", "no")),
        (Scene.LIFT, {"voice": Voice.BEEP}, ("no", "yes", "yes")),
        (Scene.LIFT, {"voice": Voice.CREAK}, ("no", "yes", "yes")),
        (Scene.LIFT, {"sound": Sound.SILENT}, ("no", "no", "yes")),
        (Scene.LIFT, {"dropout": (2.9, 5.5)}, ("no", "no", "yes")),
        (Scene.LIFT, {"timing": Timing.LATE}, ("yes", "yes", "yes")),
        (Scene.SQUAT, {"timing": Timing.EARLY}, ("yes", "no", "yes")),
        (Scene.SQUAT, {"timing": Timing.LATE}, ("yes", "no", "yes")),
        (Scene.SQUAT, {"audio_delay": 2.2}, ("yes", "no", "yes")),
        (Scene.SQUAT, {"movement_completed": False}, ("yes", "yes", "no")),
        (Scene.SQUAT, {"events": 0}, ("no", "no", "yes")),
        (Scene.CHAIR, {"voice": Voice.AMBIGUOUS}, ("yes", "no", "yes")),
        (Scene.CHAIR, {"voice": Voice.CREAK}, ("no", "no", "yes")),
        (Scene.CHAIR, {"chair_creaks": False}, ("yes", "yes", "no")),
        (Scene.CHAIR, {"sound": Sound.MISSING}, ("no", "no", "no")),
        (Scene.TOAST, {"wrong_source": True}, ("yes", "no", "yes")),
        (Scene.TOAST, {"speech_resumes": False}, ("yes", "yes", "no")),
        (Scene.TOAST, {"events": 0}, ("no", "no", "yes")),
    ],
)
def test_answers_follow_the_faults(scene, faults, expected):
    answers = truth_of(Take(scene=scene, seed=3, **faults)).answers
    assert (answers.event, answers.cause, answers.detail) == expected


@pytest.mark.parametrize(
    ("faults", "rating"),
    [
        ({"realism": 0.3}, "sound"),
        ({"voice": Voice.BEEP}, "sound"),
        ({"gain": 6.0}, "sound"),
        ({"clicks": 2}, "sound"),
        ({"events": 0}, "sound"),
        ({"timing": Timing.EARLY}, "timing"),
        ({"audio_delay": 0.4}, "timing"),
        ({"events": 2}, "timing"),
        ({"frozen": (1.0, 2.0)}, "people"),
        ({"black": (1.0, 2.0)}, "people"),
        ({"jitter": 4.0}, "people"),
        ({"identity_swap": True}, "people"),
        ({"reaction": Reaction.NOBODY}, "people"),
        ({"blur": 3.0}, "people"),
        ({"frame_rate": 16}, "people"),
    ],
)
def test_faults_lower_the_quality_they_spoil(faults, rating):
    quality = getattr(truth_of(Take(scene=Scene.LIFT, **faults)).answers, rating)
    assert 1.0 <= quality < 5.0


def test_the_truth_is_plain_json_and_cut_to_the_clip():
    take = Take(
        scene=Scene.TOAST, events=2, frozen=(7.5, 9.0), black=(9.0, 9.5), dropout=(1.0, 1.5)
    )
    truth = truth_of(take)
    assert json.loads(json.dumps(truth.as_json()))["answers"]["event"] == "no"
    assert truth.frozen == (7.5, 8.0)
    assert truth.black is None
    assert truth.events[0].offset < truth.events[1].onset
    assert truth.speech[0][1] < truth.events[0].onset
    assert truth.events[-1].offset < truth.speech[1][0]


def test_who_reacts_to_whom():
    cast = Scene.LIFT.cast
    truth = truth_of(Take(scene=Scene.LIFT))
    assert (truth.reacts_to, truth.reacting) == (cast[0], cast[1:])
    wrong = truth_of(Take(scene=Scene.LIFT, reaction=Reaction.SOMEONE_ELSE))
    assert wrong.reacts_to not in {None, cast[0]}
    assert not {cast[0], wrong.reacts_to} & set(wrong.reacting), "the source keeps still"
    assert truth_of(Take(scene=Scene.LIFT, reaction=Reaction.NOBODY)).reacts_to is None


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"events": 3}, "events"),
        ({"realism": 1.5}, "realism"),
        ({"width": 641}, "width"),
        ({"crf": 60}, "crf"),
        ({"frame_rate": 0}, "frame_rate"),
        ({"duration": 0.01}, "duration"),
        ({"frozen": (3.0, 2.0)}, "span"),
        ({"audio_delay": 9.0}, "audio_delay"),
        ({"blur": 0.5}, "blur"),
        ({"gain": 0.0}, "gain"),
        ({"clicks": -1}, "clicks"),
        ({"wrong_source": True}, "no other person"),
    ],
)
def test_impossible_takes_are_refused_by_name(fields, word):
    with pytest.raises(TakeImpossible, match=word):
        Take(scene=Scene.CHAIR, **fields)


def test_draws_repeat_and_differ_by_each_argument():
    one = configuration("local-potato")
    take = draw_take(one, Scene.TOAST, 0, 1)
    assert take == draw_take(one, Scene.TOAST, 0, 1)
    others = [
        draw_take(one, Scene.TOAST, 1, 1),
        draw_take(one, Scene.TOAST, 0, 2),
        draw_take(one, Scene.LIFT, 0, 1),
        draw_take(replace(one, key="local-other"), Scene.TOAST, 0, 1),
    ]
    assert all(take != other for other in others)
    assert take.comment == "rendered by local-potato"


@pytest.mark.parametrize("salt", ["1", "2"])
def test_a_draw_is_the_same_in_every_process(salt):
    """Python salts its own hashes per process; draws must not depend on them."""
    ask = (
        "from simulation.local import Scene, configuration, draw_take;"
        "print(repr(draw_take(configuration('local-potato'), Scene.LIFT, 3, 4)))"
    )
    told = subprocess.run(
        [sys.executable, "-c", ask],
        env={"PYTHONHASHSEED": salt},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == repr(draw_take(configuration("local-potato"), Scene.LIFT, 3, 4))


@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("scene", list(Scene))
def test_each_fault_alone_can_be_drawn_and_changes_the_take(scene, fault):
    clean = LocalConfiguration(key="k", description="", realism=(1.0, 1.0), rates={})
    faulty = replace(clean, rates={fault: 1.0})
    changed = [draw_take(clean, scene, i, 0) != draw_take(faulty, scene, i, 0) for i in range(5)]
    can = {
        Fault.NO_CREAK: scene is Scene.CHAIR,
        Fault.NO_RECOVERY: scene is Scene.TOAST,
        Fault.NOT_COMPLETED: scene is Scene.SQUAT,
        Fault.WRONG_SOURCE: scene is not Scene.CHAIR,
        Fault.WRONG_REACTION: scene is not Scene.CHAIR,
    }.get(fault, True)
    assert changed == [can] * 5


def test_faults_come_at_the_stated_rates():
    one = replace(
        configuration("local-journeyman"), rates={Fault.NO_EVENT: 0.3, Fault.SHAKING: 0.1}
    )
    takes = [draw_take(one, Scene.SQUAT, i, 7) for i in range(600)]
    assert mean(take.events == 0 for take in takes) == pytest.approx(0.3, abs=0.05)
    assert mean(take.jitter > 0 for take in takes) == pytest.approx(0.1, abs=0.03)


def factual_points(one: LocalConfiguration, rounds: int, seed: int) -> float:
    """Mean Factual Score of many simulated rounds: a point for the event, a second when the cause
    is right too.
    """
    points = 0
    for number in range(rounds):
        for scene in Scene:
            outcome = draw_outcome(one, scene, number, seed)
            if isinstance(outcome, Take):
                answers = truth_of(outcome).answers
                points += (answers.event == "yes") + (answers.event == answers.cause == "yes")
    return points / rounds


def test_configurations_score_in_the_order_of_their_stated_fault_rates():
    stated = [sum(one.rates.values()) for one in CONFIGURATIONS]
    assert stated == sorted(stated)
    assert len(stated) >= 6
    scores = [factual_points(one, rounds=40, seed=11) for one in CONFIGURATIONS]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 7
    assert scores[-1] < 2.5


def test_one_configuration_refuses_and_one_fails_as_stated():
    outcomes = Counter(
        (type(outcome), one.key, scene)
        for one in CONFIGURATIONS
        for scene in Scene
        for seed in range(5)
        if not isinstance(outcome := draw_outcome(one, scene, 0, seed), Take)
    )
    assert outcomes == {
        (Refused, "local-modest", Scene.SQUAT): 5,
        (Failed, "local-butterfingers", Scene.CHAIR): 5,
    }
    refused = draw_outcome(configuration("local-modest"), Scene.SQUAT, 0, 0)
    assert isinstance(refused, Refused)
    assert "local-modest" in refused.reason


def test_a_refusal_rate_is_a_rate():
    one = replace(configuration("local-maestro"), refuses={Scene.LIFT: 0.25})
    refused = [isinstance(draw_outcome(one, Scene.LIFT, i, 3), Refused) for i in range(400)]
    assert mean(refused) == pytest.approx(0.25, abs=0.06)
