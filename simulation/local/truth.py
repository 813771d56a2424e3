"""What a rendered clip really holds, and so the right answers to its scene's questions.

No Django here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from simulation.local.script import Script, going_down, pushing_up
from simulation.local.takes import Reaction, Scene, Sound, Span, Take, Timing, Voice

SHORTEST_HEARD = 0.08  # seconds of a sound that must be left for it to count as heard


@dataclass(frozen=True, slots=True)
class Event:
    """One event as it is heard: seconds, and who it comes from."""

    onset: float
    offset: float
    who: str


@dataclass(frozen=True, slots=True)
class Answers:
    """What a reviewer who misses nothing answers: yes or no, and a latent quality from 1 to 5
    before rounding.

    When nothing is heard a reviewer may also choose N/A where the form allows it; this is the
    answer by the facts.
    """

    event: str
    cause: str
    detail: str
    sound: float
    timing: float
    people: float


@dataclass(frozen=True, slots=True)
class Truth:
    """The ground truth of one clip; times are seconds from its start, None where there is nothing
    to tell.
    """

    scene: str
    duration: float
    events: tuple[Event, ...]
    event_count: int
    audible: bool
    voice: str
    source: str | None
    source_right: bool
    reacts_to: str | None
    reacting: tuple[str, ...]
    phase: str | None  # of the squat at the first heard onset: down, bottom, up, stands
    pushing_up: bool
    movement_completed: bool
    creak: Span | None
    speech: tuple[Span, ...]
    speech_resumes: bool
    realism: float
    audio_offset: float | None
    sound: str
    frozen: Span | None
    black: Span | None
    dropout: Span | None
    clicks: int
    clipped: bool
    jitter: float
    identity_swap: bool
    answers: Answers

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return asdict(self)


def truth_of(take: Take) -> Truth:
    """Return what a take will hold, without rendering it."""
    script = Script(take)
    beats = _all_heard(take, [(beat.onset, beat.end) for beat in script.beats])
    events = tuple(Event(*span, script.source or "") for span in beats)
    creak = _heard(take, script.creak) if script.creak else None
    speech = _all_heard(take, script.speech)
    phase = _phase(take, events)
    has_sound = take.sound is Sound.PRESENT
    dropout, clicks = None, 0
    if has_sound:
        dropout, clicks = _cut(take, take.dropout), take.clicks
    return Truth(
        scene=take.scene,
        duration=_whole_frames_s(take),
        events=events,
        event_count=len(events),
        audible=bool(events),
        voice=take.voice,
        source=script.source,
        source_right=script.source == take.scene.cast[0],
        reacts_to=script.blamed if script.reacting else None,
        reacting=script.reacting,
        phase=phase,
        pushing_up=phase == "up",
        movement_completed=take.movement_completed,
        creak=creak,
        speech=speech,
        speech_resumes=take.speech_resumes,
        realism=take.realism,
        audio_offset=take.audio_delay if events else None,
        sound=take.sound,
        frozen=_cut(take, take.frozen),
        black=_cut(take, take.black),
        dropout=dropout,
        clicks=clicks,
        clipped=has_sound and take.gain > 1,
        jitter=take.jitter,
        identity_swap=take.identity_swap,
        answers=_answers(take, script, events, creak, speech),
    )


def _whole_frames_s(take: Take) -> float:
    return round(take.duration * take.frame_rate) / take.frame_rate


def _cut(take: Take, span: Span | None) -> Span | None:
    """Return the span cut to the clip, None when nothing of it is left."""
    if span is None or span[0] >= take.duration:
        return None
    return round(span[0], 4), round(min(span[1], take.duration), 4)


def _all_heard(take: Take, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return when those sounds are heard that are heard at all."""
    heard = (_heard(take, span) for span in spans)
    return tuple(span for span in heard if span is not None)


def _heard(take: Take, span: Span) -> Span | None:
    """Return when a sound that is made in ``span`` is heard in the file, None when it is not."""
    if take.sound is not Sound.PRESENT:
        return None
    start, end = span[0] + take.audio_delay, min(span[1] + take.audio_delay, take.duration)
    if take.dropout:
        if take.dropout[0] <= start < take.dropout[1]:
            start = take.dropout[1]
        if take.dropout[0] < end <= take.dropout[1]:
            end = take.dropout[0]
    if end - start >= SHORTEST_HEARD:
        return (round(start, 4), round(end, 4))
    return None


def _phase(take: Take, events: tuple[Event, ...]) -> str | None:
    """Return what the lifter does at the first event; None in other scenes."""
    if take.scene is not Scene.SQUAT or not events:
        return None
    time = events[0].onset
    if pushing_up(time):
        return "up"
    if going_down(time):
        return "down"
    if 2.5 <= time < 2.9:
        return "bottom"
    return "stands"


def _answers(
    take: Take,
    script: Script,
    events: tuple[Event, ...],
    creak: Span | None,
    speech: tuple[Span, ...],
) -> Answers:
    heard = bool(events)
    causes: dict[Scene, Callable[[], bool]] = {
        Scene.LIFT: lambda: script.source == Scene.LIFT.cast[0],
        Scene.SQUAT: lambda: pushing_up(events[0].onset),
        Scene.CHAIR: lambda: take.voice is Voice.FART,
        Scene.TOAST: lambda: script.source == Scene.TOAST.cast[0],
    }
    details = {
        Scene.LIFT: bool(script.reacting) and script.blamed == Scene.LIFT.cast[0],
        Scene.SQUAT: take.movement_completed,
        Scene.CHAIR: creak is not None,
        Scene.TOAST: take.speech_resumes and bool(speech),
    }
    one_fart = len(events) == 1 and take.voice.could_be_fart
    right_cause = heard and causes[take.scene]()
    sound, timing = (_sound_quality(take), _timing_quality(take)) if heard else (1.0, 1.0)
    return Answers(
        event=_yes(one_fart),
        cause=_yes(right_cause),
        detail=_yes(details[take.scene]),
        sound=sound,
        timing=timing,
        people=_people_quality(take),
    )


def _yes(holds: bool) -> str:
    if holds:
        return "yes"
    return "no"


def _sound_quality(take: Take) -> float:
    best = {Voice.FART: 5.0, Voice.AMBIGUOUS: 3.2, Voice.CREAK: 1.6, Voice.BEEP: 1.0}[take.voice]
    lost = 0.8 * (take.gain > 1) + 0.25 * min(take.clicks, 4) + 0.7 * (take.dropout is not None)
    return _rating(1 + (best - 1) * take.realism - lost)


def _timing_quality(take: Take) -> float:
    lost = (
        2.4 * (take.timing is not Timing.RIGHT) + 4.5 * take.audio_delay + 1.2 * (take.events != 1)
    )
    return _rating(5 - lost - 0.6 * (take.frozen is not None))


def _people_quality(take: Take) -> float:
    lost = [
        0.35 * take.jitter,
        1.6 * take.identity_swap,
        1.2 * (take.frozen is not None),
        0.9 * (take.black is not None),
        0.7 * (take.reaction is not Reaction.SOURCE and len(take.scene.cast) > 1),
        0.8 * (not take.movement_completed),
        0.5 * (take.frame_rate < 20),
        0.3 * (take.blur - 1),
        0.04 * max(0, take.crf - 23),
    ]
    return _rating(5 - sum(lost))


def _rating(quality: float) -> float:
    return round(min(max(quality, 1.0), 5.0), 2)
