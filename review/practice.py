"""Training clips: what is right about them, and how a reviewer's answers compare. No Django
here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fartbench.protocol import Response
from review.page import QuestionBlock


@dataclass(frozen=True, slots=True)
class Solution:
    """The right answer to one question about a training clip, others that are as fair, and the
    reason in words.
    """

    answer: str
    fair: tuple[str, ...]
    reason: str

    def accepts(self, response: Response) -> bool:
        """Say whether an answer is the right one or as fair."""
        return str(response) in {self.answer, *self.fair}

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return asdict(self)


def solution_of(entry: Mapping[str, Any]) -> Solution:
    """Return what `Solution.as_json` gave."""
    return Solution(entry["answer"], tuple(entry["fair"]), entry["reason"])


@dataclass(frozen=True, slots=True)
class Comparison:
    """One question about a training clip: what was answered, what is right, and why; all in
    words.
    """

    text: str
    given: str
    right: str
    fair: tuple[str, ...]
    is_right: bool
    reason: str


def compare(
    blocks: Sequence[QuestionBlock],
    responses: Mapping[str, Response],
    solutions: Mapping[str, Solution],
) -> list[Comparison]:
    """Return how a complete set of answers compares, in the order of the questions."""
    return [_compared(block, responses[block.key], solutions[block.key]) for block in blocks]


def _compared(block: QuestionBlock, response: Response, solution: Solution) -> Comparison:
    return Comparison(
        text=block.text,
        given=block.words_of(response),
        right=block.words_of(Response.parse(solution.answer)),
        fair=tuple(block.words_of(Response.parse(answer)) for answer in solution.fair),
        is_right=solution.accepts(response),
        reason=solution.reason,
    )
