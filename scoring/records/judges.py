"""What the AI judges of a round were asked and said, as plain records. No Django here.

They stand beside the answers of people and enter no gate, score or rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FROZEN = "frozen"
ANSWERED = "answered"
ENDED = frozenset({ANSWERED, "blocked", "invalid", "error"})


@dataclass(frozen=True, slots=True)
class JudgeRunRecord:
    """A judge on one cell, or on a window of it: their places in the record's lists. Texts that are
    unknown are empty.

    ``answers`` hold each question's answer as it is written in tables, and are empty unless
    ``state`` is ``answered``.
    """

    cell: int
    state: str
    code: str = ""
    reason: str = ""
    model_version: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: str = ""
    ended_at: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    window: int = -1


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """A frozen judge with its runs, in the order of the cells. ``content`` is its judge protocol,
    ``digest`` its SHA-256; ``frozen_at`` is ISO 8601 in UTC.
    """

    name: str
    variant: str
    digest: str
    frozen_at: str
    content: Mapping[str, Any]
    runs: tuple[JudgeRunRecord, ...]

    @property
    def label(self) -> str:
        return str(self.content["judge"]["label"])

    @property
    def service(self) -> str:
        return str(self.content["judge"]["service"])

    @property
    def model(self) -> str:
        return str(self.content["judge"]["model"])

    @property
    def is_frozen_run(self) -> bool:
        """Whether this is the run that is calibrated, and no sensitivity run."""
        return self.variant == FROZEN
