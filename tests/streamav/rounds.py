"""A round of small built-in rollouts, taken as far as a test needs it."""

from pathlib import Path

from fartbench.models import Round
from fartbench.protocols import store_protocol
from fartbench.rounds import Looks, create_round
from generation.commissioning import commission
from generation.verdicts import waive_verdicts
from simulation.configurations import built_in_systems
from tests.generation.buying import work
from tests.streamav.small import write_protocol


def generated(
    folder: Path, *systems: str, scenes: list[str], looks: Looks | None = None, name: str = "R"
) -> Round:
    """Return a round whose rollouts are there."""
    store_protocol(write_protocol(folder), actor="test")
    round_ = create_round(
        name=name, protocol="small-streamav@0.1.0", actor="test", scenes=scenes, looks=looks
    )
    waive_verdicts(round_=round_, reason="a test", actor="test")
    wanted = [one for one in built_in_systems() if one.name in systems]
    commission(round_=round_, configurations=wanted, seed=3, actor="test")
    work(seconds=120)
    round_.refresh_from_db()
    return round_
