"""Providers that make a clip when it is fetched, and keep nothing before. No Django here."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from generation.providers.order import Request
from generation.providers.port import Absent, Accepted, Fetch, Finding, Output, Report, Submitted


class MadeOnFetch(ABC):
    """The part of such a provider that is the same for all: taking an order in, and never losing
    one.

    A job's id says what was ordered. An order that is made twice is therefore one order, and
    ``nothing_lost`` says why there is none to look for.
    """

    nothing_lost: ClassVar[str]

    def submit(self, request: Request) -> Submitted:
        """Accept."""
        return Accepted(json.dumps(dict(request.body), sort_keys=True), dict(request.body))

    @abstractmethod
    def make(self, handle: Mapping[str, Any], out: Path, report: Report) -> Fetch:
        """Write the clip that ``handle`` orders to ``out``; ``report`` takes progress from 0 to
        1.
        """

    def fetch(
        self,
        provider_id: str,  # noqa: ARG002 - the handle says all, and there is one output
        handle: Mapping[str, Any],
        output: Output,  # noqa: ARG002
        out: Path,
        report: Report,
    ) -> Fetch:
        """Make it now."""
        return self.make(handle, out, report)

    def find(self, request: Request, **_window: Any) -> Finding:  # noqa: ARG002
        """Say that nothing was lost: nothing is kept anywhere that could be."""
        return Absent(self.nothing_lost)
