"""What is proven of a normalised copy, and how that is stored. No Django here."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from blinding.copying import NotCopyable


@dataclass(frozen=True, slots=True)
class NormalisedProof:
    """What decoding a clip and its normalised copy, and comparing what they show, found.

    ``largest_difference`` is that of the frame that is least like its own in the clip (mean square,
    in grey levels of 0..255, of both made small). Offsets (s) say how much later the copy shows or
    plays what the clip does, counted from the clip's first presented moment; ``sound_level_db`` how
    much louder it is, ``sound_likeness`` the correlation of both sounds (0..1). Sound's values are
    None where the clip is silent. ``faults`` names what differs; the copy is proven when there is
    none.
    """

    frames: int
    largest_difference: float
    picture_offset: float
    sound_offset: float | None
    sound_level_db: float | None
    sound_likeness: float | None
    faults: list[str]

    @property
    def holds(self) -> bool:
        """Whether the copy is proven to show and play what the clip does."""
        return not self.faults

    def insist(self, raw: Path) -> None:
        """Raise NotCopyable, naming what differs, when the proof does not hold."""
        if self.faults:
            raise NotCopyable(
                raw, f"its normalised copy would not be the same clip: {'; '.join(self.faults)}."
            )

    def as_json(self) -> dict[str, Any]:
        """Return the proof as a JSON object, with ``holds``; ``kind`` tells it from the proof of a
        plain copy.
        """
        return {"kind": "normalised"} | asdict(self) | {"holds": self.holds}
