"""What was heard in the clips of a closed round, kept as rows, and what people say of each candidate."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from blinding.models import Stimulus
from fartbench import audit
from fartbench.errors import Refusal
from fartbench.models import Round, RoundState
from scoring.models import CandidateVerdict, SoundCheck
from scoring.sound.listening import VERSION, listen_to
from scoring.steps import refuse_unless


class UnknownCandidate(Refusal):
    """There is no such candidate in this clip."""


def unheard(round_: Round) -> list[Stimulus]:
    """Return the clips of a round that were not listened to with this version, in the order of their random ids."""
    heard = SoundCheck.objects.filter(version=VERSION).values("stimulus")
    return list(Stimulus.objects.filter(round=round_, retirement=None).exclude(pk__in=heard))


def listen_to_round(*, round_: Round, actor: str, on_clip: Callable[[], None] = lambda: None) -> int:
    """Listen to every clip of a closed round that was not listened to yet, and return how many; each is kept at once.

    Raises StepOutOfOrder while the round is open: nobody is to see candidates before the answers are locked.
    """
    refuse_unless(round_, "listen", RoundState.LOCKED, RoundState.PUBLISHED)
    waiting = unheard(round_)
    for stimulus in waiting:
        found = listen_to(stimulus.path)
        SoundCheck.objects.update_or_create(stimulus=stimulus, defaults={"version": VERSION, "found": found})
        on_clip()
    if waiting:
        with transaction.atomic():
            audit.record("clips listened to", actor=actor, round_name=round_.name, clips=len(waiting))
    return len(waiting)


def judge_candidate(*, check: SoundCheck, place: int, is_event: bool, by: str) -> CandidateVerdict:
    """Keep what a person (by code or account) says of a candidate; saying it again replaces it. UnknownCandidate."""
    if not 0 <= place < len(check.found["candidates"]):
        raise UnknownCandidate(f"Clip {check.stimulus_id} has no candidate {place + 1}.")
    verdict, _ = CandidateVerdict.objects.update_or_create(
        sound=check, place=place, by=by, defaults={"is_event": is_event}
    )
    return verdict
