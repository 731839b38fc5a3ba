# SPDX-License-Identifier: Apache-2.0
"""Features relative to running means over time."""
from __future__ import annotations

from typing import Any

import numpy as np

from weft._errors import Error
from weft.frontends._graph import Stage, floats, over_time, ops, part


def _check_smoothing(who: str, smoothing: float) -> None:
    if not 0 < smoothing <= 1:
        raise Error(f"weft: frontends: {who}: smoothing is {smoothing}; must be above 0 and at most 1")


def _moved(mean: Any, x: Any, smoothing: float) -> Any:
    """Returns ``mean + smoothing * (x - mean)``."""
    op = ops()
    return op.add(mean, op.multiply(op.subtract(x, mean), floats(smoothing))).output(0)


def _first(x: Any, initial: float | None) -> Any:
    """Returns the state before the first frame: a number, or the first frame itself."""
    if initial is None:
        return part(x, 0, 1, 1)
    batch, _, features = (extent.get_length() if extent.is_static else 1
                          for extent in x.get_partial_shape())
    return np.full((batch, 1, features), initial, np.float32)


class PCAN(Stage):
    """Per-channel amplitude normalisation: ``x / (offset + m)^strength``, where m is the running mean
    ``m + smoothing * (x - m)`` of each feature.

    initial: m before the first frame; None is the first frame.
    """

    def __init__(self, strength: float = 0.95, offset: float = 80, *, smoothing: float = 0.025,
                 initial: float | None = 0) -> None:
        _check_smoothing(type(self).__name__, smoothing)
        if not offset > 0:
            raise Error(f"weft: frontends: {type(self).__name__}: offset is {offset}; must be more "
                        "than 0")
        self.strength, self.offset, self.smoothing = strength, offset, smoothing
        self.initial = initial

    def build(self, x: Any) -> Any:
        op = ops()
        mean = over_time(self._next, x, [_first(x, self.initial)])
        gain = op.power(op.add(mean, floats(self.offset)), floats(-self.strength))
        return op.multiply(x, gain).output(0)

    def _next(self, x: Any, mean: Any) -> tuple[Any, Any]:
        moved = _moved(mean, x, self.smoothing)
        return moved, moved


class PCEN(PCAN):
    """Per-channel energy normalisation: ``(x / (eps + m)^gain + bias)^power - bias^power``; m as in
    ``PCAN``. ``librosa.pcen`` begins with ``initial=1``, its ``b`` is ``smoothing``."""

    def __init__(self, gain: float = 0.98, bias: float = 2, power: float = 0.5, *,
                 smoothing: float = 0.025, eps: float = 1e-6, initial: float | None = None) -> None:
        super().__init__(gain, eps, smoothing=smoothing, initial=initial)
        if not (bias > 0 and power > 0):
            raise Error(f"weft: frontends: PCEN: bias is {bias} and power {power}; must be more than "
                        "0")
        self.bias, self.power = bias, power

    def build(self, x: Any) -> Any:
        op = ops()
        y = op.power(op.add(super().build(x), floats(self.bias)), floats(self.power))
        return op.subtract(y, floats(self.bias ** self.power)).output(0)


class RunningNorm(Stage):
    """``(x - m) / sqrt(v + eps)`` of each feature, with the running mean ``m + smoothing * (x - m)``
    and the running variance of ``x - m``. Without ``variance``: ``x - m``.

    initial: m before the first frame; None is the first frame. v begins as 1.
    """

    def __init__(self, smoothing: float = 0.01, *, variance: bool = True, eps: float = 1e-5,
                 initial: float | None = None) -> None:
        _check_smoothing("RunningNorm", smoothing)
        self.smoothing, self.variance, self.eps, self.initial = smoothing, variance, eps, initial

    def build(self, x: Any) -> Any:
        states = [_first(x, self.initial)] + ([_first(x, 1)] if self.variance else [])
        return over_time(self._next, x, states)

    def _next(self, x: Any, mean: Any, *variance: Any) -> tuple[Any, ...]:
        op = ops()
        mean = _moved(mean, x, self.smoothing)
        rest = op.subtract(x, mean)
        if not variance:
            return rest.output(0), mean
        moved = _moved(variance[0], op.multiply(rest, rest), self.smoothing)
        y = op.divide(rest, op.sqrt(op.add(moved, floats(self.eps))))
        return y.output(0), mean, moved
