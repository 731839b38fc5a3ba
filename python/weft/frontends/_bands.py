# SPDX-License-Identifier: Apache-2.0
"""Banks of triangular filters over the bins of a spectrum."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from weft._errors import Error
from weft.frontends._graph import Stage, floats, last_extent, ops, part

_Numbers = npt.NDArray[np.float64]
# A group of bands is one product over the bins that the group reads.
_GROUP = 8


def _slaney(hz: _Numbers) -> _Numbers:
    hz = np.asarray(hz, np.float64)
    return np.where(hz < 1000, hz * 3 / 200,
                    15 + 27 * np.log(np.maximum(hz, 1000) / 1000) / np.log(6.4))


def _from_slaney(mel: _Numbers) -> _Numbers:
    return np.where(mel < 15, mel * 200 / 3, 1000 * 6.4 ** ((np.maximum(mel, 15) - 15) / 27))


# Name -> functions from Hz to the scale, and back.
_SCALES: dict[str, tuple[Callable[..., _Numbers], Callable[..., _Numbers]]] = {
    "slaney": (_slaney, _from_slaney),
    "htk": (lambda hz: 2595 * np.log10(1 + np.asarray(hz) / 700),
            lambda mel: 700 * (10 ** (mel / 2595) - 1)),
    "bark": (lambda hz: 26.81 * np.asarray(hz) / (1960 + np.asarray(hz)) - 0.53,
             lambda bark: 1960 * (bark + 0.53) / (26.28 - bark)),
}


def filter_matrix(rate: float, bands: int, bins: int, *, low: float = 0, high: float | None = None,
                  scale: str = "slaney", norm: str | None = "slaney") -> _Numbers:
    """Returns the matrix [bins, bands] of triangular filters, as ``librosa.filters.mel(...).T``.

    rate: samples per second. bins: of a spectrum from 0 to half of the rate.
    low, high: the lowest and the highest frequency in Hz; ``high`` is by default half of the rate.
    scale: corners are at equal distances in "slaney" or "htk" mels, or in "bark" (Traunmueller).
    norm: "slaney" divides each filter by half of its width in Hz; None: the maximum is 1.
    """
    high = rate / 2 if high is None else high
    if scale not in _SCALES:
        raise Error(f'weft: frontends: scale: is "{scale}"; must be one of {", ".join(_SCALES)}')
    if norm not in ("slaney", None):
        raise Error(f'weft: frontends: norm: is "{norm}"; must be "slaney" or None')
    if bands < 1 or not 0 <= low < high <= rate / 2:
        raise Error(f"weft: frontends: filters: {bands} bands from {low} to {high} Hz; must be one or "
                    f"more, in order, from 0 to {rate / 2} Hz")
    to_scale, from_scale = _SCALES[scale]
    corners = from_scale(np.linspace(to_scale(low), to_scale(high), bands + 2))
    hz = np.linspace(0, rate / 2, bins)[:, None]
    left, center, right = corners[:-2], corners[1:-1], corners[2:]
    matrix = np.maximum(0, np.minimum((hz - left) / (center - left),
                                      (right - hz) / (right - center)))
    return matrix * (2 / (right - left)) if norm else matrix


class FilterBank(Stage):
    """Sums of bins by a matrix [bins, bands]: [batch, frames, bins] to [batch, frames, bands].

    Neighbouring bands are one product over the bins with a factor other than 0. So the matrix must
    have its bands in order of frequency, to be fast and small.
    """

    def __init__(self, matrix: npt.ArrayLike) -> None:
        self.matrix = np.asarray(matrix, np.float32)
        if self.matrix.ndim != 2:
            raise Error(f"weft: frontends: FilterBank: the matrix has the shape "
                        f"{list(self.matrix.shape)}; must be [bins, bands]")

    def build(self, x: Any) -> Any:
        op, matrix = ops(), self._matrix_of(last_extent(x, type(self).__name__))
        groups = []
        for first in range(0, matrix.shape[1], _GROUP):
            columns = matrix[:, first:first + _GROUP]
            used = np.flatnonzero(columns.any(1))
            begin, end = (used[0], used[-1] + 1) if used.size else (0, 1)
            groups.append(op.matmul(part(x, begin, end, 2), floats(columns[begin:end]), False,
                                    False))
        return (op.concat(groups, 2) if len(groups) > 1 else groups[0]).output(0)

    def _matrix_of(self, bins: int) -> npt.NDArray[np.float32]:
        if self.matrix.shape[0] != bins:
            raise Error(f"weft: frontends: FilterBank: its input has {bins} bins; the matrix must "
                        f"have {bins} rows instead of {self.matrix.shape[0]}")
        return self.matrix


class MelBank(FilterBank):
    """Triangular filters at equal distances in mels; see ``filter_matrix`` for the arguments."""

    def __init__(self, rate: float, bands: int, *, low: float = 0, high: float | None = None,
                 scale: str = "slaney", norm: str | None = "slaney") -> None:
        self.arguments = {"rate": rate, "bands": bands, "low": low, "high": high, "scale": scale,
                          "norm": norm}
        filter_matrix(bins=2, **self.arguments)  # the errors of the arguments

    def _matrix_of(self, bins: int) -> npt.NDArray[np.float32]:
        return filter_matrix(bins=bins, **self.arguments).astype(np.float32)


class BarkBank(MelBank):
    """Triangular filters at equal distances in Bark (Traunmueller), with a maximum of 1."""

    def __init__(self, rate: float, bands: int, *, low: float = 0,
                 high: float | None = None) -> None:
        super().__init__(rate, bands, low=low, high=high, scale="bark", norm=None)
