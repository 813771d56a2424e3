"""Asks for training clips. What draws them registers itself: reviewers' code does not know how a
clip is made.
"""

from __future__ import annotations

from collections.abc import Callable

from fartbench import jobs
from fartbench.models import ProtocolVersion
from review.errors import TrainingRefused

TRAINING = "training"

Check = Callable[[ProtocolVersion], None]
_checks: list[Check] = []


def register(run: jobs.Handler, refuse_undrawable: Check) -> None:
    """Say what draws the training clips of a protocol (its key is the job's subject), and what
    refuses to.
    """
    _checks[:] = [refuse_undrawable]
    jobs.register(TRAINING, run)


def request_training(*, protocol: ProtocolVersion, round_name: str = "") -> None:
    """Leave the training clips of a protocol to the workers.

    Raises TrainingRefused when nothing here draws any of its scenes, or not what its form asks.
    """
    if not _checks:
        raise TrainingRefused("Nothing on this installation draws training clips.")
    for refuse_undrawable in _checks:
        refuse_undrawable(protocol)
    jobs.enqueue(TRAINING, [protocol.pk], round_name=round_name)
