"""Locked sheets as columns, and the codes that answers have in them. No Django here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fartbench.protocol import AnswerSet, Protocol, Response

Integers = NDArray[np.int64]
Codes = NDArray[np.int8]

MISSING = -1
"""The code in a column where there is nothing: no answer, no reviewer of the cohort, no
window.
"""


@dataclass(frozen=True)
class Sheets:
    """The locked sheets, one entry of every column for each.

    cell and reviewer: (n,) places in the record's lists; answers: (n, questions) codes of an
    `AnswerBook`, ``MISSING`` where there is none. ``window`` is the place of the part that a sheet
    is about, where parts are shown. ``playback_sha256`` is empty where the digest of a lock covers
    the playback itself, as older versions made it, and cannot be computed again without that.
    """

    cell: Integers
    reviewer: Integers
    answers: Codes
    source: Sequence[str]
    measured: Sequence[bool]
    locked_at: Sequence[str]
    digest: Sequence[str]
    window: Sequence[int] = ()
    playback_sha256: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.cell)


@dataclass(frozen=True)
class AnswerBook:
    """The answers a protocol knows, as codes: of each question first its values in order, then
    every N/A reason.
    """

    protocol: Protocol

    @cached_property
    def questions(self) -> tuple[str, ...]:
        return tuple(self._sets)

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        rollouts = self.protocol.rollouts
        # Databases keep the order of a JSON object's keys or do not.
        return tuple(
            sorted(self.protocol.na_reasons if rollouts is None else rollouts.forms.na_reasons)
        )

    def values(self, question: str) -> tuple[str, ...]:
        """Return the values of a question, in order."""
        return self._values[question]

    def texts(self, question: str) -> list[str]:
        """Return each code's answer as it is written in tables: ``yes`` or ``na:no_event``."""
        return [*self.values(question), *(f"na:{reason}" for reason in self.reasons)]

    def codes(self, question: str) -> dict[str, int]:
        """Return the code of each answer text."""
        return {text: code for code, text in enumerate(self.texts(question))}

    def responses(self, question: str) -> list[Response]:
        """Return each code's answer as a Response."""
        return [Response.parse(text) for text in self.texts(question)]

    @cached_property
    def _values(self) -> Mapping[str, tuple[str, ...]]:
        return {
            key: tuple(option.value for option in found.answers)
            for key, found in self._sets.items()
        }

    @cached_property
    def _sets(self) -> Mapping[str, AnswerSet]:
        """What can be answered to each question; those of rollouts are of several forms, of which a
        sheet has one.
        """
        rollouts = self.protocol.rollouts
        if rollouts is None:
            return {
                question.key: self.protocol.answer_set(question)
                for question in self.protocol.questions
            }
        criteria, sets = rollouts.metrics.criteria, rollouts.forms.answer_sets
        asked: dict[str, str] = {}
        for form in rollouts.forms.forms:
            asked |= {question.key: question.answers for question in form.questions}
            asked |= (
                dict.fromkeys(criteria[form.criteria], form.answers or "") if form.criteria else {}
            )
        return {key: sets[name] for key, name in asked.items()}
