# SPDX-License-Identifier: Apache-2.0
"""Cosine transforms of features, and their slopes over time."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from weft._errors import Error
from weft.frontends._bands import MelBank
from weft.frontends._graph import Chain, Stage, floats, ints, last_extent, ops, transposed
from weft.frontends._levels import Log
from weft.frontends._spectrum import Power, Spectrum


class DCT(Stage):
    """The first ``count`` coefficients of the orthonormal DCT-II of the features.

    lifter: L multiplies coefficient k by 1 + L / 2 * sin(pi * k / L); 0 does not.
    """

    def __init__(self, count: int, *, lifter: float = 0) -> None:
        self.count, self.lifter = count, lifter

    def build(self, x: Any) -> Any:
        bands = last_extent(x, "DCT")
        if not 1 <= self.count <= bands:
            raise Error(f"weft: frontends: DCT: count is {self.count}; must be from 1 to {bands}, the "
                        "number of features")
        k, n = np.arange(self.count), np.arange(bands)[:, None]
        matrix = np.sqrt(np.where(k == 0, 1, 2) / bands) * np.cos(np.pi * k * (n + 0.5) / bands)
        if self.lifter > 0:
            matrix = matrix * (1 + self.lifter / 2 * np.sin(np.pi * k / self.lifter))
        return ops().matmul(x, floats(matrix), False, False).output(0)


class MFCC(Chain):
    """Mel-frequency cepstral coefficients: ``Spectrum``, ``Power``, ``MelBank``, ``Log``, ``DCT``.

    spectrum: the first stage, ``Spectrum(...)``. The other arguments are those of ``MelBank``,
    ``Log`` and ``DCT``.
    """

    def __init__(self, spectrum: Spectrum, rate: float, bands: int, count: int, *, low: float = 0,
                 high: float | None = None, scale: str = "slaney", norm: str | None = "slaney",
                 floor: float = 1e-10, lifter: float = 0) -> None:
        super().__init__(spectrum, Power(),
                         MelBank(rate, bands, low=low, high=high, scale=scale, norm=norm),
                         Log(floor), DCT(count, lifter=lifter))


class Deltas(Stage):
    """The features, then their slopes over ``2 * reach + 1`` frames, for each order: 2 adds the
    slopes of the slopes. The slopes need later frames, so all outputs are ``latency`` frames late.
    Frames before the first one are the first one.
    """

    def __init__(self, reach: int = 2, *, orders: int = 1) -> None:
        if reach < 1 or orders not in (1, 2):
            raise Error(f"weft: frontends: Deltas: reach is {reach} and orders {orders}; must be 1 or "
                        "more, and 1 or 2")
        self.reach, self.orders = reach, orders

    @property
    def latency(self) -> int:
        """Frames by which the outputs are late."""
        return self.reach * self.orders

    def build(self, x: Any) -> Any:
        op = ops()
        extents, at = last_extent(x, "Deltas"), np.arange(-self.reach, self.reach + 1)
        slope = at / (at * at).sum()
        # Each row is a filter over the past: the delayed feature, its slope, the slope of the slope.
        rows = [np.array([1.0])]
        for _ in range(self.orders):
            rows.append(np.convolve(rows[-1], slope))
        past = 2 * self.latency
        taps = np.stack([np.pad(row, (past + 1 - row.size) // 2) for row in rows])
        edges = op.pad(x, ints(0, past, 0), ints(0, 0, 0), "edge")
        kernel = np.tile(taps[None, :, None], (extents, 1, 1, 1))
        y = op.group_convolution(transposed(edges), floats(kernel), [1], [0], [0], [1])
        # [batch, features * rows, frames], the rows of a feature in sequence.
        shaped = op.reshape(y, ints(0, extents, len(rows), -1), True)
        by_row = op.transpose(shaped, ints(0, 3, 2, 1))
        return op.reshape(by_row, ints(0, -1, len(rows) * extents), True).output(0)
