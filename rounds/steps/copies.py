"""Steps about blind copies."""

from __future__ import annotations

from blinding.models import Stimulus
from blinding.selectors import copies_of, without_copy
from blinding.services import normalise_round, request_blinding
from fartbench.models import AuditEntry, Round, RoundState
from review.models import Retirement
from rounds.changes import declare_not_reviewable, replace_copy
from rounds.step import COPYING, WHY, Done, Field, Step, Values


def _blind(round_: Round, actor: str, _values: Values) -> Done:
    waiting = request_blinding(round_=round_, actor=actor)
    made, wanted = copies_of(round_)
    if not waiting:
        return Done(f"All {made} blind copies are made.")
    return Done(f"{wanted - made} blind copies are left to the workers.")


def _is_blind(round_: Round, _values: Values) -> Done | None:
    stimuli = Stimulus.objects.filter(round=round_).count()
    if not stimuli or without_copy(round_):
        return None
    return Done(f"Round {round_.name} has its {stimuli} blind copies already.")


BLIND = Step(
    "blind",
    "Make the blind copies",
    "Makes a copy of every {stimulus} without any trace of its origin, and gives each an opaque "
    "id. From then on the {clip}s cannot be replaced.",
    COPYING,
    _blind,
    done=_is_blind,
    only_when_due=True,
)


def _normalise(round_: Round, actor: str, values: Values) -> Done:
    normalise_round(round_=round_, reason=values["reason"], actor=actor)
    return Done(f"Round {round_.name} is normalised as a whole. Make its blind copies again.")


def _is_normalised(round_: Round, _values: Values) -> Done | None:
    if not round_.is_normalised:
        return None
    return Done(f"Round {round_.name} is normalised already: {round_.normalised_because}")


NORMALISE = Step(
    "normalise",
    "Normalise the round",
    "Every {stimulus} is re-encoded to the protocol's common format, because a single one would be "
    "marked. Copies that were made are dropped; make them again afterwards.",
    COPYING,
    _normalise,
    (WHY,),
    done=_is_normalised,
    offered=lambda round_: not round_.is_normalised,
    place="blinding",
)

_STIMULUS = Field("stimulus", "The {stimulus}, by its opaque id", "stimulus", is_positional=True)


def _replace_copy(round_: Round, actor: str, values: Values) -> Done:
    old = values["stimulus"]
    new = replace_copy(round_=round_, stimulus_id=old, reason=values["reason"], actor=actor)
    return Done(f"{old} is replaced by {new.pk}; every reviewer is asked about it again.")


def _retired(round_: Round, values: Values, outcome: Retirement.Outcome) -> bool:
    retired = Retirement.objects.filter(stimulus__round=round_, outcome=outcome)
    return retired.filter(stimulus=values["stimulus"]).exists()


def _is_replaced(round_: Round, values: Values) -> Done | None:
    old = values["stimulus"]
    if not _retired(round_, values, Retirement.Outcome.REPLACED):
        return None
    entries = AuditEntry.objects.filter(action="stimulus retired", round_name=round_.name)
    new = entries.get(details__stimulus=old).details["replacement"]
    return Done(f"{old} is replaced by {new} already.")


REPLACE_COPY = Step(
    "replace_copy",
    "Give a copy a new id",
    "For a copy that did not play. Every reviewer is asked about it again; earlier answers no "
    "longer count.",
    (RoundState.REVIEWING,),
    _replace_copy,
    (_STIMULUS, WHY),
    done=_is_replaced,
    place="blinding",
)


def _declare(round_: Round, actor: str, values: Values) -> Done:
    stimulus, reason = values["stimulus"], values["reason"]
    declare_not_reviewable(round_=round_, stimulus_id=stimulus, reason=reason, actor=actor)
    return Done(f"{stimulus} is not reviewable; no one is asked about it any more.")


def _is_declared(round_: Round, values: Values) -> Done | None:
    if not _retired(round_, values, Retirement.Outcome.NOT_REVIEWABLE):
        return None
    return Done(f"{values['stimulus']} is declared not reviewable already.")


DECLARE_NOT_REVIEWABLE = Step(
    "declare_not_reviewable",
    "Declare a {stimulus} not reviewable",
    "No one is asked about it any more, and its configuration is listed unranked. This cannot be "
    "undone.",
    (RoundState.REVIEWING,),
    _declare,
    (_STIMULUS, WHY),
    done=_is_declared,
    place="blinding",
    is_drastic=True,
)
