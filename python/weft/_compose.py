# SPDX-License-Identifier: Apache-2.0
"""Joins two OpenVINO models: outputs of the first become inputs of the second."""
from __future__ import annotations

import operator
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from weft._arguments import mapping
from weft._errors import Error
from weft.frontends._graph import Chain, openvino


def compose(front_end: Any, model: Any, ports: Mapping[str | int, str | int] | None = None) -> Any:
    """Returns the ``openvino.Model`` that runs ``front_end``, then ``model``.

    front_end: a ``weft.frontends.Chain``, or an ``openvino.Model``. A chain gets the number of steps
      that the input of ``model`` has.
    model: an ``openvino.Model``, or the path of a file that OpenVINO reads (.xml, .onnx, .tflite).
    ports: pairs of an output of the first and an input of the second, by name or index. Default: the
      only output and the only input, else ports of the same name.

    Other outputs and inputs stay ports of the result.
    """
    second = _read(model)
    first = _first_of(front_end, second, ports)
    pairs = _pairs(first, second, mapping("ports", ports))
    for output, parameter in pairs:
        _check_types(output, parameter)
    for output, parameter in pairs:
        parameter.output(0).replace(output.get_node().input_value(0))
    used = [output.get_node() for output, _ in pairs]
    replaced = [parameter for _, parameter in pairs]
    return openvino().Model(
        [*(result for result in first.get_results() if result not in used), *second.get_results()],
        [*first.get_sinks(), *second.get_sinks()],
        [*first.get_parameters(),
         *(parameter for parameter in second.get_parameters() if parameter not in replaced)],
        second.get_friendly_name())


def _read(model: Any) -> Any:
    module = openvino()
    if isinstance(model, module.Model):
        return model.clone()
    if not isinstance(model, (str, os.PathLike)):
        raise Error(f"weft: compose: model: is {type(model).__name__}; must be a path or an "
                    "openvino.Model")
    try:
        return module.Core().read_model(pathlib.Path(model))
    except RuntimeError as error:
        raise Error(f"{os.fspath(model)}: OpenVINO cannot read it: {error}") from error


def _first_of(front_end: Any, second: Any, ports: Mapping[str | int, str | int] | None) -> Any:
    if not isinstance(front_end, Chain):
        return _read(front_end)
    dynamic = front_end.model()
    _, parameter = _pairs(dynamic, second, mapping("ports", ports))[0]
    shape, time = parameter.get_partial_shape(), _time_axis(dynamic)
    if shape.rank.is_dynamic or time is None or time >= len(shape) or shape[time].is_dynamic:
        return dynamic
    return front_end.model(shape[time].get_length())


def _time_axis(dynamic: Any) -> int | None:
    """Returns the axis of the features that is time; None if their shape has none."""
    shape = dynamic.output(0).get_partial_shape()
    axes = [axis for axis in range(1, len(shape)) if shape[axis].is_dynamic]
    return axes[0] if axes else None


def _pairs(first: Any, second: Any, ports: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """Returns outputs of the first and parameters of the second that become one value."""
    outputs, inputs = first.outputs, second.inputs
    if ports:
        chosen = [(_port("output", outputs, key), _port("input", inputs, value))
                  for key, value in ports.items()]
    elif len(outputs) == 1 and len(inputs) == 1:
        chosen = [(outputs[0], inputs[0])]
    else:
        chosen = [(y, x) for y in outputs for x in inputs if y.names & x.names]
    if not chosen or len({inputs.index(x) for _, x in chosen}) < len(chosen):
        raise Error(f"weft: compose: outputs are {_names(outputs)}, inputs {_names(inputs)}; ports "
                    "must name pairs of both, each input once")
    return [(y, x.get_node()) for y, x in chosen]


def _port(kind: str, ports: list[Any], key: str | int) -> Any:
    if isinstance(key, str):
        found = [port for port in ports if key in _all_names(port)]
        if len(found) == 1:
            return found[0]
    elif -len(ports) <= operator.index(key) < len(ports):
        return ports[operator.index(key)]
    raise Error(f"weft: compose: {kind} {key!r}: does not exist; must be one of {_names(ports)}")


def _all_names(port: Any) -> set[str]:
    return {*port.names, port.get_node().get_friendly_name()}


def _names(ports: list[Any]) -> str:
    return ", ".join(f'"{min(port.names or _all_names(port))}"' for port in ports)


def _check_types(output: Any, parameter: Any) -> None:
    is_, must = output, parameter.output(0)
    if is_.get_element_type() != must.get_element_type() or \
            not is_.get_partial_shape().compatible(must.get_partial_shape()):
        raise Error(f"weft: compose: output {_names([is_])} is {_type(is_)}, input {_names([must])} is "
                    f"{_type(must)}; both must be the same")


def _type(port: Any) -> str:
    return f"{port.get_element_type().to_string()}{port.get_partial_shape()}"
