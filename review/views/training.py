"""Training clips: the same form on a clip of known truth, and then what is right and why.

No answer is kept.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from fartbench.models import Round, RoundState
from fartbench.protocol import Form, Response, ResponseError, Violation
from review.brief import brief_lines
from review.browser import browser_rules, parse_changes
from review.models import CohortMember, Reviewer, TrainingClip
from review.page import question_blocks, stages
from review.practice import compare
from review.selectors import training_due, training_of
from review.services import note_practice
from review.views.access import next_url, own_membership, reviewers_only


@require_http_methods(["GET", "HEAD", "POST"])
@reviewers_only
def training(request: HttpRequest, reviewer: Reviewer, name: str, place: int) -> HttpResponseBase:
    """Show a training clip with the form; once it is answered, show the explained answers
    instead.
    """
    member = own_membership(reviewer, name)
    if member.round.state != RoundState.REVIEWING:
        return redirect("review-home")
    if not member.is_ready:
        return redirect("review-start", name)
    clips = training_of(member.round)
    clip = next((clip for clip in clips if clip.place == place), None)
    if clip is None:
        raise Http404
    form = member.round.protocol.form(clip.scene)
    context = {
        "round": member.round,
        "clip": clip,
        "number": clips.index(clip) + 1,
        "total": len(clips),
    }
    if request.method != "POST":
        return _form_page(request, form, context, {}, [])
    if request.POST.get("action") == "skip":
        _note_done(member, clip)
        return redirect(onward(reviewer, member))
    given, faults = _given(request, form)
    if faults:
        messages.error(
            request, "Not every question has an answer that fits: see what is marked below."
        )
        return _form_page(request, form, context, given, faults)
    _note_done(member, clip)
    context |= {
        "scene": form.scene,
        "comparisons": compare(question_blocks(form, given), given, clip.solutions),
        "next_url": onward(reviewer, member),
        "is_last": training_due(member) is None,
    }
    return TemplateResponse(request, "review/training_explained.html", context)


def _note_done(member: CohortMember, clip: TrainingClip) -> None:
    note_practice(member, clip)
    member.refresh_from_db(fields=["practised"])


def onward(reviewer: Reviewer, member: CohortMember) -> str:
    """Return where a reviewer who is through the start page continues: the training that is due,
    then the queue.
    """
    clip = training_due(member)
    return training_url(member.round, clip) if clip else next_url(reviewer, member.round)


def training_url(round: Round, clip: TrainingClip) -> str:
    """Return the address of a training clip's page."""
    return reverse("review-training", args=[round.name, clip.place])


def _given(request: HttpRequest, form: Form) -> tuple[dict[str, Response], list[Violation]]:
    try:
        changes = parse_changes({key: request.POST.get(key) for key in form.keys})
    except ResponseError:
        changes = {}
    given = form.completed({key: response for key, response in changes.items() if response})
    return given, form.violations(given)


def _form_page(
    request: HttpRequest,
    form: Form,
    context: dict[str, Any],
    given: dict[str, Response],
    faults: list[Violation],
) -> HttpResponseBase:
    clip = context["clip"]
    blocks = question_blocks(form, given, {fault.question: fault.rule for fault in faults})
    context |= {
        "scene": form.scene,
        "brief": brief_lines(form.protocol, clip.scene),
        "stages": stages(form, blocks),
        "full_plays": form.protocol.playback.full_plays,
        "asks_first": bool(form.first_impression),
        "media_url": reverse("training-media", args=[clip.pk]),
        "data": {
            "rules": browser_rules(form),
            "urls": {"media": reverse("training-media", args=[clip.pk])},
        },
    }
    return TemplateResponse(request, "review/training.html", context, status=422 if faults else 200)
