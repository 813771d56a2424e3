"""Mixes what is heard in a take: stereo, 48 kHz, from the same script as the picture.

No Django here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simulation.local import voices
from simulation.local.script import ASCENT, DESCENT, Script
from simulation.local.speech import Syllable, syllables, voiced
from simulation.local.takes import Scene, Sound, Span, Take, Voice
from simulation.local.voices import RATE, Samples

Stereo = NDArray[np.float64]  # (samples, 2)

# Seconds that a sound lives on in the room, and how loud that is beside the sound itself.
ROOMS = {
    Scene.LIFT: (0.22, 0.5),
    Scene.SQUAT: (0.55, 0.35),
    Scene.CHAIR: (0.18, 0.2),
    Scene.TOAST: (0.38, 0.28),
}
STANDS = {
    "raincoat": -0.3, "suit": 0.25, "hoodie": -0.7, "scarf": 0.7, "lifter": 0.0, "bystander": 0.6,
    "reader": 0.0,
    "speaker": 0.0, "beard": -0.75, "bun": -0.4, "glasses": 0.4, "bob": 0.75,
}  # fmt: skip  # -1 left to 1 right, as in the picture

CLICK = 120  # samples, 2.5 ms


@dataclass(slots=True)
class _Mix:
    """Sounds laid on a stereo track; ``late`` shifts all that is not the room itself (seconds)."""

    length: float
    late: float
    near: Stereo = field(init=False)
    still: Stereo = field(init=False)

    def __post_init__(self) -> None:
        self.near = np.zeros((round(self.length * RATE), 2))
        self.still = np.zeros_like(self.near)

    def add(self, sound: Samples, at: float, gain: float, stands: float = 0.0) -> None:
        """Lay a sound at a time (seconds), with equal power between the sides."""
        start = round((at + self.late) * RATE)
        sound = sound[: max(0, len(self.near) - start)]
        angle = (0.6 * stands + 1) * np.pi / 4
        self.near[start : start + len(sound)] += (
            gain * sound[:, None] * np.array([np.cos(angle), np.sin(angle)]) * 2**0.5
        )

    def lie(self, sound: Samples, gain: float) -> None:
        """Lay a sound under the whole track, a little different on either side."""
        sound = np.resize(sound, len(self.still))
        self.still += gain * np.stack([sound, np.roll(sound, 907)], 1)


def soundtrack(script: Script) -> Stereo:
    """Return the samples (n, 2) of a take, -1..1, with the faults of its sound."""
    take = script.take
    mix = _Mix(round(take.duration * take.frame_rate) / take.frame_rate, take.audio_delay)
    {Scene.LIFT: _lift, Scene.SQUAT: _squat, Scene.CHAIR: _chair, Scene.TOAST: _toast}[take.scene](
        script, mix
    )
    for number, beat in enumerate(script.beats):
        mix.add(_event(script, beat.length, number), beat.onset, 0.62, STANDS[script.source or ""])
    sound = mix.near + _room(script, mix.near) + mix.still
    sound *= min(1.0, 0.9 / (float(np.abs(sound).max()) + 1e-12))
    return _spoilt(script, sound)


def _event(script: Script, length: float, number: int) -> Samples:
    random, realism = script.random(20 + number), script.take.realism
    match script.take.voice:
        case Voice.BEEP:
            return voices.beep(length)
        case Voice.CREAK:
            return voices.creak(random, length)
        case Voice.AMBIGUOUS:
            return voices.levelled(
                voices.fart(random, length, realism)
                + 0.9 * voices.creak(random, length)[: int(length * RATE)]
            )
        case Voice.FART:
            return voices.fart(random, length, realism)


def _lift(script: Script, mix: _Mix) -> None:
    """A motor's hum, the fan, and a bell as floors go by."""
    time = np.arange(len(mix.still)) / RATE
    hum = sum(
        (
            gain * np.sin(2 * np.pi * hertz * time + hertz)
            for hertz, gain in ((50, 1.0), (100, 0.7), (150, 0.35), (297, 0.12))
        ),
        np.zeros(len(time)),
    )
    mix.lie(voices.levelled(hum * (1 + 0.1 * np.sin(2 * np.pi * 0.7 * time))), 0.016)
    mix.lie(voices.noise(script.random(3), 4.0, 90, 700), 0.03)
    bell = voices.struck(voices.DING, 1.6)
    for at in (0.35, 6.6):
        mix.add(bell, at, 0.3, 0.1)


def _squat(script: Script, mix: _Mix) -> None:
    """The air of a hall, breath in before and out after, plates that clink as the bar moves."""
    mix.lie(voices.noise(script.random(3), 4.0, 60, 500), 0.014)
    plates = voices.struck(voices.PLATES, 0.5)
    mix.add(voices.breath(script.random(4), 0.75), DESCENT[0] - 0.85, 0.2)
    for at, gain, side in (
        (0.12, 0.3, -0.4),
        (0.2, 0.22, 0.4),
        (DESCENT[1] - 0.02, 0.12, 0.4),
        (7.3, 0.26, -0.4),
        (7.38, 0.3, 0.4),
    ):
        mix.add(plates, at, gain, side)
    mix.add(voices.breath(script.random(5), 0.6), ASCENT[1] + 1.2, 0.24)


def _chair(script: Script, mix: _Mix) -> None:
    """A clock in a quiet room, a page, and the chair."""
    mix.lie(voices.noise(script.random(3), 4.0, 60, 350), 0.007)
    tick = voices.struck(voices.TICK, 0.06)
    for second in range(int(mix.length)):
        mix.add(tick, second + 0.45, 0.05, 0.5)
    mix.add(voices.rustle(script.random(4), 0.45), 6.75, 0.14, -0.1)
    if script.creak:
        mix.add(
            voices.creak(script.random(5), script.creak[1] - script.creak[0]), script.creak[0], 0.42
        )


def _toast(script: Script, mix: _Mix) -> None:
    """A murmur of guests, a glass that asks for silence, and the speech."""
    murmur = np.zeros(len(mix.still))
    for guest in range(2):
        random = script.random(30 + guest)
        talk = voiced(random, syllables(random, (0.0, mix.length), 105.0 + 80 * guest), mix.length)
        murmur += np.roll(talk, guest * 7001)
    mix.lie(voices.resonated(murmur, [(420, 500, 1.0)]), 0.012)
    mix.lie(voices.noise(script.random(3), 4.0, 80, 600), 0.008)
    glass = voices.struck(voices.GLASS, 0.7)
    for at in (0.15, 0.42, 0.69):
        mix.add(glass, at, 0.26, -0.1)
    mix.add(voiced(script.random(6), spoken_by(script), mix.length), 0.0, 0.42)


def spoken_by(script: Script) -> list[Syllable]:
    """Return the syllables of the toast's speaker."""
    random = script.random(7)
    spoken = []
    for span in script.speech:
        spoken += syllables(random, span)
    return spoken


def _room(script: Script, dry: Stereo) -> Stereo:
    """Return what the room gives back: the sound convolved with noise that dies away, after 6
    ms.
    """
    decay, gain = ROOMS[script.take.scene]
    random = script.random(9)
    tail = (
        random.normal(size=(int(2.2 * decay * RATE), 2))
        * np.exp(-np.arange(int(2.2 * decay * RATE)) / (decay / 3 * RATE))[:, None]
    )
    tail[: int(0.006 * RATE)] = 0
    tail /= np.sqrt((tail**2).sum(0))
    size = 1 << (len(dry) + len(tail)).bit_length()
    wet = np.fft.irfft(
        np.fft.rfft(dry, size, axis=0) * np.fft.rfft(tail, size, axis=0), size, axis=0
    )
    return gain * wet[: len(dry)]


def _spoilt(script: Script, sound: Stereo) -> Stereo:
    """Return the sound with the faults that the take asks for."""
    take = script.take
    if take.sound is not Sound.PRESENT:
        return np.zeros_like(sound)
    if take.gain > 1:
        sound = np.clip(sound * take.gain, -0.97, 0.97)
    if take.dropout:
        sound[_slice(take.dropout)] = 0
    crack = 0.9 * np.exp(-np.arange(CLICK) / (CLICK / 4)) * np.cos(np.pi * np.arange(CLICK) / 3.5)
    for at in click_times(take):
        start = int(at * RATE)
        sound[start : start + CLICK] = crack[: len(sound) - start, None]
    return sound


def click_times(take: Take) -> list[float]:
    """Return when a take clicks: spread over the clip, away from its ends."""
    return [round(take.duration * (i + 0.5) / take.clicks, 4) for i in range(take.clicks)]


def _slice(span: Span) -> slice:
    return slice(int(span[0] * RATE), int(span[1] * RATE))
