# SPDX-License-Identifier: Apache-2.0
"""Functions of single features, and the order of their axes."""
from __future__ import annotations

import math
from typing import Any

import numpy.typing as npt

from weft._errors import Error
from weft.frontends._graph import Stage, floats, ints, ops

_RANGES = {"i8": (-128, 127), "u8": (0, 255), "i16": (-32768, 32767)}


class Log(Stage):
    """``scale * ln(max(x, floor) + offset)``."""

    def __init__(self, floor: float = 1e-10, *, offset: float = 0, scale: float = 1) -> None:
        if not (floor >= 0 and offset >= 0 and floor + offset > 0):
            raise Error(f"weft: frontends: Log: floor is {floor} and offset {offset}; must be 0 or "
                        "more, and one of them more than 0")
        self.floor, self.offset, self.scale = floor, offset, scale

    def build(self, x: Any) -> Any:
        op = ops()
        if self.floor > 0:
            x = op.maximum(x, floats(self.floor))
        if self.offset > 0:
            x = op.add(x, floats(self.offset))
        y = op.log(x)
        return (y if self.scale == 1 else op.multiply(y, floats(self.scale))).output(0)


class Decibels(Log):
    """``10 * log10(max(x, floor) / reference)`` of powers."""

    def __init__(self, floor: float = 1e-10, *, reference: float = 1) -> None:
        if not reference > 0:
            raise Error(f"weft: frontends: Decibels: reference is {reference}; must be more than 0")
        super().__init__(floor, scale=10 / math.log(10))
        self.reference = reference

    def build(self, x: Any) -> Any:
        y = super().build(x)
        offset = 10 * math.log10(self.reference)
        return y if offset == 0 else ops().subtract(y, floats(offset)).output(0)


class Scale(Stage):
    """``x * factor + offset`` in f32, with numbers or one number for each feature. Samples of i16
    become f32: ``Scale(1 / 32768)``."""

    def __init__(self, factor: npt.ArrayLike = 1, offset: npt.ArrayLike = 0) -> None:
        self.factor, self.offset = factor, offset

    def build(self, x: Any) -> Any:
        op = ops()
        y = op.multiply(op.convert(x, "f32"), floats(self.factor))
        return op.add(y, floats(self.offset)).output(0)


class Quantise(Stage):
    """``x / scale + zero_point`` as integers of ``type``: the codes that an input of a quantised model
    takes. Rounds to the nearest integer, halves away from zero, and keeps to the range of the type, as
    the QUANTIZE of tflite-micro."""

    def __init__(self, scale: float, zero_point: int = 0, *, type: str = "i8") -> None:
        if type not in _RANGES:
            raise Error(f'weft: frontends: Quantise: type is "{type}"; must be one of '
                        f"{', '.join(_RANGES)}")
        if not 0 < scale < math.inf:
            raise Error(f"weft: frontends: Quantise: scale is {scale}; must be a number more than 0")
        low, high = _RANGES[type]
        if not low <= zero_point <= high:
            raise Error(f"weft: frontends: Quantise: zero_point is {zero_point}; must be {low} to "
                        f"{high}")
        self.scale, self.zero_point, self.type = scale, zero_point, type

    def build(self, x: Any) -> Any:
        op = ops()
        y = op.round(op.divide(x, floats(self.scale)), "half_away_from_zero")
        y = op.clamp(op.add(y, floats(self.zero_point)), *map(float, _RANGES[self.type]))
        return op.convert(y, self.type).output(0)


class Transpose(Stage):
    """Permutes the axes, as models require: ``Transpose(0, 2, 1)`` returns [batch, features, frames]."""

    def __init__(self, *order: int) -> None:
        self.order = order

    def build(self, x: Any) -> Any:
        if sorted(self.order) != list(range(len(x.get_partial_shape()))):
            raise Error(f"weft: frontends: Transpose: order is {list(self.order)}; must have each axis "
                        f"of {x.get_partial_shape()} once")
        return ops().transpose(x, ints(*self.order)).output(0)


class Unsqueeze(Stage):
    """Inserts an axis of one element: ``Unsqueeze(1)`` returns [batch, 1, frames, features]."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def build(self, x: Any) -> Any:
        return ops().unsqueeze(x, ints(self.axis)).output(0)
