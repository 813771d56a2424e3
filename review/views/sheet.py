"""The page of one clip: the form while it is due, what was answered once it is locked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fartbench.models import RoundState
from fartbench.protocol import Response
from review.about import about
from review.brief import brief_lines
from review.browser import browser_rules
from review.models import AnswerSheet, Assignment, Reviewer
from review.pace import break_is_due, time_left
from review.page import question_blocks, stages
from review.queues import Queue
from review.selectors import QueueItem, locked_times, queue_of, training_due
from review.views.access import next_url, own_assignment, reviewers_only
from review.views.kept import kept_answers
from review.views.training import training_url


@require_safe
@reviewers_only
def sheet(request: HttpRequest, reviewer: Reviewer, stimulus_id: str) -> HttpResponseBase:
    """Show the form of a clip that is due or begun, or a locked sheet unchanged."""
    assignment = own_assignment(reviewer, stimulus_id)
    round_ = assignment.member.round
    queue = queue_of(reviewer, round_)
    item = queue.item(stimulus_id)
    if item is None or round_.state != RoundState.REVIEWING:
        return redirect("review-home")
    if item.sheet is not None and item.sheet.is_ended:
        return _ended_page(request, assignment, item, item.sheet, next_url(reviewer, round_))
    if not assignment.member.is_ready:
        return redirect("review-start", round_.name)
    if not queue.is_begun and (clip := training_due(assignment.member)):
        return redirect(training_url(round_, clip))
    if not queue.is_open(item):
        messages.info(request, "That clip is not due yet. This one comes first.")
        return redirect(next_url(reviewer, round_))
    kept = kept_answers(request, round_.protocol.form(assignment.stimulus.form_key))
    if kept:
        messages.warning(
            request, "Your session had ended. The answers that you sent are below: send them again."
        )
    return form_page(request, reviewer, assignment, queue, responses=kept or None)


def form_page(
    request: HttpRequest,
    reviewer: Reviewer,
    assignment: Assignment,
    queue: Queue[QueueItem],
    *,
    responses: Mapping[str, Response] | None = None,
    faults: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Return the form; ``responses`` and ``faults`` are what was just sent and refused, else the
    stored draft shows.
    """
    item = queue.item(assignment.stimulus_id)
    stored = AnswerSheet.objects.filter(reviewer=reviewer, stimulus=assignment.stimulus_id).first()
    answers = stored.responses() if stored else {}
    form = assignment.member.round.protocol.form(assignment.stimulus.form_key)
    blocks = question_blocks(form, answers if responses is None else responses, faults)
    locked = locked_times(reviewer, assignment.member.round)
    context = {
        "round": assignment.member.round,
        "stimulus_id": assignment.stimulus_id,
        "media_url": reverse("media", args=[assignment.stimulus_id]),
        "scene": form.protocol.scene(assignment.stimulus.scene),
        "window": about(assignment.stimulus.context),
        "brief": brief_lines(form.protocol, assignment.stimulus.scene),
        "item": item,
        "queue": queue,
        "stages": stages(form, blocks),
        "full_plays": form.protocol.playback.full_plays,
        "asks_first": bool(form.first_impression),
        "left": time_left(locked, queue.total - queue.done),
        "break_is_due": break_is_due(locked, timezone.now()),
        "data": _browser_data(assignment, queue, stored, answers) | {"rules": browser_rules(form)},
    }
    return TemplateResponse(request, "review/sheet.html", context, status=status)


def _browser_data(
    assignment: Assignment,
    queue: Queue[QueueItem],
    stored: AnswerSheet | None,
    answers: Mapping[str, Response],
) -> dict[str, Any]:
    name = assignment.stimulus_id
    following = queue.after(name)
    next_media = reverse("media", args=[following.stimulus_id]) if following else None
    data: dict[str, Any] = {
        "reviewer": assignment.member.reviewer.code,
        "stimulus": name,
        "revision": 0,
        "answers": {question: str(response) for question, response in answers.items()},
        "playback": {},
        "hasImpression": False,
        "urls": {
            "media": reverse("media", args=[name]),
            "draft": reverse("review-draft", args=[name]),
            "lock": reverse("review-lock", args=[name]),
            "unplayable": reverse("review-unplayable", args=[name]),
            "nextMedia": next_media,
        },
    }
    if stored:
        is_impressed = stored.impression_at is not None
        data |= {
            "revision": stored.revision,
            "playback": stored.playback,
            "hasImpression": is_impressed,
        }
    return data


def _ended_page(
    request: HttpRequest, assignment: Assignment, item: QueueItem, stored: AnswerSheet, onward: str
) -> HttpResponse:
    form = assignment.member.round.protocol.form(assignment.stimulus.form_key)
    context = {
        "item": item,
        "scene": form.protocol.scene(assignment.stimulus.scene),
        "window": about(assignment.stimulus.context),
        "brief": brief_lines(form.protocol, assignment.stimulus.scene),
        "sheet": stored,
        "blocks": question_blocks(form, stored.responses()),
        "reports": stored.mistake_reports.order_by("reported_at"),
        "media_url": reverse("media", args=[assignment.stimulus_id]),
        "next_url": onward,
        "round": assignment.member.round,
    }
    return TemplateResponse(request, "review/locked.html", context)
