# SPDX-License-Identifier: Apache-2.0
"""Converts an IR, an openvino.Model or a framework's file to a model."""
from __future__ import annotations

import os
import warnings as python_warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from weft import _core
from weft._arguments import integer, items, mapping, port, text
from weft._errors import Error
from weft._ir import Files, InMemory, ir_of
from weft._model import Model, Source, _as_array

_AIMS = {"min": _core.Aim.SMALLEST, "fastest": _core.Aim.FASTEST}
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_TYPES = {"float32": "f32", "float16": "f16", "float64": "f64", "int8": "i8", "uint8": "u8",
          "int16": "i16", "int32": "i32", "int64": "i64", "bool": "boolean",
          "uint16": "bf16"}  # the bits


def convert(model: Any, *, weights: str | os.PathLike[str] | None = None,
            shapes: Mapping[str | int, Sequence[int | str | None]] | None = None,
            values: Mapping[str | int, npt.ArrayLike] | None = None,
            states: Mapping[str | int, str | int] | None = None, streaming: bool | int = False,
            time_axis: Mapping[str | int, int] | None = None, streams: int = 0,
            precision: str = "auto", layer_precisions: Mapping[str, str] | None = None, arithmetic: str = "auto",
            arena_budget: int | str | None = None, max_iterations: int = 0,
            fold_budget: int | str = "1G", self_test: int = 0) -> Model:
    """Converts a model and loads the result.

    model: path of an OpenVINO IR (.xml) or of a TensorFlow Lite model (.tflite); an
      ``openvino.Model``; or, if OpenVINO is installed, the path of a file that it reads (.onnx, .pb).
    weights: path of the IR's weights. Default: the .bin file next to the IR.
    shapes: shapes of inputs, in elements; "?", None or -1 for a time axis of any length, with
      streaming. Here and below, inputs and outputs are specified by name or index.
    values: arrays of inputs that become constants, or one number for all elements of an input.
    states: pairs of an input and the output that is its value in the next run; starts with zeros.
    streaming: time steps per run (True: one), with state kept between runs.
    time_axis: with streaming, the time axis of an input or output. Default: found automatically.
    streams: number of independent streams that each run processes, as the batch, for
      :class:`weft.Streams`; 0 keeps the batch.
    precision: type of the weights of dense, convolution and recurrent layers: "f32", "f16", "bf16", "i8",
      "i8x8", "i8x32", "i4:32", "i4:64", "i4:128" or "auto", which stores weights as f16 if this is exact, or
      large ones as i8x32, else as f32. Integers narrow every layer: nothing is measured, unlike in the command.
    layer_precisions: exceptions, by the layer's name.
    arithmetic: rounding of int8 layers: "xnnpack" in f32, as LiteRT on desktops; "micro" by integers,
      with the codes of tflite-micro and CMSIS-NN; "auto" is "micro" for .tflite files.
    arena_budget: maximum scratch in bytes, as 65536 or "64K"; "min" for the smallest plan, "fastest"
      for the fastest.
    max_iterations: limit of loops whose trip count is known only at run time; 0 rejects them.
    fold_budget: maximum bytes of constants that are computed during conversion, and of their computation.
    self_test: number of runs to store with their outputs, which a board can repeat and compare.

    Raises ``weft.Error`` with all errors of the model.
    """
    options = _core.Options()
    options.shapes = {port("shapes", name): [_size(name, size)
                                             for size in items(f'shapes: "{name}"', shape)]
                      for name, shape in mapping("shapes", shapes).items()}
    options.states = [(port("states", name), port(f'states: "{name}"', output))
                      for name, output in mapping("states", states).items()]
    options.streaming_steps = None if streaming is False else _int64("streaming", streaming)
    options.time_axes = [(port("time_axis", name), _int64(f'time_axis: "{name}"', axis))
                         for name, axis in mapping("time_axis", time_axis).items()]
    options.streams = _int64("streams", streams)
    options.precision = text("precision", precision)
    options.arithmetic = text("arithmetic", arithmetic)
    options.layer_precisions = {text("layer_precisions", layer): text(f'layer_precisions: "{layer}"', kind)
                                for layer, kind in mapping("layer_precisions", layer_precisions).items()}
    _take_budget(options, arena_budget)
    options.max_iterations = _int64("max_iterations", max_iterations)
    options.fold_budget_bytes = _byte_count("fold_budget", fold_budget)
    options.self_test_runs = _limited("self_test", integer("self_test", self_test), (1 << 32) - 1)
    rows = [_value_row(port("values", name), array) for name, array in mapping("values", values).items()]
    other_ports = bool(streaming is not False or streams or values or states)
    return _converted(ir_of(model, weights), options, rows, other_ports)


def _converted(ir: Files | InMemory, options: _core.Options, rows: list[Any], other_ports: bool,
               layers: Sequence[tuple[int, int]] = ()) -> Model:
    options.set_layer_outputs(list(layers))
    if isinstance(ir, InMemory):
        options.name = name = ir.name
        file, warnings = _core.convert(_as_array(ir.xml), _as_array(ir.weights), options, rows)
    else:
        name = os.fspath(ir.model)
        file, warnings = _core.convert_file(name, os.fspath(ir.weights or ""), options, rows)
    for line in warnings:
        python_warnings.warn(line, stacklevel=3)
    source = Source(ir, dict(options.shapes), other_ports,
                    lambda outputs: _converted(ir, options, rows, other_ports, outputs))
    return Model(_core.Stream(_as_array(file), name), source)


def _size(name: str | int, size: int | str | None) -> int:
    """Returns a dimension; -1 for a dynamic one."""
    if size is None or size == "?":
        return -1
    most = (1 << 31) - 1
    dim = integer(f'shapes: "{name}": a dimension', size)
    if not -1 <= dim <= most:
        raise Error(f'weft: shapes: "{name}": has dimension {dim}; must be 0 to {most}, or -1, None or '
                    '"?" for any length')
    return dim


def _byte_count(name: str, value: int | str) -> int:
    if not isinstance(value, str):
        return _limited(name, integer(name, value))
    digits, unit = (value[:-1], value[-1].upper()) if value[-1:].isalpha() else (value, "")
    if not digits.isdecimal() or unit not in _UNITS:
        raise Error(f'weft: {name}: is "{value}"; must be a number of bytes, such as 65536 or "64K"')
    return _limited(name, int(digits) * _UNITS[unit])


def _int64(name: str, value: int) -> int:
    return _limited(name, integer(name, value), least=-(1 << 63))


def _limited(name: str, count: int, most: int = (1 << 63) - 1, least: int = 0) -> int:
    if not least <= count <= most:
        raise Error(f"weft: {name}: is {count}; must be {least} to {most}")
    return count


def _take_budget(options: _core.Options, budget: int | str | None) -> None:
    if isinstance(budget, str) and budget in _AIMS:
        options.arena_aim = _AIMS[budget]
    elif budget is not None:
        options.arena_budget_bytes = _byte_count("arena_budget", budget)


def _value_row(name: str, value: npt.ArrayLike) -> tuple[str, str, list[int], Any]:
    array = np.ascontiguousarray(value)
    if array.dtype.name not in _TYPES:
        raise Error(f'weft: value of "{name}": is {array.dtype}; must be one of '
                    f"{', '.join(_TYPES)}")
    shape = list(np.shape(value))  # ascontiguousarray adds an axis to a scalar
    return name, _TYPES[array.dtype.name], shape, array.reshape(-1).view(np.uint8)
