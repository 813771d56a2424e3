"""Acceptances on local disk, written before the database hears of them (`fartbench.spool`)."""

from __future__ import annotations

from fartbench import spool
from fartbench.spool import drop
from generation.providers.port import Accepted

__all__ = ["drop", "get", "put"]


def put(token: str, answer: Accepted) -> None:
    """Store the acceptance of a try and wait until the disk has it."""
    spool.put(token, {"provider_id": answer.provider_id, "handle": dict(answer.handle)})


def get(token: str) -> Accepted | None:
    """Return the acceptance of a try, if this machine has one."""
    answer = spool.get(token)
    if answer is None:
        return None
    return Accepted(str(answer["provider_id"]), answer["handle"])
