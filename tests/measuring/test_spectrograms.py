"""Resampling and spectrograms against their formulas, written out number by number."""

import cmath
import math

import numpy as np
import pytest

from measuring.plug_ins.spectrograms import (
    kaldi_fbank,
    kaldi_filters,
    log_mel,
    mel_filters,
    resampled,
)

RATE = 16_000
NOISE = np.random.default_rng(3).normal(0, 0.1, 4000).astype(np.float32)


@pytest.mark.parametrize(("own", "rate"), [(48_000, 16_000), (44_100, 16_000), (16_000, 24_000)])
def test_a_sample_is_the_sum_of_its_neighbours_under_a_windowed_sinc(own: int, rate: int):
    sound = NOISE[:200].astype(float)
    band = min(own, rate) * 0.99
    found = resampled(np.stack([NOISE[:200], -NOISE[:200]]), own, rate)
    assert found.shape == (2, math.ceil(200 * rate / own))
    for place in (0, 20, 47, found.shape[1] - 1):
        total = 0.0
        for number, sample in enumerate(sound):
            turns = (number / own - place / rate) * band
            if abs(turns) < 6:
                sinc = 1.0 if turns == 0 else math.sin(math.pi * turns) / (math.pi * turns)
                total += sample * sinc * math.cos(math.pi * turns / 12) ** 2 * band / own
        assert found[0, place] == pytest.approx(total, abs=1e-6)
        assert found[1, place] == pytest.approx(-total, abs=1e-6)


def power(frame: list[float], size: int, line: int) -> float:
    return (
        abs(sum(x * cmath.exp(-2j * math.pi * line * n / size) for n, x in enumerate(frame))) ** 2
    )


def test_kaldis_banks_are_those_of_its_description():
    at = 7
    frame = [float(x) for x in NOISE[at * 160 : at * 160 + 400]]
    mean = sum(frame) / 400
    frame = [x - mean for x in frame]
    raised = [frame[max(n, 0)] - 0.97 * frame[max(n - 1, 0)] for n in range(400)]
    shown = [x * (0.5 - 0.5 * math.cos(2 * math.pi * n / 399)) for n, x in enumerate(raised)]
    lines = [power(shown, 512, line) for line in range(256)]

    def mel(hertz: float) -> float:
        return 1127 * math.log(1 + hertz / 700)

    step = (mel(8000) - mel(20)) / 129
    found = kaldi_fbank(NOISE)
    assert found.shape == (128, 1 + (4000 - 400) // 160)
    for band in (0, 20, 64, 127):
        left = mel(20) + band * step
        total = 0.0
        for line, own in enumerate(lines):
            place = (mel(line * RATE / 512) - left) / step
            total += own * max(0.0, min(place, 2 - place))
        assert found[band, at] == pytest.approx(math.log(max(total, 1.1920929e-07)), abs=1e-4)


def test_the_logarithmic_mel_spectrogram_is_centred_and_mirrored():
    found = log_mel(NOISE)
    assert found.shape == (128, 1 + 4000 // 160)
    for at in (0, 12):
        first = at * 160 - 200
        frame = [
            float(NOISE[abs(first + n)]) * (0.5 - 0.5 * math.cos(2 * math.pi * n / 400))
            for n in range(400)
        ]
        lines = [power(frame, 1024, line) for line in range(513)]

        def hertz(step: float) -> float:
            return 700 * (10 ** (step / 2595) - 1)

        top = 2595 * math.log10(1 + 8000 / 700)
        for band in (3, 60, 127):
            left, peak, right = (hertz(top * (band + n) / 129) for n in range(3))
            total = 0.0
            for line, own in enumerate(lines):
                at_hertz = line * RATE / 1024
                slope = min((at_hertz - left) / (peak - left), (right - at_hertz) / (right - peak))
                total += own * max(0.0, slope)
            assert found[band, at] == pytest.approx(math.log(total + 1e-6), abs=1e-4)


def test_a_pure_tone_is_loudest_in_the_band_around_it():
    tone = np.sin(2 * np.pi * 1000 * np.arange(RATE) / RATE).astype(np.float32)
    for spectrogram, filters in (
        (kaldi_fbank(tone), kaldi_filters(128, 512, RATE, 20)),
        (log_mel(tone), mel_filters(128, 1024, RATE, 0)),
    ):
        loudest = int(spectrogram[:, 20].argmax())
        line = round(1000 / RATE * 2 * (filters.shape[1] - 1))
        assert filters[loudest, line] == filters[:, line].max() > 0
