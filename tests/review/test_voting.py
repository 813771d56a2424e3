"""Votes on pairs: drafts, the two ends, and what the database itself refuses."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from fartbench.models import AuditEntry, Round, RoundState
from fartbench.writeonce import refused_by
from review.errors import BadPlayback, RoundNotOpen
from review.models import Pair, PairTask, Retirement, Reviewer, Vote
from review.pairs.entering import VoteEntry, enter_votes
from review.pairs.errors import (
    BadVotes,
    NoPairs,
    NotYourPair,
    PairNotDue,
    PairNotPlayed,
    StaleVote,
    UnknownAnswer,
    VoteEnded,
    VoteLockedOtherwise,
)
from review.pairs.selectors import (
    live_tasks,
    missing_votes,
    pair_progress,
    pair_queue,
    task_of,
    tasks_of,
)
from review.pairs.voting import lock_vote, report_pair_unplayable, save_vote, vote_record
from review.record import digest_of_lock
from rounds.pairs import balance_of, plan_pairs
from tests.factories import full_playback, make_stimulus, reviewers_of
from tests.kept import kept
from tests.pairs import both_played, first_task, open_pair_round
from tests.scoring.rows import make_open_round

pytestmark = pytest.mark.django_db


kept_round = kept(lambda: open_pair_round().name)


@pytest.fixture
def round_(kept_round: str) -> Round:
    return Round.objects.get(name=kept_round)


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


@pytest.fixture
def task(rae: Reviewer, round_: Round) -> PairTask:
    return first_task(rae, round_)


def save(task: PairTask, revision: int, answer: str, **more: Any) -> Any:
    reviewer = task.member.reviewer
    return save_vote(
        reviewer=reviewer, pair_id=task.pair_id, revision=revision, answer=answer, **more
    )


def lock(task: PairTask, answer: str = "a", **more: Any) -> Vote:
    return lock_vote(reviewer=task.member.reviewer, pair_id=task.pair_id, answer=answer, **more)


def test_every_two_configurations_meet_in_each_scene_before_three_of_the_cohort(
    round_: Round,
) -> None:
    balance = balance_of(round_)
    assert (balance.pairs, balance.tasks, balance.fewest, balance.most) == (6, 18, 2, 2)
    assert balance.side <= 1
    assert {len(list(tasks_of(reviewer, round_))) for reviewer in reviewers_of(round_)} == {4, 5}
    again = plan_pairs(round_=round_, actor="test")
    assert (again.pairs, again.tasks) == (0, 0)
    assert AuditEntry.objects.filter(action="pairs planned").count() == 1


def test_a_plan_grows_and_what_was_planned_stays(round_: Round) -> None:
    before = set(PairTask.objects.values_list("pk", "pair", "position", "swapped"))
    grown = plan_pairs(round_=round_, actor="test", meetings=2)
    assert (grown.pairs, grown.tasks) == (6, 18)
    assert before < set(PairTask.objects.values_list("pk", "pair", "position", "swapped"))
    assert balance_of(round_).fewest == 4


def test_pairs_need_a_protocol_with_pairs_and_an_open_round(round_: Round) -> None:
    with pytest.raises(NoPairs, match="has no blind pairs"):
        plan_pairs(
            round_=make_open_round(configurations=("alpha",), scenes=["r01-lift"]), actor="test"
        )
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    with pytest.raises(RoundNotOpen):
        plan_pairs(round_=round_, actor="test", meetings=2)


def test_a_draft_is_counted_and_a_stale_one_brings_what_is_stored(task: PairTask) -> None:
    assert save(task, 0, "a").revision == 1
    assert save(task, 1, "tie", playback={"a": full_playback()}).playback["a"]["plays"] == 1
    assert save(task, 0, "tie").revision == 2  # the reply had got lost
    with pytest.raises(StaleVote) as caught:
        save(task, 1, "b")
    assert (caught.value.current.answer, caught.value.current.revision) == ("tie", 2)
    assert save(task, 2, "").answer == ""


def test_a_lock_needs_an_answer_of_the_protocol_and_both_clips_played(task: PairTask) -> None:
    with pytest.raises(UnknownAnswer, match="not an answer to “Preference”: a, b, tie, both_bad"):
        lock(task, "c")
    with pytest.raises(UnknownAnswer, match="Choose an answer"):
        lock(task, "")
    with pytest.raises(PairNotPlayed):
        lock(task, playback={"a": full_playback()})
    with pytest.raises(PairNotPlayed):
        lock(task, playback={"a": full_playback(), "b": full_playback(0.5)})
    for nonsense in ({"c": full_playback()}, {"a": 3}, {"a": {"fonts": 1}}):
        with pytest.raises(BadPlayback):
            lock(task, playback=nonsense)
    assert not Vote.objects.filter(locked_at__isnull=False).exists()
    vote = lock(task, playback=both_played())
    assert vote.locked_at
    record = vote_record(vote, task, vote.locked_at)
    assert vote.digest == digest_of_lock(record, vote.playback)
    entry = AuditEntry.objects.get(action="vote locked")
    assert (entry.actor, entry.details["digest"]) == (task.member.reviewer.code, vote.digest)


def test_the_second_lock_with_the_same_answer_finds_the_first_and_one_with_another_is_refused(
    task: PairTask,
) -> None:
    first = lock(task, "a", revision=0, playback=both_played())
    second = lock(task, "a", revision=7)
    assert (second.pk, second.answer, second.locked_at) == (first.pk, "a", first.locked_at)
    with pytest.raises(VoteLockedOtherwise) as refusal:
        lock(task, "b", revision=7)
    assert refusal.value.stored == "a"
    assert Vote.objects.get().answer == "a"
    with pytest.raises(VoteEnded):
        save(task, 1, "b")
    assert AuditEntry.objects.filter(action="vote locked").count() == 1


def test_a_clip_that_will_not_play_ends_the_vote(task: PairTask, rae: Reviewer) -> None:
    save(task, 0, "a")
    for _ in range(2):
        ended = report_pair_unplayable(reviewer=rae, pair_id=task.pair_id, reason="black\npicture")
    assert (ended.answer, ended.unplayable_reason) == ("", "black picture")
    with pytest.raises(VoteEnded):
        lock(task)


def test_pairs_come_in_their_order_and_after_the_single_clips(
    rae: Reviewer, round_: Round, task: PairTask
) -> None:
    later = tasks_of(rae, round_)[1]
    with pytest.raises(PairNotDue):
        save_vote(reviewer=rae, pair_id=later.pair_id, revision=0, answer="a")
    lock(task, playback=both_played())
    queue = pair_queue(rae, round_)
    assert queue.done == 1 and queue.next is not None and queue.next.pair_id == later.pair_id
    unanswered = open_pair_round(answered=False)
    person = reviewers_of(unanswered)[0]
    with pytest.raises(PairNotDue, match="do the clips of your list"):
        lock_vote(reviewer=person, pair_id=first_task(person, unanswered).pair_id, answer="a")


def test_nobody_answers_for_somebody_else_or_after_the_close(
    rae: Reviewer, round_: Round, task: PairTask
) -> None:
    stranger = reviewers_of(open_pair_round())[0]
    for pair in (task.pair_id, "no-such-pair"):
        with pytest.raises(NotYourPair):
            save_vote(reviewer=stranger, pair_id=pair, revision=0, answer="a")
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    for attempt in (lambda: save(task, 0, "a"), lambda: lock(task, "a")):
        with pytest.raises(RoundNotOpen):
            attempt()


def test_a_retired_clip_takes_its_pairs_along_and_planning_again_fills_in(
    round_: Round, task: PairTask
) -> None:
    Retirement.objects.create(
        stimulus=task.clip_a, outcome=Retirement.Outcome.REPLACED, reason="test"
    )
    assert task_of(task.member.reviewer, task.pair_id) is None
    before = live_tasks(round_).count()
    with pytest.raises(NotYourPair):
        lock(task)
    assert (
        before == 12
    )  # one clip of three is gone from one scene of two, and two of six pairs with it
    assert plan_pairs(round_=round_, actor="test").pairs == 0  # nothing stands in for it yet


def test_progress_says_how_far_everybody_is(round_: Round, task: PairTask) -> None:
    lock(task, playback=both_played())
    progress = {line.code: (line.done, line.total) for line in pair_progress(round_)}
    assert (
        sum(done for done, _ in progress.values()) == 1
        and sum(total for _, total in progress.values()) == 18
    )
    missing = {member.reviewer.code: count for member, count in missing_votes(round_)}
    assert missing == {code: total - done for code, (done, total) in progress.items()}


def test_whole_votes_are_entered_all_or_none(round_: Round) -> None:
    tasks = list(live_tasks(round_).select_related("member__reviewer"))
    entries = [VoteEntry(task.member.reviewer, task.pair_id, "tie") for task in tasks]
    other = next(
        person for person in reviewers_of(round_) if person.pk != tasks[0].member.reviewer_id
    )
    strange = next(
        t
        for t in tasks
        if not any((o.pair_id, o.member.reviewer_id) == (t.pair_id, other.pk) for o in tasks)
    )
    with pytest.raises(BadVotes) as caught:
        enter_votes(
            round=round_,
            source="imported",
            entries=[
                *entries,
                entries[0],
                VoteEntry(other, strange.pair_id, "a"),
                entries[1].__class__(entries[1].reviewer, entries[1].pair_id, "c", "row 3"),
            ],
        )
    words = "\n".join(caught.value.faults)
    assert "has a vote on this pair already" in words and "is not asked about this pair" in words
    assert "row 3: 'c' is not an answer" in words
    assert not Vote.objects.exists()
    assert len(enter_votes(round=round_, entries=entries, source="imported")) == 18
    assert missing_votes(round_) == []


def refused(change: Any) -> str | None:
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        change()
    return refused_by(caught.value)


def test_the_database_refuses_what_no_service_does(
    round_: Round, task: PairTask, rae: Reviewer
) -> None:
    pair, now = task.pair, timezone.now()
    other_scene = round_.stimuli.exclude(scene=pair.scene).first()
    elsewhere = make_stimulus(
        make_open_round(configurations=("x",), scenes=["r01-lift"]), scene=pair.scene
    )

    def make_pair(**changes: Any) -> Any:
        fields = {
            "round": round_,
            "question": "convincing",
            "scene": pair.scene,
            "first": pair.first,
        }
        return lambda: Pair.objects.create(**{**fields, "second": pair.second, **changes})

    assert refused(make_pair(second=other_scene)) == "pair_clips_fit"
    assert refused(make_pair(second=elsewhere)) == "pair_clips_fit"
    assert refused(make_pair(second=pair.first)) in {"pair_clips_fit", None}
    assert (
        refused(lambda: Pair.objects.filter(pk=pair.pk).update(question="x"))
        == "review_pair_is_frozen"
    )
    assert (
        refused(lambda: PairTask.objects.filter(pk=task.pk).update(swapped=True))
        == "review_pairtask_is_frozen"
    )
    assert (
        refused(lambda: PairTask.objects.filter(pk=task.pk).delete()) == "review_pairtask_is_kept"
    )
    stranger = elsewhere.round.members.first()
    assert (
        refused(
            lambda: PairTask.objects.create(member=stranger, pair=pair, position=99, swapped=False)
        )
        == "pairtask_is_of_its_round"
    )
    assert (
        refused(lambda: Vote.objects.create(task=task, answer="a", locked_at=now))
        == "vote_is_born_a_draft"
    )
    vote = Vote.objects.create(task=task, answer="c")
    lock_row = {"locked_at": now, "digest": "0"}
    assert (
        refused(lambda: Vote.objects.filter(pk=vote.pk).update(**lock_row))
        == "vote_answer_is_allowed"
    )
    assert (
        refused(lambda: Vote.objects.filter(pk=vote.pk).update(answer="", **lock_row))
        == "vote_answer_is_allowed"
    )
    other = tasks_of(rae, round_)[1]
    assert (
        refused(lambda: Vote.objects.filter(pk=vote.pk).update(task=other)) == "vote_keeps_its_task"
    )
    Vote.objects.filter(pk=vote.pk).update(answer="b", **lock_row)
    assert (
        refused(lambda: Vote.objects.filter(pk=vote.pk).update(answer="a"))
        == "review_vote_is_frozen"
    )
    assert (
        refused(lambda: Vote.objects.filter(pk=vote.pk).update(locked_at=None))
        == "review_vote_is_frozen"
    )
    assert refused(lambda: Vote.objects.filter(pk=vote.pk).delete()) == "review_vote_is_kept"
    draft = Vote.objects.create(task=other, answer="a")
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    assert (
        refused(lambda: Vote.objects.filter(pk=draft.pk).update(**lock_row))
        == "vote_locks_while_open"
    )
    assert refused(make_pair()) == "pair_round_is_open"
    third = tasks_of(rae, round_)[2]
    assert refused(lambda: Vote.objects.create(task=third)) == "vote_round_is_open"
