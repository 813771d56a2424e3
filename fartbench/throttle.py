"""Slows down anyone who tries passwords and return codes. Tries are rows, so that every web process
counts the same.

A try is written before it is checked and is removed when it was right, so that many at once get no
further than one after the other. Names and network addresses are kept only as keyed hashes, and
only for as long as they count.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, F, Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from fartbench.errors import Refusal
from fartbench.models import CallCount, EntryTry

WINDOW = timedelta(minutes=15)
# Of wrong tries within the window: for one account from one address, for one account from anywhere
# (a stranger cannot keep its owner out with fewer), and from one address for any account (a lab may
# have one for all its people).
MOST_FOR_ONE_FROM_ONE, MOST_FOR_ONE, MOST_FROM_ONE = 5, 50, 50


class TooManyTries(Refusal):
    """Too many wrong passwords or codes came for this account, or from this address, a short while
    ago.
    """

    def __init__(self) -> None:
        minutes = int(WINDOW.total_seconds() // 60)
        super().__init__(
            f"Too many wrong tries. Wait {minutes} minutes, then try again, or ask for a new "
            "invite link."
        )


@dataclass(frozen=True, slots=True)
class Admission:
    """A try that may be made; `forgive` it when it was right."""

    row: EntryTry

    def forgive(self) -> None:
        """Take back this try, and earlier ones for the same account from the same address."""
        EntryTry.objects.filter(pk=self.row.pk).delete()
        if self.row.account:
            EntryTry.objects.filter(account=self.row.account, address=self.row.address).delete()


def admit(request: HttpRequest, account: str = "") -> Admission:
    """Count a try to come in, for ``account`` or by a code that names none. Raises TooManyTries."""
    now = timezone.now()
    EntryTry.objects.filter(at__lt=now - WINDOW).delete()
    name, address = _sealed(account.strip().lower()), _sealed(client_address(request))
    both, by_name, by_address = (
        Q(account=name, address=address),
        Q(account=name),
        Q(address=address),
    )
    # A row from the future is a clock's fault and no reason to keep anybody out.
    found = EntryTry.objects.filter(at__lte=now).aggregate(
        both=Count("pk", filter=both),
        by_name=Count("pk", filter=by_name),
        by_address=Count("pk", filter=by_address),
    )
    over_name = account and (
        found["both"] >= MOST_FOR_ONE_FROM_ONE or found["by_name"] >= MOST_FOR_ONE
    )
    if over_name or found["by_address"] >= MOST_FROM_ONE:
        raise TooManyTries
    return Admission(
        EntryTry.objects.create(at=now, account=name if account else "", address=address)
    )


def count_call(caller: str) -> int:
    """Count a call of ``caller`` and return how many it made in this minute, this one included."""
    name, minute = _sealed(caller), timezone.now().replace(second=0, microsecond=0)
    row = CallCount.objects.filter(caller=name)
    if not row.filter(minute=minute).update(calls=F("calls") + 1):
        # The first of this minute. Of two at once both may come here: one of them is not counted.
        CallCount.objects.update_or_create(caller=name, defaults={"minute": minute, "calls": 1})
        return 1
    return row.values_list("calls", flat=True).get()


def client_address(request: HttpRequest) -> str:
    """Return the network address that a request came from: the one our own proxy saw, where there
    is one.
    """
    if settings.BEHIND_PROXY:
        # The last entry is our proxy's; anything before it was written by the client.
        return str(request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip())
    return str(request.META.get("REMOTE_ADDR", ""))


def _sealed(text: str) -> str:
    return salted_hmac("fartbench.throttle", text, algorithm="sha256").hexdigest()[:32]
