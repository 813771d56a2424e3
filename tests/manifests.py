"""A lab's folder for tests: clips made elsewhere, their manifest, and answers collected
elsewhere.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.factories import tiny_clip

SCENES = ("r01-lift", "r01-squat", "r01-chair", "r01-toast")
COLUMNS = ("configuration", "scene", "replicate", "file", "outcome", "reason", "cost_usd", "seed",
           "model_version",
           "generated_at")  # fmt: skip
ANSWER_COLUMNS = ("reviewer", "configuration", "scene", "replicate", "event", "cause", "detail",
                  "sound", "timing",
                  "people")  # fmt: skip
ALL_RIGHT = {
    "event": "yes",
    "cause": "yes",
    "detail": "yes",
    "sound": "4",
    "timing": "4",
    "people": "5",
}
NOTHING_HEARD = {"event": "no", "cause": "na:no_event", "detail": "no", "sound": "na:no_sound",
                 "timing": "na:no_event", "people": "3"}  # fmt: skip


@dataclass
class Lab:
    """A folder with clips; ``rows`` are those of the manifest and may be changed before it is
    written.
    """

    folder: Path
    configurations: tuple[str, ...] = ("alpha", "beta")
    scenes: tuple[str, ...] = SCENES
    rows: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number, (configuration, scene) in enumerate(
            (c, s) for c in self.configurations for s in self.scenes
        ):
            name = f"{configuration}-{scene}.mp4"
            (self.folder / name).write_bytes(tiny_clip(number=number, seconds=1.0))
            self.rows.append(
                {
                    "configuration": configuration,
                    "scene": scene,
                    "replicate": 1,
                    "file": name,
                    "outcome": "ok",
                }
            )

    def row(self, configuration: str, scene: str) -> dict[str, Any]:
        """Return the manifest's row of a cell, to be changed."""
        return next(
            row
            for row in self.rows
            if (row["configuration"], row["scene"]) == (configuration, scene)
        )

    def manifest(self, name: str = "manifest.csv") -> Path:
        """Write the manifest and return its path."""
        return write_csv(self.folder / name, COLUMNS, self.rows)

    def answers(
        self,
        reviewers: Iterable[str],
        changes: Mapping[tuple[str, str], Mapping[str, str]] | None = None,
    ) -> list[dict[str, Any]]:
        """Return a row per reviewer and delivered clip: all right, but for ``changes`` by
        configuration and scene.
        """
        delivered = [row for row in self.rows if row["outcome"] == "ok"]
        return [
            {
                "reviewer": reviewer,
                "configuration": row["configuration"],
                "scene": row["scene"],
                "replicate": 1,
            }
            | ALL_RIGHT
            | dict((changes or {}).get((row["configuration"], row["scene"]), {}))
            for reviewer in reviewers
            for row in delivered
        ]

    def answer_file(self, rows: Iterable[Mapping[str, Any]], name: str = "answers.csv") -> Path:
        """Write answers and return the path."""
        return write_csv(self.folder / name, ANSWER_COLUMNS, rows)


def write_csv(path: Path, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write a table with these columns; what a row does not say is empty."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(columns), restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path
