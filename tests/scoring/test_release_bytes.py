"""The bytes of a release while the house is rebuilt: three small rounds of each kind, by the
SHA-256 of all files.

A change that is meant to alter releases alters these figures, in the same commit and with the
reason.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from fartbench.protocol import ProtocolFile
from scoring.records import RoundRecord
from scoring.release.contents import hashes_of, write_release
from scoring.release.kinds import documents_of
from scoring.release.manifest import Issue
from tests.scoring.pilot_record import core_v01, make_pilot
from tests.scoring.record_factory import core_r01, make_record
from tests.streamav.rollout_record import make_round, signals, streamav
from tests.streamav.scripts import drawn

ISSUE = Issue(
    number=1,
    address="http://127.0.0.1:8000/rounds/r1/",
    demonstration=True,
    audit={"sequence": 7, "hash": "a" * 64},
)


def make_rollouts() -> RoundRecord:
    """Return a round of the first four rollouts, with what machines measured of picture and
    sound.
    """
    scenarios = [scenario.key for scenario in streamav().protocol.rollouts.scenarios[:4]]
    return make_round(
        drawn,
        scenarios=scenarios,
        reviewers=2,
        measured=lambda place, _name, scenario: signals(place, scenario),
    )


@pytest.mark.parametrize(
    ("protocol", "record", "sha256"),
    [
        pytest.param(
            core_r01,
            make_record,
            "38c01a0ae2e9ab026c8ad336b719b7ab597355d5e676af91f23e96864b900ae2",
            id="gates",
        ),
        pytest.param(
            core_v01,
            make_pilot,
            "e5a7a67a9977932b1ba1a2c5c5de7d19b0db75c516864319e2c051676d6f43c1",
            id="weighted",
        ),
        pytest.param(
            streamav,
            make_rollouts,
            "772d45da8895a55fed7420a5db551089fbc9de6e818cbfe8bc5ea026c2d71d7e",
            id="rollouts",
        ),
    ],
)
def test_a_release_has_the_bytes_that_it_had_before(
    protocol: Callable[[], ProtocolFile],
    record: Callable[[], RoundRecord],
    sha256: str,
    tmp_path: Path,
) -> None:
    write_release(tmp_path, documents_of(record()), protocol().content, ISSUE)
    files = "".join(f"{name} {digest}\n" for name, digest in sorted(hashes_of(tmp_path).items()))
    assert hashlib.sha256(files.encode()).hexdigest() == sha256
