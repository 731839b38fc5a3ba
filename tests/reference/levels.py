# SPDX-License-Identifier: Apache-2.0
"""Quantised models in integers, as the q8 steps compute them (docs/quantisation.md): sums are exact, and
every float operation is one rounded f32 operation.

A quantised value is a Bytes: int8 codes, which represent the numbers (code - zero) * scale. Ranges and
weights are those of FakeQuantize and its constants."""

import dataclasses

import numpy as np

F = np.float32


@dataclasses.dataclass(frozen=True)
class Levels:
    """A quantisation: codes from low to high, which represent (code - zero) * scale."""
    scale: float
    zero: int
    low: int
    high: int


@dataclasses.dataclass
class Bytes:
    integers: np.ndarray
    levels: Levels

    def numbers(self):
        return (self.integers - self.levels.zero).astype(F) * F(self.levels.scale)

    def moved(self, move):
        """Applies a data movement to the codes."""
        return Bytes(move(self.integers), self.levels)


def levels_of(low, high, count=256, like=None):
    """The Levels of the range [low, high] with `count` codes. `like` are the Levels of the quantiser's
    output; the result then uses the same lowest code."""
    low, high = float(F(low)), float(F(high))
    scale = (high - low) / (count - 1)
    zero = round(-low / scale)
    first = like.low if like else -min(max(zero, count - 128), 128)
    return Levels(scale, zero + first, first, first + count - 1)


def rounded(v, levels, bounds=None):
    """The nearest codes of numbers in units of the scale, clamped to `bounds` (default: all codes)."""
    low, high = bounds or (levels.low, levels.high)
    v = np.where(np.isnan(v), F(low - levels.zero), v)
    v = np.clip(v, F(low - levels.zero), F(high - levels.zero))
    return np.rint(v).astype(np.int64) + levels.zero


def level(number, levels):
    """The nearest code of one number."""
    return int(rounded(F(number) * F(1 / levels.scale), levels))


def quantised(x, levels):
    return Bytes(rounded(np.asarray(x, F) * F(1 / levels.scale), levels), levels)


def relevelled(x, levels):
    """Requantises x to other Levels."""
    return quantised(x.numbers(), levels)


def scaled(sums, x, scales, start, to, bounds=None):
    """Exact sums as f32, or quantised to `to`; `scales` and `start` have one value for each index of the
    last axis."""
    divisor = to.scale if to else 1.0
    factor = (np.asarray(scales, np.float64) * x.levels.scale / divisor).astype(F)
    addend = (np.asarray(start, np.float64) / divisor).astype(F)
    v = sums.astype(F) * factor + addend
    return Bytes(rounded(v, to, bounds), to) if to else v


def product(x, w, scales, start=0, to=None, bounds=None):
    """x [..., inputs] times integer w [outputs, inputs]."""
    sums = (x.integers - x.levels.zero) @ np.asarray(w, np.int64).T
    return scaled(sums, x, scales, np.broadcast_to(start, sums.shape[-1:]), to, bounds)


def patches(x, window, strides, pads, fill):
    """x [batch, channels, space...] as [batch, space..., channels, window...]."""
    padded = np.pad(x, [(0, 0), (0, 0), *pads], constant_values=fill)
    axes = tuple(range(2, x.ndim))
    taken = np.lib.stride_tricks.sliding_window_view(padded, window, axes)
    taken = taken[(slice(None), slice(None), *(slice(None, None, step) for step in strides))]
    return np.moveaxis(taken, 1, len(window) + 1)


def convolution(x, w, scales, strides, pads, start=0, to=None, bounds=None):
    """Convolution with integer w [groups, outputs, inputs, window...]; channels of the result are axis 1."""
    groups, outputs, inputs, *window = w.shape
    taken = patches(x.integers - x.levels.zero, window, strides, pads, 0)
    space = taken.shape[1:1 + len(window)]
    taken = taken.reshape(len(taken), *space, groups, -1)
    sums = np.einsum("...gk,gok->...go", taken, np.asarray(w, np.int64).reshape(groups, outputs, -1))
    sums = sums.reshape(len(taken), *space, groups * outputs)
    made = scaled(sums, x, scales, np.broadcast_to(start, sums.shape[-1:]), to, bounds)
    first = lambda y: np.moveaxis(y, -1, 1)
    return made.moved(first) if to else first(made)


def maximum(x, window, strides, pads):
    taken = patches(x.integers, window, strides, pads, -128)
    axes = tuple(range(-len(window), 0))
    return Bytes(np.moveaxis(taken.max(axis=axes), -1, 1), x.levels)


def mean(x, window, strides, pads, to, counts_padding=True):
    """The mean of each window. The divisor counts all taps, or only those inside the data."""
    axes = tuple(range(-len(window), 0))
    sums = patches(x.integers - x.levels.zero, window, strides, pads, 0).sum(axis=axes)
    taps = np.ones_like(x.integers)
    taps = patches(taps, window, strides, pads, 1 if counts_padding else 0).sum(axis=axes)
    v = sums.astype(F) * F(x.levels.scale / to.scale) / taps.astype(F)
    return Bytes(np.moveaxis(rounded(v, to), -1, 1), to)


def add(a, b, to, bounds=None):
    v = ((a.integers - a.levels.zero).astype(F) * F(a.levels.scale / to.scale) +
         (b.integers - b.levels.zero).astype(F) * F(b.levels.scale / to.scale))
    return Bytes(rounded(v, to, bounds), to)


def multiply(a, b, to, bounds=None):
    v = (((a.integers - a.levels.zero) * (b.integers - b.levels.zero)).astype(F) *
         F(a.levels.scale * b.levels.scale / to.scale))
    return Bytes(rounded(v, to, bounds), to)


def function(x, apply, to):
    """Applies a function of one number and quantises the result to `to`."""
    return quantised(apply(x.numbers()).astype(F), to)
