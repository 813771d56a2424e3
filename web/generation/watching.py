"""A raw clip beside its blind copies, for admins. That somebody watched is recorded first.

No opaque id is named here: which stimulus a clip became is asked for elsewhere, after closing.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_safe

from blinding.models import BlindCopy
from blinding.views import stream
from fartbench import audit
from generation.models import Clip, Sample
from generation.prompting import viewed_raw
from web.generation.access import commissions, shared_context
from web.pages.blinding import copy_line

WATCHED = "watched"  # in a session: the samples whose watching was recorded
MOST_COPIES = 12


@require_http_methods(["GET", "HEAD", "POST"])
@commissions
def watch(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Say what watching means; after the button was pressed, record it and show the players."""
    sample, _ = _with_clip(pk)
    if request.method == "POST":
        actor, name = request.user.get_username(), sample.cell.round.name
        with transaction.atomic():
            viewed_raw(sample, actor)
            audit.record("raw clip watched", actor=actor, round_name=name, cell=str(sample.cell))
        request.session[WATCHED] = sorted({*request.session.get(WATCHED, ()), pk})
        return redirect("generation-watch", pk)
    copies = _copies(sample)
    context = {
        "sample": sample,
        "round": sample.cell.round,
        "is_recorded": _is_recorded(request, pk),
        "copies": [(copy, copy_line(copy)) for copy in copies[:MOST_COPIES]],
        "more": max(0, copies.count() - MOST_COPIES),
        **shared_context(),
    }
    return TemplateResponse(request, "generation/watch.html", context)


@require_safe
@commissions
def raw(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Send the raw clip to a player, once watching was recorded."""
    _, clip = _with_clip(pk)
    _refuse_unrecorded(request, pk)
    return stream(request, clip, by_proxy=False)


@require_safe
@commissions
def blind(request: HttpRequest, pk: int, copy: int) -> HttpResponseBase:
    """Send one blind copy of the clip to a player, once watching was recorded."""
    sample, _ = _with_clip(pk)
    _refuse_unrecorded(request, pk)
    return stream(request, get_object_or_404(_copies(sample), pk=copy))


def _with_clip(pk: int) -> tuple[Sample, Clip]:
    samples = Sample.every.select_related("cell__round__protocol", "cell__configuration", "clip")
    sample = get_object_or_404(samples, pk=pk)
    if sample.clip is None or not sample.clip.path.is_file():
        raise Http404
    return sample, sample.clip


def _copies(sample: Sample) -> QuerySet[BlindCopy]:
    return BlindCopy.objects.filter(sample=sample).order_by("windows", "shown")


def _is_recorded(request: HttpRequest, pk: int) -> bool:
    return pk in request.session.get(WATCHED, ())


def _refuse_unrecorded(request: HttpRequest, pk: int) -> None:
    if not _is_recorded(request, pk):
        raise Http404
