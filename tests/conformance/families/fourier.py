# SPDX-License-Identifier: Apache-2.0
"""DFT, IDFT, RDFT, IRDFT, STFT, ISTFT: sizes, axis orders, truncated and padded lines, framing."""

import numpy as np

from build import node
from casebook import Case, by_numpy, i64, listed, normal, sizes


def _numbers(x):
    return x[..., 0].astype(np.float64) + 1j * x[..., 1]


def _parts(z):
    return np.stack([z.real, z.imag], -1).astype(np.float32)


def _dft(x, axes, lengths, transform=np.fft.fft):
    z = _numbers(x)
    for axis, length in zip(axes, lengths):
        z = transform(z, length, axis)
    return _parts(z)


def _idft(x, axes, lengths):
    return _dft(x, axes, lengths, np.fft.ifft)


def _rdft(x, axes, lengths):
    z = np.fft.rfft(x.astype(np.float64), lengths[-1], axes[-1])
    for axis, length in zip(axes[:-1], lengths):
        z = np.fft.fft(z, length, axis)
    return _parts(z)


def _irdft(x, axes, lengths):
    z = _numbers(x)
    for axis, length in zip(axes[:-1], lengths):
        z = np.fft.ifft(z, length, axis)
    return np.fft.irfft(z, lengths[-1], axes[-1]).astype(np.float32)


REFERENCES = {"DFT": (7, _dft), "IDFT": (7, _idft), "RDFT": (9, _rdft), "IRDFT": (9, _irdft)}


def _case(name, shape, axes, lengths=None, **more):
    """`shape` is that of the input, with its last axis of 2 where it is complex."""
    opset, reference = REFERENCES[name]
    label = f"{name.lower()}_{sizes(shape)}_axes_{listed(axes)}"
    if lengths:
        label += f"_of_{listed(lengths)}"

    def graph(x):
        return node(name, opset, [x, i64(*axes)] + ([i64(*lengths)] if lengths else []))

    known = [None if length == -1 else length for length in lengths or [-1] * len(axes)]
    return Case(f"fourier/{label}", [normal(label, *shape)], graph,
                reference=lambda x: reference(x, axes, known), **more)


def _transforms():
    for size in (1, 2, 3, 4, 5, 6, 7, 8, 11, 17, 33, 64):
        inexact = by_numpy("OpenVINO's coefficients of large odd sizes are off by 3e-5.")
        yield _case("DFT", (size, 2), (0,), **(inexact if size in (17, 33) else {}))
        yield _case("RDFT", (size,), (0,))
    for size in (1, 2, 5, 12, 17):
        yield _case("IDFT", (3, size, 2), (1,))
        yield _case("IRDFT", (3, size // 2 + 1, 2), (1,), (size,))
    yield _case("IRDFT", (2, 9, 2), (1,))
    for name, shape in (("DFT", (2, 3, 5, 2)), ("IDFT", (2, 3, 5, 2)), ("RDFT", (2, 3, 5))):
        for axes in ((0,), (1, 2), (2, 1), (2, 0, 1)):
            yield _case(name, shape, axes)
    for axes in ((1, 2), (2, 1)):
        yield _case("IRDFT", (2, 3, 5, 2), axes, (3, 8) if axes == (1, 2) else (5, 4))
    for lengths in ((3,), (9,), (-1,)):
        yield _case("DFT", (2, 6, 2), (-1,), lengths)
        yield _case("IDFT", (6, 3, 2), (0,), lengths)
    yield _case("RDFT", (2, 9), (1,), (4,))
    yield _case("RDFT", (2, 5), (1,), (8,),
                **by_numpy("OpenVINO does not fill up the lines of RDFT with zeros."))
    yield _case("IRDFT", (2, 5, 2), (1,), (5,))


INEXACT = {"differs": "OpenVINO is off by more than 1e-6 of the greatest number where a size is no "
                      "power of two; NumPy computes in float64."}


def _fast_case(name, shape, axes, lengths=None, differs=""):
    """A size that is not computed as a matrix product; tolerance 1e-6 of the largest magnitude."""
    case = _case(name, shape, axes, lengths, oracle="numpy", differs=differs)
    case.rtol, case.atol = 0.0, float(1e-6 * np.abs(case.reference(*case.inputs)).max())
    return case


def _fast_transforms():
    for size in (128, 480, 512, 400, 1024):
        yield _fast_case("DFT", (1, size, 2), (1,), **(INEXACT if size in (480, 400) else {}))
        yield _fast_case("RDFT", (2, size), (1,))
        yield _fast_case("IRDFT", (1, size // 2 + 1, 2), (1,), (size,))
    yield _fast_case("IDFT", (3, 128, 2), (1,))
    yield _fast_case("IDFT", (400, 2), (0,), **INEXACT)
    yield _fast_case("DFT", (32, 40, 2), (0, 1), **INEXACT)
    yield _fast_case("IDFT", (48, 32, 2), (1, 0), **INEXACT)
    yield _fast_case("RDFT", (32, 70), (0, 1))
    yield _fast_case("IRDFT", (36, 33, 2), (0, 1))
    yield _fast_case("RDFT", (105,), (0,))
    yield _fast_case("IRDFT", (2, 59, 2), (1,), (117,))
    yield _fast_case("DFT", (2, 90, 2), (1,), (64,))
    yield _fast_case("DFT", (2, 50, 2), (1,), (64,))
    yield _fast_case("IRDFT", (2, 30, 2), (1,), (96,),
                     "OpenVINO fills up the bins of a line with those of the next one, not with "
                     "zeros, as a run on two lines shows.")


def _window(window, size):
    left = (size - len(window)) // 2
    return np.pad(window.astype(np.float64), (left, size - len(window) - left))


def _stft_of(signal, window, size, step, frames_last):
    count = (signal.shape[-1] - size) // step + 1
    frames = np.stack([signal[..., i * step:i * step + size] for i in range(count)], -2)
    spectra = _parts(np.fft.rfft(frames.astype(np.float64) * _window(window, size)))
    return np.ascontiguousarray(np.swapaxes(spectra, -2, -3)) if frames_last else spectra


def _stft(shape, size, step, window=None, frames_last=False, computed=False, **more):
    window = np.hanning(size + 2)[1:-1].astype(np.float32) if window is None else window
    label = f"stft_{sizes(shape)}_frame_{size}_step_{step}_window_{len(window)}"
    label += "_transposed" * frames_last + "_computed" * computed

    def graph(x, window=window):
        return node("STFT", 15, [x, window, np.int64(size), np.int64(step)],
                    transpose_frames=frames_last)

    return Case(f"fourier/{label}", [normal(label, *shape)] + [window] * computed, graph,
                reference=lambda x, *_: _stft_of(x, window, size, step, frames_last), **more)


def _istft_of(spectra, window, size, step, length, centred, normalized):
    wide = _window(window, size)
    frames = np.fft.irfft(np.swapaxes(_numbers(spectra), -1, -2), size)
    frames = frames * wide * (np.sqrt(size) if normalized else 1)
    count = frames.shape[-2]
    signal = np.zeros((*frames.shape[:-2], (count - 1) * step + size))
    weights = np.zeros(signal.shape[-1])
    for i in range(count):
        signal[..., i * step:i * step + size] += frames[..., i, :]
        weights[i * step:i * step + size] += wide ** 2
    signal = signal / np.where(weights == 0, 1, weights)
    first = size // 2 if centred else 0
    if length is None:
        length = signal.shape[-1] - (size // 2 * 2 if centred else 0)
    signal = signal[..., first:first + length]
    missing = length - signal.shape[-1]
    return np.pad(signal, [(0, 0)] * (signal.ndim - 1) + [(0, missing)]).astype(np.float32)


def _istft(shape, size, step, length=None, centred=False, normalized=False, window=None,
           computed=False, **more):
    window = np.hanning(size + 2)[1:-1].astype(np.float32) if window is None else window
    label = f"istft_{sizes(shape)}_frame_{size}_step_{step}_window_{len(window)}"
    label += "_centred" * centred + "_normalized" * normalized + "_computed" * computed
    if length is not None:
        label += f"_length_{length}"

    def graph(x, window=window):
        inputs = [x, window, np.int64(size), np.int64(step)]
        inputs += [] if length is None else [np.int64(length)]
        return node("ISTFT", 16, inputs, center=centred, normalized=normalized)

    return Case(f"fourier/{label}", [normal(label, *shape)] + [window] * computed, graph,
                reference=lambda x, *_: _istft_of(x, window, size, step, length, centred,
                                                  normalized), **more)


def _short_time():
    for frames_last in (False, True):
        yield _stft((8,), 4, 2, np.ones(4, np.float32), frames_last)
        yield _stft((3, 50), 16, 5, frames_last=frames_last)
    yield _stft((1, 40), 9, 9)
    yield _stft((40,), 8, 11)
    yield _stft((33,), 4, 1, np.array([1, 2, 3], np.float32))
    yield _stft((7,), 7, 3)
    for centred in (False, True):
        for length in (None, 6, 10, 40):
            yield _istft((5, 4, 2), 8, 3, length, centred)
    yield _istft((2, 9, 6, 2), 16, 4)
    yield _istft((2, 9, 6, 2), 16, 4, centred=True, normalized=True)
    yield _istft((3, 2, 5, 2), 3, 2, centred=True)
    yield _istft((1, 5, 3, 2), 8, 8)
    yield _istft((5, 3, 2), 8, 10)
    yield _istft((3, 6, 2), 4, 1, window=np.array([1, 2, 3], np.float32))
    yield _istft((5, 3, 2), 8, 4, window=np.hanning(8).astype(np.float32))


def _fast_short_time():
    hann = np.hanning(401)[:-1].astype(np.float32)
    yield _stft((1, 1600), 512, 160, hann)
    yield _stft((2, 900), 128, 100, frames_last=True)
    yield _stft((700,), 105, 25)
    yield _istft((1, 129, 5, 2), 256, 64, centred=True)
    yield _istft((65, 4, 2), 128, 50, normalized=True, window=np.hamming(128).astype(np.float32))
    yield _istft((2, 53, 4, 2), 105, 30, window=np.hamming(105).astype(np.float32))


def _computed_windows():
    """Windows that are computed at run time."""
    short = np.array([1, 2, 3], np.float32)
    for shape, size, step, window, frames_last in (
            ((8,), 4, 2, None, False), ((3, 50), 16, 5, None, True), ((33,), 4, 1, short, False),
            ((1, 600), 128, 100, np.hanning(100).astype(np.float32), False)):
        yield _stft(shape, size, step, window, frames_last, computed=True)
    yield _istft((5, 4, 2), 8, 3, computed=True)
    yield _istft((2, 9, 6, 2), 16, 4, centred=True, normalized=True, computed=True)
    yield _istft((5, 3, 2), 8, 10, computed=True)
    yield _istft((3, 6, 2), 4, 1, window=short, computed=True)
    yield _istft((5, 3, 2), 8, 4, 40, window=np.hanning(8).astype(np.float32), computed=True)
    yield _istft((65, 4, 2), 128, 50, window=np.hamming(128).astype(np.float32), computed=True)


def cases():
    yield from _computed_windows()
    yield from _transforms()
    yield from _fast_transforms()
    yield from _short_time()
    yield from _fast_short_time()
