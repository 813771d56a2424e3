"""Times the blinding of about 100 clips of 7 MB beside cp, mat2 and exiftool: ``python
tests/bench/bench_blinding.py``.

“blind copy” is the scrub-and-pad path as a worker takes it, one clip after another in one process:
probe, bounds, hashes, copy and padding. Like its peers it does not wait for the disk, which the
store does when it keeps a copy. “blind, prove and scan” is all that a worker does
with a clip before it is stored, and “plain decode” is ffmpeg decoding the clip once on one core:
the proof decodes it, and its copy. These two, which take long, are timed on a tenth of the clips.
Peers run as their users run them, one program start per clip.

Status 1 when a target is missed or cannot be checked because a peer is missing.
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
from statistics import fmean, median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from blinding.copying import blind_copy
from blinding.making import make_plain
from blinding.padding import common_size
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.media.sandbox import child_pid
from tests.bench import bench_normalising

ENCODES = 4
PEERS = {
    "mat2": (["mat2"], "Debian package mat2"),
    "exiftool -all=": (
        ["exiftool", "-q", "-all=", "-overwrite_original"],
        "Debian package libimage-exiftool-perl",
    ),
}
FASTER_THAN = {"mat2": 10, "exiftool -all=": 6}
WRITERS = 1 + 1 + len(PEERS)
"""cp, the blind copy, and each peer leave a file for each clip."""
TIMES_CP, MEMORY_MB = 5, 200


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


def memory_mb(field: str) -> float:
    """Return VmRSS or VmHWM of this process and of its child together, in MB."""
    total = 0
    for pid in (os.getpid(), child_pid()):
        status = Path(f"/proc/{pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(field))
        total += int(line.split()[1])
    return total / 1024


def run_peer(command: list[str], clip: Path) -> None:
    """Clean a file with another program, in place or beside it."""
    subprocess.run(
        [*command, str(clip)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def working_peers(clip: Path, folder: Path) -> dict[str, list[str]]:
    """Return the commands of the peers that are installed and clean a clip; say what is wrong with
    the others.
    """
    working = {}
    for name, (command, package) in PEERS.items():
        trial = folder / f"trial{clip.suffix}"
        shutil.copyfile(clip, trial)
        try:
            run_peer(command, trial)
        except FileNotFoundError:
            say(f"{name} is missing: install the {package}.")
        except subprocess.CalledProcessError as fault:
            say(
                f"{name} does not clean this clip (status {fault.returncode}); mat2 needs the "
                "Debian package ffmpeg."
            )
        else:
            working[name] = command
    return working


def touch_memory(clips: list[Path], folder: Path) -> None:
    """Write as much as the programs will, and remove it: a virtual machine is slow at memory that
    it has not used before, and whoever came second would pay for that.
    """
    folder.mkdir()
    for clip in clips:
        for number in range(WRITERS):
            shutil.copyfile(clip, folder / f"{number}-{clip.name}")
    shutil.rmtree(folder)


def decode(clip: Path) -> None:
    """Decode a clip once, on one core."""
    program = [
        str(ffmpeg_binary()),
        "-v",
        "error",
        "-threads",
        "1",
        "-i",
        str(clip),
        "-f",
        "null",
        "-",
    ]
    subprocess.run(program, check=True)


def main() -> int:
    """Run the comparison and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clips", type=int, default=100)
    parser.add_argument("--folder", type=Path, help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        status = compare(Path(name), options.clips)
    return bench_normalising.main() | status


def compare(folder: Path, count: int) -> int:
    """Time every program on the same clips and say whether the targets are met."""
    clips = make_clips(folder, count)
    say(f"{count} clips of {clips[0].stat().st_size / 1e6:.2f} MB in {folder}")
    first = max(1, count // 10)
    out, blind = folder / "out", folder / "blind"
    out.mkdir()
    blind.mkdir()
    size = common_size([clip.stat().st_size for clip in clips])
    works: dict[str, Callable[[Path], object]] = {
        "cp": lambda clip: subprocess.run(["cp", str(clip), str(out / clip.name)], check=True),
        "blind copy": lambda clip: blind_copy(clip, blind / clip.name, size=size),
    }
    for name, command in working_peers(clips[0], folder).items():
        works[name] = lambda clip, command=command: run_peer(command, out / clip.name)  # type: ignore[misc]
    rarely: dict[str, Callable[[Path], object]] = {
        "plain decode": decode,
        "blind, prove and scan": lambda clip: make_plain(clip, blind / f"proven-{clip.name}"),
    }
    touch_memory(clips, folder / "touched")
    results: dict[str, list[float]] = {}
    early = late = peak = 0.0
    for name, work in works.items():
        os.sync()  # cp leaves hundreds of megabytes to be written, which would slow whoever comes next
        results[name] = timed(clips[:first], work)
        if name == "blind copy":
            gc.collect()
            early = memory_mb("VmRSS")
        results[name] += timed(clips[first:], work)
        if name == "blind copy":
            late, peak = memory_mb("VmRSS"), memory_mb("VmHWM")
    for name, work in rarely.items():
        results[name] = timed(clips[:first], work)
    for name, spent in results.items():
        say(
            f"{name:22s} median {1000 * median(spent):7.1f} ms  mean {1000 * fmean(spent):7.1f} ms "
            "per clip"
        )
    return verdict(results, (early, late, peak))


def verdict(results: dict[str, list[float]], memory: tuple[float, float, float]) -> int:
    """Print ratios and memory; return 0 when every target is met.

    One that cannot be checked is not met.
    """
    ours = median(results["blind copy"])
    early, late, peak = memory
    times_cp = ours / median(results["cp"])
    checks = {f"{times_cp:.1f} times cp (at most {TIMES_CP})": times_cp <= TIMES_CP}
    for name, least in FASTER_THAN.items():
        if name in results:
            ratio = median(results[name]) / ours
            checks[f"{ratio:.1f} times as fast as {name} (at least {least})"] = ratio >= least
        else:
            checks[
                f"not compared with {name}, which is missing or does not work (at least {least} "
                "times as fast)"
            ] = False
    checks[f"peak {peak:.0f} MB in both processes (under {MEMORY_MB})"] = peak < MEMORY_MB
    checks[
        f"memory {early:.0f} MB after a tenth of the clips, {late:.0f} MB after all (flat to 10 %)"
    ] = late <= 1.1 * early
    for text, met in checks.items():
        say(f"{'ok  ' if met else 'MISS'} {text}")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
