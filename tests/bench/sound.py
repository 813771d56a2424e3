"""How wrong the candidates are on clips of known truth: `python -m tests.bench.sound`. No Django
here.

The built-in renderer draws takes of every one of its configurations, with the faults that belong to
it, and says what is heard when. Thresholds were chosen on takes of another seed. ``--files N`` also
renders N clips as files and decodes them again, as for clips of a round.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fartbench.media.ffmpeg import ffmpeg_binary
from measuring.sound.listening import listen, listen_to
from measuring.sound.onsets import Candidate
from simulation import local
from simulation.local.script import Script
from simulation.local.soundtrack import soundtrack
from simulation.local.takes import Scene, Take
from simulation.local.truth import Truth, truth_of
from simulation.local.voices import RATE

SEED = 2026
NEAR_S = 0.25
KINDS = ("a fart", "another sound")


@dataclass
class Tally:
    """What came of some clips: events and candidates, and how late (s) each event that was found is
    put.
    """

    clips: int = 0
    events: int = 0
    found: int = 0
    false: int = 0
    counts_right: int = 0
    late_s: list[float] = field(default_factory=list)

    def add(self, truth: Truth, heard: Sequence[Candidate]) -> None:
        """Count one clip: an event is found when a candidate begins within a quarter of a second of
        it.
        """
        late = matched(truth, heard)
        self.clips += 1
        self.events += truth.event_count
        self.found += len(late)
        self.false += len(heard) - len(late)
        self.counts_right += len(heard) == truth.event_count
        self.late_s += late

    def line(self, name: str) -> str:
        """Return a row of the table in docs/diagnostics.md."""
        missed = f"{1 - self.found / self.events:.0%}" if self.events else "–"
        off = np.abs(self.late_s) * 1000
        times = f"{np.median(off):.0f} / {np.quantile(off, 0.95):.0f}" if len(off) else "–"
        right = f"{self.counts_right / self.clips:.0%}"
        cells = (
            name,
            self.clips,
            self.events,
            missed,
            f"{self.false / self.clips:.2f}",
            right,
            times,
        )
        return f"| {' | '.join(map(str, cells))} |"


def matched(truth: Truth, heard: Sequence[Candidate]) -> list[float]:
    """Return for each event that a candidate begins near how late the nearest one is, each used
    once; seconds.
    """
    left, late = list(heard), []
    for event in truth.events:
        nearest = min(left, key=lambda one: abs(one.onset_s - event.onset), default=None)
        if nearest is not None and abs(nearest.onset_s - event.onset) <= NEAR_S:
            left.remove(nearest)
            late.append(nearest.onset_s - event.onset)
    return late


def takes(replicates: int) -> Iterator[Take]:
    """Yield the takes that every configuration of the renderer delivers."""
    for configuration in local.CONFIGURATIONS:
        for scene in Scene:
            for replicate in range(1, replicates + 1):
                drawn = local.draw_outcome(configuration, scene, replicate, SEED)
                if isinstance(drawn, Take):
                    yield drawn


def measured(replicates: int) -> dict[str, Tally]:
    """Return the tally of all clips, of each scene, and of each kind of event, from the sound as it
    is mixed.
    """
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    for take in takes(replicates):
        truth = truth_of(take)
        heard = [Candidate(**one) for one in listen(soundtrack(Script(take)), RATE)["candidates"]]
        for name in (
            "all",
            f"scene {take.scene}",
            f"event is {KINDS[not take.voice.could_be_fart]}",
        ):
            tallies[name].add(truth, heard)
    return dict(sorted(tallies.items()))


def from_files(count: int) -> Tally:
    """Return the tally of some clips that are rendered as files and decoded again."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for number, take in enumerate(
            list(takes(1))[:: max(1, len(list(takes(1))) // count)][:count]
        ):
            path = Path(folder) / f"{number}.mp4"
            truth = local.render(take, path, ffmpeg=ffmpeg_binary())
            tally.add(truth, [Candidate(**one) for one in listen_to(path)["candidates"]])
    return tally


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and return the exit status."""
    parser = argparse.ArgumentParser(
        description="The error of candidate onsets on clips of known truth."
    )
    parser.add_argument(
        "--replicates", type=int, default=8, help="takes of each configuration and scene"
    )
    parser.add_argument(
        "--files", type=int, default=0, help="how many clips to render and decode as files too"
    )
    options = parser.parse_args(arguments)
    head = (
        "clips",
        "number",
        "events",
        "missed",
        "false a clip",
        "count right",
        "onset off by, median / 95% (ms)",
    )
    sys.stdout.write(f"| {' | '.join(head)} |\n|{'---|' * len(head)}\n")
    for name, tally in measured(options.replicates).items():
        sys.stdout.write(tally.line(name) + "\n")
    if options.files:
        sys.stdout.write(from_files(options.files).line(f"{options.files} rendered files") + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
