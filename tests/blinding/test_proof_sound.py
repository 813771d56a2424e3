"""A copy whose sound is not that of the clip is not proven, by whatever little it differs."""

import json
from fractions import Fraction

import av
import numpy as np
import pytest

from blinding.copying import blind_copy
from blinding.proof import prove
from blinding.proof_sound import HIDES_SOUND, DecodedSound, compare_sound
from tests.blinding.dirty import written
from tests.media.clips import clip
from tests.media.matroska_writer import Block, SoundTrack, in_blocks, write_matroska
from tests.media.sound import sound, with_band_replication

RATE = 48_000


def kinds():
    """Return sound of each kind and how it lies in blocks: the raw files that copies are compared
    with.
    """
    aac, opus, mp3 = sound("aac"), sound("libopus"), sound("libmp3lame")
    replicated = with_band_replication(sound("aac", rate=24_000), kind="implicit")
    wide = sound("aac", layout="7.1")
    jitter = [
        Block(20 * index + (index * 7) % 11, [packet]) for index, packet in enumerate(opus.packets)
    ]
    return {
        "aac": SoundTrack(aac, in_blocks(aac, "none", each=1), delay=21_333_333),
        "aac laced": SoundTrack(aac, in_blocks(aac, "xiph")),
        "aac 7.1": SoundTrack(wide, in_blocks(wide, "none", each=1)),
        "he-aac": SoundTrack(replicated, in_blocks(replicated, "none", each=1)),
        "mp3": SoundTrack(mp3, in_blocks(mp3, "none", each=1)),
        "opus": SoundTrack(opus, in_blocks(opus, "none", each=1), delay=6_500_000),
        "opus recorded": SoundTrack(opus, jitter),
    }


KINDS = ["aac", "aac laced", "aac 7.1", "he-aac", "mp3", "opus", "opus recorded"]


def faults(tmp_path, kind, change):
    """Plant a fault into the copy of a clip and return what the proof says."""
    source = write_matroska(tmp_path / "clip.mkv", kinds()[kind])
    proof = prove(source, written(source, tmp_path / "planted.mp4", change))
    json.dumps(proof.as_json())
    assert proof.holds is (not proof.faults)
    return " ".join(proof.faults)


def moved(seconds):
    def change(streams):
        streams[1].times.start += seconds

    return change


def dropped(streams):
    """Drop a packet; what follows stays at its time."""
    times = streams[1].times
    times.steps[6] += times.steps.pop(7)
    del streams[1].samples[7]


def closed(streams):
    """Drop a packet; what follows moves up."""
    del streams[1].times.steps[7], streams[1].samples[7]


def doubled(streams):
    times = streams[1].times
    half = times.steps[7] // 2
    times.steps[7:8] = [times.steps[7] - half, half]
    streams[1].samples.insert(7, streams[1].samples[7])


def exchanged(streams):
    samples = streams[1].samples
    samples[7], samples[8] = samples[8], samples[7]


def cut_off(streams):
    times = streams[1].times
    times.length -= times.steps.pop()
    del streams[1].samples[-1]


def declared_shorter(streams):
    streams[1].times.length -= streams[1].times.timescale // 100


def hidden_at_the_start(streams):
    streams[1].times.skip += streams[1].times.timescale // 200


def a_gap(streams):
    times = streams[1].times
    times.steps[7] += times.timescale // 200


def drifting(streams):
    times = streams[1].times
    times.steps[:] = [step + times.timescale // 8000 for step in times.steps]


PLANTED = {
    "5 ms late": (moved(0.005), "the sound is 5."),
    "5 ms early against the picture": (moved(-0.005), "the sound is"),
    "a packet less": (dropped, "sound samples, the copy"),
    "a packet less, and the rest early": (closed, "sound samples, the copy"),
    "a packet twice": (doubled, "sound samples, the copy"),
    "two packets exchanged": (exchanged, "the decoded sound differs"),
    "the last packet cut off": (cut_off, "sound samples, the copy"),
    "ended 10 ms early": (declared_shorter, "the sound ends"),
    "5 ms more hidden at the start": (hidden_at_the_start, "ms off"),
    "a gap of 5 ms": (a_gap, "the sound is"),
    "a clock that drifts": (drifting, "the sound is"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_fault_the_proof_holds(tmp_path, kind):
    assert faults(tmp_path, kind, lambda _: None) == ""


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_fault_is_found(tmp_path, kind, name):
    change, words = PLANTED[name]
    if name.startswith("5 ms early"):
        change = _later_picture(change)
    assert words in faults(tmp_path, kind, change)


def _later_picture(change):
    """Move both tracks, since the sound may begin at zero, where it cannot be moved ahead."""

    def both(streams):
        streams[0].times.start += 1
        streams[1].times.start += 1
        change(streams)

    return both


@pytest.mark.parametrize("layout", ["3.0", "quad", "5.0", "5.1", "6.1", "7.1"])
def test_two_channels_exchanged_by_the_opus_header_are_found(tmp_path, layout):
    coded = sound("libopus", "-mapping_family", "1", seconds=0.4, layout=layout)
    raw, blind = write_matroska(tmp_path / "clip.mkv", track_of(coded)), tmp_path / "blind.mp4"
    blind_copy(raw, blind)
    data = bytearray(blind.read_bytes())
    mapping = data.index(b"dOps") + 17
    data[mapping], data[mapping + 1] = data[mapping + 1], data[mapping]
    blind.write_bytes(data)
    assert prove(raw, blind).faults == ["the decoded sound differs"]


@pytest.mark.parametrize(
    "layout", ["stereo", "3.0", "4.0", "5.0", "5.1", "7.1", "quad", "5.1(side)"]
)
@pytest.mark.parametrize("kind", ["aac", "libopus"])
def test_two_channels_exchanged_before_coding_are_found(tmp_path, kind, layout):
    if kind == "libopus" and layout in {"4.0", "5.1(side)"}:
        layout = "6.1"  # Opus has no such layout
    clips = []
    for exchanged_channels in (False, True):
        coded = sound(kind, seconds=0.4, layout=layout, exchanged=exchanged_channels)
        clips.append(write_matroska(tmp_path / f"{exchanged_channels}.mkv", track_of(coded)))
    blind_copy(clips[1], tmp_path / "blind.mp4")
    assert "the decoded sound differs" in prove(clips[0], tmp_path / "blind.mp4").faults


def test_another_rate_is_found(tmp_path):
    coded = [sound("aac", rate=rate, seconds=0.4) for rate in (44_100, 48_000)]
    clips = [write_matroska(tmp_path / f"{one.rate}.mkv", track_of(one)) for one in coded]
    blind_copy(clips[1], tmp_path / "blind.mp4")
    said = " ".join(prove(clips[0], tmp_path / "blind.mp4").faults)
    assert "at 44100 Hz from the raw clip, 48000 Hz from the copy" in said


def test_sound_that_is_missing_is_found(tmp_path):
    assert prove(clip("h264_aac.mp4"), clip("silent.mp4")).faults == [
        "the raw clip has 72000 sound samples, the copy 0"
    ]
    assert (
        "the raw clip has 0 sound samples, the copy 72000"
        in prove(clip("silent.mp4"), clip("h264_aac.mp4")).faults
    )


def track_of(coded):
    return SoundTrack(coded, in_blocks(coded, "none", each=1))


class Packet:
    """A packet of sound as libavformat gives it: where it lies, and whether players drop it."""

    def __init__(self, pos, *, is_discard=False):
        self.pos, self.is_discard = pos, is_discard


def decoded(*, dropped=(), level=0.5):
    """Return the sound of six packets, of which players drop some."""
    found = DecodedSound()
    for place in range(6):
        frame = av.AudioFrame.from_ndarray(
            np.full((1, 1024), level, np.float32), format="flt", layout="mono"
        )
        frame.sample_rate, frame.pts, frame.time_base = RATE, 1024 * place, Fraction(1, RATE)
        found.take(Packet(place, is_discard=place in dropped), frame)
    return found


def test_packets_that_players_drop_are_missed_in_a_copy_that_plays_them():
    """So packets are marked whose times lie in those of others, as in overlapping fragments."""
    verdict = compare_sound(decoded(dropped={2, 4}), decoded(), Fraction(0), Fraction(0))
    assert "the raw clip has 4096 sound samples, the copy 6144" in verdict.faults
    assert (
        compare_sound(decoded(dropped={0}), decoded(dropped={0}), *[Fraction(0)] * 2).faults == []
    )


def test_silence_that_a_clip_hides_may_be_played_and_sound_may_not():
    """An encoder's own beginning is silent; what a cut hides is not."""
    quiet = compare_sound(
        decoded(dropped={0}, level=0.001), decoded(level=0.001), Fraction(0), Fraction(0)
    )
    assert quiet.faults == []
    loud = compare_sound(decoded(dropped={0}), decoded(), Fraction(0), Fraction(0))
    assert loud.faults == [HIDES_SOUND]
