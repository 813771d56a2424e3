"""What is seen and heard in a rollout, picture by picture and sample by sample. No Django here.

A camera pans over a coarse landscape without end, so that no two pictures are alike unless they are
meant to be. What an update brings is a coloured disc and a tone of its own.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simulation.local.rollouts.plan import SECONDS, DefectKind, Response, RolloutPlan

Bytes = NDArray[np.uint8]
RATE = 48_000
PAN_S = 8.0  # seconds in which the camera pans by one picture's width
CELL = 10  # how many cells of the landscape fit into a picture's height
DISCS = (
    (208, 90, 190),
    (170, 170, 90),
    (120, 60, 210),
    (220, 110, 120),
    (150, 200, 60),
)  # Y, Cb, Cr
TONES = (330.0, 392.0, 494.0, 587.0, 698.0)
BLACK, WHITE = -1, -2


class Scenery:
    """The pictures and the sound of one plan; nothing depends on what was asked for before."""

    def __init__(self, plan: RolloutPlan) -> None:
        self.plan = plan
        self._rate = plan.geometry.frame_rate
        random = np.random.default_rng([plan.seed, 1])
        wide = 2 * plan.width
        self._luma = _landscape(random, plan.height, wide, plan.height // CELL, (62, 158)).astype(
            np.float32
        )
        self._chroma = np.stack(
            [
                _landscape(random, plan.height // 2, wide // 2, plan.height // CELL, (108, 148))
                for _ in range(2)
            ]
        ).astype(np.float32)

    def picture(self, place: int, responses: tuple[Response, ...] = ()) -> Bytes:
        """Return one picture as flat 4:2:0 bytes, video range: the defects of the plan, and what
        updates brought.
        """
        source = self._sources[place]
        if source < 0:
            return self._plain(16 if source == BLACK else 235)
        time = int(source) / self._rate
        shift = round(time / PAN_S * self.plan.width) % (2 * self.plan.width)
        keep = np.float32(1 - self.plan.drift * time / self.plan.seconds)
        luma = np.roll(self._luma, -shift, 1)[:, : self.plan.width]
        chroma = np.roll(self._chroma, -(shift // 2), 2)[:, :, : self.plan.width // 2]
        luma, chroma = 110 + (luma - 110) * keep, 128 + (chroma - 128) * keep
        for response in responses:
            span = response.span
            if response.seen and span is not None and span[0] <= time < span[1]:
                self._lay_disc(luma, chroma, response.step)
        return np.concatenate([luma.ravel(), chroma.ravel()]).astype(np.uint8)

    def sound(
        self, start: int, stop: int, responses: tuple[Response, ...] = ()
    ) -> NDArray[np.float64]:
        """Return the samples from ``start`` to ``stop`` (both counted from the beginning, at 48
        kHz), -1..1, mono.
        """
        time = np.arange(start, stop) / RATE
        noise = np.random.default_rng([self.plan.seed, 2]).standard_normal(RATE)
        wave = 0.05 * np.take(noise, np.arange(start, stop) % RATE) + 0.12 * np.sin(
            2 * np.pi * 110 * time
        )
        wave += 0.12 * np.sin(2 * np.pi * 220 * time) * np.exp(-6 * (time % 0.5))
        for response in responses:
            span = response.span
            if response.heard and span is not None:
                sounding = (time >= span[0]) & (time < span[1])
                wave += (
                    0.15
                    * sounding
                    * np.sin(2 * np.pi * TONES[(response.step - 1) % len(TONES)] * time)
                )
        for begin, end in self.plan.dropouts:
            wave[(time >= begin) & (time < end)] = 0
        return np.asarray(wave, np.float64)

    @cached_property
    def _sources(self) -> NDArray[np.int64]:
        """Which picture each place shows: its own, an earlier one, black or white."""
        plan, rate = self.plan, self._rate
        sources = np.arange(plan.frames)
        for defect in plan.defects:
            first = plan.boundaries[defect.boundary]
            places = np.arange(first, min(first + round(SECONDS[defect.kind] * rate), plan.frames))
            match defect.kind:
                case DefectKind.BLACK:
                    sources[places] = BLACK
                case DefectKind.FROZEN:
                    sources[places] = first
                case DefectKind.REPEATED:
                    sources[places] = first + (places - first) // (rate // 4) * (rate // 4)
                case DefectKind.FLASH:
                    sources[places[:: max(rate // 8, 1)][:2]] = WHITE
        return sources

    def _plain(self, luma: int) -> Bytes:
        size = self.plan.width * self.plan.height
        return np.concatenate([np.full(size, luma, np.uint8), np.full(size // 2, 128, np.uint8)])

    def _lay_disc(self, luma: NDArray[np.float32], chroma: NDArray[np.float32], step: int) -> None:
        height, width = luma.shape
        y, x = np.mgrid[:height, :width]
        inside = (y - height * 0.3) ** 2 + (x - width * (0.12 + 0.19 * (step - 1))) ** 2 < (
            height * 0.12
        ) ** 2
        colour = DISCS[(step - 1) % len(DISCS)]
        luma[inside] = colour[0]
        chroma[:, inside[::2, ::2]] = np.array(colour[1:], np.float32)[:, None]


def _landscape(
    random: np.random.Generator, height: int, width: int, cell: int, levels: tuple[int, int]
) -> NDArray[np.float64]:
    """Return a field of soft-edged cells with a seamless end, between two levels."""
    coarse = random.uniform(*levels, (height // cell + 2, width // cell))
    field = np.repeat(np.repeat(coarse, cell, 0), cell, 1)[:height]
    field = np.pad(field, ((0, 0), (0, max(0, width - field.shape[1]))), mode="wrap")[:, :width]
    return np.asarray((field + np.roll(field, 1, 1) + np.roll(field, 2, 1)) / 3, np.float64)
