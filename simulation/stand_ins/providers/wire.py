"""What a stand-in has to know of a provider's contract. No Django here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from generation.providers.answers import at
from simulation.stand_ins.providers.ledger import Job

Phase = Literal["waiting", "working", "made", "failed", "refused", "empty"]
Answer = tuple[int, dict[str, Any]]
DECLINED = "The prompt was declined by the content policy of the stand-in."
BROKE = "The stand-in's model broke down."


@dataclass(frozen=True, kw_only=True)
class Wire:
    """One provider's contract. Paths are patterns with a group ``id``; ``clip`` gives the bytes of
    a finished job.
    """

    key: str
    submit: str
    look: str
    read: Callable[
        [Mapping[str, Any], str], tuple[str, str, int | None, str]
    ]  # body, path: model, prompt, seed, tag
    accepted: Callable[[Job, str], dict[str, Any]]
    state: Callable[[Job, Phase, list[str], Callable[[], bytes]], Answer]
    declined: Callable[[], Answer]
    error: Callable[[int, str, str], dict[str, Any]]
    result: str = ""
    results: Callable[[Job, Phase, list[str]], Answer] | None = None
    content: str = ""
    listing: str = ""
    by_tag: str = ""
    page: Callable[[list[Job]], dict[str, Any]] | None = None
    look_method: str = "GET"


def fault(phase: Phase, refused: str, failed: str) -> tuple[str, str]:
    """Return the code, one of two, and the words of an order that was refused or that failed."""
    if phase == "refused":
        return refused, DECLINED
    return failed, BROKE


def plain_error(_status: int, code: str, words: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": words}}


def read_common(body: Mapping[str, Any], _path: str) -> tuple[str, str, int | None, str]:
    prompt = (
        body.get("prompt")
        or body.get("promptText")
        or at(body, "content.0.text")
        or at(body, "input.prompt")
        or ""
    )
    seed = body.get("seed", at(body, "parameters.seed"))
    model = body.get("model") or body.get("model_name") or ""
    return str(model), str(prompt), seed, str(body.get("external_task_id") or "")
