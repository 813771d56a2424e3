import json

import pytest

from blinding.copying import NotCopyable, blind_copy
from blinding.proof import prove
from tests.blinding.dirty import written
from tests.media.clips import clip, ffmpeg


def test_a_proof_holds_and_can_be_stored(tmp_path):
    blind = tmp_path / "blind.mp4"
    blind_copy(clip("h264_aac.mp4"), blind)
    proof = prove(clip("h264_aac.mp4"), blind)
    proof.insist(clip("h264_aac.mp4"))
    stored = json.loads(json.dumps(proof.as_json()))
    assert stored["holds"] is True
    assert stored["raw_picture_sha256"] == stored["blind_picture_sha256"]
    assert (stored["picture_time_error"], stored["sound_time_error"]) == (0, 0)
    assert (stored["pictures"], stored["samples"]) == (36, 72_000)


def faults(tmp_path, change, name="h264_aac.mp4"):
    proof = prove(clip(name), written(clip(name), tmp_path / "changed.mp4", change))
    with pytest.raises(NotCopyable, match=name):
        proof.insist(clip(name))
    return " ".join(proof.faults)


def test_a_missing_picture_is_found(tmp_path):
    def drop_last(streams):
        del streams[0].samples[-1], streams[0].times.steps[-1], streams[0].times.shifts[-1], streams[0].times.sync[-1]

    assert "36 pictures, the copy 35" in faults(tmp_path, drop_last)


def test_sound_that_is_half_a_frame_off_is_found(tmp_path):
    def delay(streams):
        streams[1].times.start += 1 / 48

    assert "20.833 ms off" in faults(tmp_path, delay)


def test_a_picture_shown_a_millisecond_late_is_found(tmp_path):
    def delay(streams):
        streams[0].times.shifts[7] += 720

    assert "a picture is shown 1.000 ms off" in faults(tmp_path, delay)


def test_other_pictures_and_other_sound_are_found(tmp_path):
    other = tmp_path / "other.mp4"
    ffmpeg(
        "-i",
        clip("h264_aac.mp4"),
        "-vf",
        "drawbox=w=2:h=2",
        "-af",
        "volume=0.99",
        "-c:v",
        "libx264",
        "-c:a",
        "aac",
        other,
    )
    said = " ".join(prove(clip("h264_aac.mp4"), other).faults)
    assert "decoded pictures differ" in said
    assert "decoded sound differs" in said
    assert "samples, the copy 0" in " ".join(prove(clip("h264_aac.mp4"), clip("silent.mp4")).faults)


def test_the_track_that_is_copied_is_the_one_that_is_proven(tmp_path):
    source, blind = tmp_path / "two.mp4", tmp_path / "blind.mp4"
    other = "[0:v]scale=320:192[big];[0:a]volume=0.5[soft]"
    streams = ("-map", "0:v", "-map", "[big]", "-map", "0:a", "-map", "[soft]")
    ffmpeg("-i", clip("h264_aac.mp4"), "-filter_complex", other, *streams, "-c:v", "libx264", "-c:a", "aac", source)
    assert blind_copy(source, blind).removed["other track"] == 2
    assert prove(source, blind).holds
