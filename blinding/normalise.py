"""Re-encoding every clip of a round to one common format, so that not even technical facts tell
them apart. No Django here.

Coding is at a constant rate with a fixed pattern of frames; what is left to differ is the picture
and the sound themselves. Each copy is proven: it shows the clip's frames, each at its time and in
its shape, and plays its sound.
"""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from blinding.common_format import CommonFormat, Cut
from blinding.copying import CopyResult, finish
from blinding.normalised_proof import NormalisedProof
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.media.sandbox import call_apart

SECONDS, SECONDS_EACH = 120.0, 10.0
"""How long encoding may take at most (s): at all, and more for each second of the copy."""
REST_S = 60.0
"""How much longer reading, writing and the proof may take."""


@dataclass(frozen=True, slots=True)
class Normalised:
    """A normalised copy: what it came from and is, and what was proven of it."""

    copy: CopyResult
    proof: NormalisedProof


def normalise(
    src: Path,
    dst: Path,
    *,
    format: CommonFormat,  # noqa: A002 - the word of the protocol file
    taken: Cut | None = None,
) -> Normalised:
    """Re-encode ``src``, or what is ``taken`` of it, to the common format and write the blind MP4
    copy to ``dst``.

    Frames are fitted into the common frame in square pixels with black bars, time is resampled to
    the frame rate, and a clip that is too short holds its last frame; sound becomes 48 kHz stereo,
    silent where there is none. Sound is Opus and frames are H.264, both at a constant rate. Raises
    NotCopyable when the copy is not proven to be the same clip, WindowMissing when it ends before
    what is taken of it, what blind_copy() raises, and MediaTimeout when encoding takes too long.
    """
    program, order = str(ffmpeg_binary()), encoding_order(format, taken)
    proofs: list[NormalisedProof] = []

    def write(partial: str) -> dict[str, Any]:
        made = call_apart(
            normalise_here, src, partial, program, order, seconds=order["seconds"] + REST_S
        )
        proofs.append(NormalisedProof(**made["proof"]))
        copy: dict[str, Any] = made["copy"]
        return copy

    copy = finish(src, dst, write)
    return Normalised(copy, proofs[0])


def encoding_order(common: CommonFormat, taken: Cut | None) -> dict[str, Any]:
    """Return what normalise_here() is given, as a JSON object; ``seconds`` is how long encoding may
    take.

    Without ``taken`` it is the whole clip, which may be shorter than the common format; a window
    may not.
    """
    whole = Cut(((0.0, common.seconds),))
    length = (taken or whole).seconds
    return {
        "common": asdict(replace(common, seconds=length)),
        "taken": asdict(taken or whole),
        "may_be_short": taken is None,
        "seconds": SECONDS + SECONDS_EACH * length,
    }


def normalise_here(path: Path, target: str, program: str, order: dict[str, Any]) -> dict[str, Any]:
    """Write a proven normalised copy with ffmpeg, in the sandbox; return it (``copy``) and its
    proof as JSON objects.

    The sandbox lets a child start ``program`` because it is an argument by itself.
    """
    from blinding.reencoding import reencode  # noqa: PLC0415 - only the sandbox's child decodes

    pieces = tuple((begin, end) for begin, end in order["taken"]["pieces"])
    return reencode(
        path,
        Path(target),
        program,
        CommonFormat(**order["common"]),
        Cut(pieces, order["taken"]["shown"]),
        seconds=order["seconds"],
        may_be_short=order["may_be_short"],
    )
