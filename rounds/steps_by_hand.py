"""The steps of the command line for the people who press a button: the same services, named by the
same words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.db import transaction

from blinding.services import exclude_clip, normalise_round, request_blinding
from fartbench import audit
from fartbench.errors import Refusal
from fartbench.models import Round, RoundState
from fartbench.storable import whole_number
from generation.cells import mark_cell, samples_of
from generation.errors import CellRefused
from generation.manifest import CellKey
from generation.models import SampleState
from measuring.rollouts import request_measuring
from review.errors import CohortRefused
from review.services import InviteLink, revoke_access, set_cohort
from review.services.cohort import invite
from review.training import request_training
from rounds.changes import change_reviewer, declare_not_reviewable, invite_secondary, replace_copy
from rounds.opening import close_round, open_round, publish
from rounds.pairs import plan_pairs

Fields = Mapping[str, str]


class UnknownStep(Refusal):
    """A step that has no button."""


class ReasonMissing(Refusal):
    """A step that needs a reason and got none."""


@dataclass(frozen=True)
class StepDone:
    """The message for the person who pressed the button. ``links`` are shown once and kept
    nowhere.
    """

    words: str
    links: tuple[InviteLink, ...] = ()


def run_step(round_: Round, step: str, actor: str, **fields: str) -> StepDone:
    """Do a step of the round and say what was done.

    Raises UnknownStep, and whatever Refusal the step itself has.
    """
    if step not in _STEPS:
        raise UnknownStep(f"There is no step {step!r} here. Steps: {', '.join(_STEPS)}.")
    return _STEPS[step](round_, actor, fields)


def _blind(round_: Round, actor: str, _fields: Fields) -> StepDone:
    waiting = request_blinding(round_=round_, actor=actor)
    return StepDone(
        f"{waiting} blind copies are left to the workers."
        if waiting
        else "Every clip has its blind copy."
    )


def _make_training(round_: Round, _actor: str, _fields: Fields) -> StepDone:
    request_training(protocol=round_.protocol, round_name=round_.name)
    return StepDone(
        "Workers make the training clips. Reviewers who begin after that practise on them first."
    )


def _mark_cell(round_: Round, actor: str, fields: Fields) -> StepDone:
    cell, state = _cell(fields), fields.get("state", "")
    if state not in SampleState.without_clip():
        raise CellRefused("Choose the outcome of the cell. Nothing was changed.")
    marked = mark_cell(
        round_=round_,
        cell=cell,
        state=SampleState(state),
        reason=fields.get("reason", ""),
        actor=actor,
    )
    return StepDone(f"{cell} is “{marked.get_state_display()}”.")


def _set_cohort(round_: Round, actor: str, fields: Fields) -> StepDone:
    emails = re.split(r"[\s,;]+", fields.get("emails", "").strip())
    links = set_cohort(round=round_, emails=[email for email in emails if email], actor=actor)
    return StepDone(f"The cohort of round {round_.name} is set.", tuple(links))


@transaction.atomic
def _invite_again(round_: Round, actor: str, fields: Fields) -> StepDone:
    code = fields.get("code", "")
    member = (
        round_.members.filter(reviewer__code=code, left_at=None).select_related("reviewer").first()
    )
    if member is None:
        raise CohortRefused(f"Round {round_.name} has no reviewer {code!r}.")
    if round_.state in {RoundState.LOCKED, RoundState.PUBLISHED}:
        raise CohortRefused(f"Round {round_.name} is closed; no one can join it any more.")
    link = invite(member)
    audit.record("invite renewed", actor=actor, round_name=round_.name, reviewer=link.code)
    return StepDone(f"{link.code} has a new link; earlier unused ones stopped working.", (link,))


def _revoke_access(round_: Round, actor: str, fields: Fields) -> StepDone:
    code = fields.get("code", "")
    if not round_.members.filter(reviewer__code=code).exists():
        raise CohortRefused(f"Round {round_.name} has no reviewer {code!r}.")
    revoke_access(person=code, reason=_reason(fields), actor=actor)
    return StepDone(f"{code} is logged out everywhere; only a new link lets {code} in again.")


def _open_round(round_: Round, actor: str, _fields: Fields) -> StepDone:
    open_round(round_=round_, actor=actor)
    return StepDone(f"Round {round_.name} is open: its reviewers can begin.")


def _close_round(round_: Round, actor: str, fields: Fields) -> StepDone:
    reason = fields.get("reason", "").strip()
    if "incomplete" in fields and not reason:
        raise ReasonMissing(
            "Say why the round is closed while sheets are missing. Nothing was changed."
        )
    close_round(
        round_=round_, actor=actor, incomplete_reason=reason if "incomplete" in fields else ""
    )
    return StepDone(f"Round {round_.name} is closed. Its scores can be previewed and published.")


def _normalise(round_: Round, actor: str, fields: Fields) -> StepDone:
    normalise_round(round_=round_, reason=_reason(fields), actor=actor)
    return StepDone(f"Round {round_.name} is normalised as a whole. Make its blind copies again.")


def _exclude_clip(round_: Round, actor: str, fields: Fields) -> StepDone:
    cell = _cell(fields)
    sample = samples_of(round_).get(cell)
    if sample is None:
        raise CellRefused(f"Round {round_.name!r} has no cell {cell}.")
    exclude_clip(round_=round_, sample=sample, reason=_reason(fields), actor=actor)
    return StepDone(f"{cell} is not reviewable.")


def _replace_copy(round_: Round, actor: str, fields: Fields) -> StepDone:
    old = fields.get("stimulus", "").strip()
    new = replace_copy(round_=round_, stimulus_id=old, reason=_reason(fields), actor=actor)
    return StepDone(f"{old} is replaced by {new.pk}; every reviewer is asked about it again.")


def _not_reviewable(round_: Round, actor: str, fields: Fields) -> StepDone:
    stimulus = fields.get("stimulus", "").strip()
    declare_not_reviewable(round_=round_, stimulus_id=stimulus, reason=_reason(fields), actor=actor)
    return StepDone(f"{stimulus} is not reviewable; no one is asked about it any more.")


def _replace_reviewer(round_: Round, actor: str, fields: Fields) -> StepDone:
    old, new = fields.get("old", ""), fields.get("new", "")
    link = change_reviewer(round_=round_, old=old, new=new, reason=_reason(fields), actor=actor)
    return StepDone(f"{link.code} takes the place of {old}.", (link,))


def _add_secondary(round_: Round, actor: str, fields: Fields) -> StepDone:
    link = invite_secondary(round_=round_, email=fields.get("email", ""), actor=actor)
    return StepDone(f"{link.code} reviews beside the cohort.", (link,))


def _cell(fields: Fields) -> CellKey:
    configuration, _, place = fields.get("cell", "").partition("/")
    scene, _, number = place.partition("/")
    replicate = whole_number(number)
    if replicate is None:
        raise CellRefused("Choose a cell. Nothing was changed.")
    return CellKey(configuration, scene, replicate)


def _reason(fields: Fields) -> str:
    if reason := fields.get("reason", "").strip():
        return reason
    raise ReasonMissing("Say why: the reason is recorded in the audit trail. Nothing was changed.")


def _plan_pairs(round_: Round, actor: str, _fields: Fields) -> StepDone:
    planned = plan_pairs(round_=round_, actor=actor)
    return StepDone(f"{planned.pairs} pairs and {planned.tasks} tasks were added to the plan.")


def _measure(round_: Round, actor: str, _fields: Fields) -> StepDone:
    left = request_measuring(round_=round_, actor=actor)
    return StepDone(
        f"{left} measurements are left to the workers." if left else "Nothing is left to measure."
    )


def _publish(round_: Round, actor: str, _fields: Fields) -> StepDone:
    release = publish(round_=round_, actor=actor)
    return StepDone(
        f"Round {round_.name} is published as release {release.number}, SHA-256 {release.digest}."
    )


_STEPS: Mapping[str, Callable[[Round, str, Fields], StepDone]] = {
    "mark_cell": _mark_cell,
    "blind": _blind,
    "make_training": _make_training,
    "set_cohort": _set_cohort,
    "invite_again": _invite_again,
    "revoke_access": _revoke_access,
    "open_round": _open_round,
    "close_round": _close_round,
    "measure": _measure,
    "publish": _publish,
    "normalise": _normalise,
    "exclude_clip": _exclude_clip,
    "replace_copy": _replace_copy,
    "not_reviewable": _not_reviewable,
    "replace_reviewer": _replace_reviewer,
    "add_secondary": _add_secondary,
    "plan_pairs": _plan_pairs,
}
