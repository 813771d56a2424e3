"""Making a blind copy and finding out all that is stored about it, in one trip to the sandbox. No
Django here.

The clip and its copy are each read and probed once; the proof decodes both with a reader of its
own.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from blinding.common_format import CommonFormat, Cut
from blinding.copying import SECONDS as COPY_SECONDS
from blinding.copying import CopyResult, read_result, write_copy
from blinding.fingerprint import Value, facts_by_name
from blinding.leaks.finding import Finding
from blinding.leakscan import scan_movie
from blinding.normalise import REST_S, encoding_order, normalise_here
from blinding.normalised_proof import NormalisedProof
from fartbench.media.bounds import BOUNDS
from fartbench.media.coded_facts import Looking
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.media.presentation import presented_times
from fartbench.media.probe import MediaFacts, facts
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sandbox import call_apart

PROOF_SECONDS = 300.0
INSPECTION_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Made:
    """A blind copy, and what was found out about it.

    ``proof`` is the JSON object of a proof that holds. ``frame_times`` says when each frame is
    presented (s after the first presented moment), ``technical`` by which facts files could be
    distinguished, ``findings`` what the leak scan found.
    """

    copy: CopyResult
    proof: dict[str, Any]
    facts: MediaFacts
    frame_times: list[float]
    technical: dict[str, Value]
    findings: list[Finding]


def make_plain(clip: Path, scratch: Path) -> Made:
    """Write the blind copy of a clip to ``scratch``, prove it and inspect it.

    What is left at ``scratch`` after a refusal is not to be used. Raises NotCopyable when the clip
    cannot be copied unchanged or the proof does not hold, what probe() raises for a file that is no
    video, and OSError for a full disk.
    """
    seconds = COPY_SECONDS + PROOF_SECONDS + INSPECTION_SECONDS
    return _made(call_apart(_make_plain_here, clip, str(scratch), seconds=seconds))


def make_normalised(clip: Path, scratch: Path, format: CommonFormat, taken: Cut | None) -> Made:  # noqa: A002
    """Do the same with a re-encoded copy of a clip, or of what is ``taken`` of it.

    Raises what normalise() raises.
    """
    order = encoding_order(format, taken)
    seconds = order["seconds"] + REST_S + INSPECTION_SECONDS
    program = str(ffmpeg_binary())
    return _made(
        call_apart(_make_normalised_here, clip, str(scratch), program, order, seconds=seconds)
    )


def _made(answer: dict[str, Any]) -> Made:
    return Made(
        copy=read_result(answer["copy"]),
        proof=answer["proof"],
        facts=MediaFacts(**answer["facts"]),
        frame_times=answer["frame_times"],
        technical=answer["technical"],
        findings=[Finding(**finding) for finding in answer["findings"]],
    )


def _make_plain_here(path: Path, scratch: str) -> dict[str, Any]:
    from blinding.proof import prove_files  # noqa: PLC0415 - only the sandbox's child decodes

    copy = write_copy(path, path, Path(scratch))
    proof = prove_files(path, Path(scratch))
    proof.insist(path)
    return {"copy": copy, "proof": proof.as_json()} | _inspect(Path(scratch))


def _make_normalised_here(
    path: Path, scratch: str, program: str, order: dict[str, Any]
) -> dict[str, Any]:
    made = normalise_here(path, scratch, program, order)
    return {"copy": made["copy"], "proof": NormalisedProof(**made["proof"]).as_json()} | _inspect(
        Path(scratch)
    )


def _inspect(copy: Path) -> dict[str, Any]:
    """Return what is stored about a copy besides its proof, from reading and probing it once."""
    with open_bytes(copy) as data:
        movie = read_movie(copy, data)
        found = facts(copy, data, movie, BOUNDS, Looking.READ_HEADERS)
        return {
            "facts": found.as_json(),
            "frame_times": presented_times(movie),
            "technical": facts_by_name(movie, found),
            "findings": [asdict(finding) for finding in scan_movie(copy, data, movie)],
        }
