"""What one job measures of one rollout: its signals and log, or the values of one model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from fartbench.media.errors import MediaRefusal
from fartbench.protocol.rollouts.metrics import MetricTable
from fartbench.protocol.rollouts.schema import Scenario
from generation.models import Chunk, Sample
from measuring.continuity import Window, signal_part
from measuring.marks import MARKS
from measuring.measurement import Measurement
from measuring.pace import Timing
from measuring.plug_ins.port import Plugged, PlugIn, Seen, measure, readiness
from measuring.plug_ins.registry import PLUG_INS
from measuring.signals import TOOL, VERSION, Boundaries, Signals, measure_signals

SIGNALS = "signals"
NEAR_S = 0.1  # a prompt's window is centred on the nearest picture
Unit = tuple[str, str, Measurement]
"""The kind of unit, which one (nothing for the whole), and what was measured of it."""


def measured_units(sample: Sample, job: str, seen: Seen) -> Iterator[Unit]:
    """Yield what one job measures of a rollout. ``job`` is SIGNALS or the key of a plug-in."""
    rollouts = sample.cell.round.protocol.rules.rollouts
    assert rollouts is not None and sample.clip is not None  # noqa: S101 - only such samples are due
    table, scenario = rollouts.metrics, rollouts.scenario(sample.cell.scene)
    if job == SIGNALS:
        yield from _signal_units(table, scenario, sample.clip.path, *_known_of(sample))
    else:
        (metric,) = (one for one in table.metrics if one.plug_in == job)
        yield from _plugged(PLUG_INS[job], metric.unit, sample.clip.path, seen)


def _known_of(sample: Sample) -> tuple[Boundaries, Timing | None]:
    """Return where a rollout's chunks meet and how fast they came, as far as that is known."""
    chunks = list(Chunk.objects.filter(sample=sample).order_by("index"))
    if not chunks:
        return Boundaries.unknown(
            "no chunk was logged, and the configuration declares no geometry"
        ), None
    places = tuple(chunk.frame_start for chunk in chunks[1:])
    frames = sum(chunk.frames for chunk in chunks)
    return Boundaries(places, chunks[0].source), Timing(frames, chunks[-1].wall_s, chunks[0].wall_s)


def _signal_units(
    table: MetricTable,
    scenario: Scenario,
    path: Path,
    boundaries: Boundaries,
    timing: Timing | None,
) -> Iterator[Unit]:
    """Yield what picture, sound and log say of a rollout; a file that cannot be read is an
    evaluator's failure.
    """
    prompts_s = {update.id: update.at_s for update in scenario.updates}
    try:
        signals = measure_signals(
            path, boundaries=boundaries, prompts_s=list(prompts_s.values()), timing=timing
        )
    except MediaRefusal as refusal:
        yield from _unreadable_units(table, scenario, str(refusal))
        return
    units = {metric.code: metric.unit for metric in table.metrics}
    for one in signals.measurements:
        yield units[one.metric], "", one
    for metric in table.metrics:
        if metric.computed == "mixed" and metric.applies_to(scenario):
            for place, at_s in prompts_s.items():
                yield metric.unit, place, _at_prompt(metric.code, signals, at_s)
    flags = [flag.as_json() for flag in signals.flags]
    evidence = {"flags": flags}
    yield "full", "", Measurement(MARKS, len(flags), "marks", TOOL, VERSION, evidence=evidence)


def _unreadable_units(table: MetricTable, scenario: Scenario, reason: str) -> Iterator[Unit]:
    for metric in table.metrics:
        if metric.computed in {"signals", "mixed"} and metric.applies_to(scenario):
            nothing = _without(metric.code, "evaluator_failure", reason, metric.value_unit)
            yield metric.unit, "", nothing


def _at_prompt(code: str, found: Signals, at_s: float) -> Measurement:
    window: Window | None = next(
        (one for one in found.prompts if abs(one.at_s - at_s) < NEAR_S), None
    )
    if window is None:
        native = found.measurements[0]
        if "sampled" in native.reason:
            why = native.reason
        else:
            why = "the rollout has no whole window around it"
        return _without(code, "unavailable", why, "points")
    return Measurement(
        code, signal_part(window), "points", TOOL, VERSION, evidence=window.as_json()
    )


def _without(code: str, status: Any, reason: str, unit: str) -> Measurement:
    return Measurement.without(code, status, reason, unit=unit, tool=TOOL, version=VERSION)


def _plugged(plug_in: PlugIn, unit: str, path: Path, seen: Seen) -> Iterator[Unit]:
    plugged = _plug(plug_in, path, seen)
    for number, value in enumerate(plugged.intervals, 1):
        whole = plugged.measurement
        yield (
            unit,
            str(number),
            Measurement(whole.metric, value, whole.unit, whole.tool, whole.version),
        )
    if not plugged.intervals:
        yield unit, "", plugged.measurement


def _plug(plug_in: PlugIn, path: Path, seen: Seen) -> Plugged:
    if lacks := missing(plug_in):
        return _nothing(plug_in, "unavailable", f"no weights: {', '.join(lacks)} is not there")
    try:
        from measuring.plug_ins.reading import RolloutFile  # noqa: PLC0415 - a web process does without it

        media = RolloutFile(path)
    except MediaRefusal as refusal:
        return _nothing(plug_in, "evaluator_failure", str(refusal))
    return measure(plug_in, media, Path(settings.WEIGHTS_DIR), settings.WEIGHTS_DEVICE, seen)


def _nothing(plug_in: PlugIn, status: Any, reason: str) -> Plugged:
    about = {"unit": plug_in.unit, "tool": plug_in.key, "version": plug_in.version}
    return Plugged(Measurement.without(plug_in.metric, status, reason, **about))


def models() -> list[str]:
    """Return a line for each metric that takes a model: whether it can be measured, or what is
    missing.
    """
    folder = Path(settings.WEIGHTS_DIR) if settings.WEIGHTS_DIR else None
    return readiness(PLUG_INS.values(), folder, settings.WEIGHTS_DEVICE)


def missing(plug_in: PlugIn) -> list[str]:
    """Return what a plug-in still lacks; without a folder of weights, that folder."""
    if settings.WEIGHTS_DIR:
        return plug_in.missing(Path(settings.WEIGHTS_DIR))
    return ["WEIGHTS_DIR"]
