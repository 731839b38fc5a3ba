# SPDX-License-Identifier: Apache-2.0
"""Front ends in NumPy and double precision, and the values of librosa and SciPy that the tests compare
with. frontend_values.py FILE.npz writes the values again; it needs librosa 0.11 and SciPy."""
import pathlib
import sys

import numpy as np

FILE = pathlib.Path(__file__).resolve().parent / "frontend_values.npz"
RATE, FRAME, HOP, FFT, BANDS = 16000, 400, 160, 512, 40


def samples(count=25 * HOP):
    """Noise with a level that changes, and a tone that rises."""
    random, t = np.random.default_rng(7), np.arange(count) / RATE
    noise = random.standard_normal(count) * (0.02 + 0.1 * np.sin(9 * t) ** 2)
    return (noise + 0.3 * np.sin(2 * np.pi * (300 + 3000 * t) * t)).astype(np.float32)


def frames(x, frame, hop, before):
    x = np.concatenate([np.zeros(before), x.astype(np.float64)])
    return np.stack([x[at:at + frame] for at in range(0, x.size - frame + 1, hop)])


def spectrum(x, frame, hop, fft, window, before):
    return np.fft.rfft(frames(x, frame, hop, before) * window, fft)


def hann(size):
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)


def inverse(z, size, hop, window):
    """Overlap-add of all frames, without the last samples, which lack frames."""
    lines = np.fft.irfft(z, size) * window
    total = np.zeros((len(lines) - 1) * hop + size)
    weights = total.copy()
    for t, line in enumerate(lines):
        total[t * hop:t * hop + size] += line
        weights[t * hop:t * hop + size] += window ** 2
    return (total / np.where(weights > 1e-11, weights, 1))[:len(lines) * hop]


def running(x, smoothing, first):
    mean, rows = np.array(first, np.float64), []
    for row in x:
        mean = mean + smoothing * (row - mean)
        rows.append(mean)
    return np.array(rows)


def dct(x, count, lifter):
    bands = x.shape[1]
    rows = np.cos(np.pi * np.outer(np.arange(count), np.arange(bands) + 0.5) / bands)
    rows *= np.sqrt(2 / bands)
    rows[0] /= np.sqrt(2)
    return x @ rows.T * (1 + lifter / 2 * np.sin(np.pi * np.arange(count) / lifter))


def slopes(x, reach):
    """Slopes of the line through 2 * reach + 1 frames, each at the time of its last frame."""
    early = np.concatenate([np.repeat(x[:1], 2 * reach, 0), x])
    at = np.arange(-reach, reach + 1)
    return np.stack([np.polyfit(at, early[t:t + at.size], 1)[0] for t in range(len(x))])


def late(x, count):
    return np.concatenate([np.repeat(x[:1], count, 0), x])[:len(x)]


def main(path):
    import librosa
    import scipy.signal
    x = samples()
    early = np.concatenate([np.zeros(FRAME - HOP, np.float32), x])
    # The window of librosa is in the middle of the transform, which magnitudes do not show.
    margin = np.zeros((FFT - FRAME) // 2, np.float32)
    power = np.abs(librosa.stft(np.concatenate([margin, early, margin]), n_fft=FFT, hop_length=HOP,
                                win_length=FRAME, center=False)) ** 2
    banks = {name: librosa.filters.mel(sr=RATE, n_fft=FFT, n_mels=BANDS, fmin=60, fmax=7600,
                                       htk=name == "htk", norm="slaney" if name == "slaney" else None)
             for name in ("slaney", "htk")}
    mel = banks["slaney"] @ power
    log = librosa.power_to_db(mel, top_db=None)
    np.savez_compressed(
        path, slaney=banks["slaney"].T, htk=banks["htk"].T, mel=mel.T, decibels=log.T,
        mfcc=librosa.feature.mfcc(S=log, n_mfcc=13).T,
        pcen=librosa.pcen(mel, sr=RATE, hop_length=HOP, b=0.025).T,
        third=scipy.signal.resample_poly(x, 1, 3),
        faster=scipy.signal.resample_poly(x, 3, 2),
        **{f"window_{name}": scipy.signal.get_window(name, 25) for name in
           ("hann", "hamming", "blackman", "bartlett")})


if __name__ == "__main__":
    main(*sys.argv[1:])
