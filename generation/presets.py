"""Rounds that the method asks for, as starting points of the form. No Django here.

Source: Core v0.1 document, section 8.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """How many scenes, configurations and replicates a kind of round has; None for all there
    are.
    """

    key: str
    label: str
    words: str
    scenes: int | None
    configurations: int | None
    replicates: int
    first_scene: str = ""

    def pick_scenes(self, keys: list[str]) -> list[str]:
        """Return the scenes to tick of those a protocol has."""
        if self.first_scene in keys:
            ordered = sorted(keys, key=lambda key: key != self.first_scene)
        else:
            ordered = keys
        return ordered[: self.scenes]


PRESETS = (
    Preset("smoke", "Smoke test", "1 test × 3 models × 3 replicates = 9 clips", 1, 3, 3, "fb-c02"),
    Preset("pilot", "Development pilot", "8 tests × 3 models × 3 replicates = 72 clips", 8, 3, 3),
    Preset(
        "whole",
        "All configurations",
        "every scene once with every active configuration",
        None,
        None,
        1,
    ),
)


def preset(key: str) -> Preset | None:
    """Return the preset of that name."""
    return next((one for one in PRESETS if one.key == key), None)
