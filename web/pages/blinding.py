"""What blinding did with the clips of a round, for staff. A line here is a cell; no stimulus is
named beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from blinding.models import BlindCopy
from fartbench.models import Round
from fartbench.numbers import number_text

_FACTS = {
    "audio_packets": "number of sound packets",
    "audio_set_up": "set-up record of the sound codec",
    "duration": "exact duration",
    "video_coding_order": "order in which pictures are coded",
    "video_colour": "colour description",
    "video_key_spacing": "distance of key pictures",
    "video_packet_length": "duration of a picture",
    "video_packets": "number of pictures",
    "video_set_up": "set-up record of the picture codec",
}


def fact_in_words(name: str) -> str:
    """Return a technical fact's name for people."""
    return _FACTS.get(name, name.removesuffix("_s").replace("_", " "))


@dataclass(frozen=True, slots=True)
class CopyLine:
    """The blind copy of one cell: what was proven, and what was left out. ``proof`` is None for a
    copy that was re-encoded before such copies were proven.
    """

    cell: str
    proof: Mapping[str, Any] | None
    removed: tuple[tuple[str, int], ...]
    size: int

    @property
    def words(self) -> str:
        """The proof in words."""
        proof = self.proof
        if proof is None:
            return (
                "Re-encoded to the common format, so it is not the same picture and sound bit by "
                "bit."
            )
        if not proof["holds"]:
            return f"Not proven: {'; '.join(proof['faults'])}."
        if self.is_normalised:
            return _normalised_in_words(proof)
        sound = f"{proof['samples']} sound samples" if proof["blind_sound_sha256"] else "no sound"
        return f"Decoded, raw clip and copy are identical: {proof['pictures']} pictures, {sound}."

    @property
    def is_normalised(self) -> bool:
        """Whether the copy was re-encoded, so that its proof compares what is shown and heard and
        no hashes.
        """
        return self.proof is not None and self.proof.get("kind") == "normalised"

    @property
    def timing(self) -> str:
        """How far a picture or sound is off its time, in milliseconds."""
        if self.proof is None:
            return "–"
        if self.is_normalised:
            errors = [abs(self.proof["picture_offset"]), abs(self.proof["sound_offset"] or 0.0)]
        else:
            errors = [self.proof["picture_time_error"], self.proof["sound_time_error"] or 0.0]
        return f"{max(errors) * 1000:.3f} ms"


def _normalised_in_words(proof: Mapping[str, Any]) -> str:
    difference = (
        f"the largest difference of one is {proof['largest_difference'] ** 0.5:.1f} of 255 levels"
    )
    sound = "no sound"
    if proof["sound_likeness"] is not None:
        sound = f"sound alike to {proof['sound_likeness']:.0%}, {proof['sound_level_db']:+.1f} dB"
    return (
        "Re-encoded to the common format, and compared with the raw clip: "
        f"{proof['frames']} frames in order and in shape ({difference}), {sound}."
    )


def copies_of(round_: Round) -> QuerySet[BlindCopy]:
    """Return the blind copies of a round by cell, without what is large."""
    found = BlindCopy.objects.filter(sample__cell__round=round_).select_related(
        "sample__cell__configuration"
    )
    cells = ("sample__cell__configuration__name", "sample__cell__scene", "sample__cell__replicate")
    return found.defer("facts", "technical", "sample__truth").order_by(*cells)


def copy_line(copy: BlindCopy) -> CopyLine:
    """Return a copy for reading."""
    removed = tuple(sorted((words, int(times)) for words, times in copy.removed.items()))
    return CopyLine(str(copy.sample.cell), copy.proof, removed, copy.size)


@dataclass(frozen=True, slots=True)
class Tell:
    """What gives one configuration away."""

    configuration: str
    files: int
    shared_with: int
    by: tuple[str, ...]


@dataclass(frozen=True)
class Fingerprint:
    """The fingerprint report in words.

    ``why_not`` is set, and the rest empty, where it cannot be measured.
    """

    files: int
    words: str
    tells: Sequence[Tell] = ()
    varying: Sequence[str] = ()
    why_not: str = ""


def fingerprint_in_words(report: Mapping[str, Any]) -> Fingerprint:
    """Return a report of `blinding.reports.fingerprint_of` for reading."""
    if why_not := report.get("not_estimable"):
        return Fingerprint(report["files"], "", why_not=why_not)
    low, high = report["interval"]
    verdict = (
        "The technical facts alone tell configurations apart better than chance."
        if report["told_apart"]
        else "The technical facts alone do not tell configurations apart better than chance."
    )
    words = (
        f"{verdict} A guesser who sees nothing else names the right configuration for "
        f"{report['accuracy']:.0%} of the "
        f"files (95% interval {number_text(low, '.0%')} to {number_text(high, '.0%')}, n = "
        f"{report['files']} files); "
        "chance reaches "
        f"{report['chance']:.0%} (p = {report['p_value']:.3f})."
    )
    tells = [
        Tell(
            one["configuration"],
            one["files"],
            one["shared_with"],
            tuple(map(fact_in_words, one["given_away_by"])),
        )
        for one in report["configurations"]
    ]
    return Fingerprint(
        report["files"], words, tells, [fact_in_words(name) for name in report["facts_that_vary"]]
    )
