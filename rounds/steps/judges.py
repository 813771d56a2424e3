"""The steps about AI judges: what they would cost, asking them, and stopping."""

from __future__ import annotations

from fartbench.models import Round, RoundState
from fartbench.uploads import read_sent
from judging.files import JudgeFileRefused, read_judge
from judging.models import Judge, JudgeAccount, Variant
from judging.planning import judging_plan
from judging.telling import plan_lines
from judging.working import chosen_models, pause_judging, request_judging, set_ceiling
from rounds.step import WHY, Done, Field, Step, Values

_ASKED = (RoundState.REVIEWING, RoundState.LOCKED)


def _has_judges(round_: Round) -> bool:
    return round_.protocol.rules.judges is not None


def _price(round_: Round) -> str:
    """Return what it takes and costs, before anything is sent."""
    plan = judging_plan(round_, chosen_models(round_, [], []), variant=Variant.FROZEN)
    return " ".join(line.strip() for line in plan_lines(plan))


def _judge(round_: Round, actor: str, values: Values) -> Done:
    file = values["own"]
    own = [read_sent(file, read_judge, JudgeFileRefused)] if file else []
    models = chosen_models(round_, [], own)
    variant = next(one for one in Variant if one.label == values["variant"])
    if values["usd"] is not None:
        set_ceiling(round_=round_, usd=values["usd"], actor=actor)
    judges = request_judging(round_=round_, models=models, actor=actor, variant=variant)
    return Done(f"Workers ask {len(judges)} AI judges: {', '.join(map(str, judges))}.")


JUDGE = Step(
    "judge",
    "Ask the AI judges",
    "Freezes the AI judges of the round and asks each about every {stimulus}, once.",
    _ASKED,
    _judge,
    (
        Field(
            "variant", "Which run", "choice", choices=lambda _: [str(one) for one in Variant.labels]
        ),
        Field(
            "usd",
            "Most US dollars for all judges of the round; empty to leave it as it is",
            "amount",
            is_required=False,
        ),
        Field("own", "A judge of your own, in YAML", "file", is_required=False),
    ),
    offered=_has_judges,
    note=_price,
)


def _pause(round_: Round, actor: str, values: Values) -> Done:
    services = pause_judging(round_=round_, reason=values["reason"], actor=actor)
    return Done(f"Nothing more is sent to {', '.join(services)}.")


def _services(round_: Round) -> set[str]:
    return {judge.model.service for judge in Judge.objects.filter(round=round_)}


def _is_paused(round_: Round, _values: Values) -> Done | None:
    running = _services(round_)
    paused = JudgeAccount.objects.filter(service__in=running).exclude(paused_because="")
    if not running or paused.count() < len(running):
        return None
    return Done("The AI judges of the round are paused already.")


PAUSE_JUDGES = Step(
    "pause_judges",
    "Pause the AI judges",
    "Nothing more is sent to their services, also for other rounds. Asking the judges continues.",
    _ASKED,
    _pause,
    (WHY,),
    done=_is_paused,
    offered=lambda round_: Judge.objects.filter(round=round_).exists(),
)
