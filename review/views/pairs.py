"""The page of a blind pair, and the calls that change its vote: by the page's script (JSON) and by
plain forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from fartbench.errors import Refusal
from fartbench.models import Round, RoundState
from fartbench.protocol import PairQuestion
from review.about import About, about
from review.drafts import VoteDraft
from review.errors import RoundNotOpen
from review.models import PairTask, Reviewer, Vote
from review.pairs.errors import (
    NotYourPair,
    PairNotDue,
    PairNotPlayed,
    StaleVote,
    UnknownAnswer,
    VoteEnded,
    VoteLockedOtherwise,
)
from review.pairs.selectors import PairItem, pair_queue, pair_rules, task_of
from review.pairs.voting import lock_vote, report_pair_unplayable, save_vote
from review.queues import Queue
from review.selectors import next_assignment
from review.views.access import next_url, reviewers_only, wants_json
from review.views.calls import BadRequestBody, body_of, refused, revision_of
from review.views.kept import kept_fields

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
        return _ended_page(request, task, item, next_url(reviewer, round_))
    is_due = item is not None and item == queue.next and next_assignment(reviewer, round_) is None
    if not task.member.is_ready or item is None or not (item.vote or is_due):
        messages.info(request, "That pair is not due yet. This comes first.")
        return redirect(next_url(reviewer, round_))
    kept = kept_fields(request).get(task.pair.question)
    if kept:
        messages.warning(
            request, "Your session had ended. The answer that you sent is below: send it again."
        )
    return _page(request, task, queue, answer=kept)


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
        return _page(
            request, task, pair_queue(reviewer, task.member.round), answer=answer, status=422
        )
    except VoteLockedOtherwise as refusal:
        messages.warning(request, str(refusal))
        return redirect("review-pair", task.pair_id)
    except Refusal as refusal:
        messages.warning(request, str(refusal))
    return redirect(next_url(reviewer, task.member.round))


def _page(
    request: HttpRequest,
    task: PairTask,
    queue: Queue[PairItem],
    *,
    answer: str | None = None,
    status: int = 200,
) -> HttpResponse:
    round_, rules = task.member.round, pair_rules(task.member.round)
    item, stored = queue.item(task.pair_id), Vote.objects.filter(task=task).first()
    chosen = answer if answer is not None else stored.answer if stored else ""
    question = rules.question(task.pair.question)
    context = {
        "round": round_,
        "item": item,
        "queue": queue,
        "scene": round_.protocol.rules.scene(task.pair.scene),
        "question": question,
        "options": rules.options(question.key),
        "window": _about(task, question),
        "chosen": chosen,
        "full_plays": rules.full_plays,
        "sides": [
            ("a", "Clip A", reverse("media", args=[task.clip_a.pk])),
            ("b", "Clip B", reverse("media", args=[task.clip_b.pk])),
        ],
        "data": _browser_data(task, queue, stored, question),
    }
    return TemplateResponse(request, "review/pair.html", context, status=status)


def _about(task: PairTask, question: PairQuestion) -> About | None:
    """Return what both windows are about: the prompt of an update, or the first one; None for whole
    clips.
    """
    if question.form is None:
        return None
    context = task.pair.first.context
    first_prompt = task.member.round.protocol.rules.scene(task.pair.scene).setting
    return about({**context, "target": context.get("target") or first_prompt})


def _browser_data(
    task: PairTask, queue: Queue[PairItem], stored: Vote | None, question: PairQuestion
) -> dict[str, Any]:
    name = task.pair_id
    data: dict[str, Any] = {
        "reviewer": task.member.reviewer.code,
        "stimulus": f"pair-{name}",
        "revision": 0,
        "answers": {},
        "playback": {},
        "rules": _browser_rules(task.member.round, question),
        "urls": {
            "draft": reverse("review-pair-draft", args=[name]),
            "lock": reverse("review-pair-lock", args=[name]),
            "unplayable": reverse("review-pair-unplayable", args=[name]),
            "nextMedia": _media_after(task, queue),
        },
    }
    if stored:
        data |= {"revision": stored.revision, "playback": stored.playback}
        data["answers"] = {question.key: stored.answer} if stored.answer else {}
    return data


def _browser_rules(round_: Round, question: PairQuestion) -> dict[str, Any]:
    """Return the rules of a pair's one question, in the form of `review.page.browser_rules`."""
    rules = pair_rules(round_)
    options = rules.options(question.key)
    return {
        "questions": [{"key": question.key, "stage": 1}],
        "allowed": [
            {"question": question.key, "answer": option.value, "when": None} for option in options
        ],
        "settled": {},
        "firstImpression": [],
        "playback": {
            "fullPlays": rules.full_plays,
            "fraction": round_.protocol.rules.playback.played_fraction,
        },
    }


def _media_after(task: PairTask, queue: Queue[PairItem]) -> list[str]:
    """Return the addresses of both clips of the pair that comes next."""
    following = queue.after(task.pair_id)
    coming = task_of(task.member.reviewer, following.pair_id) if following else None
    return (
        [reverse("media", args=[clip.pk]) for clip in (coming.clip_a, coming.clip_b)]
        if coming
        else []
    )


def _ended_page(request: HttpRequest, task: PairTask, item: PairItem, onward: str) -> HttpResponse:
    rules, vote = pair_rules(task.member.round), item.vote
    labels = {option.value: option.label for option in rules.options(task.pair.question)}
    context = {
        "item": item,
        "vote": vote,
        "scene": task.member.round.protocol.rules.scene(task.pair.scene),
        "question": rules.question(task.pair.question),
        "answer": labels.get(vote.answer, "") if vote else "",
        "next_url": onward,
    }
    return TemplateResponse(request, "review/pair_locked.html", context)


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
