"""What the views of one published round share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from fartbench.protocol import Protocol
from review.pairs.selectors import live_pairs
from scoring.models import Release
from scoring.release.pages import SUMMARY
from scoring.report_classes.base import Report
from web.pages.published import documents_of, release_or_404, rows_of

ReportT = TypeVar("ReportT", bound=Report)


class ReleasePage:
    """What the views of a release share: the release, its protocol, and its documents."""

    def __init__(self, release: Release, tab: str) -> None:
        self.release, self.tab = release, tab
        self.read = documents_of(release)
        self.rows = rows_of(release)

    @property
    def rules(self) -> Protocol:
        return self.release.round.protocol.rules

    def documents(self, *names: str) -> list[Any]:
        """Return the named documents of the release, its summary first; one that is missing is
        None.
        """
        found = self.read([SUMMARY, *names])
        self.summary = found[SUMMARY]
        return [found.get(name) for name in names]

    def report(self, kind: type[ReportT], name: str) -> ReportT | None:
        """Return a report of the release, or None where its protocol names none."""
        (document,) = self.documents(name)
        return kind.model_validate(document) if document else None

    def show(
        self, request: HttpRequest, template: str, context: dict[str, Any]
    ) -> HttpResponseBase:
        """Render a page of the release; ``documents`` was called before, or the context brings the
        summary.
        """
        round_ = self.release.round
        shared = {
            "release": self.release,
            "round": round_,
            "protocol": round_.protocol,
            "rules": self.rules,
            "tab": self.tab,
            "has_pairs": self.rules.pairs is not None and live_pairs(round_).exists(),
            "demonstration": self.release.demonstration,
            "summary": getattr(self, "summary", None),
        }
        return TemplateResponse(request, template, shared | context)


View = Callable[..., HttpResponseBase]


def of_release(tab: str) -> Callable[[View], View]:
    """Give a view the newest release of the published round in its address; any other round is not
    there.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def found(request: HttpRequest, name: str, **rest: str) -> HttpResponseBase:
            return view(request, ReleasePage(release_or_404(name), tab), **rest)

        safe: View = require_safe(found)
        return safe

    return decorate
