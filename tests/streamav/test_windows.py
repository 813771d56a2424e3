"""Units lie where the paper says, and a window that is cut is the rollout's own pictures and sound,
blind.
"""

import subprocess
from collections import Counter
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from django.conf import settings

from authoring.generating import generate
from authoring.material import read_material
from authoring.sets import read_set
from blinding import reencoding
from blinding.common_format import CARD_S, CommonFormat, Cut, WindowMissing
from blinding.encoding import Encoding
from blinding.leakscan import scan
from blinding.normalise import normalise
from blinding.seeking import seek_time
from blinding.windows import in_own_time, pieces_of, written
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.media.probe import probe
from fartbench.media.reading import open_bytes, read_movie
from fartbench.protocol.rollouts.metrics import read_table
from fartbench.protocol.rollouts.units import Window, read_units, units
from simulation.local.rollouts.scenery import TONES

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0"
PLAN = read_units(FOLDER)
SET = read_set(FOLDER)
SCENARIOS = {one.key: one for one in SET.scenarios}
SECOND = CommonFormat(160, 90, "24/1", 1.0, video_bit_rate=400_000)
SMALL = CommonFormat(160, 90, "24/1", 8.0, video_bit_rate=400_000)


def test_a_progressive_rollout_has_intervals_the_whole_and_its_ends():
    found = units(PLAN, SCENARIOS["sheepdog-hill-p"], horizon_s=180)
    assert Counter(unit.kind for unit in found) == {"interval": 6, "full": 1, "endpoint": 2}
    spans = {(unit.kind, unit.place): unit.windows[0][1:] for unit in found}
    assert spans["interval", "6"] == (150, 180)
    assert spans["full", "full"] == (0, 180)
    assert (spans["endpoint", "first"], spans["endpoint", "last"]) == ((0, 30), (150, 180))


def test_an_interactive_rollout_has_units_for_each_update_and_pairs_for_what_it_builds_on():
    found = units(PLAN, SCENARIOS["sheepdog-hill-i"], horizon_s=180)
    assert Counter(unit.kind for unit in found) == {
        "interval": 6, "initial": 1, "update": 5, "prompt": 5, "retention": 5, "dependency": 3,
    }  # fmt: skip
    by = {(unit.kind, unit.place): unit.windows for unit in found}
    assert by["update", "P2"] == (Window("shown", 60, 90),)
    assert by["prompt", "P2"] == (Window("shown", 58, 62),)
    assert by["retention", "P2"] == (Window("previous", 30, 60), Window("current", 60, 90))
    assert by["dependency", "P5"] == (Window("source", 30, 60), Window("current", 150, 180))


def test_shorter_horizons_are_prefixes_of_the_same_rollout():
    whole = units(PLAN, SCENARIOS["sheepdog-hill-i"], horizon_s=180)
    for horizon in (60, 120):
        found = units(PLAN, SCENARIOS["sheepdog-hill-i"], horizon_s=horizon)
        assert found == [unit for unit in whole if unit.end_s <= horizon]
    assert [unit.place for unit in units(PLAN, SCENARIOS["sheepdog-hill-p"], horizon_s=60)] == [
        "1", "2", "full", "first", "last",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="not 90"):
        units(PLAN, SCENARIOS["sheepdog-hill-p"], horizon_s=90)


def test_a_whole_set_has_as_many_units_as_the_paper_implies_and_every_metric_has_its_kind():
    """Derived from §A.3: retention and prompts 800 each, dependencies 360, intervals 320 x 6."""
    scenarios = generate(read_material(FOLDER), SET.constraints, seed=1)
    found = Counter(unit.kind for one in scenarios for unit in units(PLAN, one, horizon_s=180))
    assert found == {
        "interval": 1920, "full": 160, "endpoint": 320, "initial": 160, "update": 800,
        "prompt": 800,
        "retention": 800, "dependency": 360,
    }  # fmt: skip
    asked = {
        metric.unit
        for metric in read_table(FOLDER).metrics
        if metric.computed in {"answers", "mixed"}
    }
    assert asked <= {kind.kind for kind in PLAN.kinds}


def pictures(path: Path) -> np.ndarray:
    with av.open(str(path)) as container:
        return np.stack(
            [frame.to_ndarray(format="gray").astype(float) for frame in container.decode(video=0)]
        )


def tone(path: Path, step: int, at_s: float) -> float:
    with av.open(str(path)) as container:
        rate = container.streams.audio[0].rate
        wave = np.concatenate([frame.to_ndarray().mean(0) for frame in container.decode(audio=0)])
    piece = wave[round(at_s * rate) :][: rate // 4]
    return float(
        2
        * abs(np.mean(piece * np.exp(-2j * np.pi * TONES[step - 1] * np.arange(len(piece)) / rate)))
    )


def test_a_window_holds_the_very_seconds_of_picture_and_sound(rollouts, tmp_path):
    """P1 of the broken rollout is followed at 8 s; in the window from 6 to 10 s that is after 2
    s.
    """
    path, _ = rollouts["broken"]
    out = tmp_path / "window.mp4"
    normalise(path, out, taken=Cut(((6, 10),)), format=SMALL)
    facts = probe(out)
    assert (facts.frame_count, facts.duration_s) == (96, pytest.approx(4, abs=0.03))
    found, wanted = pictures(out), pictures(path)[144:240]
    assert np.abs(found - wanted).mean() < 4
    assert np.abs(found[:-1] - wanted[1:]).mean() > 2 * np.abs(found - wanted).mean()
    assert [tone(out, 1, at) > 0.1 for at in (1.5, 2.1)] == [False, True]
    assert scan(out) == []


def test_windows_of_one_length_are_of_one_size_wherever_they_lie(rollouts, tmp_path):
    path, _ = rollouts["clean"]
    for name, begin in (("a", 2), ("b", 20)):
        normalise(path, tmp_path / name, taken=Cut(((begin, begin + 4),)), format=SMALL)
    assert probe(tmp_path / "a").video_bit_rate == probe(tmp_path / "b").video_bit_rate


def test_a_window_that_a_rollout_does_not_reach_is_refused_and_nothing_is_written(
    rollouts, tmp_path
):
    path, _ = rollouts["clean"]
    out = tmp_path / "window.mp4"
    with pytest.raises(
        WindowMissing, match=r"lasts 38\.\d\d s; there is no window from 30 s to 60 s"
    ):
        normalise(path, out, taken=Cut(((30, 60),)), format=SMALL)
    assert list(tmp_path.iterdir()) == []


def in_two_sizes(folder: Path) -> Path:
    """Write 4 s whose second half is of another size and shape. Each picture is of one grey: 16 and
    two more each.
    """
    parts = []
    for name, size, first in (("wide", "160x90", 16), ("square", "120x120", 112)):
        grey = f"color=s={size}:r=24:d=2,format=yuv420p,geq=lum='{first}+2*N':cb=128:cr=128"
        coding = ["-c:v", "libx264", "-preset", "ultrafast", "-qp", "4", "-f", "h264"]
        parts.append(folder / name)
        subprocess.run(
            [ffmpeg_binary(), "-v", "error", "-f", "lavfi", "-i", grey, *coding, parts[-1]],
            check=True,
        )
    joined, out = folder / "joined", folder / "two-sizes.mp4"
    joined.write_bytes(b"".join(part.read_bytes() for part in parts))
    reading = ["-f", "h264", "-r", "24", "-i", joined]
    subprocess.run([ffmpeg_binary(), "-v", "error", *reading, "-c", "copy", out], check=True)
    return out


@pytest.mark.parametrize(("begin", "end"), [(0, 4), (1.5, 2.5), (3, 4)])
def test_a_picture_that_changes_size_on_the_way_is_fitted_anew_and_no_second_of_it_is_held(
    tmp_path, begin, end
):
    path, out = in_two_sizes(tmp_path), tmp_path / "window.mp4"
    normalise(path, out, taken=Cut(((begin, end),)), format=SMALL)
    found, first = pictures(out), round(begin * 24)
    assert found[:, 45, 80] == pytest.approx(
        [n * 2 * 255 / 219 for n in range(first, round(end * 24))], abs=6
    )
    beside = found[max(0, 48 - first) :, :, 5]  # the square leaves 35 columns free on either side
    assert beside.size == 0 or beside.max() < 4


def test_a_pair_is_one_file_with_a_grey_card_between_and_what_is_not_shown_is_not_there(
    rollouts, tmp_path
):
    path, _ = rollouts["broken"]
    windows = (Window("previous", 6, 8), Window("current", 9, 11))
    assert pieces_of(written(windows)) == ((6, 8), (9, 11))
    assert [one["begin_s"] for one in in_own_time(windows)] == [0, 2 + CARD_S]
    for shown in ("both", "video", "audio"):
        normalise(
            path, tmp_path / shown, taken=Cut(pieces_of(written(windows)), shown), format=SMALL
        )
        assert probe(tmp_path / shown).frame_count == round((4 + CARD_S) * 24)
        assert scan(tmp_path / shown) == []
    found, whole = pictures(tmp_path / "both"), pictures(path)
    assert np.abs(found[:48] - whole[144:192]).mean() < 4
    assert np.abs(found[72:] - whole[216:264]).mean() < 4
    assert found[50:70].std() < 3
    # P1 of the broken rollout is heard from 8 s on: in the second piece, and not in the first.
    assert [tone(tmp_path / "both", 1, at) > 0.1 for at in (1.0, 3.5)] == [False, True]
    assert tone(tmp_path / "video", 1, 3.5) < 0.001
    assert tone(tmp_path / "audio", 1, 3.5) > 0.1
    dark = pictures(tmp_path / "audio")
    assert max(dark[:48].max(), dark[72:].max()) < 20


def test_a_full_disk_is_not_the_rollouts_fault(rollouts, tmp_path):
    path, _ = rollouts["clean"]
    full = Path("/dev/full")
    arguments = ["-nostdin", "-y", "-v", "error", "-i", path, "-c", "copy", "-f", "mp4", full]
    with (
        Encoding(str(ffmpeg_binary()), [str(one) for one in arguments], tmp_path) as encoding,
        pytest.raises(OSError, match="No space left"),
    ):
        encoding.finish(path, full, 60.0)


LONG_CODINGS = {
    "h264.mp4": ("-c:v", "libx264", "-preset", "ultrafast", "-g", "24", "-bf", "2", "-c:a", "aac"),
    "open.mkv": (
        "-c:v",
        "libx264",
        "-preset",
        "veryfast",
        "-x264-params",
        "open-gop=1:keyint=24",
        "-c:a",
        "aac",
    ),
    "hevc.mp4": (
        "-c:v",
        "libx265",
        "-preset",
        "ultrafast",
        "-x265-params",
        "keyint=24:log-level=none",
        "-c:a",
        "aac",
    ),
    "vp9.webm": (
        "-c:v",
        "libvpx-vp9",
        "-deadline",
        "realtime",
        "-cpu-used",
        "8",
        "-g",
        "24",
        "-c:a",
        "libopus",
    ),
    "fragmented.mp4": (
        "-c:v",
        "libx264",
        "-preset",
        "ultrafast",
        "-g",
        "24",
        "-movflags",
        "frag_keyframe+empty_moov",
    ),
}


def reencoded(path: Path, out: Path, window: Cut) -> dict[str, object]:
    """Cut a window of a second in this process and return it with its proof."""
    return reencoding.reencode(
        path, out, str(ffmpeg_binary()), SECOND, window, seconds=60.0, may_be_short=False
    )


@pytest.mark.parametrize("name", LONG_CODINGS)
def test_a_window_is_the_same_whether_decoding_seeks_to_it_or_begins_at_the_start(
    tmp_path, monkeypatch, name
):
    path = tmp_path / name
    picture, sound = (
        "testsrc2=s=160x90:r=24:d=8",
        "aevalsrc='0.4*sin(2*PI*t*(200+90*t))':d=8:s=48000",
    )
    inputs = ["-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sound]
    subprocess.run([ffmpeg_binary(), "-v", "error", *inputs, *LONG_CODINGS[name], path], check=True)
    window = Cut(((5.51, 6.51),))
    sought = reencoding.reencode(
        path,
        tmp_path / "sought",
        str(ffmpeg_binary()),
        SECOND,
        window,
        seconds=60.0,
        may_be_short=False,
    )
    monkeypatch.setattr(reencoding, "seek_time", lambda *_: None)
    slow = reencoding.reencode(
        path,
        tmp_path / "slow",
        str(ffmpeg_binary()),
        SECOND,
        window,
        seconds=60.0,
        may_be_short=False,
    )
    for proof in (sought["proof"], slow["proof"]):
        assert (proof["faults"], proof["picture_offset"]) == ([], 0.0)
        assert proof["sound_offset"] == pytest.approx(0, abs=0.001)
    assert np.array_equal(pictures(tmp_path / "sought"), pictures(tmp_path / "slow"))


def test_a_late_window_is_read_from_the_frame_before_it_that_needs_no_other(tmp_path):
    path = tmp_path / "long.mp4"
    coding = LONG_CODINGS["h264.mp4"][:-2]
    picture = ["-f", "lavfi", "-i", "testsrc2=s=160x90:r=24:d=8"]
    subprocess.run([ffmpeg_binary(), "-v", "error", *picture, *coding, path], check=True)
    with open_bytes(path) as data:
        video = read_movie(path, data).main("video")
        found = [
            seek_time(data, video, Fraction(begin))
            for begin in (0, 1, Fraction(7, 2), Fraction(15, 2))
        ]
        video.samples[48:] = [sample._replace(sync=True) for sample in video.samples[48:]]
        lying = seek_time(data, video, Fraction(15, 2))
    times = [None if one is None else float(one) for one in found]
    assert times == [
        None,
        None,
        pytest.approx(2, abs=1e-4),
        pytest.approx(6, abs=1e-4),
    ]
    assert float(lying) == pytest.approx(6, abs=1e-4), (
        "a frame that is built on others is no place to begin, whatever the file says"
    )
