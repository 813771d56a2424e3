"""Steps of a round whose clips are bought: the order, and what an operator does while it runs."""

from __future__ import annotations

from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet

from fartbench.models import Round
from generation import buying, operating
from generation.models import (
    Ceiling,
    Commissioning,
    Sample,
    SampleState,
    VerdictWaiver,
)
from generation.verdicts import waive_verdicts
from rounds.outcomes_import import take_outcomes
from rounds.step import BEFORE_OPENING, WHY, Done, Field, Step, Values

_CHOSEN = Field("samples", "Only these cells", "samples", is_required=False)


COMMISSION = Step(
    "commission",
    "Commission {clip}s",
    "Asks providers for the {clip}s of configurations. Workers buy each once.",
    BEFORE_OPENING,
)


def _waive(round_: Round, actor: str, values: Values) -> Done:
    waive_verdicts(round_=round_, reason=values["reason"], actor=actor)
    return Done("The round continues without experts' verdicts; its results will say why.")


def _is_waived(round_: Round, _values: Values) -> Done | None:
    waiver = VerdictWaiver.objects.filter(round=round_).first()
    if waiver is None:
        return None
    return Done(f"The round continues without experts' verdicts already: {waiver.reason}")


WAIVE_VERDICTS = Step(
    "waive_verdicts",
    "Continue without verdicts",
    "For a pilot: {clip}s are made before experts have accepted its scenarios, and the results say "
    "why.",
    BEFORE_OPENING,
    _waive,
    (WHY,),
    done=_is_waived,
    place="clips",
)


def _pause(round_: Round, actor: str, _values: Values) -> Done:
    operating.set_paused(round_=round_, paused=True, actor=actor)
    return Done("Paused. Accepted orders continue; nothing new is sent.")


def _is_paused(round_: Round, _values: Values) -> Done | None:
    if not Commissioning.objects.filter(round=round_, paused=True).exists():
        return None
    return Done(f"The orders of round {round_.name} are paused already.")


PAUSE_ORDERS = Step(
    "pause_orders",
    "Pause orders",
    "Nothing new is sent to providers. Accepted orders continue.",
    BEFORE_OPENING,
    _pause,
    done=_is_paused,
    place="clips",
)


def _resume(round_: Round, actor: str, _values: Values) -> Done:
    operating.set_paused(round_=round_, paused=False, actor=actor)
    return Done("Resumed.")


RESUME_ORDERS = Step(
    "resume_orders",
    "Resume orders",
    "Orders are sent again, and steps that failed are tried again.",
    BEFORE_OPENING,
    _resume,
    place="clips",
)


def _samples(round_: Round, values: Values) -> QuerySet[Sample]:
    samples = Sample.objects.filter(cell__round=round_)
    if values["samples"] is not None:
        samples = samples.filter(pk__in=values["samples"])
    return samples.select_related("cell__round", "cell__configuration")


def _cancel(round_: Round, actor: str, values: Values) -> Done:
    samples = _samples(round_, values).filter(state__in=operating.CANCELLABLE)
    count = operating.cancel(samples=list(samples), actor=actor, reason=values["reason"])
    return Done(f"{count} cells cancelled.")


CANCEL_ORDERS = Step(
    "cancel_orders",
    "Cancel orders",
    "Cells whose {clip} no provider has accepted yet end as “not generated”. Accepted orders "
    "continue, because they are paid for.",
    BEFORE_OPENING,
    _cancel,
    (_CHOSEN, WHY),
    place="clips",
    is_drastic=True,
)


@transaction.atomic
def _send_again(round_: Round, actor: str, values: Values) -> Done:
    samples = _samples(round_, values).filter(state=SampleState.BLOCKED)
    count = operating.send_again(samples=list(samples), actor=actor)
    return Done(f"{count} cells are sent again, with the very same bytes.")


SEND_AGAIN = Step(
    "send_again",
    "Send orders again",
    "Orders that a provider did not take are sent once more, with the very same bytes.",
    BEFORE_OPENING,
    _send_again,
    (_CHOSEN,),
    place="clips",
)


@transaction.atomic
def _set_ceiling(round_: Round, actor: str, values: Values) -> Done:
    usd: Decimal | None = values["usd"]
    buying.set_ceilings(round_, {values["provider"]: usd}, actor)
    return Done("The ceiling is lifted." if usd is None else "The ceiling is set.")


def _is_set(round_: Round, values: Values) -> Done | None:
    ceilings = Ceiling.objects.filter(commissioning__round=round_, provider=values["provider"])
    there = ceilings.values_list("usd", flat=True).first()
    if there != values["usd"]:
        return None
    return Done("There is no ceiling." if there is None else f"The ceiling is ${there} already.")


SET_CEILING = Step(
    "set_ceiling",
    "Set a ceiling",
    "What the round may spend, in all or with one provider. Without an amount it is lifted.",
    BEFORE_OPENING,
    _set_ceiling,
    (
        Field("provider", "Provider; empty for all together", is_required=False),
        Field("usd", "US dollars; empty for no ceiling", "amount", is_required=False),
    ),
    done=_is_set,
    place="clips",
)


def _import_outcomes(round_: Round, actor: str, values: Values) -> Done:
    return Done(take_outcomes(round_, values["outcomes"], actor))


IMPORT_OUTCOMES = Step(
    "import_outcomes",
    "Import outcomes",
    "Takes in a table of cells that brought no {clip}: all of it, or nothing and every bad row "
    "named.",
    BEFORE_OPENING,
    _import_outcomes,
    (Field("outcomes", "A CSV file", "file", is_positional=True),),
    place="clips",
)
