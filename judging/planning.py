"""What judging a round takes, said before anything is sent: questions, hours of video, dollars, and
of how much.

An opened round has its clips, and is planned from them. Before that the plan speaks of each system:
of every clip that its protocol and the choices of the round ask for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from blinding.common_format import CARD_S
from blinding.models import Stimulus
from fartbench.models import Round
from fartbench.protocol import JudgeModel
from fartbench.protocol.rollouts.sampling import RoundPlan, asked_of, round_plan
from fartbench.protocol.rollouts.schema import Scenario
from fartbench.protocol.rollouts.whole import Rollouts
from judging.freezing import rules_of
from judging.limits import upper_usd
from judging.models import JudgeRun, RunState, Variant

HOUR_S = 3600
Place = tuple[str, str, str, float]
"""A form about a place of a scenario's rollout: scenario, form, place, end in seconds."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a judge: what is asked about, with which form, and how long the clip is that
    it sees.
    """

    scene: str
    form: str
    place: str
    end_s: float
    seconds: float
    stimulus: str = ""

    @property
    def about(self) -> Place:
        """Which part of which scenario it is about, whichever system made it."""
        return self.scene, self.form, self.place, self.end_s


@dataclass(frozen=True, slots=True)
class Share:
    """The questions with one form: how many, over how many seconds of video, at how many frames a
    second; and of how many that a whole run of the protocol would ask of each system, ``covered``
    are among them.
    """

    form: str
    questions: int
    seconds: float
    frames_per_second: float
    covered: int
    whole: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one judge is still to be asked, and what that should cost by its listed price at most,
    where it has one.
    """

    model: JudgeModel
    questions: int
    ended: int
    seconds: float
    usd: Decimal | None


@dataclass(frozen=True)
class JudgingPlan:
    """A round's judging: its scenarios of all that the protocol has, the questions by form, an
    estimate for each judge.

    ``of_each_system`` says that there are no clips yet, so that the figures are those of one
    system.
    """

    scenes: int
    of_scenes: int
    scene_word: str
    shares: tuple[Share, ...]
    estimates: tuple[Estimate, ...]
    of_each_system: bool

    @property
    def covered(self) -> tuple[int, int]:
        """How many of all questions that a whole run would ask of each system are among these."""
        return sum(share.covered for share in self.shares), sum(
            share.whole for share in self.shares
        )


def judging_plan(
    round_: Round, models: Sequence[JudgeModel], *, variant: str = Variant.FROZEN
) -> JudgingPlan:
    """Return what these judges would be asked. Nothing is sent, frozen or stored. Raises
    NoJudges.
    """
    rules = rules_of(round_)
    there = list(_shown(round_))
    asked = there or list(_expected(round_))
    return JudgingPlan(
        scenes=len({one.scene for one in asked}),
        of_scenes=len(round_.protocol.rules.scenes),
        scene_word=round_.protocol.rules.words.scene,
        shares=tuple(_shares(asked, _whole(round_), rules.media.rate)),
        estimates=tuple(_estimate(round_, model, variant, asked) for model in models),
        of_each_system=not there,
    )


def _shown(round_: Round) -> Iterator[Question]:
    usual = round_.protocol.rules.clip.duration_s
    for one in Stimulus.objects.filter(round=round_, retirement=None).order_by():
        seconds = float(one.facts.get("duration_s") or usual)
        yield Question(one.scene, one.form_key, one.place, one.end_s or 0.0, seconds, one.pk)


def _expected(round_: Round) -> Iterator[Question]:
    """Yield what will be asked about one system."""
    rollouts, scenes = round_.protocol.rules.rollouts, set(round_.scenes)
    for _ in range(round_.replicates):
        if rollouts is None:
            for scene in round_.scenes:
                yield Question(scene, scene, "", 0.0, round_.protocol.rules.clip.duration_s)
        else:
            plan = round_.looks or round_plan(rollouts, horizons=None, kinds=None)
            for scenario in rollouts.scenarios:
                if scenario.key in scenes:
                    yield from _of_scenario(rollouts, plan, scenario)


def _of_scenario(rollouts: Rollouts, plan: RoundPlan, scenario: Scenario) -> Iterator[Question]:
    for one in asked_of(rollouts, plan, scenario):
        windows = one.unit.windows
        seconds = sum(window.end_s - window.begin_s for window in windows) + CARD_S * (
            len(windows) - 1
        )
        yield Question(scenario.key, one.form, one.unit.place, one.unit.end_s, seconds)


def _whole(round_: Round) -> set[Place]:
    """Return every question that a whole run of the protocol would ask about one system."""
    rules = round_.protocol.rules
    if rules.rollouts is None:
        return {(scene.key, scene.key, "", 0.0) for scene in rules.scenes}
    plan = round_plan(rules.rollouts, horizons=None, kinds=None)
    whole = set()
    for scenario in rules.rollouts.scenarios:
        for one in _of_scenario(rules.rollouts, plan, scenario):
            whole.add(one.about)
    return whole


def _shares(
    asked: Sequence[Question], whole: set[Place], rate: Callable[[str], float]
) -> Iterator[Share]:
    counts, seconds = Counter[str](), defaultdict[str, float](float)
    for one in asked:
        counts[_name(one.form)] += 1
        seconds[_name(one.form)] += one.seconds
    covered = Counter(_name(form) for _, form, _, _ in whole & {one.about for one in asked})
    of = Counter(_name(form) for _, form, _, _ in whole)
    for name in sorted({*counts, *of}):
        yield Share(name, counts[name], seconds[name], rate(name), covered[name], of[name])


def _name(form: str) -> str:
    """Return the name of a form without the scenario that words it."""
    return form.partition(".")[0]


def _estimate(
    round_: Round, model: JudgeModel, variant: str, asked: Iterable[Question]
) -> Estimate:
    runs = JudgeRun.objects.filter(
        judge__round=round_, judge__name=model.name, judge__variant=variant
    )
    ended = set(runs.filter(state__in=RunState.ended()).values_list("stimulus_id", flat=True))
    due = [one for one in asked if one.stimulus not in ended]
    costs = [upper_usd(model, rules_of(round_), one.form, one.seconds) for one in due]
    if model.price is None:
        usd = None
    else:
        usd = sum((cost for cost in costs if cost is not None), Decimal(0))
    return Estimate(model, len(due), len(ended), sum(one.seconds for one in due), usd)
