"""What is said of a clip that is taken as it is: at the import, and on the sample's page."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.test import Client as Browser
from django.urls import reverse

from fartbench.media.probe import MediaFacts, probe
from fartbench.media.stored_facts import read_facts
from fartbench.protocol.schema import Clip
from generation.clip_notes import Expected, clip_notes
from generation.importing import import_clips
from generation.models import Sample
from tests import factories
from tests.manifests import Lab
from tests.media.clips import X264, clip, ffmpeg

RULE = Clip(
    duration_s=1.5, duration_tolerance_s=0.2, aspect_ratio="5:3", audio="native", candidate_index=0
)
NORMAL = Expected(RULE)
RED, BLUE, LOW, HIGH = (
    ("-f", "lavfi", "-i", source)
    for source in (
        "color=red:size=160x96:rate=24:duration=1.5",
        "color=blue:size=160x96:rate=24:duration=1.5",
        "sine=frequency=440:duration=1.5",
        "sine=frequency=880:duration=1.5",
    )
)
TWO_OF_EACH = (
    *RED,
    *BLUE,
    *LOW,
    *HIGH,
    "-map",
    "0",
    "-map",
    "1",
    "-map",
    "2",
    "-map",
    "3",
    *X264,
    "-c:a",
    "aac",
)
SECOND_IS_DEFAULT = ("-disposition:v:0", "0", "-disposition:v:1", "default",
                     "-disposition:a:0", "0", "-disposition:a:1", "default")  # fmt: skip
VLC = "is marked as default, and players such as VLC and mpv play that one."


def notes_on(path: Path, expected: Expected = NORMAL) -> list[str]:
    return clip_notes(probe(path), expected)


def made(folder: Path, *arguments: str, name: str = "clip.mp4") -> Path:
    """Make a clip of the usual length and size, with what is odd about it."""
    path = folder / name
    ffmpeg(*arguments, path)
    return path


@pytest.mark.parametrize(
    "name", ["h264_aac.mp4", "h264_aac.mkv", "fragmented.mp4", "vp9_opus.webm", "av1_opus.mp4"]
)
def test_there_is_nothing_to_say_of_a_usual_clip(name: str) -> None:
    assert notes_on(clip(name)) == []


def test_missing_and_unwanted_sound_is_noted() -> None:
    assert notes_on(clip("silent.mp4")) == ["has no sound track. It is reviewed as it is."]
    silent = Expected(RULE.model_copy(update={"audio": "none"}))
    assert notes_on(clip("silent.mp4"), silent) == []
    (note,) = notes_on(clip("h264_aac.mp4"), silent)
    assert "has a sound track, and the protocol asks for none" in note


@pytest.mark.parametrize(
    ("options", "name", "words"),
    [
        (
            (*X264, "-pix_fmt", "yuv444p"),
            "a.mp4",
            "4:4:4 H.264. Safari and Firefox on Windows do not play it.",
        ),
        ((*X264, "-pix_fmt", "yuv422p10le"), "a.mp4", "4:2:2 and 10-bit H.264. Safari"),
        ((*X264, "-pix_fmt", "yuv420p10le"), "a.mp4", "is coded in 10-bit H.264. Safari"),
        (("-c:v", "libx264rgb", "-preset", "veryfast"), "a.mp4", "RGB H.264. Safari"),
        (
            ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-pix_fmt", "yuv444p"),
            "a.webm",
            "4:4:4. Some browsers",
        ),
        (
            ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"),
            "a.mp4",
            "as hevc and aac, which",
        ),
        (("-c:v", "libvpx", "-deadline", "realtime"), "a.webm", "is coded as vp8"),
    ],
)
def test_coding_that_some_browsers_do_not_play_is_noted(
    tmp_path: Path, options: tuple[str, ...], name: str, words: str
) -> None:
    (note,) = notes_on(made(tmp_path, *RED, *LOW, *options, name=name))
    assert words in note


def test_ten_bits_are_part_of_the_main_profile_of_av1(tmp_path: Path) -> None:
    coding = ("-c:v", "libsvtav1", "-preset", "12", "-pix_fmt", "yuv420p10le")
    assert notes_on(made(tmp_path, *RED, *LOW, *coding)) == []


@pytest.mark.parametrize(("transfer", "name"), [("smpte2084", "PQ"), ("arib-std-b67", "HLG")])
@pytest.mark.parametrize("said_by", ["bitstream", "container"])
def test_high_dynamic_range_is_noted(
    tmp_path: Path, transfer: str, name: str, said_by: str
) -> None:
    coding = ("-vf", f"setparams=color_trc={transfer}:color_primaries=bt2020:colorspace=bt2020nc")
    if said_by == "bitstream":
        path = made(tmp_path, *RED, *LOW, *coding, *X264)
        path.write_bytes(path.read_bytes().replace(b"colr", b"free"))
    else:  # VP9 itself has no place for it
        path = made(
            tmp_path,
            *RED,
            *LOW,
            *coding,
            "-c:v",
            "libvpx-vp9",
            "-deadline",
            "realtime",
            name="clip.webm",
        )
    (note,) = notes_on(path)
    assert note.startswith(f"is HDR ({name}).")


def test_a_variable_frame_rate_is_noted_with_its_average(tmp_path: Path) -> None:
    drop = ("-vf", "select='not(between(n,5,9))'", "-fps_mode", "vfr")
    (note,) = notes_on(made(tmp_path, *RED, *LOW, *drop, *X264))
    assert note.startswith("has a variable frame rate, 20.67 frames a second on average.")


def test_transparency_is_noted_only_where_there_is_some(tmp_path: Path) -> None:
    half = ("-f", "lavfi", "-i", "color=red@0.5:size=160x96:rate=24:duration=1.5,format=yuva420p")
    codec = ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8")
    clear = made(tmp_path, *half, *LOW, *codec, name="clear.webm")
    assert notes_on(clear) == [
        "has an alpha channel. Its blind copy is refused where that makes parts transparent."
    ]
    # Chromium's MediaRecorder declares alpha for every track, and writes none.
    opaque = tmp_path / "opaque.webm"
    data = clear.read_bytes()
    assert data.count(b"\x75\xa1") >= 36
    opaque.write_bytes(data.replace(b"\x75\xa1", b"\x75\xa7"))
    assert notes_on(opaque) == []


@pytest.mark.parametrize(
    ("name", "marks", "picture", "sound"),
    [
        (
            "clip.mp4",
            (),
            "The first is taken, as browsers do.",
            "The first is taken, as browsers do.",
        ),
        (
            "clip.mkv",
            (),
            "The first is taken, as browsers do.",
            "The first is taken, as browsers do.",
        ),
        (
            "clip.mp4",
            SECOND_IS_DEFAULT,
            "The second is taken, as browsers do: the file",
            "The second is taken",
        ),
        (
            "clip.mkv",
            SECOND_IS_DEFAULT,
            f"The first is taken, as browsers do; the second {VLC}",
            VLC,
        ),
    ],
)
def test_the_track_that_is_taken_is_named(
    tmp_path: Path, name: str, marks: tuple[str, ...], picture: str, sound: str
) -> None:
    first, second = notes_on(made(tmp_path, *TWO_OF_EACH, *marks, name=name))
    assert first.startswith("has 2 picture tracks. ") and picture in first
    assert second.startswith("has 2 sound tracks. ") and sound in second


def test_a_cover_picture_is_not_a_second_picture_track(tmp_path: Path) -> None:
    cover = made(
        tmp_path, "-f", "lavfi", "-i", "color=red:size=64x64:duration=0.1:rate=10", name="cover.jpg"
    )
    covered = made(tmp_path, "-i", str(clip("h264_aac.mp4")), "-i", str(cover), "-map", "0", "-map",
                   "1", "-c", "copy",
                   "-disposition:v:1", "attached_pic")  # fmt: skip
    assert notes_on(covered) == []


@pytest.mark.parametrize(
    ("options", "size", "shape"),
    [
        (("-vf", "setsar=2/1"), "320 x 96", "320:96"),
        (("-vf", "setsar=1/2"), "160 x 192", "160:192"),
        (("-vf", "setsar=6/5", "-aspect", "2:1"), "192 x 96", "2:1"),
    ],
)
def test_the_shape_is_that_of_the_clip_as_shown(
    tmp_path: Path, options: tuple[str, ...], size: str, shape: str
) -> None:
    path = made(tmp_path, *RED, *LOW, *options, *X264)
    assert notes_on(path) == [f"is shown {size}, which is not 5:3. It is reviewed as it is."]
    assert notes_on(path, Expected(RULE.model_copy(update={"aspect_ratio": shape}))) == []


def test_a_turned_clip_has_the_shape_that_is_shown(tmp_path: Path) -> None:
    turned = tmp_path / "turned.mp4"
    ffmpeg("-display_rotation", "90", "-i", clip("h264_aac.mp4"), "-c", "copy", turned)
    assert notes_on(turned) == ["is shown 96 x 160, which is not 5:3. It is reviewed as it is."]
    assert notes_on(turned, Expected(RULE.model_copy(update={"aspect_ratio": "3:5"}))) == []


@pytest.mark.parametrize(
    ("lasts_s", "judged_up_to_s", "words"),
    [
        (1.5, None, ""),
        (1.5, 1.7, ""),
        (1.5, 3.0, "so “blind” will refuse it"),
        (0.5, 3.0, "so “blind” will refuse it"),
        (0.5, 0.5, "the protocol asks for 1.5 s, give or take"),
        (9.0, None, "the protocol asks for 1.5 s, give or take"),
        (9.0, 3.0, "the protocol asks for 1.5 s, give or take"),
    ],
)
def test_a_length_is_noted_once_and_in_one_sense(
    lasts_s: float, judged_up_to_s: float | None, words: str
) -> None:
    rule = RULE.model_copy(update={"duration_tolerance_s": 0.5})
    facts = replace(probe(clip("h264_aac.mp4")), duration_s=lasts_s)
    notes = clip_notes(facts, Expected(rule, judged_up_to_s))
    assert len(notes) == bool(words)
    assert all(
        words in note and ("refuse" in note) != ("reviewed as it is" in note) for note in notes
    )


def older_row(facts: MediaFacts) -> dict[str, object]:
    """Return facts as they were stored before tracks, alpha and the shown size were measured."""
    newer = {"shown_width", "shown_height", "mirrored", "video_tracks", "video_track",
             "default_video_track",
             "audio_tracks", "audio_track", "default_audio_track", "transfer",
             "has_alpha"}  # fmt: skip
    return {name: value for name, value in asdict(facts).items() if name not in newer}


@pytest.mark.parametrize("name", ["h264_aac.mp4", "silent.mp4"])
def test_facts_of_older_rows_are_read(name: str) -> None:
    facts = probe(clip(name))
    assert read_facts(facts.as_json()) == facts
    assert read_facts({**facts.as_json(), "measured_later": 1}) == facts
    read = read_facts(older_row(facts))
    assert read is not None
    assert (
        replace(read, default_video_track=1, default_audio_track=facts.default_audio_track) == facts
    )
    turned = older_row(replace(facts, pixel_aspect="2:1", rotation=90))
    read = read_facts(turned)
    assert read is not None
    assert (read.shown_width, read.shown_height) == (96, 320)


@pytest.mark.parametrize("stored", [{}, {"duration_s": 1.2, "has_audio": True}])
def test_what_are_no_facts_of_a_clip_has_no_notes(stored: dict[str, object]) -> None:
    assert read_facts(stored) is None


@pytest.mark.django_db
def test_notes_are_in_the_import_s_report_and_on_the_sample_s_page(
    tmp_path: Path, client: Browser
) -> None:
    round_ = factories.make_round()
    lab = Lab(tmp_path, configurations=("alpha",))
    (tmp_path / "alpha-r01-lift.mp4").write_bytes(factories.tiny_clip(seconds=8.0, sound=False))
    report = import_clips(round_=round_, manifest=lab.manifest(), actor="test")
    assert [note for note in report.notes if "/r01-lift/" in note] == [
        "row 2: alpha/r01-lift/1 has no sound track. It is reviewed as it is."
    ]
    sample = Sample.objects.get(cell__scene="r01-lift")
    user = factories.make_staff("ada")
    user.user_permissions.add(Permission.objects.get(codename="change_round"))
    client.force_login(user)
    page = client.get(reverse("generation-sample", args=[sample.pk])).content.decode()
    assert "The clip has no sound track. It is reviewed as it is." in page
