"""What is to be rendered: a scene, the faults of this take, and the file they end up in.

No Django here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from simulation.local.errors import TakeImpossible

Span = tuple[float, float]  # from, to: seconds
SMALLEST = 16  # pixels


class Scene(StrEnum):
    """The four scenes of Core R01 by their protocol keys."""

    LIFT = "r01-lift"
    SQUAT = "r01-squat"
    CHAIR = "r01-chair"
    TOAST = "r01-toast"

    @property
    def window(self) -> Span:
        """Seconds between which the scene asks for the event (protocol core-r01, "The four
        scenes").
        """
        return {
            Scene.LIFT: (3.0, 4.0),
            Scene.SQUAT: (3.0, 5.0),
            Scene.CHAIR: (4.0, 5.0),
            Scene.TOAST: (3.0, 4.0),
        }[self]

    @property
    def cast(self) -> tuple[str, ...]:
        """Who is in the picture; the first is the one the scene asks to break wind."""
        return {
            Scene.LIFT: ("raincoat", "suit", "hoodie", "scarf"),
            Scene.SQUAT: ("lifter", "bystander"),
            Scene.CHAIR: ("reader",),
            Scene.TOAST: ("speaker", "beard", "bun", "glasses", "bob"),
        }[self]


class Voice(StrEnum):
    """What the event sounds like."""

    FART = "fart"
    AMBIGUOUS = "ambiguous"  # half fart, half creak: it could be either
    CREAK = "creak"
    BEEP = "beep"

    @property
    def could_be_fart(self) -> bool:
        """Whether a listener could take it for one."""
        return self in {Voice.FART, Voice.AMBIGUOUS}


class Timing(StrEnum):
    """When the event comes.

    In the squat, ``early`` is on the way down and ``late`` after the bar is up.
    """

    RIGHT = "right"
    EARLY = "early"
    LATE = "late"


class Reaction(StrEnum):
    """Whom the others notice."""

    SOURCE = "source"
    SOMEONE_ELSE = "someone-else"
    NOBODY = "nobody"


class Sound(StrEnum):
    """What the file holds for a sound track."""

    PRESENT = "present"
    SILENT = "silent"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """One clip to render. The defaults are a faultless take; every other field is a fault or a
    trait of the file.

    Equal takes give equal bytes with one ffmpeg. Raises TakeImpossible for what the scene or the
    file cannot have.
    """

    scene: Scene
    seed: int = 0
    # What happens
    events: int = 1
    voice: Voice = Voice.FART
    timing: Timing = Timing.RIGHT
    wrong_source: bool = False
    reaction: Reaction = Reaction.SOURCE
    chair_creaks: bool = True
    speech_resumes: bool = True
    movement_completed: bool = True
    # How well it is made
    realism: float = 1.0  # 0 a synthesiser's tone, 1 as good as this renderer gets
    audio_delay: float = 0.0  # seconds that all sound comes late
    jitter: float = 0.0  # pixels that people shake by, at 1280 wide
    identity_swap: bool = False  # people change clothes and hair half way
    frozen: Span | None = None
    black: Span | None = None
    dropout: Span | None = None  # sound cut to nothing
    clicks: int = 0
    gain: float = 1.0  # above 1 the peaks are cut off
    blur: float = 1.0  # the picture is sampled down and up again by this factor
    crf: int = 21  # x264's constant rate factor
    # The file
    sound: Sound = Sound.PRESENT
    width: int = 1280
    height: int = 720
    frame_rate: int = 24
    duration: float = 8.0
    title: str = ""
    comment: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be rendered."""
        faults = [words for holds, words in self._impossible() if holds]
        if faults:
            raise TakeImpossible(
                f"This take of {self.scene} cannot be rendered: {'; '.join(faults)}."
            )

    @property
    def _size_is_possible(self) -> bool:
        return all(side % 2 == 0 and side >= SMALLEST for side in (self.width, self.height))

    def _impossible(self) -> list[tuple[bool, str]]:
        spans = [span for span in (self.frozen, self.black, self.dropout) if span is not None]
        spans_are_possible = all(0 <= start < end for start, end in spans)
        has_other_source = len(self.scene.cast) > 1
        fewest = min(self.jitter, self.clicks)
        return [
            (self.events not in {0, 1, 2}, f"events is {self.events}, give 0, 1 or 2"),
            (
                self.wrong_source and not has_other_source,
                "the scene has no other person to be a wrong source",
            ),
            (not 0 <= self.realism <= 1, f"realism is {self.realism}, give 0 to 1"),
            (
                not 0 <= self.audio_delay < self.duration,
                f"audio_delay is {self.audio_delay} s, give less than the clip",
            ),
            (fewest < 0, "jitter and clicks cannot be negative"),
            (self.gain <= 0, f"gain is {self.gain}, give more than 0"),
            (self.blur < 1, f"blur is {self.blur}, give 1 (none) or more"),
            (not 0 <= self.crf <= 51, f"crf is {self.crf}, x264 takes 0 to 51"),
            (not self._size_is_possible, f"width and height must be even, {SMALLEST} or more"),
            (self.frame_rate < 1, f"frame_rate is {self.frame_rate}, give 1 or more"),
            (
                round(self.duration * self.frame_rate) < 1,
                f"duration is {self.duration} s, shorter than one frame",
            ),
            (not spans_are_possible, "a span must start at 0 or later and before its end"),
        ]
