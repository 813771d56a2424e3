"""Scripted judges for the demonstration: they are given what is right, and err as their names say.

They stand in for AI judges on loopback and are named as simulated wherever they appear.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from blinding.models import BlindingKey
from fartbench.errors import Refusal
from fartbench.models import Round, RoundState
from fartbench.protocol import JudgeModel
from judging.models import Variant
from judging.working import request_judging, work_through
from simulation.demo.simulation import Temper, simulated_responses
from simulation.stand_ins.judges import StandInJudges

ACTOR = "demonstration"
AT_ONCE = 2
BEHAVIOURS = {
    "stand-in-perfect": "perfect",
    "stand-in-lenient": "lenient",
    "stand-in-middle": "constant_middle",
}
_WORDS = {
    "perfect": "knows the truth",
    "lenient": "believes every source",
    "constant_middle": "says the middle",
}
JUDGES = tuple(
    JudgeModel(name=name, label=f"Simulated: {_WORDS[behaviour]}", service="gemini", model=name)
    for name, behaviour in BEHAVIOURS.items()
)
# Eyes that miss nothing: what they answer is the truth, in the form's own answers.
CLEAR = Temper(acuity=1, doubt=0, leniency=0, noise=0, shy=1)


class JudgesStopped(Refusal):
    """The scripted judges could not be asked everything; the message says why."""


def questions_left(round_: Round) -> int:
    """Return how many questions the scripted judges of a round are asked; none when it is
    published.
    """
    is_open = round_.state in (RoundState.REVIEWING, RoundState.LOCKED)
    if is_open:
        return round_.stimuli.filter(retirement=None).count() * (len(JUDGES) + 1)
    return 0


def let_judges_answer(round_: Round, on_end: Callable[[], None] = lambda: None) -> None:
    """Have the scripted judges answer a round that is not published, and the first of them once
    more without sound.

    A second time asks nothing again. Raises JudgesStopped.
    """
    if round_.state not in (RoundState.REVIEWING, RoundState.LOCKED):
        return
    ask(round_, truths_of(round_), [(JUDGES, Variant.FROZEN), (JUDGES[:1], Variant.MUTED)], on_end)


def ask(
    round_: Round,
    truths: Mapping[str, Mapping[str, str]],
    runs: Iterable[tuple[tuple[JudgeModel, ...], Variant]],
    on_end: Callable[[], None],
) -> None:
    """Have scripted judges who know these truths (by SHA-256 of the copy) answer what is open.

    Raises JudgesStopped.
    """
    with StandInJudges(behaviours=BEHAVIOURS, truths=truths) as stand_in, _sent_to(stand_in.url):
        for models, variant in runs:
            request_judging(round_=round_, models=models, actor=ACTOR, variant=variant)
            if faults := work_through(round_, at_once=AT_ONCE, on_end=on_end):
                raise JudgesStopped("The scripted judges stopped: " + " ".join(faults))


def truths_of(round_: Round) -> dict[str, dict[str, str]]:
    """Return the right answers about each clip that the built-in provider drew, by the SHA-256 of
    its blind copy.
    """
    keys = BlindingKey.objects.filter(stimulus__round=round_, sample__truth__isnull=False)
    return {
        key.stimulus.sha256: {
            question: str(response)
            for question, response in simulated_responses(
                round_.protocol.form(key.stimulus.form_key),
                key.sample.truth or {},
                temper=CLEAR,
                seed="truth",
            ).items()
        }
        for key in keys.select_related("stimulus", "sample")
    }


@contextmanager
def _sent_to(url: str) -> Iterator[None]:
    before = os.environ.get("STAND_IN_JUDGES_URL")
    os.environ["STAND_IN_JUDGES_URL"] = url
    try:
        yield
    finally:
        os.environ.pop("STAND_IN_JUDGES_URL")
        if before is not None:
            os.environ["STAND_IN_JUDGES_URL"] = before
