"""One answer to one question: a value, or N/A with a reason. No Django here."""

from __future__ import annotations

from dataclasses import dataclass

NA_PREFIX = "na:"


class ResponseError(ValueError):
    """Text that is neither a value nor ``na:REASON``."""


@dataclass(frozen=True, slots=True)
class Response:
    """Exactly one of ``value`` and ``na_reason``; written as ``yes``, ``4`` or ``na:no_event``.

    An N/A whose reason is empty can be written and is allowed by no form.
    """

    value: str | None = None
    na_reason: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.na_reason is None):
            raise ResponseError("an answer is a value or an N/A with its reason, and never both")

    @classmethod
    def parse(cls, text: str) -> Response:
        """Read ``yes``, ``4`` or ``na:REASON``. Raises ResponseError for an empty text."""
        text = text.strip()
        if text.lower() in {"na", "n/a"}:
            return cls(na_reason="")
        if text.startswith(NA_PREFIX):
            return cls(na_reason=text.removeprefix(NA_PREFIX))
        if not text:
            raise ResponseError("the answer is missing")
        return cls(value=text)

    def __str__(self) -> str:
        if self.value is None:
            return f"{NA_PREFIX}{self.na_reason}"
        return self.value
