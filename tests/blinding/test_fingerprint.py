import json
import random

import pytest

from blinding.common_format import CommonFormat
from blinding.copying import blind_copy
from blinding.fingerprint import report, technical_facts
from blinding.normalise import normalise
from tests.media.clips import clip, ffmpeg


def rows(make, configurations=4, each=8, seed=1):
    source = random.Random(seed)
    return [
        (f"configuration {c}", make(c, source)) for c in range(configurations) for _ in range(each)
    ]


def test_a_fact_of_its_own_gives_a_configuration_away():
    found = report(
        rows(lambda c, _: {"frame_rate": ["24/1", "16/1", "24/1", "30/1"][c], "codec": "h264"})
    )
    tells = {tells.configuration: tells for tells in found.configurations}
    assert tells["configuration 1"].given_away_by == ["frame_rate"]
    assert (tells["configuration 0"].shared_with, tells["configuration 0"].given_away_by) == (1, [])
    assert found.facts_that_vary == ["frame_rate"]
    assert found.told_apart
    assert found.accuracy == pytest.approx(0.75)
    assert found.interval[0] > found.chance


def test_facts_that_are_all_alike_tell_nothing():
    found = report(rows(lambda _c, _r: {"frame_rate": "24/1", "bit_rate": 6_000_000}))
    assert (found.accuracy, found.chance, found.p_value, found.told_apart) == (
        0.25,
        0.25,
        1.0,
        False,
    )
    assert all(tells.given_away_by == [] for tells in found.configurations)


def test_quantities_count_as_quantities():
    apart = report(rows(lambda c, r: {"bit_rate": 1_000_000 * (c + 1) + r.randrange(90_000)}))
    assert apart.accuracy == 1.0
    noise = report(rows(lambda _c, r: {"bit_rate": r.randrange(90_000), "kind": r.choice("ab")}))
    assert not noise.told_apart
    assert noise.interval[0] <= noise.chance


def test_a_quantity_gives_away_only_where_ranges_lie_apart():
    """Sixteen bit rates that all differ by chance are no sign; a range of its own is one."""
    overlapping = report(
        rows(lambda c, source: {"bit_rate": source.uniform(5e6, 6e6) + 3e6 * (c == 3)})
    )
    assert [tells.given_away_by for tells in overlapping.configurations] == [
        [],
        [],
        [],
        ["bit_rate"],
    ]


def test_the_figure_of_shuffled_labels_is_near_chance_on_average():
    figures = [
        report(rows(lambda _c, r: {"x": r.choice("abc"), "y": r.random()}, seed=s), 99).p_value
        for s in range(30)
    ]
    assert sum(p < 0.05 for p in figures) <= 5


def test_the_report_is_the_same_each_time_and_can_be_stored():
    made = rows(lambda c, r: {"bit_rate": r.random() + c / 3})
    assert report(made) == report(made)
    assert json.loads(json.dumps(report(made).as_json()))["files"] == 32


@pytest.mark.parametrize("labels", [[], ["a"], ["a", "a"], ["a", "a", "b"]])
def test_too_few_files_are_refused(labels):
    with pytest.raises(ValueError, match="two configurations"):
        report([(label, {}) for label in labels])


SOURCES = {
    "slow": (("-r", "16", "-c:v", "libx264", "-g", "8"), "testsrc=size=160x96:rate=16:duration=1"),
    "fast": (
        ("-r", "30", "-c:v", "libx264", "-preset", "ultrafast"),
        "testsrc2=size=128x128:rate=30:duration=1.2",
    ),
}


def test_copies_tell_configurations_apart_and_normalised_clips_do_not(tmp_path):
    common = CommonFormat(
        width=160, height=96, frame_rate="24/1", seconds=1.0, video_bit_rate=400_000
    )
    copied, normalised = [], []
    for name, (coding, picture) in SOURCES.items():
        for take in range(2):
            raw = tmp_path / f"{name}{take}.mp4"
            sound = f"sine=frequency={300 + 50 * take}:sample_rate={44100 if name == 'slow' else 48000}:duration=1"
            ffmpeg(
                "-f",
                "lavfi",
                "-i",
                f"{picture},hue=h={take * 40}",
                "-f",
                "lavfi",
                "-i",
                sound,
                *coding,
                "-c:a",
                "aac",
                raw,
            )
            blind_copy(raw, tmp_path / "copy.mp4")
            copied.append((name, technical_facts(tmp_path / "copy.mp4")))
            normalise(raw, tmp_path / "normal.mp4", format=common)
            normalised.append((name, technical_facts(tmp_path / "normal.mp4")))
    before, after = report(copied), report(normalised)
    assert before.accuracy == 1.0
    assert {"frame_rate", "height", "sample_rate"} <= set(before.configurations[0].given_away_by)
    assert after.facts_that_vary == []
    assert after.accuracy == after.chance == 0.5
    assert not after.told_apart


def test_a_silent_clip_is_normalised_like_the_others(tmp_path):
    common = CommonFormat(
        width=128, height=128, frame_rate="25/1", seconds=2.0, video_bit_rate=400_000
    )
    for name in ("silent.mp4", "vp8_vorbis.webm"):
        normalise(clip(name), tmp_path / f"{name}.mp4", format=common)
    silent, loud = (
        technical_facts(tmp_path / f"{name}.mp4") for name in ("silent.mp4", "vp8_vorbis.webm")
    )
    assert silent == loud
    assert (silent["frame_count"], silent["duration_s"], silent["audio_packets"]) == (50, 2.0, 101)
