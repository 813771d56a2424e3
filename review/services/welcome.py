"""What a reviewer does once per round before the first clip: sound check and training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from fartbench import audit
from fartbench.models import ProtocolVersion
from fartbench.protocol import Response
from review.errors import TrainingRefused
from review.models import CohortMember, TrainingClip
from review.practice import Solution


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A blind file that lies in the store; ``size`` in bytes."""

    sha256: str
    size: int


def note_sound_check(member: CohortMember, *, tries: int, volume: float | None) -> None:
    """Note a passed sound check: how often the tones had to be counted, and the player's volume (0
    to 1).
    """
    member.sound_checked_at = timezone.now()
    member.sound_check = {"tries": tries, "volume": volume}
    member.save(update_fields=["sound_checked_at", "sound_check"])


@transaction.atomic
def note_practice(member: CohortMember, clip: TrainingClip) -> None:
    """Note that a training clip was done.

    What was answered is not kept, so that it can never count.
    """
    locked = CohortMember.objects.select_for_update(no_key=True).get(pk=member.pk)
    if clip.pk not in locked.practised:
        locked.practised = [*locked.practised, clip.pk]
        locked.save(update_fields=["practised"])


@transaction.atomic
def keep_training(
    *,
    protocol: ProtocolVersion,
    clips: Sequence[tuple[str, StoredFile, Mapping[str, Solution]]],
    actor: str,
) -> list[TrainingClip]:
    """Store training clips (scene, file, explained answers) of a protocol in their order; return
    them.

    A protocol that has some keeps those. Raises TrainingRefused for answers that its own form does
    not allow.
    """
    locked = ProtocolVersion.objects.select_for_update(no_key=True).get(pk=protocol.pk)
    if there := list(locked.training_clips.all()):
        return there
    for scene, _, solutions in clips:
        _check_solutions(locked, scene, solutions)
    made = TrainingClip.objects.bulk_create(
        TrainingClip(
            protocol=locked,
            place=place,
            scene=scene,
            sha256=file.sha256,
            size=file.size,
            solution={question: solution.as_json() for question, solution in solutions.items()},
        )
        for place, (scene, file, solutions) in enumerate(clips, start=1)
    )
    audit.record("training clips made", actor=actor, protocol=str(locked), clips=len(made))
    return made


def _check_solutions(
    protocol: ProtocolVersion, scene: str, solutions: Mapping[str, Solution]
) -> None:
    form = protocol.form(scene)
    right = {question: Response.parse(solution.answer) for question, solution in solutions.items()}
    variants = [
        right | {key: Response.parse(fair)}
        for key, solution in solutions.items()
        for fair in solution.fair
    ]
    if faults := [fault for given in (right, *variants) for fault in form.violations(given)]:
        raise TrainingRefused(
            f"The answers to a training clip of {scene} break a rule: {faults[0]}"
        )
