"""Why an answer to a training clip is right, in words made from what the clip is known to hold.

No Django here.
"""

from __future__ import annotations

from simulation.local import Scene, Truth

# How the people of the drawn scenes are recognised.
PEOPLE = {
    "raincoat": "the woman in the yellow raincoat",
    "suit": "the person in the suit",
    "hoodie": "the person in the hoodie",
    "scarf": "the person with the scarf",
    "lifter": "the lifter",
    "bystander": "the bystander",
    "reader": "the reader",
    "speaker": "the speaker",
    "beard": "the guest with the beard",
    "bun": "the guest with the bun",
    "glasses": "the guest with the glasses",
    "bob": "the guest with the bob",
}
NATURAL = 0.7  # realism from which a drawn sound is said to be natural
HIGH = 3.5  # a quality from which the upper half of a scale fits
PERCEIVED_S = 0.1  # a lag between picture and sound that can be noticed


def reason_for(question: str, truth: Truth) -> str:
    """Return the reason for the right answer to a question of core-r01.

    Raises KeyError for any other question.
    """
    words = {
        "event": _event,
        "cause": _cause,
        "detail": _detail,
        "sound": _sound,
        "timing": _timing,
        "people": _people,
    }
    return words[question](truth)


def _event(truth: Truth) -> str:
    if not truth.events:
        if truth.creak:
            creak = f" What is heard at {truth.creak[0]:.1f} s is the chair."
        else:
            creak = ""
        return f"No fart is heard anywhere in the clip.{creak}"
    moments = " and ".join(f"{event.onset:.1f} s" for event in truth.events)
    return f"{'One is' if len(truth.events) == 1 else 'Two are'} heard, at {moments}."


def _cause(truth: Truth) -> str:
    if not truth.audible:
        return (
            "Nothing was heard, so there is nothing that could have a source or a cause: N/A says "
            "that."
        )
    if truth.scene in {Scene.LIFT, Scene.TOAST}:
        return f"The sound comes from {_person(truth.source)}: watch who moves when it is heard."
    if truth.scene == Scene.SQUAT:
        return (
            "It comes while the lifter "
            f"{'is pushing up' if truth.pushing_up else 'is not pushing up'}."
        )
    return (
        f"What is heard at {truth.events[0].onset:.1f} s is drawn with the voice “{truth.voice}”."
    )


def _detail(truth: Truth) -> str:
    if truth.scene == Scene.LIFT:
        if truth.reacts_to:
            return f"The others turn to {_person(truth.reacts_to)}."
        return "Nobody reacts."
    if truth.scene == Scene.SQUAT:
        return f"The movement {'is completed' if truth.movement_completed else 'is not completed'}."
    if truth.scene == Scene.CHAIR:
        if truth.creak:
            return f"The chair creaks at {truth.creak[0]:.1f} s, by itself."
        return "The chair is silent."
    if truth.speech_resumes:
        return "The speech continues afterwards."
    return "The speech does not go on."


def _sound(truth: Truth) -> str:
    if not truth.audible:
        return "Nothing was heard, so there is no sound to rate."
    if truth.realism >= NATURAL:
        return (
            "The sound is drawn to be as natural as this program can; the upper half of the scale "
            "fits."
        )
    return "The sound is a plain synthesiser's tone; the lower half of the scale fits."


def _timing(truth: Truth) -> str:
    if not truth.audible:
        return "Nothing was heard, so there is no moment to rate."
    late = truth.audio_offset or 0
    if late >= PERCEIVED_S:
        return f"All sound comes {late:.2f} s later than the picture: step by frames and see."
    return "Sound and picture fit, and it comes at the moment that the scene leads up to."


def _people(truth: Truth) -> str:
    fair = truth.answers.people >= HIGH
    if fair:
        return "They are drawn figures, and for drawn figures they move without a fault."
    return (
        "They are drawn figures, and their movement has faults: look for shaking, swaps or a "
        "frozen picture."
    )


def _person(key: str | None) -> str:
    return PEOPLE.get(key or "", "somebody else")
