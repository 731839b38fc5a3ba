# SPDX-License-Identifier: Apache-2.0
"""Frames of samples, their spectra, and samples of spectra."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from weft._errors import Error
from weft.frontends._graph import (Stage, divided, floats, ints, last_extent, ops,
                                    over_time, padded, part)
from weft.frontends._windows import window

_PADDINGS = ("causal", "none")


def _check_frames(who: str, frame: int, hop: int, fft: int) -> None:
    if not 1 <= hop <= frame <= fft:
        raise Error(f"weft: frontends: {who}: hop is {hop}, frame {frame} and fft {fft}; must be "
                    "1 <= hop <= frame <= fft")


def _placed(name: str | npt.ArrayLike, frame: int, fft: int, periodic: bool) -> Any:
    """Returns the constant window at the end of a transform of ``fft`` samples."""
    return floats(np.concatenate([np.zeros(fft - frame), window(name, frame, periodic)]))


def _count(value: int) -> Any:
    return ops().constant(np.int64(value))


class Spectrum(Stage):
    """The short-time Fourier transform: [batch, samples] to [batch, frames, fft / 2 + 1, 2].

    frame, hop: samples of a frame, and between two frames.
    fft: samples of a transform, by default the next power of two. Zeros come before the frame.
    window, periodic: see ``weft.frontends.window``.
    padding: "causal" adds zeros before the first sample, so that frame t ends with sample
      (t + 1) * hop; "none" begins with the first complete frame, as librosa does with center=False.
    """

    def __init__(self, frame: int, hop: int, *, fft: int | None = None,
                 window: str | npt.ArrayLike = "hann", periodic: bool = True,
                 padding: str = "causal") -> None:
        self.frame, self.hop, self.window, self.periodic = frame, hop, window, periodic
        self.fft = 1 << max(frame - 1, 0).bit_length() if fft is None else fft
        self.padding = padding
        _check_frames("Spectrum", frame, hop, self.fft)
        if padding not in _PADDINGS:
            raise Error(f'weft: frontends: padding: is "{padding}"; must be one of '
                        f'{", ".join(_PADDINGS)}')

    def build(self, x: Any) -> Any:
        before = self.fft - (self.hop if self.padding == "causal" else self.frame)
        return ops("opset15").stft(padded(x, before),
                                   _placed(self.window, self.frame, self.fft, self.periodic),
                                   _count(self.fft), _count(self.hop), False).output(0)

    def input_length(self, length: int) -> int:
        return length * self.hop + (0 if self.padding == "causal" else self.frame - self.hop)


class InverseSpectrum(Stage):
    """Overlap-add of windowed frames, divided by the sum of the squared windows: [batch, frames,
    frame / 2 + 1, 2] to [batch, frames * hop]. The arguments are those of ``Spectrum``, whose ``fft``
    must be its ``frame``.

    After ``Spectrum`` with its causal padding, the samples are the input, ``latency`` samples later.
    """

    def __init__(self, frame: int, hop: int, *, window: str | npt.ArrayLike = "hann",
                 periodic: bool = True) -> None:
        _check_frames("InverseSpectrum", frame, hop, frame)
        self.frame, self.hop, self.window, self.periodic = frame, hop, window, periodic

    @property
    def latency(self) -> int:
        """Samples by which the output is late after a causal ``Spectrum``."""
        return self.frame - self.hop

    def build(self, x: Any) -> Any:
        bins = x.get_partial_shape()[2].get_length()
        if bins != self.frame // 2 + 1:
            raise Error(f"weft: frontends: InverseSpectrum: its input has {bins} bins; must have "
                        f"{self.frame // 2 + 1}")
        bins_first = ops().transpose(x, ints(0, 2, 1, 3))
        y = ops("opset16").istft(bins_first,
                                 _placed(self.window, self.frame, self.frame, self.periodic),
                                 _count(self.frame), _count(self.hop), False, False).output(0)
        # The last samples lack later frames.
        return y if self.latency == 0 else part(y, 0, -self.latency, 1)

    def input_length(self, length: int) -> int:
        return divided(length, 1, self.hop, "InverseSpectrum")


class Power(Stage):
    """Squared magnitudes of complex numbers: [..., 2] to [...]."""

    def build(self, x: Any) -> Any:
        op = ops()
        squares = op.multiply(x, x)  # a sum of two parts is faster than a reduction of pairs
        real, imaginary = (op.squeeze(part(squares, i, i + 1, -1), ints(-1)) for i in (0, 1))
        return op.add(real, imaginary).output(0)


class Magnitude(Power):
    """Magnitudes of complex numbers: [..., 2] to [...]."""

    def build(self, x: Any) -> Any:
        return ops().sqrt(super().build(x)).output(0)


class Frames(Stage):
    """Overlapping frames of samples: [batch, samples] to [batch, frames, frame]. Zeros come before
    the first sample, so that frame t ends with sample (t + 1) * hop."""

    def __init__(self, frame: int, hop: int) -> None:
        _check_frames("Frames", frame, hop, frame)
        self.frame, self.hop = frame, hop

    def build(self, x: Any) -> Any:
        batch, samples = x.get_partial_shape()
        if samples.is_static and samples.get_length() % self.hop:  # no complete frame ends there
            x = part(x, 0, samples.get_length() // self.hop * self.hop, 1)
        past = np.zeros((batch.get_length(), self.frame - self.hop), x.get_element_type().to_dtype())
        return over_time(self._next, x, [past], self.hop)

    def _next(self, x: Any, past: Any) -> tuple[Any, Any]:
        op = ops()
        frame = op.concat([past, x], 1)
        return (op.unsqueeze(frame, ints(1)).output(0),
                part(frame, self.hop, self.frame, 1))

    def input_length(self, length: int) -> int:
        return length * self.hop


class Window(Stage):
    """Frames times a window: [batch, frames, frame] to the same shape."""

    def __init__(self, name: str | npt.ArrayLike = "hann", *, periodic: bool = True) -> None:
        self.name, self.periodic = name, periodic

    def build(self, x: Any) -> Any:
        values = window(self.name, last_extent(x, "Window"), self.periodic)
        return ops().multiply(x, floats(values)).output(0)
