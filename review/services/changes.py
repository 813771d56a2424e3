"""What may change in an open round: who reviews it, and which blind copies are asked about.

All with a reason.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from blinding.models import Stimulus
from fartbench import audit
from fartbench.models import Round, RoundState
from fartbench.round_secret import secret_of
from review.errors import CohortRefused, OrdersRefused, RoundNotOpen
from review.links import InviteLink
from review.models import Assignment, CohortMember, Retirement, Role
from review.order import ClipFactors, extra_order
from review.services.cohort import invite, reviewer_with


@transaction.atomic
def replace_reviewer(
    *,
    round: Round,
    old: str,
    new: str,
    reason: str,
    factors: Mapping[str, str],
    actor: str,
) -> InviteLink:
    """Put the person with the address ``new`` in the place of ``old`` (a code or an address);
    return their link.

    The new one gets a whole order of their own. The sheets of the old one stay, and count for
    nothing. ``factors`` are those of `plan_orders`. Raises RoundNotOpen, CohortRefused or
    OrdersRefused.
    """
    round = _held_open(round)
    leaving = _member(round, old)
    if leaving.role != Role.PRIMARY:
        raise CohortRefused(
            f"{leaving.reviewer.code} is not in the primary cohort, so there is no place to take "
            "over."
        )
    reason = _needed(reason)
    joining, link = _join(round, new, Role.PRIMARY, factors, instead_of=leaving)
    leaving.role, leaving.left_at, leaving.left_reason = Role.REPLACED, timezone.now(), reason
    leaving.save(update_fields=["role", "left_at", "left_reason"])
    leaving.invites.filter(revoked_at=None).update(revoked_at=leaving.left_at)
    audit.record(
        "reviewer replaced",
        actor=actor,
        round_name=round.name,
        old=leaving.reviewer.code,
        new=joining.reviewer.code,
        reason=reason,
    )
    return link


@transaction.atomic
def add_secondary(
    *,
    round: Round,
    email: str,
    factors: Mapping[str, str],
    actor: str,
) -> InviteLink:
    """Let one more person review beside the cohort; their sheets are kept apart.

    Raises as `replace_reviewer` does.
    """
    round = _held_open(round)
    joining, link = _join(round, email, Role.SECONDARY, factors)
    audit.record(
        "secondary reviewer added",
        actor=actor,
        round_name=round.name,
        reviewer=joining.reviewer.code,
    )
    return link


@transaction.atomic
def retire_stimulus(
    *, stimulus: Stimulus, reason: str, actor: str, replacement: Stimulus | None = None
) -> Retirement:
    """Ask nobody about a stimulus any more; a ``replacement`` comes at the end of everybody's list
    instead.

    Without one the clip is declared not reviewable. Sheets about it stay, and count for nothing.
    Raises RoundNotOpen, or OrdersRefused when it is retired already or the replacement is not of
    the same round and scene.
    """
    round_ = _held_open(stimulus.round)
    reason = _needed(reason)
    if Retirement.objects.filter(stimulus=stimulus).exists():
        raise OrdersRefused(f"Stimulus {stimulus.pk} is retired already.")
    if replacement is not None:
        _append(round_, stimulus, replacement)
    outcome = (
        Retirement.Outcome.NOT_REVIEWABLE if replacement is None else Retirement.Outcome.REPLACED
    )
    retirement = Retirement.objects.create(stimulus=stimulus, outcome=outcome, reason=reason)
    new = replacement.pk if replacement else ""
    audit.record(
        "stimulus retired",
        actor=actor,
        round_name=round_.name,
        stimulus=stimulus.pk,
        outcome=outcome.value,
        replacement=new,
        reason=reason,
    )
    return retirement


def _held_open(round: Round) -> Round:
    locked = (
        Round.objects.select_for_update(no_key=True).select_related("protocol").get(pk=round.pk)
    )
    if locked.state != RoundState.REVIEWING:
        raise RoundNotOpen(locked.name)
    return locked


def _needed(reason: str) -> str:
    reason = " ".join(reason.split())
    if not reason:
        raise CohortRefused("This needs a reason, which is kept in the audit trail.")
    return reason[:200]


def _member(round: Round, name: str) -> CohortMember:
    members = round.members.filter(left_at=None).select_related("reviewer")
    for member in members:
        if name.strip().lower() in {member.reviewer.email, member.reviewer.code.lower()}:
            return member
    raise CohortRefused(
        f"“{name}” is not a reviewer of round {round}; name one by code or address."
    )


def _join(
    round: Round,
    email: str,
    role: Role,
    factors: Mapping[str, str],
    instead_of: CohortMember | None = None,
) -> tuple[CohortMember, InviteLink]:
    """Add a member with an order of all stimuli; where members have shares, of those that another
    one leaves.
    """
    reviewer = reviewer_with(email)
    if round.members.filter(reviewer=reviewer).exists():
        raise CohortRefused(f"{reviewer.code} is or was a reviewer of round {round} already.")
    place = round.members.aggregate(last=Max("place"))["last"] + 1
    member = CohortMember.objects.create(round=round, reviewer=reviewer, role=role, place=place)
    stimuli = round.stimuli.filter(retirement=None)
    if instead_of is not None:
        stimuli = stimuli.filter(assignments__member=instead_of)
    scenes = dict(stimuli.values_list("id", "scene"))
    if missing := set(scenes) - set(factors):
        raise OrdersRefused(
            f"{len(missing)} stimuli of round {round} have no factor, so no order can be drawn."
        )
    clips = [
        ClipFactors(id=name, configuration=factors[name], scene=scene)
        for name, scene in scenes.items()
    ]
    order = extra_order(clips, _orders(round), secret_of(round), reviewer.code)
    Assignment.objects.bulk_create(
        Assignment(member=member, stimulus_id=name, position=position)
        for position, name in enumerate(order, start=1)
    )
    return member, invite(member)


def _orders(round: Round) -> list[list[str]]:
    orders: dict[int, list[str]] = {}
    stored = Assignment.objects.filter(member__round=round, member__left_at=None).order_by(
        "member", "position"
    )
    for member, stimulus in stored.values_list("member", "stimulus"):
        orders.setdefault(member, []).append(stimulus)
    return list(orders.values())


def _append(round: Round, old: Stimulus, new: Stimulus) -> None:
    if new.round_id != round.pk or new.scene != old.scene or new.assignments.exists():
        raise OrdersRefused(
            f"Stimulus {new.pk} cannot take the place of {old.pk}: it must be a new copy of the "
            "same round and scene."
        )
    asked = old.assignments.values("member")
    lasts = Assignment.objects.filter(member__in=asked, member__left_at=None).values_list("member")
    Assignment.objects.bulk_create(
        Assignment(member_id=member, stimulus=new, position=last + 1)
        for member, last in lasts.annotate(last=Max("position")).order_by("member")
    )
