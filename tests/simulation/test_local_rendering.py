"""The built-in renderer's files, decoded and measured without its help, hold what its ground truth
says.
"""

import json
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

from fartbench.media.ffmpeg import ffmpeg_binary
from simulation.local import RenderFailed, Scene, Sound, Take, Timing, Truth, Voice, render
from simulation.local.rendering import frames

RATE = 48_000
STEP = 0.005  # seconds of one value of the loudness curve


def hearing(scene: Scene, **faults) -> Take:
    """A take whose picture is next to nothing, to listen to."""
    return Take(scene=scene, **{"width": 32, "height": 18, "frame_rate": 1} | faults)


def watching(scene: Scene, **faults) -> Take:
    """A small take to look at."""
    return Take(scene=scene, **{"width": 320, "height": 180} | faults)


@pytest.fixture
def rendered(tmp_path: Path) -> Callable[[Take], tuple[Path, Truth]]:
    def make(take: Take) -> tuple[Path, Truth]:
        out = tmp_path / "clip.mp4"
        return out, render(take, out, ffmpeg=ffmpeg_binary())

    return make


def decoded_sound(path: Path) -> np.ndarray:
    """Samples (n, 2) on the clip's own clock."""
    with av.open(str(path)) as container:
        frames = [
            (float(frame.pts * frame.time_base), frame.to_ndarray().T)
            for frame in container.decode(audio=0)
        ]
        assert container.streams.audio[0].rate == RATE
    sound = np.zeros((round(frames[-1][0] * RATE) + len(frames[-1][1]), 2))
    for at, samples in frames:
        start = round(at * RATE)
        sound[max(start, 0) : start + len(samples)] = samples[max(-start, 0) :]
    return sound


def decoded_pictures(path: Path) -> np.ndarray:
    """Luma of every frame (frames, height, width)."""
    with av.open(str(path)) as container:
        return np.stack(
            [frame.to_ndarray(format="gray") for frame in container.decode(video=0)]
        ).astype(float)


def loudness(sound: np.ndarray, low: float, high: float) -> np.ndarray:
    """Root mean square of a band, per STEP seconds."""
    mono = sound.mean(1)
    spectrum = np.fft.rfft(mono)
    frequency = np.fft.rfftfreq(len(mono), 1 / RATE)
    spectrum[(frequency < low) | (frequency > high)] = 0
    band = np.fft.irfft(spectrum, len(mono))
    size = int(STEP * RATE)
    return np.sqrt((band[: len(band) // size * size].reshape(-1, size) ** 2).mean(1))


def bursts(curve: np.ndarray, threshold: float, apart: float = 0.35) -> list[tuple[float, float]]:
    """Stretches above the threshold as (start, end) in seconds; gaps shorter than ``apart`` are
    bridged.
    """
    loud = np.flatnonzero(curve > threshold)
    if not len(loud):
        return []
    breaks = np.flatnonzero(np.diff(loud) * STEP > apart)
    starts, ends = loud[np.r_[0, breaks + 1]], loud[np.r_[breaks, len(loud) - 1]]
    return [
        (float(start) * STEP, float(end + 1) * STEP)
        for start, end in zip(starts, ends, strict=True)
    ]


def low_bursts(path: Path, truth: Truth) -> list[tuple[float, float]]:
    """Bursts below 300 Hz, outside speech: bells, plates, pages and creaks have little there."""
    curve = loudness(decoded_sound(path), 55, 300)
    for start, end in truth.speech:
        curve[max(0, int((start - 0.03) / STEP)) : int((end + 0.09) / STEP)] = 0
    return bursts(curve, 0.035)


@pytest.mark.parametrize("scene", list(Scene))
@pytest.mark.parametrize(
    ("seed", "faults"),
    [
        (1, {}),
        (2, {"events": 2}),
        (3, {"timing": Timing.EARLY, "audio_delay": 0.3}),
        (4, {"timing": Timing.LATE, "realism": 0.1, "wrong_source": True}),
    ],
)
def test_events_are_heard_when_the_truth_says(rendered, scene, seed, faults):
    if scene is Scene.CHAIR:
        faults = {name: value for name, value in faults.items() if name != "wrong_source"}
    path, truth = rendered(hearing(scene, seed=seed, **faults))
    found = low_bursts(path, truth)
    assert len(found) == truth.event_count == faults.get("events", 1)
    for (onset, _), event in zip(found, truth.events, strict=True):
        assert onset == pytest.approx(event.onset, abs=0.02)


@pytest.mark.parametrize("scene", list(Scene))
def test_no_event_leaves_the_scene_without_one(rendered, scene):
    path, truth = rendered(hearing(scene, events=0))
    assert not truth.audible
    assert truth.events == ()
    assert low_bursts(path, truth) == []
    assert np.abs(decoded_sound(path)).max() > 0.02, "the scene itself is still heard"


def test_the_creak_is_a_sound_of_its_own(rendered):
    def creaks(path: Path) -> list[tuple[float, float]]:
        """What is heard of wood between two ticks of the clock, 1.6 to 2.4 s."""
        curve = loudness(decoded_sound(path), 600, 2800)[int(1.6 / STEP) : int(2.4 / STEP)]
        return bursts(curve, 0.01)

    path, truth = rendered(hearing(Scene.CHAIR))
    assert truth.creak is not None
    assert [1.6 + onset for onset, _ in creaks(path)] == pytest.approx([truth.creak[0]], abs=0.02)
    quiet, missing = rendered(hearing(Scene.CHAIR, chair_creaks=False))
    assert missing.creak is None
    assert creaks(quiet) == []


@pytest.mark.parametrize("resumes", [True, False])
def test_the_speech_stops_for_the_event_and_goes_on_or_does_not(rendered, resumes):
    path, truth = rendered(hearing(Scene.TOAST, speech_resumes=resumes))
    curve = loudness(decoded_sound(path), 300, 3000)
    assert len(truth.speech) == 1 + resumes
    first, after = truth.speech[0], truth.events[-1].offset + 0.9
    assert curve[int(first[0] / STEP) : int(first[1] / STEP)].mean() > 0.05
    assert bool(curve[int(after / STEP) : int(7.5 / STEP)].mean() > 0.04) is resumes
    pause = curve[int((first[1] + 0.1) / STEP) : int(truth.events[0].onset / STEP)]
    assert pause.mean() < 0.05


def test_each_voice_has_its_own_spectrum(rendered):
    """Where the sound's energy lies: most in the beep's line, low for a fart, high for a creak,
    between for either.
    """

    def shares(voice: Voice) -> tuple[float, float]:
        path, truth = rendered(hearing(Scene.CHAIR, voice=voice, seed=5))
        event = truth.events[0]
        mono = decoded_sound(path).mean(1)[int(event.onset * RATE) : int(event.offset * RATE)]
        power, frequency = np.abs(np.fft.rfft(mono)) ** 2, np.fft.rfftfreq(len(mono), 1 / RATE)
        line = power[np.abs(frequency - 880) < 12].sum() / power.sum()
        return float(line), float(power[frequency < 500].sum() / power.sum())

    (_, fart), (_, ambiguous), (_, creak) = (
        shares(Voice.FART),
        shares(Voice.AMBIGUOUS),
        shares(Voice.CREAK),
    )
    assert fart > ambiguous > creak
    assert shares(Voice.BEEP)[0] > 0.7


def test_the_source_is_heard_on_its_side(rendered):
    def balance(**faults) -> float:
        path, truth = rendered(hearing(Scene.LIFT, **faults))
        event = truth.events[0]
        left, right = (
            decoded_sound(path)[int(event.onset * RATE) : int(event.offset * RATE)] ** 2
        ).mean(0)
        return float(right - left)

    assert balance() < 0 < balance(wrong_source=True), "the raincoat stands left, the suit right"


def test_silent_and_missing_tracks(rendered):
    path, truth = rendered(hearing(Scene.LIFT, sound=Sound.SILENT))
    assert np.abs(decoded_sound(path)).max() < 1e-4
    assert (truth.audible, truth.event_count, truth.answers.event) == (False, 0, "no")
    path, truth = rendered(hearing(Scene.LIFT, sound=Sound.MISSING))
    with av.open(str(path)) as container:
        assert len(container.streams.audio) == 0
        assert len(container.streams.video) == 1
    assert not truth.audible


def test_damage_to_the_sound(rendered):
    take = hearing(Scene.SQUAT)
    clean = decoded_sound(rendered(take)[0])
    path, truth = rendered(replace(take, dropout=(3.0, 5.5)))
    assert np.abs(decoded_sound(path)[int(3.02 * RATE) : int(5.48 * RATE)]).max() < 0.01
    assert truth.event_count == 0, "the event fell into the gap"
    clipped, truth = rendered(replace(take, gain=6.0))
    assert truth.clipped
    assert (np.abs(decoded_sound(clipped)) > 0.9).mean() > 20 * (np.abs(clean) > 0.9).mean()
    clicked, truth = rendered(replace(take, clicks=3))
    high, before = loudness(decoded_sound(clicked), 5_000, 9_000), loudness(clean, 5_000, 9_000)
    assert len(bursts(high - before, 0.02)) == truth.clicks == 3


def longest_still(pictures: np.ndarray) -> tuple[int, int]:
    """First frame and length of the longest run of frames that do not change."""
    still = np.abs(np.diff(pictures, axis=0)).max(axis=(1, 2)) < 14
    best, start = (0, 0), 0
    for at, same in enumerate([*still, False]):
        if not same:
            best = max(best, (at - start, start))
            start = at + 1
    return best[1], best[0]


def test_frozen_and_black_parts(rendered):
    path, truth = rendered(watching(Scene.LIFT, frozen=(3.5, 4.7), black=(5.2, 5.7), duration=6.5))
    pictures = decoded_pictures(path)
    black = np.flatnonzero(pictures.max(axis=(1, 2)) < 24)
    assert truth.black is not None
    assert truth.frozen is not None
    assert (black[0] / 24, (black[-1] + 1) / 24) == pytest.approx(truth.black, abs=1 / 24)
    start, length = longest_still(pictures[: black[0]])
    assert (start / 24, (start + length + 1) / 24) == pytest.approx(truth.frozen, abs=2 / 24)


@pytest.mark.parametrize("scene", list(Scene))
def test_a_faultless_clip_is_whole_and_moves(rendered, scene):
    path, truth = rendered(watching(scene, frame_rate=12))
    pictures = decoded_pictures(path)
    assert pictures.shape == (96, 180, 320)
    assert pictures.mean(axis=(1, 2)).min() > 40
    assert longest_still(pictures)[1] < 10
    assert (truth.frozen, truth.black, truth.answers.event, truth.answers.cause) == (
        None,
        None,
        "yes",
        "yes",
    )
    assert abs(len(decoded_sound(path)) / RATE - truth.duration) < 0.05


def test_the_squat_follows_its_truth(rendered):
    """A column through the plates at the left tells how far the bar is from where it was at half a
    second.
    """

    def away(**faults) -> tuple[float, float]:
        pictures = decoded_pictures(rendered(watching(Scene.SQUAT, frame_rate=4, **faults))[0])
        plates = pictures[:, :, 79:83]
        down, after = (
            float(np.abs(plates[round(4 * time)] - plates[2]).mean()) for time in (2.75, 5.5)
        )
        return down, after

    down, up = away()
    down_again, stuck = away(movement_completed=False)
    assert down > 4
    assert down_again > 4
    assert up < down / 4, "the bar is back where it was"
    assert stuck > down / 2, "the bar is not"


def test_reactions_shaking_and_swapped_identities_can_be_seen(rendered):
    take = watching(Scene.LIFT, frame_rate=2, duration=6.0)
    calm = decoded_pictures(rendered(take)[0])
    unmoved = decoded_pictures(rendered(replace(take, reaction="nobody"))[0])
    assert np.abs(calm[:6] - unmoved[:6]).max() < 40, "the same until the event"
    assert np.abs(calm[10] - unmoved[10]).mean() > 0.5, "then they turn"
    shaken = decoded_pictures(rendered(replace(take, jitter=6.0))[0])
    assert np.abs(np.diff(shaken, axis=0))[:5].mean() > 2 * np.abs(np.diff(calm, axis=0))[:5].mean()
    swapped = decoded_pictures(
        rendered(replace(take, identity_swap=True))[0]
    )  # at half the time: 3 s
    assert np.abs(swapped[5] - calm[5]).mean() < 0.5
    assert np.abs(swapped[6] - calm[6]).mean() > 2


def test_a_coarse_picture_has_less_detail(rendered):
    take = watching(Scene.CHAIR, duration=0.5)

    def detail(of: Take) -> float:
        return float(np.abs(np.diff(decoded_pictures(rendered(of)[0])[0], axis=1)).mean())

    assert detail(replace(take, blur=4.0, crf=36)) < 0.7 * detail(take)


def test_the_file_is_as_asked(rendered):
    path, truth = rendered(
        Take(
            scene=Scene.TOAST,
            frame_rate=16,
            width=640,
            height=480,
            duration=0.5,
            title="toast",
            comment="rendered by x",
        )
    )
    with av.open(str(path)) as container:
        video, audio = container.streams.video[0], container.streams.audio[0]
        assert (video.codec_context.name, audio.codec_context.name) == ("h264", "aac")
        assert (video.width, video.height, video.average_rate, video.frames) == (640, 480, 16, 8)
        assert container.metadata["title"] == "toast"
        assert container.metadata["comment"] == "rendered by x"
    assert truth.duration == 0.5
    json.dumps(truth.as_json())


def test_equal_takes_give_equal_bytes_and_report_progress(tmp_path):
    take = watching(Scene.TOAST, duration=1.0, jitter=2.0, clicks=1, seed=9)
    told: list[float] = []
    for name in ("one.mp4", "two.mp4"):
        render(take, tmp_path / name, ffmpeg=ffmpeg_binary(), on_progress=told.append)
    assert (tmp_path / "one.mp4").read_bytes() == (tmp_path / "two.mp4").read_bytes()
    assert told[:24] == sorted(told[:24])
    assert told[23] == 1.0
    render(replace(take, seed=10), tmp_path / "two.mp4", ffmpeg=ffmpeg_binary())
    assert (tmp_path / "one.mp4").read_bytes() != (tmp_path / "two.mp4").read_bytes()


@pytest.mark.parametrize("words", ["No space left on device", ""])
def test_a_dying_ffmpeg_leaves_nothing_and_is_quoted(tmp_path, words):
    program = tmp_path / "bin" / "ffmpeg"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nhead -c 9999 > /dev/null\necho '{words}' >&2\nexit 3\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    out = tmp_path / "out" / "clip.mp4"
    out.parent.mkdir()
    out.write_bytes(b"older")
    with pytest.raises(RenderFailed, match=words or "said nothing"):
        render(watching(Scene.CHAIR), out, ffmpeg=program)
    assert [path.name for path in out.parent.iterdir()] == ["clip.mp4"]
    assert out.read_bytes() == b"older"


def test_no_program_and_no_folder_are_told(tmp_path):
    with pytest.raises(RenderFailed, match=r"clip\.mp4"):
        render(watching(Scene.CHAIR, duration=0.2), tmp_path / "clip.mp4", ffmpeg=tmp_path / "none")
    with pytest.raises(RenderFailed, match="could not be written"):
        render(
            watching(Scene.CHAIR, duration=0.2),
            tmp_path / "no" / "clip.mp4",
            ffmpeg=ffmpeg_binary(),
        )
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_render_leaves_nothing(tmp_path):
    def stop(part: float) -> None:
        if part > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        render(
            watching(Scene.CHAIR, duration=1.0),
            tmp_path / "clip.mp4",
            ffmpeg=ffmpeg_binary(),
            on_progress=stop,
        )
    assert list(tmp_path.iterdir()) == []


def test_pictures_keep_the_colours_they_were_drawn_in(rendered) -> None:
    """Without a word about their colours ffmpeg would convert them, and darken them by 3 levels on
    average.
    """
    take = watching(Scene.CHAIR, duration=1.0, crf=12)
    path, _ = rendered(take)
    drawn = next(iter(frames(take))).astype(float)
    with av.open(str(path)) as container:
        found = next(container.decode(video=0)).to_ndarray().ravel().astype(float)
    for part in (slice(0, 320 * 180), slice(320 * 180, None)):
        assert abs(float((found[part] - drawn[part]).mean())) < 0.3
        assert float(np.abs(found[part] - drawn[part]).mean()) < 1.0
