"""The rows that fix what is shown to whom, and what each clip is, as plain JSON for a digest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from blinding.models import BlindCopy, BlindingKey, NotReviewable, Stimulus
from fartbench.models import Round
from fartbench.times import utc
from generation.models import Cell, Chunk, Configuration, PromptDelivery, Sample
from review.models import Assignment, OrderPlan, Retirement

_CELL = ("cell__configuration__name", "cell__scene", "cell__replicate")
_OF_SAMPLE = tuple(f"sample__{name}" for name in _CELL)


def shown_rows(round_: Round) -> dict[str, Any]:
    """Return what decides what is shown to whom and is in no release."""
    orders = Assignment.objects.filter(member__round=round_).order_by("member__place", "position")
    members = round_.members.order_by("place")
    keys = BlindingKey.objects.filter(stimulus__round=round_).order_by("stimulus_id")
    retired = Retirement.objects.filter(stimulus__round=round_).order_by("stimulus_id")
    left_out = NotReviewable.objects.filter(sample__cell__round=round_).order_by("sample__cell_id")
    used = Configuration.objects.filter(cells__round=round_).order_by("name").distinct()
    return {
        "normalised": round_.normalised_because,
        "orders": _lists(orders, "member__reviewer__code", "position", "stimulus_id"),
        "members": [
            [code, place, role, utc(left_at), reason]
            for code, place, role, left_at, reason in members.values_list(
                "reviewer__code", "place", "role", "left_at", "left_reason"
            )
        ],
        "stimuli": _lists(
            keys, "stimulus_id", *_OF_SAMPLE, "stimulus__sha256", "stimulus__size",
            "stimulus__scene", "stimulus__form", "stimulus__unit", "stimulus__place",
            "stimulus__end_s", "stimulus__context", "stimulus__facts",
        ),
        "retired": _lists(retired, "stimulus_id", "outcome", "reason"),
        "left out": _lists(left_out, *_OF_SAMPLE, "reason"),
        "configurations": _lists(
            used, "name", "parameters", "geometry", "content", "digest", "family__label"
        ),
    }  # fmt: skip


def described_rows(round_: Round) -> dict[str, Any]:
    """Return what is known of a round's clips beside their outcomes: where each comes from, how it
    was made, and rows that nobody is asked about.
    """
    samples = Sample.every.filter(cell__round=round_).order_by(*_CELL, "pilot_version", "pk")
    copies = BlindCopy.objects.filter(sample__cell__round=round_)
    chunks = Chunk.objects.filter(sample__cell__round=round_)
    delivered = PromptDelivery.objects.filter(sample__cell__round=round_)
    plan = OrderPlan.objects.filter(round=round_)
    return {
        "unit_plan": round_.unit_plan,
        "protocol": [round_.protocol.name, round_.protocol.version],
        "cells": _lists(
            Cell.objects.filter(round=round_).order_by("configuration__name", "scene", "replicate"),
            "configuration__name", "scene", "replicate",
        ),
        "samples": _lists(
            samples, *_CELL, "counts", "pilot_version", "state", "reason", "origin", "provider",
            "prompt__sha256", "cost_basis", "estimate_usd", "returned", "truth", "frozen_at",
            "accepted_at", "clip__sha256", "clip__size", "clip__facts",
        ),
        "copies": _lists(
            copies.order_by(*(f"sample__{name}" for name in _CELL), "windows", "shown", "sha256"),
            *_OF_SAMPLE, "windows", "shown", "sha256", "size", "facts", "proof",
        ),
        "stimuli": _lists(Stimulus.objects.filter(round=round_).order_by("pk"), "pk", "sha256"),
        "balance": _lists(plan, "balance"),
        "chunks": _lists(
            chunks.order_by(*_OF_SAMPLE, "index"), *_OF_SAMPLE, "index", "frame_start", "frames",
            "media_s", "wall_s", "source",
        ),
        "prompts": _lists(
            delivered.order_by(*_OF_SAMPLE, "step"), *_OF_SAMPLE, "step", "due_s", "media_s",
            "wall_s", "in_chunk",
        ),
    }  # fmt: skip


def _lists(rows: QuerySet[Any], *names: str) -> list[list[Any]]:
    return [[_plain(value) for value in row] for row in rows.values_list(*names)]


def _plain(value: Any) -> Any:
    """Return a value of a column as JSON has it."""
    if value is None or isinstance(value, str | int | float | Mapping | list):
        return value
    if hasattr(value, "astimezone"):
        return utc(value)
    return str(value)
