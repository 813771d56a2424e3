"""A closed round: its rows, its sheets, and what follows from the two alone. No Django here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fartbench.protocol import Protocol, form_for
from scoring.records.answers import MISSING, AnswerBook, Sheets
from scoring.records.judges import JudgeRecord
from scoring.records.rows import (
    PRETENDED,
    SIMULATED,
    CellRecord,
    ConfigurationRecord,
    MeasuredRecord,
    ReviewerRecord,
    WindowRecord,
)
from scoring.records.rules import FORMAT
from scoring.records.votes import PairVote

PRIMARY = "primary"


@dataclass(frozen=True)
class RoundRecord:
    """A closed round. ``scenes`` are those of the round, in the protocol's order; times are ISO
    8601 in UTC.

    ``seed`` is the stored text that every resampling of this round draws its own seed from,
    ``secret`` what its orders were drawn from; rounds that were opened by older versions have none.
    ``verdicts`` are what experts said of the scenarios before the first generation, as plain JSON;
    empty where nobody is asked. ``format`` is the format of releases whose rules the round is added
    up by: an older one only for a release that is verified.
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
    secret: str = ""
    format: int = FORMAT

    @cached_property
    def book(self) -> AnswerBook:
        return AnswerBook(self.protocol)

    def stimulus_of(self, sheet: int) -> str:
        """Return the opaque id of what a sheet (by its place) is about: a clip, or a window of
        one.
        """
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
        return (
            self.book.questions
            if window == MISSING
            else form_for(self.protocol, self.windows[window].form).keys
        )

    @cached_property
    def cohort(self) -> int:
        """How many reviewers every clip needs: those of the round, or as many as the protocol asks
        for.
        """
        return self.protocol.cohort.count(len(self.primary))

    @property
    def quorum(self) -> int:
        """How many equal answers make a consensus in this round."""
        return self.protocol.cohort.quorum_of(self.cohort)

    @property
    def is_demonstration(self) -> bool:
        """Whether something of it is simulated: a clip, a sheet or a vote."""
        sources = {*self.sheets.source, *(vote.source for vote in self.pair_votes)}
        return SIMULATED in sources or any(cell.origin in PRETENDED for cell in self.cells)

    @property
    def is_smoke(self) -> bool:
        """Whether fewer reviewers took part than official figures need."""
        return self.cohort < self.protocol.cohort.size

    @cached_property
    def primary(self) -> tuple[str, ...]:
        """The codes of the primary cohort, in the order of their places."""
        return tuple(reviewer.code for reviewer in self.reviewers if reviewer.role == PRIMARY)
