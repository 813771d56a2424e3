"""The page of a blind pair: two clips and one question, or what was answered once it is locked."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from fartbench.models import Round
from fartbench.protocol import PairQuestion
from review.about import About, about
from review.brief import brief_lines
from review.models import PairTask, Vote
from review.pairs.selectors import PairItem, pair_rules, task_of
from review.queues import Queue


def pair_form_page(
    request: HttpRequest,
    task: PairTask,
    queue: Queue[PairItem],
    *,
    answer: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Return the two clips and their question; ``answer`` is what was just sent and refused, else
    the stored draft shows.
    """
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
        "brief": brief_lines(round_.protocol.rules, task.pair.scene),
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


def pair_ended_page(
    request: HttpRequest, task: PairTask, item: PairItem, onward: str
) -> HttpResponse:
    """Return what was answered about a pair, or that it would not play; ``onward`` is where the
    reviewer continues.
    """
    rules, vote = pair_rules(task.member.round), item.vote
    labels = {option.value: option.label for option in rules.options(task.pair.question)}
    context = {
        "item": item,
        "vote": vote,
        "scene": task.member.round.protocol.rules.scene(task.pair.scene),
        "brief": brief_lines(task.member.round.protocol.rules, task.pair.scene),
        "question": rules.question(task.pair.question),
        "answer": labels.get(vote.answer, "") if vote else "",
        "next_url": onward,
    }
    return TemplateResponse(request, "review/pair_locked.html", context)
