"""Launching a round's orders, in two steps: what and under which ceiling; then what that means, and
the ceiling typed once more.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from fartbench.errors import Refusal
from generation.errors import NotForOperators
from generation.launching import budget_of, launch, launch_lines
from rounds.steps import for_browser
from web.generation.access import commissions, shared_context
from web.generation.rounds import round_or_404

MOST_USD = 1_000_000


@require_http_methods(["GET", "HEAD", "POST"])
@commissions
def launch_page(request: HttpRequest, name: str) -> HttpResponseBase:
    """Ask what is launched and what it may cost, show what that means, and launch it."""
    round_ = round_or_404(name)
    form, every = request.POST, launch_lines(round_)
    chosen = every
    if request.method == "POST":
        wanted = set(form.getlist("configurations"))
        chosen = [line for line in every if line.configuration.name in wanted]
    budget, fault, ceiling = budget_of(round_, chosen), "", None
    if request.method == "POST":
        try:
            if not chosen:
                raise NotForOperators("Choose at least one configuration.")
            ceiling = None if budget.is_free else amount(form.get("ceiling", ""))
            if _is_confirmed(request, ceiling, round_.name):
                count = launch(
                    round_=round_,
                    lines=chosen,
                    ceiling=ceiling,
                    actor=request.user.get_username(),
                )
                messages.success(request, f"{count} clips are asked for; workers get them now.")
                return redirect("generation-round", round_.name)
        except Refusal as refusal:
            fault = for_browser(str(refusal), round_)
    context = {
        "round": round_,
        "lines": every,
        "chosen": {line.configuration.name for line in chosen},
        "budget": budget,
        "ceiling": ceiling,
        "after": None if ceiling is None else max(Decimal(0), ceiling - budget.spent),
        "typed_ceiling": form.get("ceiling", ""),
        "confirming": request.method == "POST" and not fault,
        "fault": fault,
        **shared_context(),
    }
    return TemplateResponse(request, "generation/launch.html", context)


def _is_confirmed(request: HttpRequest, ceiling: Decimal | None, name: str) -> bool:
    """Say whether this is the second step. Raises NotForOperators for another amount, or another
    name where nothing is bought.
    """
    typed = request.POST.get("confirmation")
    if typed is None:
        return False
    is_same = typed.strip() == name if ceiling is None else amount(typed) == ceiling
    if not is_same:
        raise NotForOperators("What you typed is not the same. Nothing was launched.")
    return True


def amount(text: str) -> Decimal:
    """Return an amount in US dollars above 0. Raises NotForOperators for any other text."""
    try:
        usd = Decimal(text.strip().removeprefix("$"))
    except InvalidOperation:
        usd = Decimal("NaN")
    if not usd.is_finite() or not 0 < usd < MOST_USD:
        raise NotForOperators(
            f"{text!r} is not an amount in dollars, such as 25.00. Nothing was launched."
        )
    return round(usd, 2)
