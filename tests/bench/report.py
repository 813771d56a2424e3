"""Runs every benchmark and writes ``docs/benchmarks.md``: ``make bench``, or `python -m
tests.bench.report [--quick]`.

Each runs as a program of its own, one after the other, and its own words are kept. The table at the
top holds the ratios beside other programs that were there; one that is missing is named, and what
would bring it. Status 1 when a benchmark missed a target or did not end.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fartbench.program import program

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
NUMBER = r"([\d.,]+)"
VERSIONS = ("django", "gunicorn", "psycopg", "numpy", "scipy", "av", "pydantic")


@dataclass(frozen=True)
class Bench:
    """One program: what it measures, and how it is run, in full and quickly."""

    title: str
    module: str
    full: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()


BENCHES = (
    Bench("Blind copies beside cp, mat2 and exiftool", "bench_blinding", (), ("--clips", "20")),
    Bench("Agreement beside the krippendorff package", "bench_scoring", ("--install",),
          ("--install",)),
    Bench("Releases and large rounds, SQLite", "bench_rounds", (), ("--sizes", "25", "250")),
    Bench("Releases and large rounds, PostgreSQL", "bench_rounds", ("--engine", "postgres"),
          ("--engine", "postgres", "--sizes", "25", "250")),
    Bench("Drafts and locks, alone and with many at once", "bench_review", (), ("--quick",)),
    Bench("Measuring a rollout of three minutes", "bench_rollouts"),
    Bench("The same on Label Studio and Potato", "peers_review", ("--install",), ("--install",)),
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What a benchmark printed, how it ended, and how long it took."""

    bench: Bench
    text: str
    status: int
    seconds: float


@dataclass(frozen=True)
class Ratio:
    """A line of the table: ours and theirs in the same unit; ``times`` says how often ours fits
    into theirs.
    """

    what: str
    ours: str
    peer: str
    theirs: str
    times: float | None


def run(bench: Bench, *, quick: bool, tools: Path | None) -> Outcome:
    """Run one benchmark to its end."""
    arguments = [*(bench.quick if quick else bench.full)]
    if tools and bench.module == "peers_review":
        arguments = ["--tools", str(tools)]
    say(f"{bench.title} …")
    start = time.monotonic()
    command = [sys.executable, "-m", f"tests.bench.{bench.module}", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    text = done.stdout if done.stdout.strip() else done.stderr[-2000:]
    return Outcome(bench, text.strip(), done.returncode, time.monotonic() - start)


def ratios(outcomes: Sequence[Outcome]) -> list[Ratio]:
    """Return the lines of the table, from what the benchmarks printed."""
    texts = {outcome.bench.module: outcome.text for outcome in outcomes}
    return [
        *_blinding(texts.get("bench_blinding", "")),
        *_agreement(texts.get("bench_scoring", "")),
        *_review(texts),
    ]


def _blinding(text: str) -> list[Ratio]:
    printed = re.findall(rf"^(.+?)\s+median\s+{NUMBER} ms", text, re.MULTILINE)
    medians = {name.strip(): _number(milliseconds) for name, milliseconds in printed}
    ours = medians.pop("blind copy", None)
    names = {"cp": "cp (a plain copy)", "mat2": "mat2", "exiftool -all=": "exiftool"}
    if ours is None:
        return []
    lines = [
        Ratio(
            "scrub and pad a clip of 7 MB",
            f"{ours:.1f} ms",
            words,
            f"{medians[name]:.1f} ms",
            medians[name] / ours,
        )
        if name in medians
        else Ratio("scrub and pad a clip of 7 MB", f"{ours:.1f} ms", words, "not installed", None)
        for name, words in names.items()
    ]
    whole, plain = medians.get("blind, prove and scan"), medians.get("plain decode")
    if whole and plain:
        peer = "ffmpeg decoding it once, on one core"
        lines.append(
            Ratio(
                "blind, prove and scan a clip",
                f"{whole:.0f} ms",
                peer,
                f"{plain:.0f} ms",
                plain / whole,
            )
        )
    return lines


def _agreement(text: str) -> list[Ratio]:
    found = re.findall(
        rf"^{NUMBER} clips.*?configurations\s+{NUMBER} ms.*?loops\s+{NUMBER} s",
        text,
        re.MULTILINE | re.DOTALL,
    )
    return [
        Ratio(
            f"alpha with its jackknife, {clips} clips",
            f"{_number(ours):.0f} ms",
            "krippendorff package, looped (extrapolated from 5 loops)",
            f"{_number(theirs):,.0f} s",
            _number(theirs) * 1000 / _number(ours),
        )
        for clips, ours, theirs in found
    ]


def _review(texts: dict[str, str]) -> list[Ratio]:
    single = texts.get("bench_review", "").partition("reviewers for")[0]
    # Of the peers is known what a client waited, so of ours too.
    printed = re.findall(
        rf"(save|lock): .*?, {NUMBER} ms of CPU; a client waited {NUMBER} ms", single
    )
    ours = {
        kind: {"median_ms": _number(waited), "cpu_ms": _number(cpu)}
        for kind, cpu, waited in printed
    }
    try:
        peers: dict[str, Any] = json.loads(texts.get("peers_review", "{}"))
    except ValueError:
        peers = {}
    words = {"save": "save one change", "lock": "hand in a form of six answers"}
    figures = {"median_ms": "", "cpu_ms": ", the web server's processor time"}
    lines = []
    for name, peer in peers.items():
        label = f"{name} {peer.get('version', '')}".strip()
        for kind, figure in ((kind, figure) for kind in words for figure in figures):
            here, theirs = ours.get(kind, {}).get(figure), peer.get(kind, {}).get(figure)
            said = (
                f"{theirs:.1f} ms"
                if theirs
                else str(peer.get("missing", ""))[:120].replace("\n", " ")
            )
            times = theirs / here if theirs and here else None
            lines.append(
                Ratio(
                    words[kind] + figures[figure],
                    f"{here:.1f} ms" if here else "–",
                    label,
                    said,
                    times,
                )
            )
    return lines


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def page(outcomes: Sequence[Outcome], *, quick: bool) -> str:
    """Return the whole page in Markdown."""
    size = "a short run (`--quick`)" if quick else "a full run"
    rows = [
        f"| {line.what} | {line.ours} | {line.peer} | {line.theirs} | "
        f"{f'{line.times:,.1f}' if line.times else '–'} |"
        for line in ratios(outcomes)
    ]
    parts = [
        "# Benchmarks",
        f"Written by `make bench`, {size}, on {time.strftime('%Y-%m-%d %H:%M', time.gmtime())} "
        "UTC. Ratios say more "
        "than figures: both sides ran on the same machine, one after the other. Above 1, ours is "
        "faster. Potato keeps "
        "its state in memory and files, Label Studio here in SQLite; ours is in PostgreSQL, with "
        "validation, row locks "
        "and an audit trail, synced to disk.",
        "| operation | here | beside | there | ratio |\n|---|---:|---|---:|---:|\n"
        + "\n".join(rows),
        f"## Machine and versions\n\n{_machine()}",
        *(_section(outcome) for outcome in outcomes),
    ]
    return "\n\n".join(parts) + "\n"


def _machine() -> str:
    models = [
        line.partition(":")[2].strip()
        for line in _lines("/proc/cpuinfo")
        if line.startswith("model name")
    ]
    memory = sum(
        int(line.split()[1]) / 2**20
        for line in _lines("/proc/meminfo")
        if line.startswith("MemTotal")
    )
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    made = program()
    lines = [
        f"- {os.cpu_count()} cores ({(models or [platform.machine()])[0]}), {memory:.0f} GB, "
        f"{platform.system()}",
        f"- load at the end (1, 5, 15 minutes): {load}. Above the number of cores, others used the "
        "machine too, and "
        "all times are longer than they would be alone.",
        f"- Python {platform.python_version()}; "
        + ", ".join(f"{name} {version(name)}" for name in VERSIONS),
        f"- {made['name']} {made['version']}, commit `{made['commit']}`",
    ]
    return "\n".join(lines)


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []


def _section(outcome: Outcome) -> str:
    ended = (
        "targets met" if outcome.status == 0 else "a target was missed, or something was not there"
    )
    how = f"`{outcome.bench.module}`, {outcome.seconds:.0f} s: {ended}."
    return f"## {outcome.bench.title}\n\n{how}\n\n```text\n{outcome.text}\n```"


def say(line: str) -> None:
    """Print one line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Run all and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick", action="store_true", help="small sizes: minutes instead of half an hour"
    )
    parser.add_argument(
        "--tools", type=Path, help="a folder that has Label Studio and Potato installed already"
    )
    options = parser.parse_args()
    outcomes = [run(bench, quick=options.quick, tools=options.tools) for bench in BENCHES]
    PAGE.write_text(page(outcomes, quick=options.quick), encoding="utf-8")
    for line in ratios(outcomes):
        say(
            f"  {line.what}: {line.ours} here, {line.theirs} {line.peer}"
            + (f", {line.times:,.1f} x" if line.times else "")
        )
    say(f"Written to {PAGE.relative_to(ROOT)}.")
    return 0 if all(outcome.status == 0 for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
