"""Times alpha with its jackknife over configurations beside looping the krippendorff package: ``python -m
tests.bench.bench_scoring``.

The package is GPL and no part of this project: it runs as a tool, in a process and a virtual
environment of its own (``--install`` makes it, ``--tool`` names the Python of another one). A few
of its loops are timed and extrapolated to all configurations, which the output says. Both must find the
same alpha. Status 1 when they do not, or when the speed-up at 100,000 clips is below 1,000; without
the package the comparison is reported as not made, and only our own times count.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from scoring.stats.agreement import Level, alpha, alpha_value, find_patterns

VENV = Path(__file__).resolve().parents[2] / "var" / "bench" / "krippendorff"
SIZES = (300, 100_000)
CLIPS_EACH, LOOPS, REPEATS, TARGET = 4, 5, 5, 1_000
REVIEWERS, VALUES, MISSING = 4, 5, 0.05

# Run by the tool's own Python: leave out the clips of one configuration, call the package, and say
# how long a loop took.
TOOL = """
import json, sys, time
import krippendorff, numpy as np
counts, loops, each = np.load(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
domain, member = np.arange(counts.shape[1]), np.arange(len(counts)) // each
def once(table):
    return krippendorff.alpha(value_counts=table, value_domain=domain, level_of_measurement="ordinal")
value = once(counts)
spent = []
for configuration in range(loops):
    start = time.perf_counter()
    once(counts[member != configuration])
    spent.append(time.perf_counter() - start)
print(json.dumps({"alpha": value, "loop": sorted(spent)[len(spent) // 2]}))
"""


def make_counts(clips: int) -> np.ndarray:
    """(clips, VALUES) counts of ratings by four reviewers of clips of different quality, some
    missing.
    """
    random = np.random.default_rng(20260801)
    seen = random.normal(size=(clips, 1)) + random.normal(size=(clips, REVIEWERS))
    answers = np.digitize(seen, [-1.8, -0.6, 0.6, 1.8])
    answers[random.random(answers.shape) < MISSING] = -1
    return np.stack([(answers == value).sum(axis=1) for value in range(VALUES)], axis=1)


def seconds(work: Callable[[], object]) -> float:
    """The median time of a few runs, after one that warms up."""
    work()
    spent = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return median(spent)


def run_tool(python: Path, counts: np.ndarray) -> tuple[float, float]:
    """The package's alpha, and its seconds for one configuration left out."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "counts.npy"
        np.save(table, counts)
        done = subprocess.run(
            [str(python), "-c", TOOL, str(table), str(LOOPS), str(CLIPS_EACH)],
            check=True,
            capture_output=True,
            text=True,
        )
    found = json.loads(done.stdout)
    return found["alpha"], found["loop"]


def say(line: str) -> None:
    """Print one line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def compare(clips: int, tool: Path | None) -> bool:
    """Time one size; whether all that could be compared is as it must be."""
    counts = make_counts(clips)
    members = np.arange(clips) // CLIPS_EACH
    configurations = clips // CLIPS_EACH
    jackknife = seconds(lambda: alpha(counts, Level.ORDINAL, configurations=members))
    value = alpha_value(find_patterns(counts), Level.ORDINAL)
    say(f"{clips:,} clips x {REVIEWERS} reviewers, ordinal, {VALUES} answers: alpha {value:.9f}")
    say(f"  alpha, jackknife over {configurations:,} configurations {jackknife * 1000:10.1f} ms")
    if tool is None:
        return True
    theirs, loop = run_tool(tool, counts)
    naive = loop * configurations
    ratio = naive / jackknife
    say(
        f"  krippendorff package, {configurations:,} loops {naive:10.1f} s (from {LOOPS} loops, "
        f"median {loop:.4f} s)"
    )
    say(f"  speed-up {ratio:,.0f}x; difference of alpha {abs(theirs - value):.1e}")
    return abs(theirs - value) < 1e-9 and (clips < max(SIZES) or ratio >= TARGET)


def find_tool(named: Path | None, *, install: bool) -> Path | None:
    """The Python that has the package, or None after saying how to get it."""
    python = named or VENV / "bin" / "python"
    if install and not python.exists():
        venv.create(VENV, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "--quiet", "install", "krippendorff"], check=True)
    if (
        python.exists()
        and subprocess.run([str(python), "-c", "import krippendorff"], check=False).returncode == 0
    ):
        return python
    say(
        "The krippendorff package is not there: no comparison is made. Run again with --install to "
        "fetch it as a tool."
    )
    return None


def main() -> int:
    """Time both sizes and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", type=Path, help="a Python that can import krippendorff")
    parser.add_argument(
        "--install",
        action="store_true",
        help="install the package into var/bench/krippendorff first",
    )
    options = parser.parse_args()
    tool = find_tool(options.tool, install=options.install)
    good = [compare(clips, tool) for clips in SIZES]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
