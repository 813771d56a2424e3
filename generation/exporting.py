"""The generation manifest: what was asked, what came back and what it cost, a row per sample."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from datetime import datetime
from io import StringIO

from fartbench.models import Round
from fartbench.tables import guarded
from generation.models import Sample

COLUMNS = (
    "configuration", "scene", "replicate", "pilot_version", "counts", "outcome", "reason",
    "provider", "model_id",
    "model_version", "prompt_sha256", "prompt_adapter", "seed", "clip_sha256", "duration_s",
    "width", "height",
    "has_audio", "cost_usd", "cost_basis", "price_rule", "tries", "provider_id", "request_sha256",
    "accepted_at",
    "generated_at", "limitation",
)  # fmt: skip
CLIP_FACTS = ("duration_s", "width", "height", "has_audio")


def manifest_lines(round_: Round) -> Iterator[str]:
    """Yield the manifest as CSV, line by line: every sample of the round, development-only ones
    too.
    """
    yield _line(COLUMNS)
    samples = Sample.every.filter(cell__round=round_).select_related(
        "cell__configuration", "clip", "prompt"
    )
    ordered = samples.order_by(
        "cell__configuration__name", "cell__scene", "cell__replicate", "pilot_version"
    )
    for sample in ordered.prefetch_related("submissions").iterator(chunk_size=500):
        yield _line(_row(sample))


def _row(sample: Sample) -> list[object]:
    cell, configuration = sample.cell, sample.cell.configuration
    return [
        configuration.name, cell.scene, cell.replicate, sample.pilot_version, sample.counts,
        sample.state,
        sample.reason, sample.provider or configuration.provider, configuration.model_id,
        sample.model_version,
        *_prompt(sample), sample.generation_seed, *_clip(sample), _known(sample.cost_usd),
        sample.cost_basis,
        configuration.content.get("price", {}).get("id", ""), *_orders(sample),
        _moment(sample.accepted_at),
        _moment(sample.generated_at), cell.limitation,
    ]  # fmt: skip


def _prompt(sample: Sample) -> list[object]:
    """Return the digest of the prompt and its adapter."""
    prompt = sample.prompt
    if prompt:
        return [prompt.sha256, f"{prompt.adapter} {prompt.adapter_version}"]
    return ["", ""]


def _clip(sample: Sample) -> list[object]:
    """Return the digest of the clip, its length, width, height and whether it has sound."""
    if sample.clip is None:
        return [""] * (1 + len(CLIP_FACTS))
    facts = sample.clip.facts
    return [sample.clip.sha256, *(facts.get(name, "") for name in CLIP_FACTS)]


def _orders(sample: Sample) -> list[object]:
    """Return how often the clip was ordered, and the provider's id and the digest of the last
    order.
    """
    tries = list(sample.submissions.all())
    if tries:
        return [len(tries), tries[-1].provider_id, tries[-1].request_sha256]
    return [0, "", ""]


def _known(value: object | None) -> object:
    if value is None:
        return ""
    return value


def _moment(at: datetime | None) -> str:
    if at:
        return at.isoformat()
    return ""


def _line(values: Iterable[object]) -> str:
    out = StringIO()
    csv.writer(out).writerow(
        [guarded(value) if isinstance(value, str) else value for value in values]
    )
    return out.getvalue()
