"""A rollout of smooth noise that is never a file: pictures and sound for every time."""

from collections.abc import Sequence

import numpy as np

HEIGHT, WIDTH = 40, 64


class Scene:
    """Half a minute and more of colours that drift, with sound in two channels."""

    def __init__(self, seconds: float = 30.0) -> None:
        self.seconds = seconds

    def pictures(self, times_s: Sequence[float]) -> np.ndarray:
        rows, columns = np.mgrid[:HEIGHT, :WIDTH] / 9.0
        waves = [
            np.sin(rows * (1 + colour) + at / 7) * np.cos(columns - at / 3 + colour)
            + np.sin(at * rows / 40)
            for at in times_s
            for colour in range(3)
        ]
        levels = (
            np.stack(waves).reshape(len(times_s), 3, HEIGHT, WIDTH).transpose(0, 2, 3, 1) + 2
        ) * 60
        return levels.astype(np.uint8)

    def sound(self, begin_s: float, end_s: float, rate: int) -> np.ndarray:
        at = np.arange(round(begin_s * rate), round(end_s * rate)) / rate
        left = 0.3 * np.sin(2 * np.pi * 300 * at * (1 + 0.1 * np.sin(at)))
        return np.stack([left, 0.2 * np.sin(2 * np.pi * 1700 * at) * (np.sin(2 * at) > 0)]).astype(
            np.float32
        )
