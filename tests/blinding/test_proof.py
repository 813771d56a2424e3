import json

import pytest

from blinding.common_format import CommonFormat
from blinding.copying import NotCopyable, blind_copy
from blinding.normalise import normalise
from blinding.proof import prove
from tests.blinding.dirty import written
from tests.media.box_edits import Node, edited, entry, set_shape
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
        del (
            streams[0].samples[-1],
            streams[0].times.steps[-1],
            streams[0].times.shifts[-1],
            streams[0].times.sync[-1],
        )

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
    ffmpeg(
        "-i",
        clip("h264_aac.mp4"),
        "-filter_complex",
        other,
        *streams,
        "-c:v",
        "libx264",
        "-c:a",
        "aac",
        source,
    )
    assert blind_copy(source, blind).removed["other track"] == 2
    assert prove(source, blind).holds


@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
def test_words_in_another_encoding_stop_no_proof(tmp_path, suffix):
    source, blind = tmp_path / f"clip{suffix}", tmp_path / "blind.mp4"
    ffmpeg(
        "-i",
        clip("h264_aac.mp4"),
        "-c",
        "copy",
        "-metadata",
        "title=ZZcafe",
        "-metadata:s:a",
        "title=ZZcafe",
        source,
    )
    data = source.read_bytes()
    assert b"ZZcafe" in data
    source.write_bytes(data.replace(b"ZZcafe", "ZZcafé".encode("latin-1")))
    blind_copy(source, blind)
    assert prove(source, blind).holds
    common = CommonFormat(width=160, height=96, frame_rate="24/1", seconds=1.5)
    assert normalise(source, tmp_path / "normalised.mp4", format=common)


def test_a_turn_that_is_dropped_is_found(tmp_path):
    source, upright = tmp_path / "turned.mp4", tmp_path / "upright.mp4"
    ffmpeg("-display_rotation", 90, "-i", clip("silent.mp4"), "-c", "copy", source)
    blind_copy(clip("silent.mp4"), upright)
    assert prove(source, upright).faults == [
        "the raw clip is shown 96x160 under the matrix 0 -1 1 0, the copy 160x96"
    ]


def test_a_mirror_that_is_dropped_is_found(tmp_path):
    source = tmp_path / "mirrored.mp4"
    ffmpeg("-display_hflip", "-i", clip("silent.mp4"), "-c", "copy", source)
    faults = prove(source, clip("silent.mp4")).faults
    assert faults == ["the raw clip is shown 160x96 under the matrix -1 0 0 1, the copy 160x96"]


def test_another_shape_of_pixels_is_found(tmp_path):
    source = edited(clip("silent.mp4"), tmp_path / "wide.mp4", lambda file: set_shape(file, 2, 1))
    assert prove(source, clip("silent.mp4")).faults == [
        "the raw clip is shown 320x96, the copy 160x96"
    ]


def test_other_colours_are_found(tmp_path):
    colours = Node("colr", b"nclx" + bytes([0, 9, 0, 16, 0, 9, 0]))
    source = edited(
        clip("silent.mp4"), tmp_path / "wide.mp4", lambda file: entry(file).inside.append(colours)
    )
    assert prove(source, clip("silent.mp4")).faults == [
        "the raw clip's colours are 9/16/9/1, the copy's 2/2/2/1"
    ]


def test_another_grading_is_found(tmp_path):
    graded = Node("clli", bytes([3, 232, 1, 144]))
    source = edited(
        clip("silent.mp4"), tmp_path / "graded.mp4", lambda file: entry(file).inside.append(graded)
    )
    assert "how bright it was graded" in prove(source, clip("silent.mp4")).faults[0]
