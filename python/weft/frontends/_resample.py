# SPDX-License-Identifier: Apache-2.0
"""Filters of samples: other rates, and pre-emphasis."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from weft._errors import Error
from weft.frontends._graph import (Stage, divided, floats, ints, ops, padded, part, transposed)

_RESULTS = 16  # outputs of a convolution that is fast


def lowpass(up: int, down: int, reach: int = 10, beta: float = 5.0) -> npt.NDArray[np.float64]:
    """Returns the filter of ``scipy.signal.resample_poly``: a sinc with a Kaiser window, ``reach``
    zero crossings on both sides."""
    slower = max(up, down)
    at = np.arange(-reach * slower, reach * slower + 1)
    taps = np.sinc(at / slower) * np.kaiser(at.size, beta)
    return up * taps / taps.sum()


class Resample(Stage):
    """Samples at ``up / down`` of the rate, by one polyphase filter: [batch, samples] to the same.
    Equal to ``scipy.signal.resample_poly``, delayed by ``delay`` samples of the input.

    reach: zero crossings of the low-pass filter on both sides. beta: of its Kaiser window.
    block: ``block * up`` samples are computed together from ``block * down`` samples, and a run has a
      multiple of them; samples after the last complete block are ignored. Default: the power of two
      with at most 16 results, which is fast on Cortex-M. A ``hop`` that follows should be a multiple.
    """

    def __init__(self, up: int, down: int, *, reach: int = 10, beta: float = 5.0,
                 block: int | None = None) -> None:
        if up < 1 or down < 1 or reach < 1 or (block is not None and block < 1):
            raise Error(f"weft: frontends: Resample: up is {up}, down {down}, reach {reach} and block "
                        f"{block}; must be 1 or more")
        common = math.gcd(up, down)
        self.up, self.down, self.reach, self.beta = up // common, down // common, reach, beta
        self.block = 1 << max(_RESULTS // self.up, 1).bit_length() - 1 if block is None else block

    @property
    def delay(self) -> float:
        """Samples of the input by which the output is late."""
        return self.reach * max(self.up, self.down) / self.up

    def build(self, x: Any) -> Any:
        op = ops()
        kernel, step = self._kernel(), self.block * self.down
        y = op.convolution(op.unsqueeze(x, ints(1)), floats(kernel), [step],
                           [kernel.shape[2] - step], [0], [1])
        return op.reshape(transposed(y), ints(0, -1), True).output(0)

    def _kernel(self) -> npt.NDArray[np.float64]:
        """Returns the weights [results, 1, inputs]: row j computes result j of a block, from the
        inputs of the block and earlier ones."""
        taps = lowpass(self.up, self.down, self.reach, self.beta)
        past = (taps.size - 1) // self.up
        inputs = np.arange(-past, self.block * self.down)
        tap = np.arange(self.block * self.up)[:, None] * self.down - inputs * self.up
        inside = (tap >= 0) & (tap < taps.size)
        return np.where(inside, taps[np.where(inside, tap, 0)], 0)[:, None]

    def input_length(self, length: int) -> int:
        results = self.block * self.up
        return divided(length, 1, results, "Resample") * self.block * self.down


class PreEmphasis(Stage):
    """``x[t] - factor * x[t - 1]``; the sample before the first one is 0."""

    def __init__(self, factor: float = 0.97) -> None:
        self.factor = factor

    def build(self, x: Any) -> Any:
        op = ops()
        before = part(padded(x, 1), 0, -1, 1)
        return op.subtract(x, op.multiply(before, floats(self.factor))).output(0)
