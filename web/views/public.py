"""Pages for everyone: what this is, who leads, and how it is measured."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from blinding.views import stream
from fartbench.models import ProtocolVersion
from fartbench.protocol import Protocol, form_for
from generation.prompts import Specification
from review.selectors import protocols_under_review
from web.pages.method import na_map, point_lines, scene_forms, score_total, unit_forms, weight_lines
from web.pages.published import (
    board_of,
    newest_release,
    newest_releases,
    published_stimulus,
    scene_samples,
    shown_protocol,
    summaries,
)
from web.pages.sharing import of_home
from web.pages.specifications import specification_file, specification_of
from web.pages.state import state_lines

RELEASES_PER_PAGE = 20
LEADERS_SHOWN = 5


@require_safe
def home(request: HttpRequest) -> HttpResponseBase:
    """Show what this is, the scenes with a sample clip each, who leads, and the method in one
    screen.
    """
    release = newest_release()
    found = board_of(release, rows=LEADERS_SHOWN) if release else None
    version = release.round.protocol if release else shown_protocol()
    protocol = version.rules if version else None
    is_closed = version is not None and version.name in protocols_under_review(request.user)
    context = {
        "sharing": of_home(),
        "release": release,
        "unranked": None if release else newest_releases().first(),
        "board": found,
        "protocol": protocol,
        "samples": scene_samples(protocol, found) if protocol and not is_closed else [],
    }
    return TemplateResponse(request, "home.html", context)


@require_safe
def leaderboards(request: HttpRequest) -> HttpResponseBase:
    """List the published rounds."""
    page = Paginator(newest_releases(), RELEASES_PER_PAGE).get_page(request.GET.get("page"))
    found = summaries(page)
    lines = [(release, found[release.pk]) for release in page if release.pk in found]
    return TemplateResponse(request, "scoring/leaderboards.html", {"page": page, "lines": lines})


@require_safe
def clip(request: HttpRequest, name: str, stimulus_id: str) -> HttpResponseBase:
    """Send a clip of a published round; any other answers like one that does not exist."""
    stimulus = published_stimulus(name, stimulus_id)
    if stimulus is None:
        raise Http404
    return stream(request, stimulus)


@require_safe
def state(request: HttpRequest) -> HttpResponseBase:
    """Show what was commissioned, locked and published under each protocol, counted now."""
    return TemplateResponse(request, "scoring/state.html", {"lines": state_lines()})


@require_safe
def specification(request: HttpRequest, name: str, version: str, scene: str) -> HttpResponseBase:
    """Show a scene's canonical specification, made from its file."""
    rules, specification = _specification(name, version, scene)
    form = form_for(rules, scene)
    labels = {question.key: question.label for question in rules.questions}
    asked = [one.question for one in rules.scoring.dimensions if form.asks(one.question)]
    context: dict[str, Any] = {
        "rules": rules,
        "scene": rules.scene(scene),
        "specification": specification,
        "dimensions": [labels[key] for key in asked],
    }
    if checks := specification.checks:
        context["checks"] = [(labels[key], value) for key, value in checks.expected.items()]
        context["not_applicable"] = [labels[key] for key in checks.not_applicable]
    return TemplateResponse(request, "scoring/specification.html", context)


@require_safe
def specification_yaml(
    _request: HttpRequest, name: str, version: str, scene: str
) -> HttpResponseBase:
    """Send the file of a scene's specification unchanged."""
    rules, _ = _specification(name, version, scene)
    path = specification_file(rules, scene)
    return FileResponse(path.open("rb"), content_type="application/yaml", filename=path.name)


def _specification(name: str, version: str, scene: str) -> tuple[Protocol, Specification]:
    stored = ProtocolVersion.objects.filter(name=name, version=version).first()
    found = specification_of(stored.rules, scene) if stored else None
    if stored is None or found is None:
        raise Http404
    return stored.rules, found


@require_safe
def method(request: HttpRequest, name: str = "", version: str = "") -> HttpResponseBase:
    """Show a protocol, rendered from its own data: the named one, or the one that the site speaks
    of.
    """
    version_row = (
        ProtocolVersion.objects.filter(name=name, version=version).first()
        if name
        else shown_protocol()
    )
    if name and version_row is None:
        raise Http404
    context = _method_of(version_row) if version_row else {"version": None, "rules": None}
    return TemplateResponse(request, "scoring/method.html", context)


def _method_of(version: ProtocolVersion) -> dict[str, Any]:
    """Return what the method page shows of a protocol."""
    rules = version.rules
    forms = scene_forms(rules)
    others = ProtocolVersion.objects.exclude(pk=version.pk).defer("content")
    return {
        "version": version,
        "rules": rules,
        "forms": forms,
        "na_map": na_map(forms),
        "unit_forms": unit_forms(rules),
        "points": point_lines(rules),
        "total": score_total(rules),
        "weights": weight_lines(rules),
        "specified": [scene.key for scene in rules.scenes if specification_of(rules, scene.key)],
        "others": others.order_by("name", "version"),
    }
