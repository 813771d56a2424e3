"""What the interface itself refuses."""

from __future__ import annotations

from fartbench.errors import BadInput, Refusal


class Unauthorised(Refusal):
    """A call without a token, or with one that is unknown, expired or revoked."""


class NotAllowed(Refusal):
    """A call that the token's scopes or the account's rights do not allow."""


class TokenRefused(BadInput):
    """A token that is not made; each reason is named."""


class TooManyCalls(Refusal):
    """More calls within a minute than a token may make."""


class KeyMissing(Refusal):
    """A call that needs an Idempotency-Key and has none."""


class KeyReused(Refusal):
    """An Idempotency-Key that came before with another call."""


class NotThere(Refusal):
    """There is nothing at this address, or nothing that the token may know of."""


class FieldsRefused(BadInput):
    """A body or an address with faults; each names its field."""

    def __init__(self, what: str, fields: dict[str, str]) -> None:
        self.fields = fields
        super().__init__(what, [f"{name}: {words}" for name, words in fields.items()])
