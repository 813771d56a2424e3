"""How much one clip may ask of the machine. No Django here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """Upper limits for one clip; every loop over a file's contents is held to one of them."""

    file_bytes: int = 512 * 1024 * 1024
    pixels: int = 4096 * 2304
    side: int = 8192
    shown_side: int = 16_384
    seconds: float = 900.0
    tracks: int = 32
    samples: int = 200_000
    sample_bytes: int = 64 * 1024 * 1024
    boxes: int = 200_000
    sample_rate: int = 192_000
    channels: int = 8


BOUNDS = Bounds()
