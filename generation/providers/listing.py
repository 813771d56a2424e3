"""Looking for a lost job in a provider's list of jobs. No Django here."""

from __future__ import annotations

from typing import Any

from generation.providers.answers import at, number
from generation.providers.contract import Listing
from generation.providers.order import Request
from generation.providers.port import Absent, Accepted, CannotTell, Finding

CLOCKS_DIFFER_S = 60.0
UNREADABLE = CannotTell("The list of jobs could not be read.")


def job_in_list(
    body: Any,
    listing: Listing,
    request: Request,
    span: tuple[float, float],
    *,
    known: frozenset[str],
    rivals: int,
) -> Finding:
    """Return the one job of the list that was made within ``span`` (seconds since 1970), is for
    the request's model, and is not among the ``known``.

    With ``rivals``, other orders in doubt at that time, nobody can tell whose it is.
    """
    items = at(body, listing.items)
    if not isinstance(items, list):
        return UNREADABLE
    first, last = span[0] - CLOCKS_DIFFER_S, span[1] + CLOCKS_DIFFER_S
    oldest = span[1]
    strangers = []
    for item in items:
        created = number(at(item, listing.created))
        if created is None:
            return CannotTell("The list of jobs does not say when each was made.")
        oldest = min(oldest, float(created))
        job = str(at(item, listing.id))
        is_its_model = at(item, listing.model) == request.body.get("model")
        if first <= created <= last and is_its_model and job not in known:
            strangers.append(job)
    if _goes_on(body, items, listing) and oldest > first:
        return CannotTell("The list of jobs does not reach back to the time of the try.")
    if not strangers:
        return Absent("The list covers the time of the try and has no such job.")
    # Two tries in doubt at one time cannot be distinguished by model and time.
    if len(strangers) == 1 and not rivals:
        return Accepted(strangers[0])
    return CannotTell(f"{len(strangers)} jobs in the list could be it.")


def _goes_on(body: Any, items: list[Any], listing: Listing) -> bool:
    more = at(body, "has_more") is True or (number(at(body, "total")) or 0) > len(items)
    return more or len(items) >= listing.page_size
