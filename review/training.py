"""Asks for training clips. What draws them registers itself: reviewers' code does not know how a
clip is made.
"""

from __future__ import annotations

from pkgutil import resolve_name

from fartbench import jobs
from fartbench.models import ProtocolVersion
from review.errors import TrainingRefused

TRAINING = "training"

_checks: list[str] = []


def register(run: str, refuse_undrawable: str) -> None:
    """Say, by dotted paths, what draws the training clips of a protocol (its key is the job's
    subject), and what refuses a protocol of which nothing can be drawn.
    """
    _checks[:] = [refuse_undrawable]
    jobs.register(TRAINING, run)


def request_training(*, protocol: ProtocolVersion, round_name: str = "") -> None:
    """Leave the training clips of a protocol to the workers.

    Raises TrainingRefused when nothing here draws any of its scenes, or not what its form asks.
    """
    if not _checks:
        raise TrainingRefused("Nothing on this installation draws training clips.")
    for path in _checks:
        resolve_name(path)(protocol)
    jobs.enqueue(TRAINING, [protocol.pk], round_name=round_name)
