"""The pages of a published round of rollouts: figures are read from its newest release, and nothing
is computed.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase

from scoring.release.pages import LEADERBOARD, configuration_document
from scoring.release.rollouts.pages import rollout_document
from web.pages import rollout_systems
from web.pages import rollouts as shown
from web.pages.published import prompts_of
from web.pages.rollout_pieces import piece_to_play, pieces_of_rollout
from web.views.release_page import ReleasePage, of_release

BOUNDARIES = "boundary"


def columns(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """Show the columns of every system, and the published figures apart from them."""
    (published,) = page.documents("published_figures")
    found = shown.read_columns(page.read, page.rules, request.GET.dict())
    context = {
        "columns": found,
        "summary": found.summary,
        "references": shown.references_of(published, page.rules),
        "published": published,
    }
    return page.show(request, "scoring/rollout_columns.html", context)


def system(request: HttpRequest, page: ReleasePage, configuration: str) -> HttpResponseBase:
    """Show one system: its profile, how it develops along its rollouts, its diagnostics, each
    rollout, what was tested.
    """
    (document,) = page.documents(configuration_document(configuration))
    if document is None:
        raise Http404
    table = shown.table_of(page.rules)
    context = {
        "document": document,
        "cells": [
            shown.cell_of(metric, document["columns"][metric.code]) for metric in table.metrics
        ],
        "curves": rollout_systems.curve_lines(document["curves"], page.rules),
        "diagnostics": rollout_systems.diagnostic_lines(document["diagnostics"]),
        "rollouts": rollout_systems.rollout_lines(document, page.rules),
        "prompts": prompts_of(page.release.round, configuration),
    }
    return page.show(request, "scoring/rollout_system.html", context)


@of_release("leaderboard")
def rollout(
    request: HttpRequest, page: ReleasePage, configuration: str, scene: str, replicate: int
) -> HttpResponseBase:
    """Show one rollout along its time: boundaries with their parts, prompts, marks, and the other
    systems beside it.
    """
    document, index = page.documents(rollout_document(configuration, scene, replicate), LEADERBOARD)
    if document is None:
        raise Http404
    names = [entry["name"] for entry in index["configurations"]]
    documents = page.read([configuration_document(name) for name in names])
    systems = {name: documents[configuration_document(name)] for name in names}
    own = next(one for one in systems[configuration]["rollouts"] if _is(one, scene, replicate))
    table = shown.table_of(page.rules)
    native = next((metric for metric in table.metrics if metric.unit == BOUNDARIES), None)
    pieces, at_s = (
        pieces_of_rollout(page.release.round, configuration, scene, replicate),
        _moment(request),
    )
    playing = piece_to_play(pieces, at_s, request.GET.get("piece", ""))
    context = {
        "pieces": pieces,
        "playing": playing,
        "at_s": at_s,
        "start_s": playing.start_for(at_s) if playing and at_s is not None else None,
        "configuration": configuration,
        "scene": page.rules.scene(scene),
        "replicate": replicate,
        "rollout": document,
        "native": native,
        "beside": shown.beside(systems, native.code, scene, replicate, configuration)
        if native
        else [],
        "values": shown.case_values(table, own["values"]),
    }
    return page.show(request, "scoring/rollout.html", context)


@of_release("leaderboard")
def timeline(
    _request: HttpRequest, page: ReleasePage, configuration: str, scene: str, replicate: int
) -> HttpResponseBase:
    """Draw one rollout along its time."""
    (document,) = page.documents(rollout_document(configuration, scene, replicate))
    if document is None:
        raise Http404
    from web.pages.timeline import timeline_plot  # noqa: PLC0415 - few requests draw anything

    drawing = timeline_plot(f"{configuration}: {page.rules.scene(scene).title}", document)
    return HttpResponse(drawing, content_type="image/svg+xml")


def _moment(request: HttpRequest) -> float | None:
    """Return the moment of the rollout (s) that an address asks for; what is no number asks for
    none.
    """
    try:
        at_s = float(request.GET.get("at", ""))
    except ValueError:
        return None
    return at_s if isfinite(at_s) else None


def _is(one: dict[str, Any], scene: str, replicate: int) -> bool:
    return (one["scene"], one["replicate"]) == (scene, replicate)
