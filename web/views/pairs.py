"""The page of staff about the blind pairs of a round."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from fartbench.models import Round
from review.pairs.selectors import pair_progress
from rounds.forms import StepForm
from rounds.pairs import balance_of
from web.pages.steps import buttons_of
from web.views.access import sees_rounds
from web.views.shared import for_staff, round_or_404


@require_safe
@sees_rounds
def pairs(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show how far everybody is with the pairs, and how even the plan is; it names no
    configuration.
    """
    return show_pairs(request, round_or_404(name))


def show_pairs(
    request: HttpRequest, round_: Round, bound: StepForm | None = None
) -> HttpResponseBase:
    """Show the pairs of a round, with a form of a step that was sent with errors."""
    rules = round_.protocol.rules
    context = {
        "round": round_,
        "rules": rules,
        "pairs": rules.pairs,
        "balance": balance_of(round_),
        "progress": pair_progress(round_),
        "buttons": buttons_of(round_, "pairs", bound=bound),
        **for_staff(request),
    }
    return TemplateResponse(request, "staff/pairs.html", context)
