"""Steps about who reviews a round."""

from __future__ import annotations

from django.db import transaction

from fartbench import audit
from fartbench.models import AuditEntry, Round, RoundState
from review.errors import CohortRefused
from review.models import CohortMember, Role
from review.services import revoke_access, set_cohort
from review.services.cohort import invite
from review.training import request_training
from rounds.changes import change_reviewer, invite_secondary
from rounds.step import BEFORE_OPENING, WHY, Done, Field, Step, Values

_UNTIL_CLOSED = (*BEFORE_OPENING, RoundState.REVIEWING)


def _make_training(round_: Round, _actor: str, _values: Values) -> Done:
    request_training(protocol=round_.protocol, round_name=round_.name)
    return Done(
        "Workers make the training clips. Reviewers who begin after that practise on them first."
    )


def _has_training(round_: Round, _values: Values) -> Done | None:
    if not round_.protocol.training_clips.exists():
        return None
    return Done(f"Rounds on {round_.protocol} have their training clips already.")


MAKE_TRAINING = Step(
    "make_training",
    "Draw training clips",
    "The built-in renderer draws three clips of known truth. Every reviewer who begins a round on "
    "this protocol practises on them first, with explained answers. They are not part of any round "
    "and do not count.",
    BEFORE_OPENING,
    _make_training,
    done=_has_training,
    offered=lambda round_: (
        round_.protocol.rules.rollouts is None and _has_training(round_, {}) is None
    ),
)


def _set_cohort(round_: Round, actor: str, values: Values) -> Done:
    links = set_cohort(round=round_, emails=values["emails"], actor=actor)
    return Done(f"The cohort of round {round_.name} is set.", tuple(links))


def _addresses(round_: Round) -> list[str]:
    members = round_.members.filter(role=Role.PRIMARY).order_by("place")
    return list(members.values_list("reviewer__email", flat=True))


SET_COHORT = Step(
    "set_cohort",
    "Name the reviewers",
    "They become the whole primary cohort of the round, and each gets a new invite link. Links "
    "made before and not yet used stop working.",
    _UNTIL_CLOSED,
    _set_cohort,
    (
        Field(
            "emails",
            "Addresses of the reviewers, one on each line",
            "emails",
            is_positional=True,
            choices=_addresses,
        ),
    ),
    offered=lambda round_: round_.opened_at is None,
)


def _codes(round_: Round) -> list[str]:
    members = round_.members.filter(role=Role.PRIMARY).order_by("place")
    return list(members.values_list("reviewer__code", flat=True))


def _member(round_: Round, code: str) -> CohortMember | None:
    members = round_.members.filter(reviewer__code=code).select_related("reviewer")
    return members.first()


def _stranger(round_: Round, code: str) -> CohortRefused:
    return CohortRefused(f"Round {round_.name} has no reviewer {code!r}.")


@transaction.atomic
def _invite_again(round_: Round, actor: str, values: Values) -> Done:
    member = _member(round_, values["reviewer"])
    if member is None or member.left_at is not None:
        raise _stranger(round_, values["reviewer"])
    link = invite(member)
    audit.record("invite renewed", actor=actor, round_name=round_.name, reviewer=link.code)
    return Done(f"{link.code} has a new link; earlier unused ones stopped working.", (link,))


INVITE_AGAIN = Step(
    "invite_again",
    "Make a new invite link",
    "The reviewer gets a new link. Links made before and not yet used stop working.",
    _UNTIL_CLOSED,
    _invite_again,
    (Field("reviewer", "Reviewer", "reviewer", is_positional=True, choices=_codes),),
    place="row",
)


def _revoke_access(round_: Round, actor: str, values: Values) -> Done:
    code = values["person"]
    if _member(round_, code) is None:
        raise _stranger(round_, code)
    revoke_access(person=code, reason=values["reason"], actor=actor)
    return Done(f"{code} is logged out everywhere; only a new link lets {code} in again.")


REVOKE_ACCESS = Step(
    "revoke_access",
    "Shut a reviewer out",
    "Every session ends, and password, return code and open links stop working. Answers stay. A "
    "new link lets the reviewer in again.",
    _UNTIL_CLOSED,
    _revoke_access,
    (Field("person", "Reviewer", "reviewer", is_positional=True, choices=_codes), WHY),
    place="reviewers",
)


def _replace_reviewer(round_: Round, actor: str, values: Values) -> Done:
    old, new = values["old"], values["new"]
    link = change_reviewer(round_=round_, old=old, new=new, reason=values["reason"], actor=actor)
    return Done(f"{link.code} takes the place of {old}.", (link,))


def _named(round_: Round, name: str) -> CohortMember | None:
    """Return the member, perhaps one who left, whose code or address this is."""
    wanted = name.strip().lower()
    for member in round_.members.select_related("reviewer"):
        if wanted in {member.reviewer.email, member.reviewer.code.lower()}:
            return member
    return None


def _is_exchanged(round_: Round, values: Values) -> Done | None:
    old, new = _named(round_, values["old"]), _named(round_, values["new"])
    if old is None or new is None:
        return None
    entries = AuditEntry.objects.filter(action="reviewer replaced", round_name=round_.name)
    pair = {"details__old": old.reviewer.code, "details__new": new.reviewer.code}
    if not entries.filter(**pair).exists():
        return None
    return Done(f"{new.reviewer.code} takes the place of {old.reviewer.code} already. {_LINK}")


_LINK = "A link was shown then; “invite_again” makes another."

REPLACE_REVIEWER = Step(
    "replace_reviewer",
    "Replace a reviewer",
    "The new one gets a whole order of their own and an invite link. The sheets of the old one "
    "stay, and no longer count.",
    (RoundState.REVIEWING,),
    _replace_reviewer,
    (
        Field("old", "Who leaves", "reviewer", is_positional=True, choices=_codes),
        Field("new", "Address of the new reviewer", "email", is_positional=True),
        WHY,
    ),
    done=_is_exchanged,
    place="reviewers",
)


def _add_secondary(round_: Round, actor: str, values: Values) -> Done:
    link = invite_secondary(round_=round_, email=values["email"], actor=actor)
    return Done(f"{link.code} reviews beside the cohort.", (link,))


def _is_secondary(round_: Round, values: Values) -> Done | None:
    member = _named(round_, values["email"])
    if member is None or member.role != Role.SECONDARY:
        return None
    return Done(f"{member.reviewer.code} reviews beside the cohort already. {_LINK}")


ADD_SECONDARY = Step(
    "add_secondary",
    "Add a secondary reviewer",
    "One more person reviews every {stimulus} beside the cohort. These answers are kept apart and "
    "enter no score.",
    (RoundState.REVIEWING,),
    _add_secondary,
    (Field("email", "Address", "email", is_positional=True),),
    done=_is_secondary,
    place="reviewers",
)
