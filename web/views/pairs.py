"""The page of staff about the blind pairs of a round."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from review.pairs.selectors import pair_progress
from rounds.pairs import balance_of
from web.pages.actions import actions_for, placed
from web.views.access import sees_rounds
from web.views.shared import for_staff, round_or_404


@require_safe
@sees_rounds
def pairs(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show how far everybody is with the pairs, and how even the plan is; it names no
    configuration.
    """
    round_ = round_or_404(name)
    rules = round_.protocol.rules
    context = {
        "round": round_,
        "rules": rules,
        "pairs": rules.pairs,
        "balance": balance_of(round_),
        "progress": pair_progress(round_),
        "actions": placed(actions_for(round_, None), "pairs"),
        **for_staff(request),
    }
    return TemplateResponse(request, "staff/pairs.html", context)
