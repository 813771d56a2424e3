"""A closed round as columns: all that scores, reports and releases are made from. No Django here.

The same record is read from the database and from the tables of a release, so that whoever holds a release can
recompute everything in it. Answers are small whole numbers in arrays: a round of millions of them fits in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fartbench.protocol import AnswerSet, Protocol, Response, form_for
from scoring.errors import NothingWhole
from scoring.judge_records import JudgeRecord
from scoring.measurements.measurement import Measurement
from scoring.preference.votes import PairVote

Integers = NDArray[np.int64]
Codes = NDArray[np.int8]

DELIVERED = "delivered"
NOT_REVIEWABLE = "not_reviewable"
PRIMARY = "primary"
MISSING = -1


@dataclass(frozen=True, slots=True)
class CellRecord:
    """One cell and what became of it. ``outcome`` is a sample's state or ``not_reviewable``; unknown texts are empty.

    ``stimulus`` is set exactly when there is a clip that reviewers were asked about; times are ISO 8601 in UTC.
    """

    configuration: str
    scene: str
    replicate: int
    outcome: str
    reason: str = ""
    stimulus: str = ""
    raw_sha256: str = ""
    blind_sha256: str = ""
    cost_usd: str = ""
    seed: str = ""
    model_version: str = ""
    generated_at: str = ""
    cost_basis: str = ""
    limitation: str = ""

    def __str__(self) -> str:
        return f"{self.configuration}/{self.scene}/{self.replicate}"


@dataclass(frozen=True, slots=True)
class ConfigurationRecord:
    """A configuration of the round. ``family`` is its name, or empty."""

    name: str
    label: str
    family: str
    provider: str
    model_id: str
    track: str
    provisional: bool


@dataclass(frozen=True, slots=True)
class ReviewerRecord:
    """A reviewer by code. Only those of the role ``primary`` enter scores."""

    code: str
    role: str


@dataclass(frozen=True, slots=True)
class WindowRecord:
    """A part of a cell's rollout that was shown on its own, under its own opaque id.

    ``form`` is the key of what is asked about it; ``unit`` and ``place`` say which part it is; ``end_s`` is the last
    moment of the rollout that it shows, in seconds.
    """

    cell: int
    stimulus: str
    form: str
    unit: str
    place: str
    end_s: float
    blind_sha256: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredRecord:
    """What a machine measured of a cell's rollout: of one unit of it, or of the whole where ``place`` is empty."""

    cell: int
    unit: str
    place: str
    found: Measurement


@dataclass(frozen=True)
class Sheets:
    """The locked sheets, one entry of every column for each.

    cell and reviewer: (n,) places in the record's lists; answers: (n, questions) codes of an `AnswerBook`, ``MISSING``
    where there is none. ``window`` is the place of the part that a sheet is about, where parts are shown.
    """

    cell: Integers
    reviewer: Integers
    answers: Codes
    source: Sequence[str]
    measured: Sequence[bool]
    locked_at: Sequence[str]
    digest: Sequence[str]
    window: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.cell)


@dataclass(frozen=True)
class AnswerBook:
    """The answers a protocol knows, as codes: of each question first its values in order, then every N/A reason."""

    protocol: Protocol

    @cached_property
    def questions(self) -> tuple[str, ...]:
        return tuple(self._sets)

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        rollouts = self.protocol.rollouts
        # Databases keep the order of a JSON object's keys or do not.
        return tuple(sorted(self.protocol.na_reasons if rollouts is None else rollouts.forms.na_reasons))

    def values(self, question: str) -> tuple[str, ...]:
        """Return the values of a question, in order."""
        return self._values[question]

    def texts(self, question: str) -> list[str]:
        """Return each code's answer as it stands in tables: ``yes`` or ``na:no_event``."""
        return [*self.values(question), *(f"na:{reason}" for reason in self.reasons)]

    def codes(self, question: str) -> dict[str, int]:
        """Return the code of each answer text."""
        return {text: code for code, text in enumerate(self.texts(question))}

    def responses(self, question: str) -> list[Response]:
        """Return each code's answer as a Response."""
        return [Response.parse(text) for text in self.texts(question)]

    @cached_property
    def _values(self) -> Mapping[str, tuple[str, ...]]:
        return {key: tuple(option.value for option in found.answers) for key, found in self._sets.items()}

    @cached_property
    def _sets(self) -> Mapping[str, AnswerSet]:
        """What can be answered to each question; those of rollouts are of several forms, of which a sheet has one."""
        rollouts = self.protocol.rollouts
        if rollouts is None:
            return {question.key: self.protocol.answer_set(question) for question in self.protocol.questions}
        criteria, sets = rollouts.metrics.criteria, rollouts.forms.answer_sets
        asked: dict[str, str] = {}
        for form in rollouts.forms.forms:
            asked |= {question.key: question.answers for question in form.questions}
            asked |= dict.fromkeys(criteria[form.criteria], form.answers or "") if form.criteria else {}
        return {key: sets[name] for key, name in asked.items()}


@dataclass(frozen=True)
class RoundRecord:
    """A closed round. ``scenes`` are those of the round, in the protocol's order; times are ISO 8601 in UTC.

    ``seed`` is the stored text that every resampling of this round draws its own seed from. ``verdicts`` are what
    experts said of the scenarios before the first generation, as plain JSON; empty where nobody is asked.
    """

    name: str
    protocol: Protocol
    protocol_digest: str
    scenes: tuple[str, ...]
    replicates: int
    seed: str
    opened_at: str
    closed_at: str
    incomplete_reason: str
    cells: tuple[CellRecord, ...]
    configurations: tuple[ConfigurationRecord, ...]
    reviewers: tuple[ReviewerRecord, ...]
    sheets: Sheets
    judges: tuple[JudgeRecord, ...] = ()
    pair_votes: tuple[PairVote, ...] = ()
    windows: tuple[WindowRecord, ...] = ()
    measurements: tuple[MeasuredRecord, ...] = ()
    verdicts: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def book(self) -> AnswerBook:
        return AnswerBook(self.protocol)

    def stimulus_of(self, sheet: int) -> str:
        """Return the opaque id of what a sheet (by its place) is about: a clip, or a window of one."""
        if self.sheets.window:
            return self.windows[self.sheets.window[sheet]].stimulus
        return self.cells[int(self.sheets.cell[sheet])].stimulus

    @cached_property
    def cell_of(self) -> Mapping[str, CellRecord]:
        """The cell behind each stimulus: of a whole clip, or of a window of it."""
        whole = {cell.stimulus: cell for cell in self.cells if cell.stimulus}
        return whole | {window.stimulus: self.cells[window.cell] for window in self.windows}

    def questions_about(self, window: int) -> tuple[str, ...]:
        """Return what is asked about a window, or about a whole clip."""
        return self.book.questions if window == MISSING else form_for(self.protocol, self.windows[window].form).keys

    @cached_property
    def cohort(self) -> int:
        """How many reviewers every clip needs: those of the round, or as many as the protocol asks for."""
        return self.protocol.cohort.count(len(self.primary))

    @property
    def quorum(self) -> int:
        """How many equal answers make a consensus in this round."""
        return self.protocol.cohort.quorum_of(self.cohort)

    @property
    def is_smoke(self) -> bool:
        """Whether fewer reviewers took part than official figures need."""
        return self.cohort < self.protocol.cohort.size

    @cached_property
    def primary(self) -> tuple[str, ...]:
        """The codes of the primary cohort, in the order of their places."""
        return tuple(reviewer.code for reviewer in self.reviewers if reviewer.role == PRIMARY)


@dataclass(frozen=True)
class Tally:
    """The answers of the primary cohort by cell.

    codes: for each question (cells, reviewers) answer codes, ``MISSING`` where a sheet is not locked; complete:
    (cells,) whether the whole cohort has locked a sheet; configuration and scene: (cells,) places in ``names`` and in
    the record's scenes.
    """

    record: RoundRecord
    codes: Mapping[str, Codes]
    complete: NDArray[np.bool_]
    delivered: NDArray[np.bool_]
    configuration: Integers
    scene: Integers
    names: tuple[str, ...]

    def counts(self, question: str) -> Integers:
        """Return (cells, values + 1) how many of the cohort gave each value, and in the last column N/A."""
        return count_codes(self.codes[question], len(self.record.book.values(question)))

    def na_counts(self, question: str) -> dict[str, int]:
        """Return how many answers were N/A, by reason, over all cells."""
        first = len(self.record.book.values(question))
        codes = self.codes[question]
        return {reason: int((codes == first + place).sum()) for place, reason in enumerate(self.record.book.reasons)}

    def numbers(self, question: str) -> NDArray[np.float64]:
        """Return (cells, reviewers) the numbers of a scale, nan for N/A and for what is missing."""
        values = np.array([float(value) for value in self.record.book.values(question)])
        codes = self.codes[question]
        known = (codes >= 0) & (codes < len(values))
        return np.where(known, values[np.where(known, codes, 0)], np.nan)

    def without(self, reviewer: int) -> dict[str, Codes]:
        """Return the codes of each question as if one reviewer's answers were missing."""
        return {question: np.delete(codes, reviewer, axis=1) for question, codes in self.codes.items()}


def count_codes(codes: Codes, values: int) -> Integers:
    """Return (rows, values + 1) how often each value stands in a row of codes, and in the last column N/A."""
    columns = [(codes == value).sum(axis=1) for value in range(values)]
    return np.stack([*columns, (codes >= values).sum(axis=1)], axis=1)


def tally(record: RoundRecord) -> Tally:
    """Bring the sheets of the primary cohort into cells x reviewers.

    Raises NothingWhole for a round of rollouts, where one reviewer has many sheets in a cell.
    """
    if record.protocol.rollouts is not None:
        raise NothingWhole(
            f"Round {record.name!r} has rollouts, which are judged window by window: see its columns (“score”), not "
            "what is counted over whole clips."
        )
    sheet_of = _sheet_of(record)
    there = sheet_of != MISSING
    names = tuple(sorted({cell.configuration for cell in record.cells}))
    number = {name: place for place, name in enumerate(names)}
    scenes = {key: place for place, key in enumerate(record.scenes)}
    return Tally(
        record=record,
        codes={
            question: _taken(record.sheets.answers[:, column], sheet_of, there)
            for column, question in enumerate(record.book.questions)
        },
        complete=there.sum(axis=1) == record.cohort,
        delivered=np.array([bool(cell.stimulus) for cell in record.cells], dtype=bool),
        configuration=np.array([number[cell.configuration] for cell in record.cells], dtype=np.int64),
        scene=np.array([scenes[cell.scene] for cell in record.cells], dtype=np.int64),
        names=names,
    )


def _sheet_of(record: RoundRecord) -> Integers:
    """(cells, cohort) which sheet a reviewer of the primary cohort locked on a cell."""
    place = {code: number for number, code in enumerate(record.primary)}
    seat = np.array([place.get(reviewer.code, MISSING) for reviewer in record.reviewers], dtype=np.int64)
    seats = seat[record.sheets.reviewer]
    counted = seats != MISSING
    found = np.full((len(record.cells), max(len(place), record.cohort)), MISSING, dtype=np.int64)
    found[record.sheets.cell[counted], seats[counted]] = np.flatnonzero(counted)
    return found


def _taken(answers: Codes, sheet_of: Integers, there: NDArray[np.bool_]) -> Codes:
    if not len(answers):
        return np.full(sheet_of.shape, MISSING, dtype=np.int8)
    return np.where(there, answers[np.where(there, sheet_of, 0)], np.int8(MISSING))
