"""What changes a sheet: by the page's script (JSON) and, without it, by plain forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from fartbench.errors import Refusal
from fartbench.protocol import Response, ResponseError
from fartbench.storable import whole_number
from review.browser import parse_changes
from review.errors import (
    AlreadyUnplayable,
    InvalidAnswers,
    LockedOtherwise,
    NotPlayed,
    NotYetDue,
    NotYourAssignment,
    RoundNotOpen,
    SheetEnded,
    StaleDraft,
    ToolsTooSoon,
)
from review.forms import MistakeForm
from review.models import Assignment, Reviewer
from review.selectors import queue_of
from review.services import (
    Draft,
    lock_sheet,
    report_mistake,
    report_unplayable,
    save_draft,
    set_aside,
)
from review.views.access import next_url, own_assignment, reviewers_only, wants_json
from review.views.calls import BadRequestBody, body_of, refused, revision_of
from review.views.sheet import form_page

# How the page's script learns of a refusal: a code that it acts on, and an HTTP status.
CODES: dict[type[Exception], tuple[str, int]] = {
    StaleDraft: ("stale", 409),
    LockedOtherwise: ("locked_otherwise", 409),
    SheetEnded: ("ended", 409),
    RoundNotOpen: ("closed", 409),
    NotYetDue: ("not_due", 409),
    NotPlayed: ("not_played", 422),
    ToolsTooSoon: ("tools", 422),
    InvalidAnswers: ("invalid", 422),
    NotYourAssignment: ("missing", 404),
}


@require_http_methods(["PUT"])
@reviewers_only
def draft(request: HttpRequest, reviewer: Reviewer, stimulus_id: str) -> HttpResponseBase:
    """Save changed answers and playback; answer with what is stored now."""
    try:
        body = body_of(request)
        saved = save_draft(
            reviewer=reviewer,
            stimulus_id=stimulus_id,
            revision=revision_of(body),
            responses=_changes(body),
            playback=body.get("playback"),
            keep_impression=body.get("keepImpression") is True,
        )
    except Refusal as refusal:
        return _refused(refusal)
    return JsonResponse(_draft_json(saved))


@require_POST
@reviewers_only
def lock(request: HttpRequest, reviewer: Reviewer, stimulus_id: str) -> HttpResponseBase:
    """Lock a sheet and say where to go on."""
    if not wants_json(request):
        return _lock_by_form(request, reviewer, own_assignment(reviewer, stimulus_id))
    try:
        body = body_of(request)
        locked = lock_sheet(
            reviewer=reviewer,
            stimulus_id=stimulus_id,
            revision=revision_of(body),
            responses=_changes(body),
            playback=body.get("playback"),
        )
    except LockedOtherwise as refusal:
        messages.warning(
            request, str(refusal)
        )  # the page shows the locked sheet next, and says this above it
        return _refused(refusal)
    except Refusal as refusal:
        return _refused(refusal)
    return JsonResponse({"locked": True, "next": next_url(reviewer, locked.stimulus.round)})


def _lock_by_form(request: HttpRequest, reviewer: Reviewer, assignment: Assignment) -> HttpResponse:
    """Without the script: save or lock the whole form.

    A refused one comes back with every answer still in it.
    """
    round_ = assignment.member.round
    responses: dict[str, Response | None] = {}
    faults: dict[str, str] = {}
    try:
        keys = round_.protocol.form(assignment.stimulus.form_key).keys
        responses = _changes({key: request.POST.get(key) for key in keys})
        if request.POST.get("action") == "save":
            return _save_by_form(request, reviewer, assignment, responses)
        lock_sheet(
            reviewer=reviewer,
            stimulus_id=assignment.stimulus_id,
            responses=responses,
            keep_impression=True,
        )
    except InvalidAnswers as refusal:
        faults = {violation.question: violation.rule for violation in refusal.violations}
        messages.error(request, "The sheet is not locked yet: see what is marked below.")
    except LockedOtherwise as refusal:
        messages.warning(request, str(refusal))
        return redirect("review-sheet", assignment.stimulus_id)
    except SheetEnded as refusal:
        messages.info(request, str(refusal))
        return redirect(next_url(reviewer, round_))
    except Refusal as refusal:
        messages.error(request, str(refusal))
    else:
        return redirect(next_url(reviewer, round_))
    given = {key: response for key, response in responses.items() if response}
    queue = queue_of(reviewer, round_)
    return form_page(
        request, reviewer, assignment, queue, responses=given, faults=faults, status=422
    )


def _save_by_form(
    request: HttpRequest,
    reviewer: Reviewer,
    assignment: Assignment,
    responses: Mapping[str, Response | None],
) -> HttpResponse:
    first = assignment.member.round.protocol.rules.playback.first_impression
    saved = save_draft(
        reviewer=reviewer,
        stimulus_id=assignment.stimulus_id,
        revision=whole_number(request.POST.get("revision", "")) or 0,
        responses=responses,
        keep_impression=bool(first) and all(responses.get(key) for key in first),
    )
    if saved.cleared:
        messages.warning(
            request,
            f"Not allowed beside the other answers, and cleared: {', '.join(saved.cleared)}.",
        )
    messages.success(request, "Saved as a draft.")
    return redirect("review-sheet", assignment.stimulus_id)


@require_POST
@reviewers_only
def unplayable(request: HttpRequest, reviewer: Reviewer, stimulus_id: str) -> HttpResponseBase:
    """End a sheet because the clip will not play."""
    assignment = own_assignment(reviewer, stimulus_id)
    try:
        body: Mapping[str, Any] = (
            body_of(request) if wants_json(request) else {"reason": request.POST.get("reason", "")}
        )
        reason = str(body.get("reason", "")).strip() or "no reason given"
        report_unplayable(
            reviewer=reviewer, stimulus_id=stimulus_id, reason=reason, playback=body.get("playback")
        )
    except Refusal as refusal:
        return (
            _refused(refusal)
            if wants_json(request)
            else _told(request, refusal, reviewer, assignment)
        )
    onward = next_url(reviewer, assignment.member.round)
    return (
        JsonResponse({"ended": True, "next": onward}) if wants_json(request) else redirect(onward)
    )


@require_POST
@reviewers_only
def later(request: HttpRequest, reviewer: Reviewer, stimulus_id: str) -> HttpResponseBase:
    """Set a clip aside; the next one is due."""
    assignment = own_assignment(reviewer, stimulus_id)
    try:
        set_aside(reviewer=reviewer, stimulus_id=stimulus_id)
    except Refusal as refusal:
        return _told(request, refusal, reviewer, assignment)
    return redirect(next_url(reviewer, assignment.member.round))


@require_POST
@reviewers_only
def mistake(request: HttpRequest, reviewer: Reviewer, stimulus_id: str) -> HttpResponseBase:
    """Keep a line about a mistake beside a locked sheet."""
    own_assignment(reviewer, stimulus_id)
    sheet = reviewer.sheets.filter(stimulus=stimulus_id, locked_at__isnull=False).first()
    form = MistakeForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form["text"].errors)))
    elif sheet:
        try:
            report_mistake(sheet=sheet, text=form.cleaned_data["text"])
        except Refusal as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(
                request, "Noted beside the sheet. The locked answers stay as they are."
            )
    return redirect(reverse("review-sheet", args=[stimulus_id]))


def _changes(body: Mapping[str, Any]) -> dict[str, Response | None]:
    answers = body.get("answers", body)
    if not isinstance(answers, dict):
        raise BadRequestBody("The answers are not a JSON object.")
    try:
        return parse_changes(answers)
    except ResponseError as error:
        raise BadRequestBody(f"An answer cannot be read: {error}.") from error


def _draft_json(draft: Draft) -> dict[str, Any]:
    return {
        "revision": draft.revision,
        "answers": {question: str(response) for question, response in draft.responses.items()},
        "cleared": draft.cleared,
        "playback": draft.playback,
        "hasImpression": draft.has_impression,
    }


def _refused(refusal: Refusal) -> JsonResponse:
    more: dict[str, Any] = {}
    if isinstance(refusal, StaleDraft):
        more["draft"] = _draft_json(refusal.current)
    if isinstance(refusal, LockedOtherwise):
        more["answers"] = {question: str(response) for question, response in refusal.stored.items()}
    if isinstance(refusal, InvalidAnswers):
        more["violations"] = {
            violation.question: violation.rule for violation in refusal.violations
        }
    return refused(refusal, CODES, **more)


def _told(
    request: HttpRequest, refusal: Refusal, reviewer: Reviewer, assignment: Assignment
) -> HttpResponse:
    level = messages.INFO if isinstance(refusal, AlreadyUnplayable) else messages.WARNING
    messages.add_message(request, level, str(refusal))
    return redirect(next_url(reviewer, assignment.member.round))
