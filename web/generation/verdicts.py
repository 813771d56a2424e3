"""Pages of experts: the scenarios of a protocol one by one, and a verdict on each.

An expert is an account of the staff with the permission “Can add scenario verdict”. Admins see
where scenarios stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_POST, require_safe

from fartbench.errors import Refusal
from fartbench.models import ProtocolVersion
from fartbench.protocol.rollouts.schema import Scenario, Update
from fartbench.protocol.rollouts.timeline import timeline
from generation.models import Opinion
from generation.verdicts import (
    Line,
    earlier_verdicts,
    give_verdict,
    line_of,
    lines_of,
    scenarios_of,
)
from web.generation.access import is_expert, judges_scenarios, may_commission, sees_scenarios

TONES = {"waiting": "", "disputed": "warn", "accepted": "good", "to_correct": "bad"}
KEYS = {Opinion.ACCEPT: "a", Opinion.CORRECT: "c", Opinion.REJECT: "r"}


@require_safe
@sees_scenarios
def home(request: HttpRequest) -> HttpResponseBase:
    """List the protocols that have scenarios, and how far each is."""
    protocols = [
        one for one in ProtocolVersion.objects.order_by("name", "version") if scenarios_of(one)
    ]
    context = {"rows": [_row(one, request) for one in protocols], **_context(request)}
    return TemplateResponse(request, "generation/scenario_protocols.html", context)


def _row(protocol: ProtocolVersion, request: HttpRequest) -> dict[str, Any]:
    lines = lines_of(protocol)
    accepted = sum(line.reviewed.standing == "accepted" for line in lines)
    return {
        "protocol": protocol,
        "accepted": accepted,
        "total": len(lines),
        "due": len(_due(lines, request)),
    }


@require_safe
@sees_scenarios
def scenarios(request: HttpRequest, name: str, version: str) -> HttpResponseBase:
    """List a protocol's scenarios with the state of each; verdicts that wait for a second one are
    shown to nobody.
    """
    protocol = _protocol_or_404(name, version)
    lines, expert = lines_of(protocol), request.user.get_username()
    due = _due(lines, request)
    accepted = [line for line in lines if line.reviewed.standing == "accepted"]
    reviewed_by_expert = [line for line in lines if expert in {row.expert for row in line.rows}]
    context = {
        "protocol": protocol,
        "rows": [_cells(line, expert, is_due=line in due) for line in lines],
        "next": due[0] if due else None,
        "due": len(due),
        "done": len(accepted),
        "total": len(lines),
        "given": len(reviewed_by_expert),
        **_context(request),
    }
    return TemplateResponse(request, "generation/scenarios.html", context)


def _cells(line: Line, expert: str, *, is_due: bool) -> dict[str, Any]:
    return {
        "line": line,
        "tone": TONES[line.reviewed.standing],
        "is_due": is_due,
        "said": line.shown_to(expert),
    }


@require_safe
@sees_scenarios
def scenario(request: HttpRequest, name: str, version: str, key: str) -> HttpResponseBase:
    """Show one scenario: prompts, times and checklists, what may be seen of verdicts, and the form
    of one's own.
    """
    protocol = _protocol_or_404(name, version)
    line = _line_or_404(protocol, key)
    expert = request.user.get_username()
    context = {
        "protocol": protocol,
        "line": line,
        "scenario": line.scenario,
        "about": _about(line.scenario),
        "updates": list(map(_update, line.scenario.updates)),
        "tone": TONES[line.reviewed.standing],
        "timeline": timeline(line.scenario),
        "checklists": [
            ("Picture", _questions(line.scenario.video_checklist)),
            ("Sound", _questions(line.scenario.audio_checklist)),
        ],
        "look_for": _criteria(protocol),
        "shown": line.shown_to(expert),
        "before_correction": earlier_verdicts(protocol, line),
        "is_due": is_expert(request.user) and line.is_asked(expert),
        "opinions": [(value, label, KEYS[Opinion(value)]) for value, label in Opinion.choices],
        **_neighbours([one.key for one in scenarios_of(protocol)], key),
        **_context(request),
    }
    return TemplateResponse(request, "generation/scenario.html", context)


def _neighbours(keys: list[str], key: str) -> dict[str, Any]:
    """Return the place of a scenario among all of its protocol, from 1, and the keys before and
    after it.
    """
    place = keys.index(key)
    before = keys[place - 1] if place > 0 else None
    after = keys[place + 1] if place + 1 < len(keys) else None
    return {"before": before, "after": after, "number": place + 1, "total": len(keys)}


def _criteria(protocol: ProtocolVersion) -> Sequence[Any]:
    """Return what experts look for in a scenario."""
    rollouts = protocol.rules.rollouts
    return rollouts.experts.look_for if rollouts else ()


def _about(scenario: Scenario) -> str:
    kinds = (
        scenario.visual_style,
        scenario.subject_category,
        scenario.scene_domain,
        scenario.audio_domain,
    )
    apart = scenario.complexity
    return (
        f"{scenario.track.capitalize()}, {scenario.duration_s:g} s; "
        f"{', '.join(map(_in_words, kinds))}. To keep apart: "
        f"{_in_words(apart.entity)} entity, {_in_words(apart.activity)} activity, "
        f"{_in_words(apart.audio)} audio."
    )


def _update(update: Update) -> dict[str, Any]:
    """Return an update as the page shows it; the parts of its prompt only where they are not the
    prompt itself.
    """
    parts = (("To be seen", update.visual), ("To be heard", update.audio))
    return {
        "id": update.id,
        "at_s": update.at_s,
        "kinds": [_in_words(one) for one in (update.type, update.modality, update.dependency)],
        "depends_on": update.depends_on,
        "prompt": update.prompt,
        "parts": [(role, text) for role, text in parts if text and text != update.prompt],
    }


def _questions(checklist: Mapping[str, str | None]) -> list[tuple[str, str | None]]:
    return [(_in_words(field), question) for field, question in checklist.items()]


def _in_words(key: str) -> str:
    return key.replace("_", " ")


@require_POST
@judges_scenarios
def give(request: HttpRequest, name: str, version: str, key: str) -> HttpResponseBase:
    """Take an expert's verdict and go on to the next scenario that waits for theirs."""
    protocol = _protocol_or_404(name, version)
    _line_or_404(protocol, key)
    form = request.POST
    try:
        row = give_verdict(
            protocol=protocol, scenario=key, expert=request.user.get_username(),
            verdict=form.get("verdict", ""),
            words=form.get("words", ""),
        )  # fmt: skip
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("scenario", name, version, key)
    messages.success(request, f"“{row.get_verdict_display()}” is saved for {key}.")
    if due := _due(lines_of(protocol), request):
        return redirect("scenario", name, version, due[0].scenario.key)
    return redirect("scenarios", name, version)


def _due(lines: list[Line], request: HttpRequest) -> list[Line]:
    """Return the scenarios that wait for this account's verdict."""
    if not is_expert(request.user):
        return []
    return [line for line in lines if line.is_asked(request.user.get_username())]


def _context(request: HttpRequest) -> dict[str, Any]:
    return {"is_expert": is_expert(request.user), "runs_rounds": may_commission(request.user)}


def _protocol_or_404(name: str, version: str) -> ProtocolVersion:
    found = ProtocolVersion.objects.filter(name=name, version=version).first()
    if found is None or not scenarios_of(found):
        raise Http404
    return found


def _line_or_404(protocol: ProtocolVersion, key: str) -> Line:
    try:
        return line_of(protocol, key)
    except KeyError as error:
        raise Http404 from error
