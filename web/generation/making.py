"""The one way to make a round: its protocol, what of it, and where its clips come from. It leads on
to the page that is next.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from fartbench.errors import Refusal
from fartbench.models import ProtocolVersion, Round
from generation.models import Configuration
from generation.planning import Plan, Source, plan_round
from generation.presets import PRESETS, preset
from web.generation.access import commissions, shared_context
from web.generation.round_form import RoundForm, default_replicates, horizons_of, sources_of

SOURCES = {
    Source.OWN: ("Your own files", "You have the clips already, and add them next."),
    Source.PROVIDERS: (
        "Providers make them",
        "Prompts are written and checked, then you set a ceiling and launch. This buys nothing.",
    ),
    Source.BUILT_IN: (
        "The built-in renderer draws them",
        "Free and quick, to try things out. They are no results of a real model.",
    ),
}
NEXT = {
    Source.OWN: ("generation-clips", "Round {} is made. Now add its clips."),
    Source.PROVIDERS: (
        "generation-prompts",
        "Round {} is made. Next, somebody reads its prompts; nothing was bought.",
    ),
    Source.BUILT_IN: ("staff-round", "Round {} is made, and its clips are being drawn."),
}


@require_http_methods(["GET", "HEAD", "POST"])
@commissions
def make_round(request: HttpRequest) -> HttpResponseBase:
    """Ask what the round is to be, say what that costs, and make it."""
    given = request.POST if request.method == "POST" else request.GET
    protocols = list(ProtocolVersion.objects.order_by("name", "version"))
    protocol = next((one for one in protocols if str(one) == given.get("protocol")), None)
    if protocol is None and len(protocols) == 1 and "protocol" not in given:
        protocol = protocols[0]
    if protocol is None:
        context = {"protocols": protocols, **shared_context()}
        return TemplateResponse(request, "generation/choose_protocol.html", context)
    configurations = [one for one in Configuration.objects.exclude(digest="") if one.file]
    form = _form_of(request, protocol, configurations)
    plan = None
    if form.is_bound and form.is_valid():
        plan = form.plan()
        if request.POST.get("action") == "create" and (made := _made(request, plan)):
            address, words = NEXT[plan.source]
            messages.success(request, words.format(made.name))
            return redirect(address, made.name)
    context = {
        "form": form,
        "plan": plan,
        "protocol": protocol,
        "protocols": protocols,
        "presets": PRESETS,
        "configurations": configurations,
        "sources": [(one, *SOURCES[Source(one)]) for one in sources_of(protocol.rules)],
        "chosen": _chosen(form),
        "horizons": [f"{one:g}" for one in horizons_of(protocol.rules)],
        "estimated": plan is not None and plan.source == Source.PROVIDERS,
        **shared_context(),
    }
    return TemplateResponse(request, "generation/make_round.html", context)


def _made(request: HttpRequest, plan: Plan) -> Round | None:
    """Return the round that was made; None, with the refusal as a message, when it cannot be."""
    try:
        return plan_round(plan, actor=request.user.get_username())
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return None


def _form_of(
    request: HttpRequest, protocol: ProtocolVersion, configurations: list[Configuration]
) -> RoundForm:
    if request.method == "POST":
        return RoundForm(request.POST, protocol=protocol, configurations=configurations)
    rules = protocol.rules
    scenes = [scene.key for scene in rules.scenes]
    initial: dict[str, Any] = {
        "scenes": scenes,
        "replicates": default_replicates(rules),
        "horizons": [f"{one:g}" for one in horizons_of(rules)[-1:]],
        "kinds": [kind.kind for kind in rules.rollouts.units.kinds] if rules.rollouts else [],
    }
    start = preset(request.GET.get("preset", ""))
    if start is not None:
        active = [one.name for one in configurations if one.track == "core-av"]
        initial |= {
            "scenes": start.pick_scenes(scenes),
            "replicates": start.replicates,
            "configurations": active[: start.configurations],
            "source": Source.PROVIDERS,
        }
    return RoundForm(initial=initial, protocol=protocol, configurations=configurations)


def _chosen(form: RoundForm) -> dict[str, Any]:
    """Return what each field holds now, whether or not it is valid."""
    return {name: form[name].value() or "" for name in form.fields}
