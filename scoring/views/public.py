"""Pages for everyone: what this is, who leads, and how it is measured."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from blinding.views import stream
from fartbench.models import ProtocolVersion
from fartbench.protocol import Protocol, form_for
from generation.prompts import Specification
from scoring.pages.method import na_map, point_lines, scene_forms, score_total, unit_forms, weight_lines
from scoring.pages.published import (
    board_of,
    newest_release,
    newest_releases,
    published_stimulus,
    scene_samples,
    shown_protocol,
    summaries,
)
from scoring.pages.specifications import specification_file, specification_of
from scoring.pages.state import state_lines

RELEASES_PER_PAGE = 20
LEADERS_SHOWN = 5


@require_safe
def home(request: HttpRequest) -> HttpResponseBase:
    """Show what this is, the scenes with a sample clip each, who leads, and the method in one screen."""
    release = newest_release()
    found = board_of(release, rows=LEADERS_SHOWN) if release else None
    version = release.round.protocol if release else shown_protocol()
    protocol = version.rules if version else None
    context = {
        "release": release,
        "unranked": None if release else newest_releases().first(),
        "board": found,
        "protocol": protocol,
        "samples": scene_samples(protocol, found) if protocol else [],
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
    rules, found = _specification(name, version, scene)
    form = form_for(rules, scene)
    labels = {question.key: question.label for question in rules.questions}
    context = {
        "rules": rules,
        "scene": rules.scene(scene),
        "specification": found,
        "checks": [(labels[key], value) for key, value in (found.checks.expected if found.checks else {}).items()],
        "not_applicable": [labels[key] for key in (found.checks.not_applicable if found.checks else ())],
        "dimensions": [labels[one.question] for one in rules.scoring.dimensions if form.asks(one.question)],
    }
    return TemplateResponse(request, "scoring/specification.html", context)


@require_safe
def specification_yaml(_request: HttpRequest, name: str, version: str, scene: str) -> HttpResponseBase:
    """Send the file of a scene's specification as it stands."""
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
    """Show a protocol, rendered from its own data: the named one, or the one that the site speaks of."""
    found = ProtocolVersion.objects.filter(name=name, version=version).first() if name else shown_protocol()
    if name and found is None:
        raise Http404
    rules = found.rules if found else None
    forms = scene_forms(rules) if rules else []
    context = {
        "version": found,
        "rules": rules,
        "forms": forms,
        "na_map": na_map(forms),
        "unit_forms": unit_forms(rules) if rules else [],
        "points": point_lines(rules) if rules else [],
        "total": score_total(rules) if rules else 0,
        "weights": weight_lines(rules) if rules else [],
        "specified": [scene.key for scene in rules.scenes if specification_of(rules, scene.key)] if rules else [],
        "others": ProtocolVersion.objects.exclude(pk=found.pk).defer("content").order_by("name", "version")
        if found
        else [],
    }
    return TemplateResponse(request, "scoring/method.html", context)
