"""What was heard in the clips of a closed round, kept as rows, and what people say of each
candidate.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.db.models import QuerySet

from blinding.models import Stimulus
from fartbench import audit, jobs
from fartbench.errors import Refusal
from fartbench.models import Job, JobState, Round, RoundState
from fartbench.rounds import refuse_unless
from measuring.models import CandidateVerdict, SoundCheck
from measuring.sound.listening import VERSION, listen_to

LISTEN = "listen"


class UnknownCandidate(Refusal):
    """There is no such candidate in this clip."""


def unheard(round_: Round) -> QuerySet[Stimulus]:
    """Return the clips of a round that were not listened to with this version, in the order of
    their random ids.
    """
    heard = SoundCheck.objects.filter(version=VERSION).values("stimulus")
    return Stimulus.objects.filter(round=round_, retirement=None).exclude(pk__in=heard)


def listen_to_round(
    *, round_: Round, actor: str, on_clip: Callable[[], None] = lambda: None
) -> int:
    """Listen to every clip of a closed round that was not listened to yet, and return how many;
    each is kept at once.

    Raises StepOutOfOrder while the round is open: nobody is to see candidates before the answers
    are locked.
    """
    refuse_unless(round_, "listen", RoundState.LOCKED, RoundState.PUBLISHED)
    waiting = list(unheard(round_))
    for stimulus in waiting:
        _listen_to_clip(stimulus)
        on_clip()
    if waiting:
        with transaction.atomic():
            audit.record(
                "clips listened to", actor=actor, round_name=round_.name, clips=len(waiting)
            )
    return len(waiting)


@transaction.atomic
def request_listening(*, round_: Round, actor: str) -> int:
    """Leave the clips of a closed round that were not listened to yet to the workers, and return
    how many.

    Raises StepOutOfOrder as `listen_to_round` does.
    """
    refuse_unless(round_, "listen", RoundState.LOCKED, RoundState.PUBLISHED)
    waiting = list(unheard(round_).values_list("pk", flat=True))
    if waiting:
        jobs.enqueue(
            LISTEN, [f"{VERSION}/{stimulus}" for stimulus in waiting], round_name=round_.name
        )
        audit.record(
            "clips left to be listened to", actor=actor, round_name=round_.name, clips=len(waiting)
        )
    return len(waiting)


def run_listening(subject: str, _report: jobs.Report) -> None:
    """Do a job that `request_listening` left: listen to one clip, unless the command did so
    in the meantime.
    """
    _, _, stimulus_id = subject.partition("/")
    stimulus = Stimulus.objects.get(pk=stimulus_id)
    if not SoundCheck.objects.filter(stimulus=stimulus, version=VERSION).exists():
        _listen_to_clip(stimulus)


def heard(round_: Round) -> tuple[int, int] | None:
    """Return how many clips were listened to, and of how many; None while nobody asked for it."""
    total, left = (
        Stimulus.objects.filter(round=round_, retirement=None).count(),
        unheard(round_).count(),
    )
    if left < total or is_under_way(round_):
        return (total - left, total)
    return None


def is_under_way(round_: Round) -> bool:
    """Say whether workers still have clips of the round to listen to."""
    waiting = (JobState.DUE, JobState.RUNNING)
    return Job.objects.filter(kind=LISTEN, round_name=round_.name, state__in=waiting).exists()


def _listen_to_clip(stimulus: Stimulus) -> None:
    heard = listen_to(stimulus.path)
    SoundCheck.objects.update_or_create(
        stimulus=stimulus, defaults={"version": VERSION, "found": heard}
    )


def judge_candidate(*, check: SoundCheck, place: int, is_event: bool, by: str) -> CandidateVerdict:
    """Keep what a person (by code or account) says of a candidate; saying it again replaces it.

    UnknownCandidate.
    """
    if not 0 <= place < len(check.found["candidates"]):
        raise UnknownCandidate(f"Clip {check.stimulus_id} has no candidate {place + 1}.")
    verdict, _ = CandidateVerdict.objects.update_or_create(
        sound=check, place=place, by=by, defaults={"is_event": is_event}
    )
    return verdict
