"""Estimates of reports as pages write them."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from fartbench.protocol.judges import Share
from scoring.report_classes.base import ReportedEstimate
from web.pages.figures import figure, stored_figure

register = template.Library()


@register.filter
def number(estimate: ReportedEstimate | float | None, digits: int = 2) -> SafeString:
    """Write an estimate with its interval and n, or a value of an old release without them."""
    return stored_figure(estimate, digits=digits).html


@register.filter
def share(estimate: ReportedEstimate) -> SafeString:
    """Write an estimate of a share in per cent, with its interval and n."""
    return figure(estimate, percent=True).html


@register.filter
def per_cent(value: float) -> str:
    """Write a share that has no interval in per cent."""
    return f"{value:.0%}"


@register.filter
def threshold(needed: Share) -> str:
    """Write a threshold in per cent, with the decimals that it has."""
    return f"{100 * needed.part / needed.of:g}%"


@register.filter
def plain(value: float) -> str:
    """Write a number with the decimals that it has."""
    return f"{value:g}"
