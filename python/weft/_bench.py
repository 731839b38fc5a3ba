# SPDX-License-Identifier: Apache-2.0
"""Measures the time of runs, without Python code in between."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from weft._errors import Error
from weft._model import Model

_LEAST_RUNS, _MOST_RUNS = 10, 1_000_000


@dataclasses.dataclass(frozen=True)
class Times:
    """``nanoseconds`` of each run, ascending, without the time of reading the clock."""

    nanoseconds: npt.NDArray[np.uint64]

    def quantile(self, share: float) -> float:
        """Returns the microseconds that at least a fraction ``share`` (0 to 1) of the runs do not exceed."""
        count = len(self.nanoseconds)
        return float(self.nanoseconds[max(0, min(count, int(np.ceil(share * count))) - 1)]) / 1e3

    @property
    def median(self) -> float:
        """The median in microseconds."""
        return self.quantile(0.5)

    def misses(self, deadline: float) -> int:
        """Returns the number of runs that took longer than ``deadline`` microseconds."""
        return int(np.count_nonzero(self.nanoseconds > deadline * 1e3))

    def __repr__(self) -> str:
        return (f"<weft.Times {len(self.nanoseconds)} runs: median {self.median:.2f} us, "
                f"p99 {self.quantile(0.99):.2f} us, maximum {self.quantile(1):.2f} us>")


def bench(model: Model, inputs: Mapping[str | int, npt.ArrayLike] | None = None, *,
          runs: int | None = None, seconds: float = 1.0, warm_up: int = 10) -> Times:
    """Measures runs of a separate stream; the model's state does not change.

    inputs: arrays for every run, as for ``Model.run``. Default: pseudo-random numbers in [-1, 1) for
      floats, zeros for other types.
    runs: the number of measured runs.
    seconds: the measured time if ``runs`` is not given.
    warm_up: the number of runs before the measurement.
    """
    if (runs is not None and runs < 1) or warm_up < 0:
        raise Error(f"weft: bench: runs is {runs}, warm_up {warm_up}; must be at least 1, and 0")
    stream = model.streams(1)[0]
    stream._fill(_made(stream) if inputs is None else stream._arranged(inputs))
    if runs is None:
        first = stream._stream.time(_LEAST_RUNS, warm_up)
        wanted = seconds * 1e9 / max(1.0, float(np.median(first)))
        runs = int(min(_MOST_RUNS, max(_LEAST_RUNS, wanted)))
    return Times(np.sort(np.array(stream._stream.time(runs, warm_up), np.uint64)))


def _made(model: Model) -> list[npt.ArrayLike]:
    random = np.random.default_rng(1)
    arrays: list[Any] = []
    for i in range(len(model.inputs)):
        view = model.input_view(i)
        real = view.dtype.kind == "f"
        arrays.append(random.uniform(-1, 1, view.shape) if real else np.zeros_like(view))
    return arrays
