"""The secret of a round, which its orders are drawn from: in no row of the database before the
round is closed.

It follows from ``SECRET_KEY`` and the round's seed. Opening stores its SHA-256, closing the secret
itself, and a release states it: then everyone can draw the orders again. Who reads the database of
an open round cannot.
"""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.utils.crypto import salted_hmac

from fartbench.errors import Refusal
from fartbench.models import Round

_PURPOSE = "fartbench.round_secret"


class SecretKeyLost(Refusal):
    """The secret of an open round follows from a ``SECRET_KEY`` that this installation no longer
    has.
    """


def commit(round_: Round) -> str:
    """Draw the secret of a round that is about to open, store its SHA-256 in the row, and return
    the secret.
    """
    secret = _secret(round_, settings.SECRET_KEY)
    round_.secret_sha256 = _sha256(secret)
    round_.save(update_fields=["secret_sha256"])
    return secret


def secret_of(round_: Round) -> str:
    """Return what the orders of a round are drawn from; before it opens, and in older rounds, this
    is its seed.

    Raises SecretKeyLost.
    """
    if not round_.secret_sha256:
        return round_.seed
    if round_.secret:
        return round_.secret
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if _sha256(secret := _secret(round_, key)) == round_.secret_sha256:
            return secret
    raise SecretKeyLost(
        f"Round {round_.name!r} was opened with another SECRET_KEY. Put the one of that time into "
        "SECRET_KEY_FALLBACKS and run the same command again."
    )


def is_kept(round_: Round) -> bool:
    """Say whether the secret that a row states is the one that its opening committed to."""
    return not round_.secret or _sha256(round_.secret) == round_.secret_sha256


def _secret(round_: Round, key: str) -> str:
    return salted_hmac(
        _PURPOSE, f"{round_.name}|{round_.seed}", secret=key, algorithm="sha256"
    ).hexdigest()


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
