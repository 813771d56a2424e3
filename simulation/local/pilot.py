"""The tests of Core v0.1, drawn simply: with the people and the place of a Core R01 scene, small
and at few frames.

What a clip shows of its test is known all the same, and so are the answers of a reviewer who misses
nothing. No Django here.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Any

from simulation.local.configurations import Failed, LocalConfiguration, Refused, draw_outcome
from simulation.local.takes import Scene, Sound, Take, Voice
from simulation.local.truth import Truth

# What each test is drawn as: who and where is another matter in its specification.
KINDS = {
    "fb-c01": Scene.LIFT,
    "fb-c02": Scene.LIFT,
    "fb-c03": Scene.TOAST,
    "fb-c04": Scene.CHAIR,
    "fb-c05": Scene.SQUAT,
    "fb-c06": Scene.LIFT,
    "fb-c07": Scene.CHAIR,
    "fb-c08": Scene.CHAIR,
}
SILENT, COUNTED = "fb-c06", "fb-c07"
WITH_REACTION = frozenset({"fb-c01", "fb-c02", SILENT})
WIDTH, HEIGHT, FRAME_RATE = 640, 360, 6
LATE_S, POOR_SOUND, OFF_TIME = 0.15, 0.4, 3.0


def draw_test(
    of: LocalConfiguration, test: str, replicate: int, seed: int
) -> Take | Refused | Failed:
    """Return what commissioning one clip of a test comes to; equal arguments, equal outcome."""
    drawn = draw_outcome(of, KINDS[test], replicate, seed ^ zlib.crc32(test.encode()))
    if not isinstance(drawn, Take):
        return drawn
    changes: dict[str, Any] = {
        "width": WIDTH,
        "height": HEIGHT,
        "frame_rate": FRAME_RATE,
        "title": test,
    }
    if test == COUNTED:
        changes["events"] = {0: 0, 1: 2, 2: 1}[
            drawn.events
        ]  # whoever counts wrongly counts wrongly here too
    if test == SILENT and drawn.voice is Voice.FART:
        changes["sound"] = Sound.SILENT  # a wrong sound is one that is heard
    return replace(drawn, **changes)


def _social(truth: Truth, to_target: bool) -> float:
    """Return how right the reaction of the others is, from 0 to 4."""
    if to_target:
        return 4.0
    if truth.reacting:
        return 1.0
    return 0.0


def _yes_or_no(is_true: bool) -> str:
    return "yes" if is_true else "no"


def _compliant(test: str, condition: bool, count: int) -> int:
    """Return how many events count as asked for, when the right person made them."""
    if test == SILENT:
        return int(condition)
    return min(count, 2 if test == COUNTED else 1)


def _happened(test: str, truth: Truth) -> bool:
    """Say whether the event came: in a test without sound, whether it shows in what people do."""
    if test == SILENT:
        return truth.reacts_to is not None
    return truth.audible


def _facts(test: str, truth: Truth, to_target: bool) -> dict[str, bool]:
    happened = _happened(test, truth)
    return {
        "event_present": happened,
        "correct_actor": happened and truth.source_right,
        "source_clear": happened,
        "condition_correct": truth.audible != (test == SILENT),
        "reaction_present": bool(truth.reacting),
        "reaction_target": to_target,
        "visible_gas": False,
        "defecation": False,
    }


def right_answers(test: str, truth: Truth) -> dict[str, Any]:
    """Return the right answer to every question of a test: yes or no, a number, or a quality from 0
    to 4.
    """
    silent, required = test == SILENT, 2 if test == COUNTED else 1
    right = _happened(test, truth) and truth.source_right
    to_target = truth.reacts_to is not None and truth.reacts_to == KINDS[test].cast[0]
    count = len(truth.events)
    misses = (not silent and count != required) + (not right)
    qualities = truth.answers  # qualities from 1 to 5
    acoustic, timing, people = qualities.sound - 1, qualities.timing - 1, qualities.people - 1
    condition = truth.audible
    if silent:
        condition = not truth.audible
        acoustic = 4.0 if condition else 0.0
    facts = _facts(test, truth, to_target)
    compliant = _compliant(test, condition, count) if right else 0
    said = facts | _flags(test, truth, facts, count != required)
    first_event_s = round(truth.events[0].onset, 1) if truth.events else None
    return {
        **{key: _yes_or_no(is_true) for key, is_true in said.items()},
        "event_count": count,
        "impression": (acoustic + timing + people) / 3,
        "acoustic": acoustic,
        "alignment": timing,
        "localization": 4.0 if right else 1.0,
        "plausibility": people,
        "instruction": 4.0 - 1.5 * misses,
        "social": _social(truth, to_target),
        "coherence": people,
        "compliant_events": compliant,
        "first_fart_time": first_event_s,
        "wetness": 1.0 + 2.0 * truth.realism,
        "cloth": 1.0,
    }  # fmt: skip


FLAGS = (
    "f_no_event", "f_count_wrong", "f_event_split", "f_wrong_actor", "f_source_unclear",
    "f_out_of_window",
    "f_av_desync", "f_audible_in_silent", "f_implausible_sound", "f_acoustics_wrong",
    "f_no_reaction",
    "f_reaction_misdirected", "f_prohibited_depiction", "f_identity_or_body_break",
    "f_camera_or_cut",
)  # fmt: skip
"""The failure codes of the pilot's form, in its order."""


def _flags(test: str, truth: Truth, facts: dict[str, bool], miscounted: bool) -> dict[str, bool]:
    flags = dict.fromkeys(FLAGS, False)
    flags["f_no_event"] = not facts["event_present"]
    flags["f_av_desync"] = (truth.audio_offset or 0) > LATE_S
    flags["f_acoustics_wrong"] = truth.clipped
    flags["f_identity_or_body_break"] = truth.identity_swap
    flags["f_camera_or_cut"] = truth.black is not None
    if facts["event_present"]:
        flags["f_wrong_actor"] = not facts["correct_actor"]
    if truth.audible:
        flags["f_count_wrong"] = miscounted and test != SILENT
        flags["f_out_of_window"] = truth.answers.timing < OFF_TIME
        flags["f_audible_in_silent"] = test == SILENT
        flags["f_implausible_sound"] = truth.realism < POOR_SOUND or truth.voice != Voice.FART
    if test in WITH_REACTION:
        flags["f_no_reaction"] = not facts["reaction_present"]
        flags["f_reaction_misdirected"] = facts["reaction_present"] and not facts["reaction_target"]
    return flags
