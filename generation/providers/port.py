"""What every provider of clips can do, in its own words or another's. No Django here.

Three calls, each made once by a worker and never waiting: submit, look, fetch. What comes back is
one of the classes below; an exception means a fault on this side. A stream can be served by the
same port: an order has timed prompts, a look may bring updates, and outputs may be many and start
anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from generation.providers.order import Order, Request
from generation.rollouts.log import RolloutLog

Report = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Trace:
    """What an exchange left for the log, keys removed: HTTP status, the provider's request ids, the
    answer's text.
    """

    http_status: int | None = None
    request_ids: Mapping[str, str] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The provider took the order: it gave an id in a 2xx answer.

    ``handle`` is what looking needs besides.
    """

    provider_id: str
    handle: Mapping[str, Any] = field(default_factory=dict)
    trace: Trace = Trace()


@dataclass(frozen=True, slots=True)
class Refused:
    """The provider declined, with its reason. A result, never asked for again."""

    reason: str
    code: str = ""
    trace: Trace = Trace()


@dataclass(frozen=True, slots=True)
class NotTaken:
    """Surely nothing was accepted, for a passing reason: the same bytes may be sent again, after
    ``retry_after_s``.
    """

    reason: str
    code: str = ""
    retry_after_s: float | None = None
    trace: Trace = Trace()


@dataclass(frozen=True, slots=True)
class NeedsOperator:
    """Surely nothing was accepted, and the same again would not help: a key, credit, a parameter, a
    retired model.
    """

    reason: str
    code: str = ""
    trace: Trace = Trace()


@dataclass(frozen=True, slots=True)
class Unsure:
    """It may have been accepted: the answer never came, or made no sense.

    Never sent again without proof.
    """

    reason: str
    trace: Trace = Trace()


Submitted = Accepted | Refused | NotTaken | NeedsOperator | Unsure


@dataclass(frozen=True, slots=True)
class Output:
    """One candidate or chunk that the provider made; ``url`` is empty where the bytes come with the
    answer itself.
    """

    index: int
    url: str = ""
    starts_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider says it used or charged; None where it says nothing."""

    usd: Decimal | None = None
    usd_ticks: int | None = None
    credits: Decimal | None = None
    output_tokens: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return what is known, as plain JSON."""
        known = {
            "usd": self.usd,
            "usd_ticks": self.usd_ticks,
            "credits": self.credits,
            "tokens": self.output_tokens,
        }
        return {name: str(value) for name, value in known.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Pending:
    """Still at it. ``started`` tells work from waiting in line; ``progress`` is from 0 to 1, where
    known.
    """

    started: bool = False
    progress: float | None = None
    updates: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Ready:
    """Made: every candidate in the provider's order.

    ``returned`` is what else it said and is archived.
    """

    outputs: tuple[Output, ...]
    model_version: str = ""
    usage: Usage = Usage()
    returned: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failed:
    """The provider tried and brought nothing, with its reason. A result, never asked for again."""

    reason: str
    code: str = ""
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A look, or a download, that brought nothing for a passing reason; it changes nothing and is
    done again.
    """

    reason: str
    retry_after_s: float | None = None


Look = Pending | Ready | Refused | Failed | NoAnswer


@dataclass(frozen=True, slots=True)
class Fetched:
    """The bytes lie in the file. ``truth`` is their known ground truth, where the provider knows
    it; ``stream`` the log of the stream that they came in.
    """

    truth: Mapping[str, Any] | None = None
    stream: RolloutLog | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """The output can no longer be had."""

    reason: str


Fetch = Fetched | NoAnswer | Gone | Refused | Failed


@dataclass(frozen=True, slots=True)
class Absent:
    """Proof that the provider has no such job: its list covers the time of the try."""

    reason: str


@dataclass(frozen=True, slots=True)
class CannotTell:
    """The provider offers no way to find out, or the way did not lead to an answer."""

    reason: str


Finding = Accepted | Absent | CannotTell


class Provider(Protocol):
    """A source of clips."""

    key: str
    client: str  # adapter and SDK with their versions, for the log

    def request(self, order: Order) -> Request:
        """Return what would be sent.

        Raises RequestRefused for what the provider does not know, KeyMissing.
        """
        ...

    def submit(self, request: Request) -> Submitted:
        """Send it: one POST and no other. Only what a person must mend here is raised."""
        ...

    def look(self, provider_id: str, handle: Mapping[str, Any]) -> Look:
        """Ask once how far it is."""
        ...

    def fetch(
        self, provider_id: str, handle: Mapping[str, Any], output: Output, out: Path, report: Report
    ) -> Fetch:
        """Write the bytes of one output to ``out`` as they come; ``report`` takes progress from 0
        to 1.

        Refused and Failed are for what is only known once it is listened to.
        """
        ...

    def find(
        self, request: Request, *, since: float, until: float, known: frozenset[str], rivals: int
    ) -> Finding:
        """Look for a try whose answer was lost, sent between two Unix times.

        ``known`` ids belong to others; ``rivals`` is how many other tries of that time are in doubt
        too.
        """
        ...
