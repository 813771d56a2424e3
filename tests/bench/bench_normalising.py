"""Times normalised copies beside the plain ffmpeg program, and windows at the beginning and the end
of a rollout: ``python -m tests.bench.bench_normalising``.

The program gets the same filters and the same coding, so what is compared is all else: reading, the
proof, writing the blind file. Both are timed in turns. Status 1 when a target is missed: a copy
takes at most 15 % longer than the program, a window at the end of three minutes at most 25 % longer
than one after its first seconds.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from blinding.common_format import CommonFormat, Cut
from blinding.filters import command
from blinding.normalise import normalise
from blinding.source_view import view_source
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.media.reading import open_bytes, read_movie, sniff

ROUNDS = 3
PROGRAM_TIMES, LATE_TIMES = 1.15, 1.25
CLIP = CommonFormat(1280, 720, "24/1", 8.0)
ROLLOUT = CommonFormat(640, 360, "24/1", 4.0, video_bit_rate=1_500_000)
EARLY, LATE = Cut(((4.0, 8.0),)), Cut(((174.0, 178.0),))


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


def make_clip(path: Path, size: str, seconds: int, *, noise: int) -> Path:
    """Encode a moving picture with a tone."""
    picture = f"testsrc2=size={size}:rate=24:duration={seconds},noise=alls={noise}:allf=t"
    sound = f"sine=frequency=300:beep_factor=4:duration={seconds}:sample_rate=48000"
    coding = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "48", "-c:a", "aac"]
    inputs = ["-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sound]
    subprocess.run(
        [str(ffmpeg_binary()), "-v", "error", "-y", *inputs, *coding, str(path)], check=True
    )
    return path


def seconds_of(work: Callable[[], object]) -> float:
    """Return how long the work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def plain_arguments(clip: Path, out: Path) -> list[str]:
    """Return the program and its arguments for the same re-encoding."""
    with open_bytes(clip) as data:
        view = view_source(clip, sniff(clip, data), read_movie(clip, data))
    return [
        str(ffmpeg_binary()),
        *command(clip, out, view, CLIP, Cut(((0.0, CLIP.seconds),)), [None]),
    ]


def in_turns(first: Callable[[], object], second: Callable[[], object]) -> tuple[float, float]:
    """Return the median time of each of two kinds of work, done in turns; the first of each does
    not count.
    """
    times = [(seconds_of(first), seconds_of(second)) for _ in range(ROUNDS + 1)][1:]
    return median(one for one, _ in times), median(other for _, other in times)


def compare(folder: Path) -> dict[str, bool]:
    """Return each target in words with what was measured, and whether it is met."""
    clip = make_clip(folder / "clip.mp4", "1280x720", 8, noise=12)
    plain = plain_arguments(clip, folder / "plain.mp4")
    program, copy = in_turns(
        lambda: subprocess.run(plain, check=True),
        lambda: normalise(clip, folder / "copy.mp4", format=CLIP),
    )
    say(
        f"8 s of 1280x720: plain ffmpeg {program:.2f} s, normalised and proven {copy:.2f} s "
        f"(median of {ROUNDS})"
    )
    rollout = make_clip(folder / "rollout.mp4", "640x360", 180, noise=4)
    early, late = in_turns(
        lambda: normalise(rollout, folder / "early.mp4", format=ROLLOUT, taken=EARLY),
        lambda: normalise(rollout, folder / "late.mp4", format=ROLLOUT, taken=LATE),
    )
    say(
        f"4 s out of 180 s of 640x360: at 4 s {early:.2f} s, at 174 s {late:.2f} s (median of "
        f"{ROUNDS})"
    )
    return {
        f"a normalised copy takes {copy / program:.2f} times plain ffmpeg (at most "
        f"{PROGRAM_TIMES})": (copy <= PROGRAM_TIMES * program),
        f"a late window takes {late / early:.2f} times an early one (at most {LATE_TIMES})": (
            late <= LATE_TIMES * early
        ),
    }


def main() -> int:
    """Run the comparison and say whether the targets are met."""
    with tempfile.TemporaryDirectory() as folder:
        checks = compare(Path(folder))
    for text, is_met in checks.items():
        say(f"{'ok  ' if is_met else 'MISS'} {text}")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
