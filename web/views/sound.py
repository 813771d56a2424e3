"""What was heard in the clips of a closed round, for those who reviewed it and for staff; each
candidate is a question.

Clips are named by their opaque ids, which say nothing of whose clip is whose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from blinding.views import stream
from fartbench.errors import Refusal
from fartbench.models import Round, RoundState
from fartbench.storable import whole_number
from measuring.models import SoundCheck
from measuring.sound.checks import (
    LISTEN,
    heard,
    is_under_way,
    judge_candidate,
    request_listening,
    unheard,
)
from review.selectors import membership, reviewer_of
from rounds.due import due_step
from web.pages.rounds import stamp_of
from web.pages.work import failed_jobs, worker_silence
from web.views.access import may_see_rounds, sees_rounds
from web.views.shared import round_or_404

CLIPS_PER_PAGE = 12
CLOSED = (RoundState.LOCKED, RoundState.PUBLISHED)


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """A candidate with what the person who looks said of it, and how many said yes and no."""

    place: int
    onset_s: float
    end_s: float
    rise_db: float
    own: bool | None
    yes: int
    no: int


@dataclass(frozen=True, slots=True)
class ClipLine:
    """A clip with what was heard in it."""

    check: SoundCheck
    scene: str
    candidates: tuple[CandidateLine, ...]

    @property
    def found(self) -> dict[str, Any]:
        found: dict[str, Any] = self.check.found
        return found


@require_safe
@never_cache
def sounds(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show each clip's loudness, silence and candidates."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    round_, person = _allowed(request, name)
    checks = SoundCheck.objects.filter(stimulus__round=round_, stimulus__retirement=None)
    page = Paginator(
        checks.select_related("stimulus").prefetch_related("verdicts").order_by("stimulus"),
        CLIPS_PER_PAGE,
    ).get_page(request.GET.get("page"))
    context = {
        "round": round_,
        "page": page,
        "lines": [_line(check, round_, person) for check in page],
    }
    if may_see_rounds(request.user):
        context |= _for_staff(round_)
    return TemplateResponse(request, "scoring/sounds.html", context)


def _for_staff(round_: Round) -> dict[str, Any]:
    """Return what staff sees beside the clips: how far the workers are, and how many clips are left
    to ask for.
    """
    return {
        "is_staff": True,
        "stamp": stamp_of(round_, due_step(round_)),
        "under_way": is_under_way(round_),
        "left": unheard(round_).count(),
        "bar": heard(round_),
        "failed_jobs": [job for job in failed_jobs(round_) if job.kind == LISTEN],
        "silence": worker_silence(),
    }


@require_POST
@sees_rounds
def sound_listen(request: HttpRequest, name: str) -> HttpResponseBase:
    """Leave what was not listened to yet to the workers."""
    round_ = round_or_404(name)
    try:
        clips = request_listening(round_=round_, actor=request.user.get_username())
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("staff-round", round_.name)
    messages.success(
        request,
        f"{clips} clips are left to the workers." if clips else "Every clip was listened to.",
    )
    return redirect("sounds", round_.name)


@require_safe
@never_cache
def sound_clip(request: HttpRequest, name: str, stimulus_id: str) -> HttpResponseBase:
    """Send a clip that was listened to."""
    round_, _ = _allowed(request, name)
    return stream(request, _check(round_, stimulus_id).stimulus)


@require_POST
@never_cache
def sound_verdict(request: HttpRequest, name: str, stimulus_id: str) -> HttpResponseBase:
    """Keep what a person says of a candidate."""
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("sounds", args=[name]))
    round_, person = _allowed(request, name)
    check, place = _check(round_, stimulus_id), whole_number(request.POST.get("place", ""))
    try:
        judge_candidate(
            check=check,
            place=-1 if place is None else place,
            is_event=request.POST.get("is_event") == "yes",
            by=person,
        )
    except Refusal as refusal:
        messages.error(request, str(refusal))
    page = whole_number(request.POST.get("page", "")) or 1
    return redirect(f"{reverse('sounds', args=[name])}?page={page}#clip-{stimulus_id}")


def _allowed(request: HttpRequest, name: str) -> tuple[Round, str]:
    """Return the closed round and who looks: its reviewers by code, staff by account.

    Raises Http404 for others.
    """
    round_ = Round.objects.select_related("protocol").filter(name=name, state__in=CLOSED).first()
    if round_ is None:
        raise Http404
    if may_see_rounds(request.user):
        return round_, request.user.get_username()
    reviewer = reviewer_of(request.user)
    if reviewer is None or membership(reviewer, round_) is None:
        raise Http404
    return round_, reviewer.code


def _check(round_: Round, stimulus_id: str) -> SoundCheck:
    found = (
        SoundCheck.objects.select_related("stimulus")
        .filter(stimulus=stimulus_id, stimulus__round=round_)
        .first()
    )
    if found is None:
        raise Http404
    return found


def _line(check: SoundCheck, round_: Round, person: str) -> ClipLine:
    verdicts = list(check.verdicts.all())

    def line(place: int, found: dict[str, float]) -> CandidateLine:
        said = [verdict for verdict in verdicts if verdict.place == place]
        own = next((verdict.is_event for verdict in said if verdict.by == person), None)
        yes = sum(verdict.is_event for verdict in said)
        return CandidateLine(place, own=own, yes=yes, no=len(said) - yes, **found)

    return ClipLine(
        check,
        round_.protocol.rules.scene(check.stimulus.scene).title,
        tuple(line(place, found) for place, found in enumerate(check.found["candidates"])),
    )
