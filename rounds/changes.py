"""What may change in an open round and needs to know whose clip is whose: reviewers and blind
copies.
"""

from __future__ import annotations

from django.db import transaction

from blinding.models import BlindingKey, Stimulus, opaque_id
from fartbench.models import Round
from review.models import Retirement
from review.services import InviteLink, add_secondary, replace_reviewer, retire_stimulus
from rounds.errors import UnknownStimulus
from scoring.assigning import record_assignment


def configuration_labels(round_: Round) -> dict[str, str]:
    """Return a label per stimulus that says which belong to one configuration, and not to which.

    An order must keep the clips of one configuration apart, and nobody below this layer may know
    whose they are. Labels count the names in their order, so that a release alone says what orders
    were drawn with.
    """
    names = sorted(set(round_.cells.values_list("configuration__name", flat=True)))
    label = {name: f"c{place}" for place, name in enumerate(names, start=1)}
    keys = BlindingKey.objects.filter(stimulus__round=round_)
    made_by = keys.values_list("stimulus_id", "sample__cell__configuration__name")
    return {stimulus: label[configuration] for stimulus, configuration in made_by}


def change_reviewer(*, round_: Round, old: str, new: str, reason: str, actor: str) -> InviteLink:
    """Put ``new`` (an address) in the place of ``old`` (a code or address), with an order of their
    own.

    Raises RoundNotOpen, CohortRefused or OrdersRefused.
    """
    labels = configuration_labels(round_)
    with transaction.atomic():
        link = replace_reviewer(
            round=round_, old=old, new=new, reason=reason, factors=labels, actor=actor
        )
        record_assignment(round_, because="reviewer replaced")
    return link


def invite_secondary(*, round_: Round, email: str, actor: str) -> InviteLink:
    """Let one more person review beside the cohort. Raises as change_reviewer does."""
    with transaction.atomic():
        link = add_secondary(
            round=round_, email=email, factors=configuration_labels(round_), actor=actor
        )
        record_assignment(round_, because="secondary reviewer added")
    return link


@transaction.atomic
def replace_copy(*, round_: Round, stimulus_id: str, reason: str, actor: str) -> Stimulus:
    """Give a blind copy a new id and ask everybody about it again; return the new stimulus.

    The bytes stay: what failed was their way to a player, or the player. Raises UnknownStimulus,
    RoundNotOpen, or OrdersRefused when it is retired already.
    """
    old = _stimulus(round_, stimulus_id)
    new = Stimulus.objects.get(pk=old.pk)
    new.pk = opaque_id()
    new.save(force_insert=True)
    BlindingKey.objects.create(stimulus=new, sample=BlindingKey.objects.get(stimulus=old).sample)
    retire_stimulus(stimulus=old, reason=reason, actor=actor, replacement=new)
    record_assignment(round_, because="stimulus retired")
    return new


def declare_not_reviewable(
    *, round_: Round, stimulus_id: str, reason: str, actor: str
) -> Retirement:
    """Ask nobody about a stimulus any more; its configuration is then listed unranked.

    Raises as replace_copy does.
    """
    with transaction.atomic():
        retirement = retire_stimulus(
            stimulus=_stimulus(round_, stimulus_id), reason=reason, actor=actor
        )
        record_assignment(round_, because="stimulus retired")
    return retirement


def _stimulus(round_: Round, stimulus_id: str) -> Stimulus:
    stimulus = Stimulus.objects.select_related("round").filter(round=round_, pk=stimulus_id).first()
    if stimulus is None:
        raise UnknownStimulus(f"Round {round_.name!r} has no stimulus {stimulus_id!r}.")
    return stimulus
