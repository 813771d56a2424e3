"""A reviewer's rounds, how far each is, and the page at the end of one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from fartbench.models import Round, RoundState
from review.models import CohortMember, Reviewer
from review.pace import expected_time, time_left
from review.pairs.selectors import PairItem, pair_queue
from review.queues import Queue
from review.selectors import QueueItem, locked_times, memberships_of, queue_of, training_due
from review.views.access import next_url, own_membership, reviewers_only


@dataclass(frozen=True, slots=True)
class RoundCard:
    """A round on the reviewer's start page."""

    member: CohortMember
    queue: Queue[QueueItem]
    pairs: Queue[PairItem]
    left: timedelta | None
    """How long the rest will take; None in rounds of windows before the reviewer's own pace is
    known.
    """
    trains_first: bool = False

    @property
    def round(self) -> Round:
        return self.member.round

    @property
    def is_open(self) -> bool:
        return self.round.state == RoundState.REVIEWING

    @property
    def is_ready(self) -> bool:
        """Say whether the reviewer has been through the start page."""
        return self.member.is_ready

    @property
    def is_done(self) -> bool:
        """Say whether neither a clip nor a pair is left to do."""
        return self.queue.next is None and self.pairs.next is None


@require_safe
@reviewers_only
def home(request: HttpRequest, reviewer: Reviewer) -> HttpResponseBase:
    """Show the reviewer's rounds and where to go on."""
    cards = [_card(reviewer, member) for member in memberships_of(reviewer)]
    return TemplateResponse(request, "review/home.html", {"cards": cards, "reviewer": reviewer})


@require_safe
@reviewers_only
def done(request: HttpRequest, reviewer: Reviewer, name: str) -> HttpResponseBase:
    """Say that the round is finished; anyone who still has a clip or a pair to do is sent there."""
    member = own_membership(reviewer, name)
    card = _card(reviewer, member)
    if card.is_open and not card.is_done:
        return redirect(next_url(reviewer, member.round))
    others = [
        _card(reviewer, other)
        for other in memberships_of(reviewer)
        if other != member and other.round.state == RoundState.REVIEWING
    ]
    context = {"card": card, "others": [other for other in others if not other.is_done]}
    return TemplateResponse(request, "review/done.html", context)


def _card(reviewer: Reviewer, member: CohortMember) -> RoundCard:
    queue = queue_of(reviewer, member.round)
    rules, to_do = member.round.protocol.rules, queue.total - queue.done
    left = time_left(locked_times(reviewer, member.round), to_do)
    if left is None and rules.rollouts is None:
        left = expected_time(rules, to_do)
    trains_first = not queue.is_begun and training_due(member) is not None
    return RoundCard(member, queue, pair_queue(reviewer, member.round), left, trains_first)
