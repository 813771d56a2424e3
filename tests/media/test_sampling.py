"""Whole files decoded with the project's own readers hold every picture once, and sound where the
container puts it.
"""

from fractions import Fraction

import numpy as np
import pytest
from av.audio.layout import AudioLayout

from fartbench.media.bounds import BOUNDS
from fartbench.media.errors import NotAVideo
from fartbench.media.presentation import span
from fartbench.media.probe import probe
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sampling import colour_pictures, gray_pictures, whole_sound
from tests.media.clips import clip, ffmpeg

KINDS = (
    "h264_aac.mp4", "h264_aac.mkv", "fragmented.mp4", "h264_mp3.mp4", "h264_opus.mp4",
    "hevc_hvc1.mp4", "av1_opus.webm",
    "vp9_opus.webm", "open_gop.mp4", "mono_44100.mp4",
)  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_every_picture_is_kept_once_and_sound_lasts_as_long_as_the_file_says(name: str):
    path = clip(name)
    facts = probe(path)
    with open_bytes(path) as data:
        movie = read_movie(path, data)
        video, audio = movie.main("video"), movie.main("audio")
        pictures = gray_pictures(path, data, video, BOUNDS, wanted=lambda _: True, width=80)
        sound = whole_sound(path, data, audio, span(video)[0], BOUNDS)
    assert pictures.places.tolist() == list(range(facts.frame_count))
    assert pictures.gray.shape[1:] == (48, 80)
    assert (sound.rate, sound.samples.shape[1]) == (facts.sample_rate, facts.channels)
    assert len(sound.samples) / sound.rate == pytest.approx(1.5, abs=0.06)
    middle = sound.samples[sound.rate // 2 : sound.rate].mean(1)
    tone = 2 * abs(
        np.mean(middle * np.exp(-2j * np.pi * 440 * np.arange(len(middle)) / sound.rate))
    )
    assert tone == pytest.approx(np.abs(middle).max(), rel=0.1)


def test_chosen_pictures_are_the_same_as_among_all_and_come_in_colour():
    path = clip("open_gop.mp4")
    with open_bytes(path) as data:
        video = read_movie(path, data).main("video")
        every = gray_pictures(path, data, video, BOUNDS, wanted=lambda _: True, width=160)
        some = gray_pictures(
            path, data, video, BOUNDS, wanted=lambda place: place % 5 == 2, width=160
        )
        coloured = colour_pictures(path, data, video, BOUNDS, wanted={0, 7, 35, 99})
        none = gray_pictures(path, data, video, BOUNDS, wanted=lambda _: False, width=160)
    assert some.places.tolist() == list(range(2, 36, 5))
    assert np.array_equal(some.gray, every.gray[2::5])
    assert sorted(coloured) == [0, 7, 35]
    assert coloured[7].shape == (96, 160, 3)
    gray = coloured[7] @ [0.2126, 0.7152, 0.0722]
    assert np.corrcoef(gray.ravel(), every.gray[7].ravel())[0, 1] > 0.9
    assert none.gray.shape == (0, 2, 160)


@pytest.mark.parametrize("name", ["open_gop.mp4", "h264_aac.mp4"])
def test_a_picture_by_itself_is_the_same_as_among_all(name: str):
    path = clip(name)
    with open_bytes(path) as data:
        video = read_movie(path, data).main("video")
        every = colour_pictures(path, data, video, BOUNDS, wanted=set(range(len(video.samples))))
        for place in every:
            (alone,) = colour_pictures(path, data, video, BOUNDS, wanted={place}).values()
            assert np.array_equal(alone, every[place])


def test_sound_that_starts_later_than_the_picture_is_silent_until_then():
    path = clip("h264_aac.mp4")
    with open_bytes(path) as data:
        audio = read_movie(path, data).main("audio")
        begin = span(audio)[0]
        late = whole_sound(path, data, audio, begin - Fraction(1, 4), BOUNDS)
    assert np.abs(late.samples[: late.rate // 4 - 1100]).max() == 0
    assert np.abs(late.samples[late.rate // 4 + 100 : late.rate // 2]).max() > 0.05


def test_a_codec_that_is_not_decoded_here_is_refused_by_name():
    path = clip("mpeg4_flac.mp4")
    with open_bytes(path) as data:
        video = read_movie(path, data).main("video")
        with pytest.raises(NotAVideo, match="not decoded here"):
            gray_pictures(path, data, video, BOUNDS, wanted=lambda _: True, width=80)


@pytest.mark.parametrize("kind", ["aac", "libopus", "libmp3lame"])
@pytest.mark.parametrize("layout", ["mono", "stereo", "5.1", "7.1"])
def test_sound_of_every_layout_lies_where_the_container_puts_it(tmp_path, kind: str, layout: str):
    if kind == "libmp3lame" and layout in {"5.1", "7.1"}:
        layout = "stereo"  # the most that MP3 has
    source = tmp_path / "clip.mp4"
    channels = AudioLayout(layout).nb_channels
    tones = "|".join(["0.3*sin(440*2*PI*t)*gte(t,0.25)"] * channels)
    tone = f"aevalsrc=exprs={tones}:s=48000:d=0.5:c={layout}".replace("t,0", "t\\,0")
    ffmpeg(
        "-i", clip("silent.mp4"), "-f", "lavfi", "-i", tone, "-c:v", "copy", "-c:a", kind, source
    )
    with open_bytes(source) as data:
        movie = read_movie(source, data)
        sound = whole_sound(source, data, movie.main("audio"), span(movie.main("video"))[0], BOUNDS)
    assert sound.samples.shape[1] == channels
    onset = np.argmax(np.abs(sound.samples[:, 0]) > 0.1) / sound.rate
    assert onset == pytest.approx(0.25, abs=0.003)
