"""Reads the locked sheets of a round as columns, and refuses those that are not what was locked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from django.db.models import QuerySet

from fartbench.models import Round
from fartbench.times import utc
from review.models import Answer, AnswerSheet
from review.record import SheetRecord, played_as_locked
from scoring.errors import RoundAltered
from scoring.records import MISSING, AnswerBook, Codes, Sheets
from scoring.records.shown import Shown

ROWS_AT_ONCE = 5_000


def _locked(round_: Round) -> QuerySet[AnswerSheet]:
    return AnswerSheet.objects.filter(
        stimulus__round=round_, stimulus__retirement=None, locked_at__isnull=False
    ).order_by("pk")


def read_sheets(round_: Round, shown: Shown, reviewers: Mapping[int, int]) -> Sheets:
    """Read every locked sheet of a round, in a fixed number of queries; ``reviewers`` holds the
    place of each by its id.

    Raises RoundAltered for a sheet that is not what its reviewer locked.
    """
    book = AnswerBook(round_.protocol.rules)
    rows = list(_locked(round_).values_list("pk", "stimulus_id", "reviewer_id"))
    strangers = sorted({stimulus for _, stimulus, reviewer in rows if reviewer not in reviewers})
    if strangers:
        raise RoundAltered(
            round_.name,
            [
                f"stimulus {stimulus}: has a sheet from someone outside the cohort"
                for stimulus in strangers
            ],
        )
    if unknown := sorted({stimulus for _, stimulus, _ in rows if stimulus not in shown.cell}):
        raise RoundAltered(
            round_.name, [f"stimulus {stimulus}: no key says whose it is" for stimulus in unknown]
        )
    answers = _answers(round_, book, {pk: place for place, (pk, _, _) in enumerate(rows)})
    locks, faults = _locks(round_, shown, book, answers)
    if faults:
        raise RoundAltered(round_.name, faults)
    cells = [shown.cell[stimulus] for _, stimulus, _ in rows]
    reviewer_numbers = [reviewers[reviewer] for _, _, reviewer in rows]
    windows = [shown.window[stimulus] for _, stimulus, _ in rows] if shown.window else ()
    return Sheets(
        cell=np.array(cells, dtype=np.int64),
        reviewer=np.array(reviewer_numbers, dtype=np.int64),
        answers=answers,
        source=locks.source,
        measured=locks.measured,
        playback_sha256=locks.playback_sha256,
        locked_at=locks.locked_at,
        digest=locks.digest,
        window=windows,
    )


def _answers(round_: Round, book: AnswerBook, place_of: Mapping[int, int]) -> Codes:
    """Return (sheets, questions) answer codes, read in one query."""
    code_of = {
        (question, *_columns(text)): code
        for question in book.questions
        for text, code in book.codes(question).items()
    }
    column = {question: number for number, question in enumerate(book.questions)}
    answers = np.full((len(place_of), len(column)), MISSING, dtype=np.int8)
    if not place_of:
        return answers
    # A range of sheets costs no join per answer; what belongs to other sheets in it is passed over.
    rows = Answer.objects.filter(
        sheet_id__gte=min(place_of), sheet_id__lte=max(place_of)
    ).order_by()
    for sheet, question, value, reason in rows.values_list(
        "sheet_id", "question", "value", "na_reason"
    ).iterator(chunk_size=ROWS_AT_ONCE):
        if sheet not in place_of:
            continue
        code = code_of.get((question, value, reason))
        if code is None:
            words = (
                f"sheet {sheet}: {question!r} has the answer {value or reason!r}, which the "
                "protocol does not know"
            )
            raise RoundAltered(round_.name, [words])
        answers[place_of[sheet], column[question]] = code
    return answers


def _columns(text: str) -> tuple[str | None, str | None]:
    return (None, text.removeprefix("na:")) if text.startswith("na:") else (text, None)


class _Locks:
    """How each sheet was locked, a column each: a million small objects would keep the garbage
    collector busy.
    """

    def __init__(self) -> None:
        self.source: list[str] = []
        self.measured: list[bool] = []
        self.playback_sha256: list[str] = []
        self.locked_at: list[str] = []
        self.digest: list[str] = []


def _locks(
    round_: Round, shown: Shown, book: AnswerBook, answers: Codes
) -> tuple[_Locks, list[str]]:
    """Return how each sheet was locked, and a sentence for each that is not what was locked."""
    responses = [book.responses(question) for question in book.questions]
    asked = {form: set(round_.protocol.form(form).keys) for form in set(shown.form.values())}
    locks, faults = _Locks(), []
    rows = _locked(round_).values_list(
        "reviewer__code",
        "stimulus_id",
        "stimulus__scene",
        "source",
        "playback",
        "locked_at",
        "digest",
    )
    for place, row in enumerate(rows.iterator(chunk_size=ROWS_AT_ONCE)):
        reviewer, stimulus, scene, source, playback, locked_at, digest = row
        assert locked_at is not None  # noqa: S101 - what _locked selects
        locks.source.append(source)
        locks.measured.append(bool(playback))
        locks.locked_at.append(utc(locked_at))
        locks.digest.append(digest)
        codes = zip(book.questions, responses, answers[place].tolist(), strict=True)
        given = {key: texts[code] for key, texts, code in codes if code != MISSING}
        if missing := sorted(asked[shown.form[stimulus]] - given.keys()):
            faults.append(f"the sheet of {reviewer} on {stimulus} has no answer to {missing[0]!r}")
            continue
        record = SheetRecord(
            reviewer=reviewer,
            stimulus=stimulus,
            protocol_digest=round_.protocol.digest,
            scene=scene,
            source=source,
            responses=given,
            locked_at=locks.locked_at[-1],
        )
        played = played_as_locked(record, playback, digest)
        locks.playback_sha256.append(played or "")
        if played is None:
            faults.append(
                f"the sheet of {reviewer} on {stimulus} is not what was locked: its SHA-256 is not "
                f"{digest}"
            )
    return locks, faults
