"""The demonstration: a finished round, two open ones and a small pilot, of clips that the built-in
provider draws.

Each step looks at what is there already, so that an interrupted run is finished by the next one and
a second run adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from django.conf import settings
from django.db import transaction

from blinding.models import BlindingKey
from blinding.services import request_blinding
from fartbench.models import Round, RoundState
from fartbench.protocol import Response
from fartbench.protocols import store_protocol
from fartbench.rounds import create_round
from generation.commissioning import commission
from generation.models import Configuration
from review.links import InviteLink
from review.models import AnswerSheet, CohortMember, Reviewer, Source
from review.services import SheetEntry, enter_sheets, set_cohort
from review.training import request_training
from rounds.opening import close_round, open_round, publish
from simulation.configurations import local_configurations
from simulation.demo.pairs import plan_and_vote
from simulation.demo.simulation import TEMPERS, Temper, simulated_responses

ACTOR = "demonstration"
PROTOCOL = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "core-r01" / "1.0.0"
PILOT_PROTOCOL = PROTOCOL.parents[1] / "core-v0.1" / "0.1.0"
FINISHED, OPEN, PILOT, PAIRS = "demo", "demo-open", "demo-pilot", "demo-pairs"
SIMULATED = tuple(f"simulated-{number}@demo.example" for number in range(1, 5))
YOU = "you@demo.example"
# The open round has half of the configurations: a queue that one person rates in a few minutes.
OPEN_CONFIGURATIONS = 3
COHORTS = {FINISHED: list(SIMULATED), OPEN: [*SIMULATED[:3], YOU], PILOT: list(SIMULATED[:3])}
COHORTS[PAIRS] = [*SIMULATED[:2], YOU]
# Half of the tests, two clips each: so few that drawing takes seconds, and enough for intervals.
PILOT_TESTS, PILOT_REPLICATES = ["fb-c02", "fb-c03", "fb-c06", "fb-c07"], 2
# Three clips of one test, and so three pairs.
PAIRS_TESTS = ["fb-c02"]


def make_rounds() -> list[Round]:
    """Make the rounds, commission their clips, and ask for training clips."""
    pilot, protocol = (store_protocol(folder, actor=ACTOR) for folder in (PILOT_PROTOCOL, PROTOCOL))
    rounds = [
        create_round(name=name, protocol=str(protocol), actor=ACTOR) for name in (FINISHED, OPEN)
    ]
    rounds.append(
        create_round(
            name=PILOT,
            protocol=str(pilot),
            actor=ACTOR,
            replicates=PILOT_REPLICATES,
            scenes=PILOT_TESTS,
        )
    )
    rounds.append(create_round(name=PAIRS, protocol=str(pilot), actor=ACTOR, scenes=PAIRS_TESTS))
    for round_ in rounds:
        if round_.opened_at is None:
            configurations = _configurations(round_.name)
            commission(round_=round_, configurations=configurations, actor=ACTOR)
    request_training(protocol=protocol, round_name=OPEN)
    return rounds


def _configurations(name: str) -> list[Configuration]:
    every = local_configurations()
    # One of each kind: the best, one in the middle, the last.
    if name == FINISHED:
        return every
    return every[:: len(every) // OPEN_CONFIGURATIONS]


def blind(rounds: list[Round]) -> None:
    """Leave the blind copies of what is not opened yet to the workers."""
    for round_ in rounds:
        round_.refresh_from_db()
        if round_.state == RoundState.GENERATING:
            request_blinding(round_=round_, actor=ACTOR)


def open_and_answer(round_: Round) -> InviteLink | None:
    """Open the round, let the scripted reviewers answer, and return the link of the person who is
    invited, if new.
    """
    link = open_for(round_)
    if round_.state == RoundState.REVIEWING:
        for address, temper in zip(SIMULATED, TEMPERS, strict=True):
            answer_as(round_, address, temper, answered)
        plan_and_vote(round_, dict(zip(SIMULATED, TEMPERS, strict=True)), ACTOR)
    return link


def open_for(round_: Round) -> InviteLink | None:
    """Open a round that is not open yet for its cohort, and return the link of the person who is
    invited.
    """
    if round_.opened_at is not None:
        return None
    links = set_cohort(round=round_, emails=COHORTS[round_.name], actor=ACTOR)
    Reviewer.objects.filter(email__in=SIMULATED).update(simulated=True)
    open_round(round_=round_, actor=ACTOR)
    return next((link for link in links if link.email == YOU), None)


def answered(key: BlindingKey, temper: Temper, seed: str) -> Mapping[str, Response]:
    form = key.stimulus.round.protocol.form(key.stimulus.form_key)
    return simulated_responses(
        form, key.sample.truth or {}, temper=temper, seed=seed
    )  # what is drawn has a truth


def answer_as(
    round_: Round,
    address: str,
    temper: Temper,
    answer: Callable[[BlindingKey, Temper, str], Mapping[str, Response]],
) -> None:
    """Let a scripted reviewer answer about all that is due of them; ``answer`` says what, by clip,
    temper and seed.
    """
    member = (
        CohortMember.objects.select_related("reviewer")
        .filter(round=round_, reviewer__email=address)
        .first()
    )
    if member is None:
        return
    done = AnswerSheet.objects.filter(reviewer=member.reviewer, stimulus__round=round_).values(
        "stimulus"
    )
    keys = BlindingKey.objects.filter(stimulus__assignments__member=member).exclude(
        stimulus__in=done
    )
    entries = []
    for key in keys.select_related(
        "stimulus__round__protocol", "sample__cell__configuration"
    ).order_by("stimulus__assignments__position"):
        entries.append(
            SheetEntry(
                member.reviewer,
                key.stimulus,
                dict(answer(key, temper, f"{round_.name}/{address}/{key.sample.cell}")),
            )
        )
    if entries:
        enter_sheets(round=round_, entries=entries, source=Source.SIMULATED)


@transaction.atomic
def finish(round_: Round) -> None:
    """Close and publish the round."""
    if round_.state == RoundState.REVIEWING:
        close_round(round_=round_, actor=ACTOR)
    if round_.state == RoundState.LOCKED:
        publish(round_=round_, actor=ACTOR)
