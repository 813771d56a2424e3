"""A provider behind its port whose answers are fit to be stored, whatever was sent. No Django here.

Every text is cut, cleaned and without keys, every number one that can be. What an adapter could not
read is no fault of the program: a submission is in doubt, a look brought nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from fartbench.errors import Refusal
from fartbench.protocol.digest import canonical_bytes
from fartbench.storable import storable, token_count
from generation.providers.access import Access, access
from generation.providers.order import Order, Request
from generation.providers.port import (
    Accepted,
    CannotTell,
    Fetch,
    Finding,
    Look,
    NoAnswer,
    Output,
    Provider,
    Report,
    Submitted,
    Trace,
    Unsure,
    Usage,
)

WORDS_LIMIT, NAME_LIMIT, ID_LIMIT, LINK_LIMIT = 1_000, 120, 300, 4_000
MOST_RETURNED_BYTES = 100_000
MOST_OUTPUTS = 16
MOST_USD = Decimal(100_000)
TICKS_PER_USD = 10**10
MOST_CREDITS = Decimal(10**9)
_LIMITS = {
    "reason": WORDS_LIMIT,
    "code": NAME_LIMIT,
    "model_version": NAME_LIMIT,
    "url": LINK_LIMIT,
}

Said = TypeVar("Said")


class GuardedProvider:
    """Any provider of the network, guarded."""

    def __init__(self, source: Provider) -> None:
        self._source = source
        self.key, self.client = source.key, source.client

    def request(self, order: Order) -> Request:
        """Return what would be sent."""
        return self._source.request(order)

    def submit(self, request: Request) -> Submitted:
        """Send it once. What raises may have been accepted, unless it is a refusal of this side."""
        entry = access(self.key)
        try:
            return _acceptable(self._source.submit(request), entry)
        except Refusal:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a provider makes of an adapter, nothing is sent twice
            return _clean(Unsure(f"{type(error).__name__}: {error}"), entry)

    def look(self, provider_id: str, handle: Mapping[str, Any]) -> Look:
        """Ask once how far it is."""
        entry = access(self.key)
        try:
            return _clean(self._source.look(provider_id, handle), entry)
        except Refusal:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            return NoAnswer(f"The answer cannot be read: {type(error).__name__}")

    def fetch(
        self, provider_id: str, handle: Mapping[str, Any], output: Output, out: Path, report: Report
    ) -> Fetch:
        """Write the bytes of one output. Faults of the disk are raised."""
        try:
            return _clean(
                self._source.fetch(provider_id, handle, output, out, report), access(self.key)
            )
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            return NoAnswer(f"The clip cannot be read: {type(error).__name__}")

    def find(
        self, request: Request, *, since: float, until: float, known: frozenset[str], rivals: int
    ) -> Finding:
        """Look for a try whose answer was lost. One that belongs to another order is none."""
        entry = access(self.key)
        try:
            finding = self._source.find(
                request, since=since, until=until, known=known, rivals=rivals
            )
            if isinstance(finding, Accepted):
                finding = _found(_acceptable(finding, entry), known)
            return _clean(finding, entry)
        except Refusal:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            return CannotTell(f"The answer cannot be read: {type(error).__name__}")


def _found(answer: Submitted, known: frozenset[str]) -> Finding:
    if not isinstance(answer, Accepted):
        return CannotTell("What was found has no id that can be kept.")
    if answer.provider_id in known:
        return CannotTell("What was found belongs to another order.")
    return answer


def _acceptable(answer: Submitted, entry: Access) -> Submitted:
    """Return an answer cleaned; an acceptance by an id that is none is a doubt."""
    if not isinstance(answer, Accepted):
        return _clean(answer, entry)
    cleaned, given = _clean(answer, entry), answer.provider_id
    if len(given) > ID_LIMIT or not given.isprintable() or cleaned.provider_id != given:
        return Unsure("The answer was a success with an id that cannot be kept.", cleaned.trace)
    return cleaned


def _clean(answer: Said, entry: Access) -> Said:
    """Return an answer, or a part of one, with every field cleaned."""
    names = [field.name for field in fields(answer)]  # type: ignore[arg-type]
    cleaned = {name: _field(name, getattr(answer, name), entry) for name in names}
    return replace(answer, **cleaned)  # type: ignore[type-var]


def _field(name: str, value: Any, entry: Access) -> Any:
    if isinstance(value, Trace):
        return _clean(value, entry)
    if isinstance(value, Usage):
        return _usage(value)
    if name == "outputs":
        return tuple(_clean(output, entry) for output in value[:MOST_OUTPUTS])
    if name == "returned":
        return _returned(storable(value, entry.redacted))
    if isinstance(value, str | Mapping):
        stored = storable(value, entry.redacted)
        if name in _LIMITS:
            return stored[: _LIMITS[name]]
        return stored
    return value


def _returned(found: dict[str, Any]) -> dict[str, Any]:
    size = len(canonical_bytes(found))
    if size <= MOST_RETURNED_BYTES:
        return found
    return {"not_kept": f"{size} bytes of what else it said"}


def _usage(usage: Usage) -> Usage:
    ticks = _at_most(usage.usd_ticks, int(MOST_USD) * TICKS_PER_USD)
    return Usage(
        usd=_at_most(usage.usd, MOST_USD),
        usd_ticks=None if ticks is None else int(ticks),
        credits=_at_most(usage.credits, MOST_CREDITS),
        output_tokens=token_count(usage.output_tokens),
    )


def _at_most(value: Any, most: Any) -> Any:
    # A number that is none compares as false, or not at all.
    if value is not None and Decimal(value).is_finite() and 0 <= value <= most:
        return value
    return None
