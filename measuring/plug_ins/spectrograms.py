"""Sound as models take it: resampled, and as spectrograms in mel bands. No Django here.

Each is the arithmetic of the function that a model's authors call, so that its weights see what
they were trained on: ``torchaudio.functional.resample``, Kaldi's ``compute-fbank-feats`` and
``torchaudio.transforms.MelSpectrogram``, with their published defaults (pytorch.org/audio,
kaldi-asr.org/doc/feat.html).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
SMALLEST = np.finfo(np.float32).eps


def resampled(sound: NDArray[np.float32], own: int, rate: int) -> Floats:
    """Return sound (..., n) at ``own`` hertz brought to ``rate``: a sinc of six zero crossings,
    rolled off at 99 % of the narrower band, under a Hann window.
    """
    from scipy.signal import resample_poly  # noqa: PLC0415 - a web process does without it

    if own == rate:
        return np.asarray(sound, np.float32)
    common = math.gcd(own, rate)
    down, up = own // common, rate // common
    band = min(down, up) * 0.99
    reach = int(6 * down * up / band)
    at = np.arange(-reach, reach + 1) / (down * up) * band
    kernel = np.sinc(at) * np.cos(np.pi * at / 12) ** 2 * band / down / up
    return np.asarray(
        resample_poly(sound.astype(np.float64), up, down, axis=-1, window=kernel), np.float32
    )


def mel_filters(bands: int, size: int, rate: int, low: float) -> NDArray[np.float64]:
    """Return (bands, size // 2 + 1) triangles, evenly spaced in mel (2595 log10(1 + f / 700)) from
    ``low`` hertz to half the rate; the peak of each is 1. Their sides are straight in hertz.
    """
    edges = _hertz(np.linspace(_mel(low), _mel(rate / 2), bands + 2))
    return _triangles(np.linspace(0, rate / 2, size // 2 + 1), edges)


def kaldi_filters(bands: int, size: int, rate: int, low: float) -> NDArray[np.float64]:
    """Return Kaldi's triangles: spaced and straight in its mel (1127 ln(1 + f / 700)); the last bin
    takes no part.
    """
    edges = np.linspace(_mel(low), _mel(rate / 2), bands + 2)
    filters = _triangles(_mel(np.linspace(0, rate / 2, size // 2 + 1)), edges)
    filters[:, -1] = 0
    return filters


def log_mel(
    sound: Floats, *, rate: int = 16_000, size: int = 1024, window: int = 400, hop: int = 160
) -> Floats:
    """Return (128, frames): the logarithm of power in mel bands, frames centred on every ``hop``
    samples, mirrored at the ends; one millionth is added before the logarithm (Synchformer's
    ``AudioLog``).
    """
    padded = np.pad(sound.astype(np.float64), size // 2, mode="reflect")
    hann = np.zeros(size)
    hann[(size - window) // 2 : (size + window) // 2] = np.hanning(window + 1)[:-1]
    frames = np.lib.stride_tricks.sliding_window_view(padded, size)[::hop] * hann
    power = np.abs(np.fft.rfft(frames)) ** 2
    return np.asarray(np.log(mel_filters(128, size, rate, 0.0) @ power.T + 1e-6), np.float32)


def kaldi_fbank(sound: Floats, *, rate: int = 16_000, window: int = 400, hop: int = 160) -> Floats:
    """Return (128, frames): Kaldi's filter banks of whole frames of 25 ms under a Hann window,
    their mean taken away, the treble raised by 0.97, power in mel bands from 20 Hz, its natural
    logarithm.
    """
    frames = np.lib.stride_tricks.sliding_window_view(sound.astype(np.float64), window)[::hop]
    frames = frames - frames.mean(1, keepdims=True)
    before = np.concatenate([frames[:, :1], frames[:, :-1]], axis=1)
    size = 1 << (window - 1).bit_length()
    power = np.abs(np.fft.rfft((frames - 0.97 * before) * np.hanning(window), size)) ** 2
    return np.asarray(
        np.log(np.maximum(kaldi_filters(128, size, rate, 20.0) @ power.T, SMALLEST)), np.float32
    )


def _mel(hertz: NDArray[np.float64] | float) -> NDArray[np.float64]:
    return np.asarray(2595.0 * np.log10(1.0 + np.asarray(hertz) / 700.0), np.float64)


def _hertz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(700.0 * (10.0 ** (mel / 2595.0) - 1.0), np.float64)


def _triangles(at: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    return np.asarray(
        np.maximum(0, np.minimum((at - low) / (middle - low), (high - at) / (high - middle))),
        np.float64,
    )
