# SPDX-License-Identifier: Apache-2.0
"""Shortcuts over OpenVINO's operation API: any operation by type, opset and attributes."""

import functools

import numpy as np
import openvino as ov
from openvino import opset1
from openvino.op import Constant
from openvino.utils.node_factory import NodeFactory

DTYPES = {
    "f32": ov.Type.f32,
    "f16": ov.Type.f16,
    "bf16": ov.Type.bf16,
    "f64": ov.Type.f64,
    "i8": ov.Type.i8,
    "u8": ov.Type.u8,
    "i16": ov.Type.i16,
    "i32": ov.Type.i32,
    "i64": ov.Type.i64,
    "boolean": ov.Type.boolean,
}


@functools.lru_cache(maxsize=None)
def _factory(opset):
    return NodeFactory(f"opset{opset}")


def node(kind, opset, inputs, **attributes):
    """Creates one operation. Arrays and numbers among the inputs become Constants."""
    sources = [
        source if hasattr(source, "get_element_type") or hasattr(source, "get_type_info") else
        constant(source) for source in inputs
    ]
    return _factory(opset).create(kind, [_output(source) for source in sources], attributes)


def _output(source):
    return source.output(0) if hasattr(source, "get_type_info") else source


def constant(value, name=None):
    """A Constant of the array's type; a Python int becomes i64 and a float f32."""
    if isinstance(value, float):
        value = np.float32(value)
    array = np.array(value)
    made = opset1.constant(array, dtype=array.dtype) if array.size else Constant(
        ov.Type(array.dtype), ov.Shape(array.shape), [])
    if name:
        made.set_friendly_name(name)
    return made


def parameter(shape, dtype=np.float32, name=None):
    """A Parameter with a fixed shape."""
    return opset1.parameter(list(shape), dtype=dtype, name=name)


def parameter_like(array, name=None):
    """A Parameter with the array's shape and type."""
    return parameter(array.shape, array.dtype.type, name)


def outputs_of(made):
    """All outputs of a node, of an output, or of a list of either, as a flat list."""
    if isinstance(made, (list, tuple)):
        return [output for item in made for output in outputs_of(item)]
    return list(made.outputs()) if hasattr(made, "get_type_info") else [made]


def finish(outputs, parameters, name, sinks=()):
    """Creates a model from a graph; outputs without a tensor name are named y0, y1 and so on."""
    results = []
    for index, output in enumerate(outputs_of(outputs)):
        if not output.get_names():
            output.get_tensor().set_names({f"y{index}"})
        results.append(opset1.result(output))
    if sinks:
        return ov.Model(results=results, sinks=list(sinks), parameters=list(parameters), name=name)
    return ov.Model(results, list(parameters), name)
