"""The generation manifest: what was asked, what came back and what it cost, a row per sample."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from io import StringIO

from fartbench.models import Round
from fartbench.tables import guarded
from generation.models import Sample

COLUMNS = (
    "configuration", "scene", "replicate", "pilot_version", "counts", "outcome", "reason", "provider", "model_id",
    "model_version", "prompt_sha256", "prompt_adapter", "seed", "clip_sha256", "duration_s", "width", "height",
    "has_audio", "cost_usd", "cost_basis", "price_rule", "tries", "provider_id", "request_sha256", "accepted_at",
    "generated_at", "limitation",
)  # fmt: skip


def manifest_lines(round_: Round) -> Iterator[str]:
    """Yield the manifest as CSV, line by line: every sample of the round, development-only ones too."""
    yield _line(COLUMNS)
    samples = Sample.every.filter(cell__round=round_).select_related("cell__configuration", "clip", "prompt")
    ordered = samples.order_by("cell__configuration__name", "cell__scene", "cell__replicate", "pilot_version")
    for sample in ordered.prefetch_related("submissions").iterator(chunk_size=500):
        yield _line(_row(sample))


def _row(sample: Sample) -> list[object]:
    cell, clip, prompt = sample.cell, sample.clip, sample.prompt
    tries = list(sample.submissions.all())
    last = tries[-1] if tries else None
    facts = clip.facts if clip else {}
    price = cell.configuration.content.get("price", {}).get("id", "")
    return [
        cell.configuration.name, cell.scene, cell.replicate, sample.pilot_version, sample.counts, sample.state,
        sample.reason, sample.provider or cell.configuration.provider, cell.configuration.model_id,
        sample.model_version, prompt.sha256 if prompt else "",
        f"{prompt.adapter} {prompt.adapter_version}" if prompt else "",
        sample.generation_seed, clip.sha256 if clip else "", facts.get("duration_s", ""), facts.get("width", ""),
        facts.get("height", ""), facts.get("has_audio", ""), "" if sample.cost_usd is None else sample.cost_usd,
        sample.cost_basis, price, len(tries), last.provider_id if last else "", last.request_sha256 if last else "",
        sample.accepted_at.isoformat() if sample.accepted_at else "",
        sample.generated_at.isoformat() if sample.generated_at else "", cell.limitation,
    ]  # fmt: skip


def _line(values: Iterable[object]) -> str:
    out = StringIO()
    csv.writer(out).writerow([guarded(value) if isinstance(value, str) else value for value in values])
    return out.getvalue()
