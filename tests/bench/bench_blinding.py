"""Times the scrub-and-pad path on 100 clips of about 7 MB beside cp, mat2 and exiftool: ``python
tests/bench/bench_blinding.py``.

One clip after another in one process, as a worker does it: probe, bounds, hashes, copy, padding and fsync. Peers run
as their users run them, one program start per clip. Status 1 when the path misses its targets: 3 times as fast as
mat2, at most 12 times cp, 200 MB.
"""

import argparse
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from blinding.copying import blind_copy
from blinding.padding import common_size, pad
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.media.sandbox import child_pid

ENCODES = 4
PEERS = {
    "mat2": (["mat2"], "Debian package mat2"),
    "exiftool -all=": (["exiftool", "-q", "-all=", "-overwrite_original"], "Debian package libimage-exiftool-perl"),
}
FASTER_THAN_MAT2, TIMES_CP, MEMORY_MB = 3, 12, 200


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


def make_clips(folder: Path, count: int) -> list[Path]:
    """Encode a few noisy 8 s clips of about 7 MB and spread them over ``count`` files."""
    encoded = []
    for seed in range(min(ENCODES, count)):
        path = folder / f"encode{seed}.mp4"
        picture = f"testsrc2=size=1280x720:rate=24:duration=8,noise=alls=12:allf=t:all_seed={seed}"
        subprocess.run(
            [str(ffmpeg_binary()), "-v", "error", "-y", "-f", "lavfi", "-i", picture, "-f", "lavfi",
             "-i", f"sine=frequency={300 + seed}:duration=8:sample_rate=48000", "-c:v", "libx264",
             "-preset", "ultrafast",
             "-b:v", "6900k", "-maxrate", "6900k", "-bufsize", "3M", "-c:a", "aac", "-b:a", "128k",
             "-metadata", "comment=a comment", str(path)],
            check=True,
        )  # fmt: skip
        encoded.append(path)
    clips = [folder / f"clip{index:03d}.mp4" for index in range(count)]
    for index, clip in enumerate(clips):
        shutil.copyfile(encoded[index % len(encoded)], clip)
    return clips


def timed(clips: list[Path], work: Callable[[Path], object]) -> list[float]:
    """Return how many seconds ``work`` takes on each clip."""
    spent = []
    for clip in clips:
        start = time.perf_counter()
        work(clip)
        spent.append(time.perf_counter() - start)
    return spent


def memory_mb(pid: int, field: str) -> float:
    """Return VmRSS or VmHWM of a process in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def run_peer(command: list[str], clip: Path, folder: Path) -> None:
    """Clean the copy of a clip that cp made with another program."""
    subprocess.run(
        [*command, str(folder / clip.name)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def main() -> int:
    """Run the comparison and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clips", type=int, default=100)
    parser.add_argument("--folder", type=Path, help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        return compare(Path(name), options.clips)


def compare(folder: Path, count: int) -> int:
    """Time every program on the same clips and say whether the targets are met."""
    clips = make_clips(folder, count)
    say(f"{count} clips of {clips[0].stat().st_size / 1e6:.2f} MB in {folder}")
    out = folder / "out"
    out.mkdir()
    results: dict[str, list[float]] = {}
    results["cp"] = timed(clips, lambda clip: subprocess.run(["cp", str(clip), str(out / clip.name)], check=True))
    results["blind copy"], memory = time_ours(clips, folder / "blind")
    for name, (command, package) in PEERS.items():
        if shutil.which(command[0]) is None:
            say(f"{name} is missing (install the {package}); it is left out.")
            continue
        results[name] = timed(clips, lambda clip, command=command: run_peer(command, clip, out))
    for name, spent in results.items():
        say(f"{name:16s} median {1000 * median(spent):7.1f} ms  mean {1000 * sum(spent) / len(spent):7.1f} ms per clip")
    return verdict(results, memory)


def time_ours(clips: list[Path], folder: Path) -> tuple[list[float], tuple[float, float, float]]:
    """Time the scrub-and-pad path; return also memory (MB) after a tenth of the clips, at the end, and at its peak."""
    folder.mkdir()
    size = common_size([clip.stat().st_size for clip in clips])
    early = 0.0
    spent = []
    for index, clip in enumerate(clips):
        spent += timed([clip], lambda clip: (blind_copy(clip, folder / clip.name), pad(folder / clip.name, size)))
        if index == len(clips) // 10:
            gc.collect()
            early = sum(memory_mb(pid, "VmRSS") for pid in (os.getpid(), child_pid()))
    late = sum(memory_mb(pid, "VmRSS") for pid in (os.getpid(), child_pid()))
    peak = sum(memory_mb(pid, "VmHWM") for pid in (os.getpid(), child_pid()))
    return spent, (early, late, peak)


def verdict(results: dict[str, list[float]], memory: tuple[float, float, float]) -> int:
    """Print ratios and memory; return 0 when every target that could be checked is met."""
    ours = median(results["blind copy"])
    early, late, peak = memory
    checks = {
        f"{ours / median(results['cp']):.1f} times cp (at most {TIMES_CP})": ours <= TIMES_CP * median(results["cp"])
    }
    if "mat2" in results:
        ratio = median(results["mat2"]) / ours
        checks[f"{ratio:.1f} times as fast as mat2 (at least {FASTER_THAN_MAT2})"] = ratio >= FASTER_THAN_MAT2
    checks[f"peak {peak:.0f} MB in both processes (under {MEMORY_MB})"] = peak < MEMORY_MB
    checks[f"memory {early:.0f} MB after a tenth of the clips, {late:.0f} MB after all (flat to 10 %)"] = (
        late <= 1.1 * early
    )
    for text, met in checks.items():
        say(f"{'ok  ' if met else 'MISS'} {text}")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
