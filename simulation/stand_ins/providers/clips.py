"""Real clips for the stand-ins: drawn by the local renderer once and kept. No Django here."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

from fartbench.media.ffmpeg import ffmpeg_binary
from simulation import local
from simulation.stand_ins.providers.ledger import Job

# A word that is in the location of one scene only, and in every prompt of it.
_SCENES = {
    "lift": local.Scene.LIFT,
    "gym": local.Scene.SQUAT,
    "study": local.Scene.CHAIR,
    "dinner": local.Scene.TOAST,
}


class Clips:
    """A folder of drawn clips. ``variants`` is how many different ones there are of each scene."""

    def __init__(self, folder: Path, variants: int = 1) -> None:
        self.folder, self.variants = folder, variants
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def of(self, job: Job) -> bytes:
        """Return the clip of a job: drawn for its scene, and made unlike any other by a box that
        players skip.
        """
        scene = next(
            (scene for word, scene in _SCENES.items() if word in job.prompt.lower()),
            local.Scene.LIFT,
        )
        variant = hashlib.sha256(f"{job.model}/{job.seed}".encode()).digest()[0] % self.variants
        note = job.id.encode()
        return (
            self._drawn(scene, variant).read_bytes()
            + (8 + len(note)).to_bytes(4, "big")
            + b"free"
            + note
        )

    def _drawn(self, scene: local.Scene, variant: int) -> Path:
        path = self.folder / f"{scene.value}-{variant}.mp4"
        with self._lock:
            if not path.exists():
                scratch = path.with_suffix(".part.mp4")
                model = local.CONFIGURATIONS[variant % len(local.CONFIGURATIONS)]
                local.render(
                    local.draw_take(model, scene, 1, variant), scratch, ffmpeg=ffmpeg_binary()
                )
                scratch.replace(path)
        return path
