# SPDX-License-Identifier: Apache-2.0
"""Filters of samples: other rates, and pre-emphasis."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from weft._errors import Error
from weft.frontends._graph import (Stage, divided, floats, ints, ops, padded, part, transposed)


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
    """

    def __init__(self, up: int, down: int, *, reach: int = 10, beta: float = 5.0) -> None:
        if up < 1 or down < 1 or reach < 1:
            raise Error(f"weft: frontends: Resample: up is {up}, down {down} and reach {reach}; must "
                        "be 1 or more")
        common = math.gcd(up, down)
        self.up, self.down, self.reach, self.beta = up // common, down // common, reach, beta

    @property
    def delay(self) -> float:
        """Samples of the input by which the output is late."""
        return self.reach * max(self.up, self.down) / self.up

    def build(self, x: Any) -> Any:
        op = ops()
        kernel = self._kernel()
        before = kernel.shape[2] - self.down
        y = op.convolution(op.unsqueeze(x, ints(1)), floats(kernel), [self.down], [before], [0], [1])
        return op.reshape(transposed(y), ints(0, -1), True).output(0)

    def _kernel(self) -> npt.NDArray[np.float64]:
        """Returns the weights [up, 1, inputs]: row j computes sample j of each ``up`` samples, which
        belong to the last ``down`` of the inputs."""
        taps = lowpass(self.up, self.down, self.reach, self.beta)
        past = (taps.size - 1) // self.up
        inputs = np.arange(-past, self.down)
        tap = np.arange(self.up)[:, None] * self.down - inputs * self.up
        inside = (tap >= 0) & (tap < taps.size)
        return np.where(inside, taps[np.where(inside, tap, 0)], 0)[:, None]

    def input_length(self, length: int) -> int:
        return divided(length, self.down, self.up, "Resample")


class PreEmphasis(Stage):
    """``x[t] - factor * x[t - 1]``; the sample before the first one is 0."""

    def __init__(self, factor: float = 0.97) -> None:
        self.factor = factor

    def build(self, x: Any) -> Any:
        op = ops()
        before = part(padded(x, 1), 0, -1, 1)
        return op.subtract(x, op.multiply(before, floats(self.factor))).output(0)
