"""Measures one rollout's file."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from fartbench.commands import WRONG_USE, progress, steps
from fartbench.commands import Command as Base
from fartbench.media.probe import probe
from fartbench.numbers import number_text
from generation.rollouts.geometry import Geometry
from generation.rollouts.log import RolloutLog, read_log
from measuring.continuity import Window, signal_part
from measuring.measurement import Measurement
from measuring.pace import Timing
from measuring.plug_ins.port import measure, readiness
from measuring.plug_ins.reading import RolloutFile
from measuring.plug_ins.registry import PLUG_INS
from measuring.signals import Boundaries, Signals, measure_signals


class Command(Base):
    help = (
        "Measure a rollout: continuity where its chunks meet and where prompts arrived, pace, "
        "marks in the sound, and "
        "what models with weights say. What cannot be measured is said to be unavailable, and why."
    )
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--stream",
            type=Path,
            help="the folder of the stream it came from: boundaries and times",
        )
        parser.add_argument(
            "--geometry",
            type=_geometry,
            help="pictures of the first chunk and of the others: 25,24",
        )
        parser.add_argument(
            "--prompts",
            type=_seconds,
            default=(),
            help="when prompts arrived, in seconds: 30,60,90",
        )
        parser.add_argument(
            "--weights", type=Path, help="a folder of weights; without it ten metrics are left out"
        )
        parser.add_argument(
            "--only", action="append", choices=sorted(PLUG_INS), help="of the models only this one"
        )
        parser.add_argument(
            "--device", default="auto", help="what models run on: cpu, cuda, cuda:1, mps"
        )
        parser.add_argument("--json", type=Path, help="also write everything to this file")

    def run(self, **options: Any) -> None:
        if options["stream"] and options["geometry"]:
            raise CommandError(
                "A stream's log says where chunks meet; leave --geometry out.", returncode=WRONG_USE
            )
        file, log = options["file"], read_log(options["stream"]) if options["stream"] else None
        boundaries, timing = _known(file, log, options["geometry"])
        signals = measure_signals(
            file, boundaries=boundaries, prompts_s=options["prompts"], timing=timing
        )
        for line in _lines(signals):
            self.say(line)
        plugged: list[Measurement] = []
        _write(options["json"], signals, plugged)
        # What is measured is said and written at once: a model may take minutes, and may be
        # interrupted.
        for one in self._plugged(file, options) if options["weights"] else ():
            self.say(_line(one))
            plugged.append(one)
            _write(options["json"], signals, plugged)

    def _plugged(self, file: Path, options: dict[str, Any]) -> Iterator[Measurement]:
        wanted = [
            plug_in for key, plug_in in PLUG_INS.items() if key in (options["only"] or PLUG_INS)
        ]
        for line in readiness(wanted, options["weights"], options["device"]):
            self.say(line)
        media = RolloutFile(file)
        with progress("models", len(wanted)) as advance:
            seen, end = steps(advance)
            for plug_in in wanted:
                yield measure(
                    plug_in, media, options["weights"], options["device"], seen
                ).measurement
                end()


def _write(path: Path | None, found: Signals, plugged: list[Measurement]) -> None:
    if path is not None:
        content = asdict(found) | {"plug_ins": [asdict(one) for one in plugged]}
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _known(
    file: Path, log: RolloutLog | None, geometry: tuple[int, int] | None
) -> tuple[Boundaries, Timing | None]:
    """Return where chunks meet and how fast they came, as far as it is known."""
    if log is not None:
        return Boundaries(tuple(log.boundaries), "logged"), Timing(
            log.frames, log.wall_s, log.first_chunk_s
        )
    if geometry is None:
        return Boundaries.unknown("neither a log nor a geometry was given"), None
    facts = probe(file)
    declared = Geometry(*geometry, round(Fraction(facts.frame_rate)))
    return Boundaries.declared(declared, facts.frame_count), None


def _line(one: Measurement) -> str:
    if one.value is not None:
        value = f"{number_text(one.value, '.3f')} {one.unit}"
    else:
        value = f"{one.status}: {one.reason}"
    return f"{one.metric:8} {value}"


def _lines(found: Signals) -> Iterator[str]:
    yield from (_line(one) for one in found.measurements)
    if found.native:
        yield f"{len(found.native)} boundaries have a whole window; the worst that do not overlap:"
        yield from (_window(window) for window in found.worst())
    for window in found.prompts:
        yield (
            f"prompt: picture's part of PVC {number_text(signal_part(window), '.3f')}, "
            f"{_window(window).strip()}"
        )
    for flag in found.flags:
        yield f"sound: {flag.kind} at {flag.at_s:.2f} s ({number_text(flag.amount, '.2f')})"


def _window(window: Window) -> str:
    return (
        f"  at {window.at_s:7.2f} s  {number_text(window.score, '5.1f')}  "
        f"black {window.black:.0%}, repeated {window.repeated:.0%}, "
        f"frozen {window.frozen_s:.2f} s, flashes {window.flashes}"
    )


def _geometry(text: str) -> tuple[int, int]:
    try:
        first, following = (int(part) for part in text.split(","))
        Geometry(first, following, 1)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not two whole numbers such as 25,24") from error
    return first, following


def _seconds(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} are not seconds such as 30,60,90") from error
