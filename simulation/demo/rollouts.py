"""The round of rollouts of the demonstration: five built-in systems, four short scenarios, all
kinds of windows.

Made like the other rounds, step by step: what is there already is not made again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

from django.conf import settings
from rich.console import Console

from blinding.looks import Look, looks_of
from blinding.models import BlindingKey, Stimulus
from blinding.services import BLIND
from blinding.windows import pieces_of
from fartbench.commands import progress
from fartbench.models import Round, RoundState
from fartbench.protocol import Response
from fartbench.protocols import store_protocol
from fartbench.rounds import create_round
from generation.commissioning import GENERATE, commission
from generation.verdicts import waive_verdicts
from judging.models import Variant
from measuring.rollouts import MEASURE, request_measuring
from review.models import PairTask
from review.pairs.selectors import pair_rules
from rounds.opening import close_round
from simulation.configurations import built_in_systems
from simulation.demo.judges import CLEAR, JUDGES, ask
from simulation.demo.miniature import NAME, SCENARIOS, write_miniature
from simulation.demo.pairs import plan_and_vote
from simulation.demo.rounds import ACTOR, COHORTS, SIMULATED, answer_as, blind, finish, open_for
from simulation.demo.simulation import TEMPERS, Temper
from simulation.demo.watching import Latent, Watched, watched_preference, watched_responses
from simulation.demo.work import work_through

ROLLOUTS = "demo-rollouts"
SOURCE = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0"
WAIVED = "a demonstration with drawn rollouts"
COHORTS[ROLLOUTS] = list(SIMULATED[:3])


def make_rollouts(console: Console) -> Round:
    """Bring the round from wherever it is to its publication. Raises WorkStopped and
    JudgesStopped.
    """
    round_ = _commissioned()
    work_through(GENERATE, [round_], console)
    blind([round_])
    work_through(BLIND, [round_], console)
    round_.refresh_from_db()
    with console.status("Letting scripted reviewers watch the rollouts"):
        watch(round_)
    with progress(
        "Asking a scripted judge", round_.stimuli.filter(retirement=None).count()
    ) as advance:
        let_judge_watch(round_, advance)
    if round_.state == RoundState.REVIEWING:
        close_round(round_=round_, actor=ACTOR)
    if round_.state == RoundState.LOCKED:
        request_measuring(round_=round_, actor=ACTOR)
        work_through(MEASURE, [round_], console)
    finish(round_)
    return round_


def _commissioned() -> Round:
    folder = write_miniature(SOURCE, Path(settings.DATA_DIR) / NAME)
    protocol = store_protocol(folder, actor=ACTOR)
    round_ = create_round(
        name=ROLLOUTS, protocol=str(protocol), actor=ACTOR, scenes=list(SCENARIOS)
    )
    if round_.opened_at is None:
        waive_verdicts(round_=round_, reason=WAIVED, actor=ACTOR)
        commission(round_=round_, configurations=built_in_systems(), actor=ACTOR)
    return round_


def watch(round_: Round) -> None:
    """Open the round and let the scripted reviewers answer about its windows and their pairs."""
    open_for(round_)
    if round_.state != RoundState.REVIEWING:
        return
    latents = latents_of(round_)

    def answer(key: BlindingKey, temper: Temper, seed: str) -> Mapping[str, Response]:
        form = round_.protocol.form(key.stimulus.form_key)
        return watched_responses(
            form, latents[key.stimulus_id], temper=temper, seed=f"{seed}/{_window(key.stimulus)}"
        )

    def prefer(task: PairTask, temper: Temper, seed: str) -> str:
        rules, rollouts = pair_rules(round_), round_.protocol.rules.rollouts
        assert rollouts is not None  # noqa: S101 - the round is one of rollouts
        code = rules.question(task.pair.question).metric
        metric = next(one for one in rollouts.metrics.metrics if one.code == code)
        both = latents[task.clip_a.pk], latents[task.clip_b.pk]
        seed = f"{seed}/{code}/{_window(task.clip_a)}"
        return watched_preference(rules, task.pair.question, metric, both, temper=temper, seed=seed)

    for address, temper in zip(SIMULATED, TEMPERS, strict=True):
        answer_as(round_, address, temper, answer)
    plan_and_vote(round_, dict(zip(SIMULATED, TEMPERS, strict=True)), ACTOR, prefer)


def let_judge_watch(round_: Round, on_end: Callable[[], None] = lambda: None) -> None:
    """Have the scripted judge that knows the truth answer about every window. Raises
    JudgesStopped.
    """
    if round_.state not in (RoundState.REVIEWING, RoundState.LOCKED):
        return
    latents, truths = latents_of(round_), defaultdict[str, dict[str, str]](dict)
    for stimulus in round_.stimuli.filter(retirement=None).order_by("pk"):
        form = round_.protocol.form(stimulus.form_key)
        right = watched_responses(form, latents[stimulus.pk], temper=CLEAR, seed="truth")
        truths[stimulus.sha256] |= {question: str(response) for question, response in right.items()}
    ask(round_, truths, [(JUDGES[:1], Variant.FROZEN)], on_end)


def _window(stimulus: Stimulus) -> str:
    return f"{stimulus.form}/{stimulus.place}/{stimulus.end_s}"


def latents_of(round_: Round) -> dict[str, Latent]:
    """Return what is right about every window of the round, by opaque id: its rollouts are drawn,
    so that is known.
    """
    rollouts = round_.protocol.rules.rollouts
    assert rollouts is not None  # noqa: S101 - the round is one of rollouts
    looks = {
        scene: {_place(look): look for look in there} for scene, there in looks_of(round_).items()
    }
    keys = BlindingKey.objects.filter(stimulus__round=round_).select_related(
        "stimulus", "sample__cell"
    )
    answers = {}
    for key in keys:
        look = looks[key.sample.cell.scene][_place(key.stimulus)]
        scenario = rollouts.scenario(key.sample.cell.scene)
        watched = Watched(key.sample.truth or {}, scenario, look.place, pieces_of(look.windows))
        answers[key.stimulus_id] = watched.latent(round_.protocol.form(key.stimulus.form_key))
    return answers


def _place(of: Look | Stimulus) -> tuple[str, str, float | None]:
    return of.form, of.place, of.end_s
