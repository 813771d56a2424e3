"""Whether pairs, judges and sheets that ended without answers are what the audit trail recorded."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Q
from django.utils import timezone

from fartbench.models import Round
from fartbench.times import utc
from judging.models import Judge
from review.models import AnswerSheet, Consent, Pair, Retirement, Vote
from review.pairs.planning import plan_digest
from review.pairs.voting import vote_record
from review.record import played_as_locked
from review.services.locking import sheet_record
from scoring.trail_entries import Place, Values, differences, entries, text, texts


def planned_faults(round_: Round) -> Iterator[str]:
    """Yield a sentence for each pair, judge, or unplayable sheet or vote that no entry, or another
    one, tells of.
    """
    yield from _pair_faults(round_)
    yield from _uncounted_faults(round_)
    yield from differences("judge {0} ({1})", _judges(round_), _recorded_judges(round_))
    yield from differences("the consent of {0} at {1}", _consents(round_), _recorded(round_))
    yield from differences(
        "the unplayable sheet of {1} on {0}",
        _unplayable_sheets(round_),
        _recorded_ends(round_, "sheet ended as unplayable", "stimulus"),
    )
    yield from differences(
        "the unplayable vote of {1} on pair {0}",
        _unplayable_votes(round_),
        _recorded_ends(round_, "vote ended as unplayable", "pair"),
    )


def _pair_faults(round_: Round) -> Iterator[str]:
    planned = entries("pairs planned").filter(round_name=round_.name).order_by("sequence").last()
    if planned is None:
        if Pair.objects.filter(round=round_).exists():
            yield f"round {round_.name}: it has pairs, and no entry “pairs planned” tells of them"
        return
    plan = text(planned.details, "plan")  # older versions recorded only how many
    if plan and plan != plan_digest(round_):
        yield f"round {round_.name}: its pairs are not those that entry {planned.sequence} recorded"


def _uncounted_faults(round_: Round) -> Iterator[str]:
    """Yield what is said of retired clips and is not what was locked.

    It counts for nothing, and so is not among what results are made from.
    """
    sheets = AnswerSheet.objects.filter(
        locked_at__isnull=False, stimulus__round=round_, stimulus__retirement__isnull=False
    )
    for sheet in sheets.select_related("stimulus", "reviewer").prefetch_related("answers"):
        at, code = sheet.locked_at or timezone.now(), sheet.reviewer.code
        record = sheet_record(sheet, code, round_.protocol, sheet.responses(), at)
        if played_as_locked(record, sheet.playback, sheet.digest) is None:
            yield f"the sheet of {code} on {sheet.stimulus_id} is not what was locked"
    retired = Retirement.objects.filter(stimulus__round=round_).values("stimulus")
    votes = Vote.objects.filter(locked_at__isnull=False, task__pair__round=round_)
    votes = votes.filter(Q(task__pair__first__in=retired) | Q(task__pair__second__in=retired))
    related = ("task__pair__first", "task__pair__second", "task__member__reviewer")
    for vote in votes.select_related(*related):
        vote.task.member.round = round_
        ballot = vote_record(vote, vote.task, vote.locked_at or timezone.now())
        if played_as_locked(ballot, vote.playback, vote.digest) is None:
            yield f"the vote of {ballot.reviewer} on {ballot.pair} is not what was locked"


def _judges(round_: Round) -> dict[Place, Values]:
    return {
        (judge.name, judge.variant): {"digest": judge.digest, "frozen_at": utc(judge.frozen_at)}
        for judge in Judge.objects.filter(round=round_).defer("content")
    }


def _recorded_judges(round_: Round) -> dict[Place, Values]:
    rows = entries("judge frozen").filter(round_name=round_.name).values_list("details", flat=True)
    return {
        (text(said, "judge"), text(said, "variant")): texts(said, "digest", "frozen_at")
        for said in rows
    }


def _consents(round_: Round) -> dict[Place, Values]:
    rows = Consent.objects.filter(member__round=round_).select_related("member__reviewer", "text")
    return {
        (row.member.reviewer.code, utc(row.at)): {
            "digest": row.text.document.digest,
            "text": row.text.digest,
            "version": row.text.version,
        }
        for row in rows
    }


def _recorded(round_: Round) -> dict[Place, Values]:
    given = entries("consent given").filter(round_name=round_.name)
    return {
        (code, text(said, "at")): {"text": text(said, "digest"), **texts(said, "digest", "version")}
        for code, said in given.values_list("actor", "details")
        if text(said, "at")  # older versions kept no text
    }


def _unplayable_sheets(round_: Round) -> dict[Place, Values]:
    ended = AnswerSheet.objects.filter(unplayable_at__isnull=False, stimulus__round=round_)
    rows = ended.values_list("stimulus_id", "reviewer__code", "unplayable_at")
    return {(stimulus, code): {"ended_at": utc(at)} for stimulus, code, at in rows}


def _unplayable_votes(round_: Round) -> dict[Place, Values]:
    ended = Vote.objects.filter(unplayable_at__isnull=False, task__pair__round=round_)
    rows = ended.values_list("task__pair_id", "task__member__reviewer__code", "unplayable_at")
    return {(pair, code): {"ended_at": utc(at)} for pair, code, at in rows}


def _recorded_ends(round_: Round, action: str, what: str) -> dict[Place, Values]:
    rows = entries(action).filter(round_name=round_.name).values_list("actor", "details")
    return {(text(said, what), code): texts(said, "ended_at") for code, said in rows}
