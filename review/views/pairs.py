"""The page of a blind pair, and the calls that change its vote: by the page's script (JSON) and by
plain forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from fartbench.errors import Refusal
from fartbench.models import RoundState
from review.drafts import VoteDraft
from review.errors import RoundNotOpen
from review.models import PairTask, Reviewer
from review.pairs.errors import (
    NotYourPair,
    PairNotDue,
    PairNotPlayed,
    StaleVote,
    UnknownAnswer,
    VoteEnded,
    VoteLockedOtherwise,
)
from review.pairs.selectors import pair_queue, task_of
from review.pairs.voting import lock_vote, report_pair_unplayable, save_vote
from review.selectors import next_assignment
from review.views.access import next_url, reviewers_only, wants_json
from review.views.calls import BadRequestBody, body_of, refused, revision_of
from review.views.kept import kept_fields
from review.views.pair_page import pair_ended_page, pair_form_page

# How the page's script learns of a refusal: a code that it acts on, and an HTTP status.
CODES: dict[type[Exception], tuple[str, int]] = {
    StaleVote: ("stale", 409),
    VoteLockedOtherwise: ("locked_otherwise", 409),
    VoteEnded: ("ended", 409),
    RoundNotOpen: ("closed", 409),
    PairNotDue: ("not_due", 409),
    PairNotPlayed: ("not_played", 422),
    UnknownAnswer: ("invalid", 422),
    NotYourPair: ("missing", 404),
}


@require_safe
@reviewers_only
def pair(request: HttpRequest, reviewer: Reviewer, pair_id: str) -> HttpResponseBase:
    """Show a pair that is due or begun, or what was answered once it is locked."""
    task = own_task(reviewer, pair_id)
    round_ = task.member.round
    if round_.state != RoundState.REVIEWING:
        return redirect("review-home")
    queue = pair_queue(reviewer, round_)
    item = queue.item(pair_id)
    if item is not None and item.is_ended:
        return pair_ended_page(request, task, item, next_url(reviewer, round_))
    is_due = item is not None and item == queue.next and next_assignment(reviewer, round_) is None
    if not task.member.is_ready or item is None or not (item.vote or is_due):
        messages.info(request, "That pair is not due yet. This comes first.")
        return redirect(next_url(reviewer, round_))
    kept = kept_fields(request).get(task.pair.question)
    if kept:
        messages.warning(
            request, "Your session had ended. The answer that you sent is below: send it again."
        )
    return pair_form_page(request, task, queue, answer=kept)


def own_task(reviewer: Reviewer, pair_id: str) -> PairTask:
    """Return what the reviewer is asked about a pair; somebody else's is not there, as one that is
    not there.
    """
    task = task_of(reviewer, pair_id)
    if task is None:
        raise Http404
    return task


@require_http_methods(["PUT"])
@reviewers_only
def pair_draft(request: HttpRequest, reviewer: Reviewer, pair_id: str) -> HttpResponseBase:
    """Save a changed answer and playback; answer with what is stored now."""
    try:
        body = body_of(request)
        saved = save_vote(
            reviewer=reviewer,
            pair_id=pair_id,
            revision=revision_of(body),
            answer=_answer(body, task_of(reviewer, pair_id)),
            playback=body.get("playback"),
        )
    except Refusal as refusal:
        return _refused(refusal)
    return JsonResponse(_draft_json(saved))


@require_POST
@reviewers_only
def pair_lock(request: HttpRequest, reviewer: Reviewer, pair_id: str) -> HttpResponseBase:
    """Lock a vote and say where to go on."""
    if not wants_json(request):
        return _lock_by_form(request, reviewer, own_task(reviewer, pair_id))
    try:
        body = body_of(request)
        vote = lock_vote(
            reviewer=reviewer,
            pair_id=pair_id,
            revision=revision_of(body),
            answer=_answer(body, task_of(reviewer, pair_id)),
            playback=body.get("playback"),
        )
    except VoteLockedOtherwise as refusal:
        messages.warning(
            request, str(refusal)
        )  # the page shows the locked vote next, and says this above it
        return _refused(refusal)
    except Refusal as refusal:
        return _refused(refusal)
    return JsonResponse({"locked": True, "next": next_url(reviewer, vote.task.member.round)})


@require_POST
@reviewers_only
def pair_unplayable(request: HttpRequest, reviewer: Reviewer, pair_id: str) -> HttpResponseBase:
    """End a vote because a clip of the pair will not play."""
    task = own_task(reviewer, pair_id)
    try:
        body: Mapping[str, Any] = body_of(request) if wants_json(request) else request.POST
        reason = str(body.get("reason", "")).strip() or "no reason given"
        playback = body.get("playback") or None
        report_pair_unplayable(reviewer=reviewer, pair_id=pair_id, reason=reason, playback=playback)
    except Refusal as refusal:
        if wants_json(request):
            return _refused(refusal)
        messages.warning(request, str(refusal))
    onward = next_url(reviewer, task.member.round)
    return (
        JsonResponse({"ended": True, "next": onward}) if wants_json(request) else redirect(onward)
    )


def _lock_by_form(request: HttpRequest, reviewer: Reviewer, task: PairTask) -> HttpResponse:
    """Without the script: the answer comes as a form.

    A refused one comes back with the answer still in it.
    """
    answer = request.POST.get(task.pair.question, "")
    try:
        lock_vote(reviewer=reviewer, pair_id=task.pair_id, answer=answer)
    except UnknownAnswer as refusal:
        messages.error(request, str(refusal))
        return pair_form_page(
            request, task, pair_queue(reviewer, task.member.round), answer=answer, status=422
        )
    except VoteLockedOtherwise as refusal:
        messages.warning(request, str(refusal))
        return redirect("review-pair", task.pair_id)
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    return redirect(next_url(reviewer, task.member.round))


def _answer(body: Mapping[str, Any], task: PairTask | None) -> str:
    answers = body.get("answers")
    if not isinstance(answers, dict) or not all(
        isinstance(value, str | None) for value in answers.values()
    ):
        raise BadRequestBody("The answers are not a JSON object of texts.")
    if task is None:
        raise NotYourPair
    if others := set(answers) - {task.pair.question}:
        raise UnknownAnswer(f"This pair has no question {min(others)!r}.")
    return answers.get(task.pair.question) or ""


def _draft_json(draft: VoteDraft) -> dict[str, Any]:
    answers = {draft.question: draft.answer} if draft.answer else {}
    return {
        "revision": draft.revision,
        "answers": answers,
        "cleared": [],
        "playback": draft.playback,
    }


def _refused(refusal: Refusal) -> JsonResponse:
    more: dict[str, Any] = {}
    if isinstance(refusal, StaleVote):
        more["draft"] = _draft_json(refusal.current)
    if isinstance(refusal, VoteLockedOtherwise):
        more["answers"] = {refusal.question: refusal.stored}
    return refused(refusal, CODES, **more)
