"""A round for each step in which it can be done, and what its form is sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from django.core.files.uploadedfile import SimpleUploadedFile

from blinding.models import Stimulus
from fartbench.models import Round
from generation.cells import configuration_named, lay_out
from generation.configuring import load_configurations, named
from generation.models import Configuration, Sample, SampleState
from judging.working import chosen_models, request_judging
from review.models import Reviewer
from review.pairs.selectors import live_tasks
from rounds.step import Step
from tests.factories import make_round as empty_round
from tests.factories import reviewers_of
from tests.generation.buying import FOLDER, freeze
from tests.pairs import open_pair_round
from tests.scoring.rows import answer_all, make_filled_round, make_locked_round, make_open_round
from tests.streamav.rollout_record import make_round, streamav
from tests.streamav.rollout_rows import store
from tests.streamav.scripts import drawn

EMAILS = "one@example.org two@example.org three@example.org four@example.org"


@dataclass(frozen=True)
class Case:
    """``make`` returns the round; ``data`` what the form is sent about it.

    ``options`` are what its command takes besides, None when its command works through it there
    and then, or takes a file. ``is_renewed`` marks a step whose work is to do it anew: links are shown only once.
    """

    make: Callable[[str], Round]
    data: Callable[[Round], dict[str, str]] = lambda _: {}
    options: tuple[str, ...] | None = ()
    is_renewed: bool = False
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def uploads(self) -> dict[str, SimpleUploadedFile]:
        """The files, new ones each time: they are read once."""
        return uploads(self.files)


def uploads(files: Mapping[str, str]) -> dict[str, SimpleUploadedFile]:
    """Return texts as files of a form."""
    return {name: SimpleUploadedFile(f"{name}.csv", text.encode()) for name, text in files.items()}


def _filled(name: str) -> Round:
    return make_filled_round(name=name, scenes=["r01-lift"], configurations=(f"alpha-{name}",))


def _open(name: str) -> Round:
    return make_open_round(name=name, scenes=["r01-lift"], configurations=(f"alpha-{name}",))


def _answered(name: str) -> Round:
    round_ = _open(name)
    answer_all(round_)
    return round_


def _locked(name: str) -> Round:
    return make_locked_round(name=name, scenes=["r01-lift"], configurations=(f"alpha-{name}",))


def _rollouts(name: str) -> Round:
    scene = streamav().protocol.rollouts.scenarios[0].key
    return store(make_round(drawn, configurations=["alpha"], scenarios=[scene]), name=name)


def _late(name: str) -> Round:
    round_ = _filled(name)
    lay_out(round_, configuration_named("late")[0])
    return round_


def _reviewer(round_: Round) -> str:
    return reviewers_of(round_)[0].code


def _stimulus(round_: Round) -> dict[str, str]:
    return {"stimulus": Stimulus.objects.filter(round=round_)[0].pk, "reason": "it is black"}


def _cell(round_: Round) -> str:
    return f"alpha-{round_.name}/r01-lift/1"


def _blocked(name: str) -> Round:
    round_ = _late(name)
    late = Sample.objects.filter(cell__round=round_, state=SampleState.PLANNED)
    late.update(state=SampleState.BLOCKED, reason="asks for money")
    return round_


def _planned(name: str) -> Round:
    load_configurations(folder=FOLDER / "seedance-2.5.yaml", actor="test")
    round_ = empty_round(name=name, scenes=["r01-lift"])
    freeze(round_, named(["seedance-2.5"]))
    lay_out(round_, Configuration.objects.get(name="seedance-2.5"))
    return round_


RATES, VOTES = "rates@example.org", "votes@example.org"


def _asked(_name: str) -> Round:
    """Return an open round with a reviewer whose address a file can name."""
    round_ = _open("imported")
    Reviewer.objects.filter(pk=reviewers_of(round_)[0].pk).update(email=RATES)
    return round_


def _judged(name: str) -> Round:
    round_ = _open(name)
    request_judging(round_=round_, models=chosen_models(round_, [], []), actor="test")
    return round_


def _paired(_name: str) -> Round:
    """Return a round with one pair, before a reviewer whose address a file can name."""
    round_ = open_pair_round(configurations=("alpha", "beta"), scenes=("r01-lift",))
    task = live_tasks(round_)[0]
    Reviewer.objects.filter(pk=task.member.reviewer_id).update(email=VOTES)
    return round_


ANSWERS = (
    "reviewer,configuration,scene,replicate,event,cause,detail,sound,timing,people\n"
    f"{RATES},alpha-imported,r01-lift,1,yes,yes,yes,4,4,4\n"
)
BATTLES = json.dumps(
    [{"model_a": "alpha", "model_b": "beta", "scene": "r01-lift", "winner": "model_a",
      "judge": VOTES}]
)  # fmt: skip
OUTCOMES = "configuration,scene,replicate,outcome,reason\nlate,r01-lift,1,refused,the policy\n"
CASES = {
    "waive_verdicts": Case(_filled, lambda _: {"reason": "a dry run"}),
    "pause_orders": Case(_planned),
    "resume_orders": Case(_planned, is_renewed=True),
    "cancel_orders": Case(_late, lambda _: {"reason": "too late"}),
    "send_again": Case(_blocked),
    "set_ceiling": Case(_planned, lambda _: {"usd": "12.50"}),
    "import_outcomes": Case(_late, options=None, files={"outcomes": OUTCOMES}),
    "mark_cell": Case(
        _late, lambda _: {"cell": "late/r01-lift/1", "outcome": "failed", "reason": "no answer"}
    ),
    "blind": Case(_filled, options=None),
    "normalise": Case(_filled, lambda _: {"reason": "frame rates tell"}),
    "exclude_clip": Case(_filled, lambda round_: {"cell": _cell(round_), "reason": "no sound"}),
    "make_training": Case(_filled, options=None),
    "set_cohort": Case(_filled, lambda _: {"emails": EMAILS}, options=None, is_renewed=True),
    "invite_again": Case(_open, lambda round_: {"reviewer": _reviewer(round_)}, is_renewed=True),
    "revoke_access": Case(
        _open,
        lambda round_: {"person": _reviewer(round_), "reason": "a lost phone"},
        options=None,
        is_renewed=True,
    ),
    "open_round": Case(_filled),
    "plan_pairs": Case(lambda _: open_pair_round(answered=False), lambda _: {"meetings": "2"}),
    "replace_reviewer": Case(
        _open,
        lambda round_: {"old": _reviewer(round_), "new": "new@example.org", "reason": "fell ill"},
    ),
    "add_secondary": Case(_open, lambda _: {"email": "beside@example.org"}),
    "import_answers": Case(_asked, options=None, files={"answers": ANSWERS}),
    "import_battles": Case(_paired, options=None, files={"battles": BATTLES}),
    "replace_copy": Case(_open, _stimulus),
    "declare_not_reviewable": Case(_open, _stimulus),
    "judge": Case(
        _open, lambda _: {"variant": "As frozen", "usd": "5"}, options=None, is_renewed=True
    ),
    "pause_judges": Case(_judged, lambda _: {"reason": "too dear"}),
    "close_round": Case(_answered),
    "measure": Case(_rollouts, options=("--workers",)),
    "publish": Case(_locked),
}


def command_line(
    step: Step, round_: Round, data: dict[str, str], options: tuple[str, ...]
) -> list[str]:
    """Return the command that does what the form does."""
    words = [step.key, round_.name, *options]
    for asked in step.fields:
        value = data.get(asked.name, "")
        if asked.kind == "cell":
            configuration, scene, _ = value.split("/")
            words += ["--configuration", configuration, "--scene", scene]
        elif value:
            words += [value] if asked.is_positional else [f"--{asked.name}", value]
    return words
