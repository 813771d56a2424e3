"""What may change in an open round and needs to know whose clip is whose: reviewers and blind copies."""

from __future__ import annotations

from django.db import transaction

from blinding.models import BlindingKey, Stimulus, opaque_id
from fartbench.models import Round
from review.models import Retirement
from review.services import InviteLink, add_secondary, replace_reviewer, retire_stimulus
from scoring.errors import UnknownStimulus


def configuration_labels(round_: Round) -> dict[str, str]:
    """Return a label per stimulus that says which belong to one configuration, and not to which.

    An order must keep the clips of one configuration apart, and nobody below this layer may know whose they are.
    """
    keys = BlindingKey.objects.filter(stimulus__round=round_)
    return {
        stimulus: f"c{configuration}"
        for stimulus, configuration in keys.values_list("stimulus_id", "sample__cell__configuration_id")
    }


def change_reviewer(*, round_: Round, old: str, new: str, reason: str, actor: str) -> InviteLink:
    """Put ``new`` (an address) in the place of ``old`` (a code or address), with an order of their own.

    Raises RoundNotOpen, CohortRefused or OrdersRefused.
    """
    labels = configuration_labels(round_)
    return replace_reviewer(round=round_, old=old, new=new, reason=reason, factors=labels, actor=actor)


def invite_secondary(*, round_: Round, email: str, actor: str) -> InviteLink:
    """Let one more person review beside the cohort. Raises as change_reviewer does."""
    return add_secondary(round=round_, email=email, factors=configuration_labels(round_), actor=actor)


@transaction.atomic
def replace_copy(*, round_: Round, stimulus_id: str, reason: str, actor: str) -> Stimulus:
    """Give a blind copy a new id and ask everybody about it again; return the new stimulus.

    The bytes stay: what failed was their way to a player, or the player. Raises UnknownStimulus, RoundNotOpen, or
    OrdersRefused when it is retired already.
    """
    old = _stimulus(round_, stimulus_id)
    new = Stimulus.objects.get(pk=old.pk)
    new.pk = opaque_id()
    new.save(force_insert=True)
    BlindingKey.objects.create(stimulus=new, sample=BlindingKey.objects.get(stimulus=old).sample)
    retire_stimulus(stimulus=old, reason=reason, actor=actor, replacement=new)
    return new


def declare_not_reviewable(*, round_: Round, stimulus_id: str, reason: str, actor: str) -> Retirement:
    """Ask nobody about a stimulus any more; its configuration is then listed unranked. Raises as replace_copy does."""
    return retire_stimulus(stimulus=_stimulus(round_, stimulus_id), reason=reason, actor=actor)


def _stimulus(round_: Round, stimulus_id: str) -> Stimulus:
    found = Stimulus.objects.select_related("round").filter(round=round_, pk=stimulus_id).first()
    if found is None:
        raise UnknownStimulus(f"Round {round_.name!r} has no stimulus {stimulus_id!r}.")
    return found
