"""Does a step of a round for the person who pressed its button."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from fartbench.errors import Refusal
from rounds.forms import StepForm
from rounds.steps import STEPS, for_browser
from web.views.access import runs_rounds
from web.views.insight import show_blinding
from web.views.pairs import show_pairs
from web.views.shared import round_or_404
from web.views.staff import show_round

PAGES = {
    "round": ("staff-round", show_round),
    "reviewers": ("staff-round", show_round),
    "row": ("staff-round", show_round),
    "blinding": ("staff-blinding", show_blinding),
    "pairs": ("staff-pairs", show_pairs),
}


@require_POST
@runs_rounds
def step(request: HttpRequest, name: str) -> HttpResponseBase:
    """Do one step of the round. A refusal is shown on the page that has the button, errors beside
    their fields; nothing was changed then.
    """
    round_ = round_or_404(name)
    chosen = STEPS.get(request.POST.get("step", ""))
    if chosen is None or not chosen.has_form:
        messages.error(request, "There is no step of this name. Choose one of this page.")
        return redirect("staff-round", round_.name)
    address, show = PAGES[chosen.place]
    form = StepForm(chosen, round_, request.POST)
    if not form.is_valid():
        if chosen.is_offered(round_):
            return show(request, round_, form)
        for field, errors in form.errors.items():
            messages.error(request, f"{form[field].label}: {' '.join(map(str, errors))}")
        return redirect(address, round_.name)
    try:
        done = chosen.perform(round_, request.user.get_username(), form.cleaned_data)
    except Refusal as refusal:
        messages.error(request, for_browser(str(refusal), round_))
        return redirect(address, round_.name)
    messages.success(request, for_browser(done.words, round_))
    if done.links:
        return redirect("staff-reviewers", round_.name)  # shows them, as often as it is loaded
    return redirect(address, round_.name)
