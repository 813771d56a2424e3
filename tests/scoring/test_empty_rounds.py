"""Rounds that came to little: what a release says of them verifies, and nothing fails on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fartbench.protocol import ProtocolFile
from scoring.records import RoundRecord
from scoring.release.contents import write_release
from scoring.release.kinds import documents_of, kind_of
from scoring.release.manifest import Issue
from scoring.release.verifying import verify_release
from tests.scoring.pilot_record import core_v01, make_pilot
from tests.scoring.record_factory import SCENES, core_r01, make_record
from tests.streamav.rollout_record import make_round, streamav
from tests.streamav.scripts import drawn

NAMES = ("alpha", "beta", "gamma", "delta")
SCENARIOS = [one.key for one in streamav().protocol.rollouts.scenarios[:2]]


def rollouts(**wanted: object) -> RoundRecord:
    return make_round(drawn, scenarios=SCENARIOS, **wanted)


@pytest.mark.parametrize(
    ("protocol", "record"),
    [
        pytest.param(core_r01, make_record, id="constant answers"),
        pytest.param(core_r01, lambda: make_record(configurations=("a",)), id="one"),
        pytest.param(core_r01, lambda: make_record(configurations=()), id="no configuration"),
        pytest.param(core_r01, lambda: make_record(locked=0), id="no sheet"),
        pytest.param(
            core_r01,
            lambda: make_record(refused={(name, scene): "x" for name in NAMES for scene in SCENES}),
            id="all refused",
        ),
        pytest.param(core_r01, lambda: make_record(replicates=3), id="constant replicates"),
        pytest.param(core_v01, lambda: make_pilot(configurations=()), id="an empty pilot"),
        pytest.param(core_v01, lambda: make_pilot(scenes=["fb-c02"]), id="one test"),
        pytest.param(streamav, lambda: rollouts(configurations=()), id="no system"),
        pytest.param(
            streamav,
            lambda: rollouts(
                failed={(name, key): "x" for name in ("alpha", "beta") for key in SCENARIOS}
            ),
            id="every rollout failed",
        ),
    ],
)
def test_its_release_verifies(
    protocol: Callable[[], ProtocolFile], record: Callable[[], RoundRecord], tmp_path: Path
) -> None:
    made = record()
    documents = documents_of(made)
    assert dict(kind_of(made.protocol).pages(documents))
    issue = Issue(
        number=1,
        address="http://127.0.0.1:8000/rounds/r1/",
        demonstration=made.is_demonstration,
        audit={"sequence": 7, "hash": "a" * 64},
    )
    digest = write_release(tmp_path, documents, protocol().content, issue)
    assert verify_release(tmp_path).digest == digest
