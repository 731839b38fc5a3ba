# SPDX-License-Identifier: Apache-2.0
"""OpenVINO graphs of front ends: nodes, stages, and chains of stages."""
from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from weft._convert import convert
from weft._errors import Error
from weft._ir import _openvino
from weft._model import Model

_TYPES = ("f32", "i16")
_MAX_KEPT = 16  # conversions of one chain, one for each length of its input


def openvino() -> Any:
    """Returns the module ``openvino``."""
    module = _openvino()
    if module is None:
        raise Error("weft: frontends: OpenVINO is not installed; it must be, to build graphs: "
                    "pip install openvino")
    return module


def ops(name: str = "opset13") -> Any:
    """Returns the functions of an operation set."""
    module = getattr(openvino(), name, None)
    if module is None:
        raise Error(f"weft: frontends: OpenVINO {openvino().__version__} has no {name}; must be "
                    "2025.0 or newer")
    return module


def floats(values: npt.ArrayLike) -> Any:
    """Returns a constant of f32."""
    return ops().constant(np.asarray(values, np.float32))


def ints(*values: int) -> Any:
    """Returns a constant vector of i64."""
    return ops().constant(np.array(values, np.int64))


def part(x: Any, begin: int, end: int, axis: int) -> Any:
    """Returns the elements from ``begin`` up to ``end`` of an axis."""
    return ops().slice(x, ints(begin), ints(end), ints(1), ints(axis)).output(0)


def transposed(x: Any) -> Any:
    """Exchanges the last two of three axes."""
    return ops().transpose(x, ints(0, 2, 1))


def padded(x: Any, begin: int, end: int = 0) -> Any:
    """Returns ``x`` with zeros before the first and after the last element of axis 1."""
    if begin == 0 and end == 0:
        return x
    rest = [0] * (rank(x) - 2)
    zero = ops().constant(0, x.get_element_type().to_dtype())
    return ops().pad(x, ints(0, begin, *rest), ints(0, end, *rest), "constant", zero).output(0)


def rank(x: Any) -> int:
    return len(x.get_partial_shape())


def last_extent(x: Any, who: str) -> int:
    """Returns the number of elements along the last axis, which must be fixed."""
    extent = x.get_partial_shape()[-1]
    if extent.is_dynamic:
        raise Error(f"weft: frontends: {who}: its input is {x.get_partial_shape()}; the last axis "
                    "must have a fixed length")
    return extent.get_length()


def over_time(body: Any, x: Any, states: list[npt.NDArray[Any] | Any], hop: int = 1) -> Any:
    """Returns the results of a recurrence over axis 1 of ``x``, concatenated along axis 1.

    body: function of a slice of ``hop`` positions and of the states, to the result and to the next
      states. states: the first values; arrays are constants.
    """
    op, module = ops(), openvino()
    shape = x.get_partial_shape()
    shape[1] = hop
    slice_ = op.parameter(shape, x.get_element_type())
    first = [op.constant(state).output(0) if isinstance(state, np.ndarray) else state
             for state in states]
    before = [op.parameter(state.get_partial_shape(), state.get_element_type()) for state in first]
    y, *after = body(slice_.output(0), *(state.output(0) for state in before))
    results = [op.result(value) for value in (y, *after)]
    loop = op.tensor_iterator()
    loop.set_body(module.Model(results, [slice_, *before]))
    loop.set_sliced_input(slice_, x, 0, hop, hop, -1, 1)
    for state, value, result in zip(before, first, results[1:]):
        loop.set_merged_input(state, value, result.output(0))
    out = loop.get_concatenated_slices(results[0].output(0), 0, 1, 1, -1, 1)
    loop.validate_and_infer_types()
    return out


class Stage:
    """A part of a front end. Axis 0 is the batch, axis 1 is time."""

    def build(self, x: Any) -> Any:
        """Returns the output of the stage for an output of a graph."""
        raise NotImplementedError

    def input_length(self, length: int) -> int:
        """Returns the positions of the input's time axis from which ``length`` positions follow."""
        return length


class Chain(Stage):
    """Stages in sequence: ``Chain(Spectrum(400, 160), Power(), MelBank(16000, 40), Log())``.

    The input has the shape [batch, samples]. ``input`` is its type: f32, or i16.
    """

    def __init__(self, *stages: Stage, input: str = "f32") -> None:
        if input not in _TYPES:
            raise Error(f'weft: frontends: input: is "{input}"; must be one of {", ".join(_TYPES)}')
        if not stages or not all(isinstance(stage, Stage) for stage in stages):
            raise TypeError("weft: frontends: Chain: must have one or more stages")
        self.stages = stages
        self.input = input
        self._converted = functools.lru_cache(_MAX_KEPT)(self._convert)

    def build(self, x: Any) -> Any:
        for stage in self.stages:
            x = stage.build(x)
        return x

    def input_length(self, length: int) -> int:
        for stage in reversed(self.stages):
            length = stage.input_length(length)
        return length

    def model(self, steps: int | None = None) -> Any:
        """Returns an ``openvino.Model`` from "samples" to "features".

        steps: positions of the output's time axis. Default: a dynamic number.
        """
        return self.model_of(1, -1 if steps is None else self.input_length(steps))

    def model_of(self, batch: int, samples: int) -> Any:
        """Returns the model of an input with the shape [batch, samples]; -1 is dynamic."""
        op, module = ops(), openvino()
        x = op.parameter([batch, samples], getattr(module.Type, self.input), "samples")
        x.output(0).get_tensor().set_names({"samples"})
        result = op.result(self.build(x.output(0)))
        result.set_friendly_name("features")
        result.output(0).get_tensor().set_names({"features"})
        return module.Model([result], [x], "front_end")

    def numpy(self, x: npt.ArrayLike) -> npt.NDArray[Any]:
        """Returns the features of an array [samples] or [batch, samples], with the bits that every
        target computes: weft converts and runs the graph. Conversions are cached by shape."""
        array = np.asarray(x)
        rows = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
        y = self._converted(*rows.shape)(rows)
        return y[0] if array.ndim < 2 else y

    def _convert(self, batch: int, samples: int) -> Model:
        return convert(self.model_of(batch, samples))


def divided(length: int, numerator: int, denominator: int, who: str) -> int:
    """Returns ``length * numerator / denominator``, which must be an integer."""
    if length * numerator % denominator:
        step = denominator // math.gcd(numerator, denominator)
        raise Error(f"weft: frontends: {who}: {length} positions of its output are no integer number "
                    f"of positions of its input; must be a multiple of {step}")
    return length * numerator // denominator
