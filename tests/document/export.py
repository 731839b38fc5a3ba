#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Creates the files used by README's commands: export.py FOLDER. Requires numpy, onnx and openvino.

model.onnx has a GRU over a dynamic time axis. cell.xml is one step of an LSTM whose states are ports.
y.npy is the output of ONNX's reference evaluator for x.npy; expected/ has OpenVINO's values after the GRU.
"""
import pathlib
import sys

import numpy as np
import onnx
import openvino
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

INPUTS, UNITS, OUTPUTS, STEPS = 13, 8, 4, 25
RANDOM = np.random.default_rng(1)


def weights(name, *shape):
    """A constant of small random numbers."""
    return numpy_helper.from_array((RANDOM.standard_normal(shape) * 0.3).astype(np.float32), name)


def port(name, *shape):
    """An f32 input or output."""
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def onnx_of(nodes, inputs, outputs, constants):
    """A checked model of opset 17."""
    graph = helper.make_graph(nodes, "readme", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def sequence():
    """x[1,t,13] -> GRU -> product -> y[1,t,4]."""
    nodes = [
        helper.make_node("Transpose", ["x"], ["steps"], perm=[1, 0, 2]),
        helper.make_node("GRU", ["steps", "W", "R", "B"], ["all", ""], hidden_size=UNITS, linear_before_reset=1),
        helper.make_node("Squeeze", ["all", "directions"], ["hidden"]),
        helper.make_node("Transpose", ["hidden"], ["features"], perm=[1, 0, 2]),
        helper.make_node("MatMul", ["features", "V"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["y"], axis=-1),
    ]
    constants = [
        weights("W", 1, 3 * UNITS, INPUTS), weights("R", 1, 3 * UNITS, UNITS), weights("B", 1, 6 * UNITS),
        weights("V", UNITS, OUTPUTS), numpy_helper.from_array(np.array([1], np.int64), "directions")
    ]
    return onnx_of(nodes, [port("x", 1, "t", INPUTS)], [port("y", 1, "t", OUTPUTS)], constants)


def cell():
    """x, h0, c0 -> LSTM over one step -> hn, cn."""
    nodes = [helper.make_node("LSTM", ["x", "W", "R", "B", "", "h0", "c0"], ["", "hn", "cn"], hidden_size=UNITS)]
    constants = [weights("W", 1, 4 * UNITS, INPUTS), weights("R", 1, 4 * UNITS, UNITS), weights("B", 1, 8 * UNITS)]
    state = (1, 1, UNITS)
    return onnx_of(nodes, [port("x", 1, 1, INPUTS), port("h0", *state), port("c0", *state)],
                   [port("hn", *state), port("cn", *state)], constants)


def save_ir(model, path):
    """Saves an IR like `ovc --compress_to_fp16=False`."""
    onnx.save(model, path.with_suffix(".onnx"))
    converted = openvino.convert_model(path.with_suffix(".onnx"))
    openvino.save_model(converted, path.with_suffix(".xml"), compress_to_fp16=False)
    return converted


def main():
    """Writes all files."""
    folder = pathlib.Path(sys.argv[1])
    (folder / "expected").mkdir(parents=True, exist_ok=True)
    save_ir(cell(), folder / "cell")
    (folder / "cell.onnx").unlink()
    model = sequence()
    converted = save_ir(model, folder / "model")
    x = RANDOM.standard_normal((1, STEPS, INPUTS)).astype(np.float32)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", ReferenceEvaluator(model).run(None, {"x": x})[0])
    named = {name: output for node in converted.get_ordered_ops() for output in node.outputs()
             for name in output.get_names()}
    parameters = converted.get_parameters()
    for name in ("features", "scores"):
        part = openvino.Model([named[name]], parameters, "part")
        # By default OpenVINO computes in bf16 on processors that support it.
        hint = {"INFERENCE_PRECISION_HINT": "f32"}
        answer = openvino.compile_model(part, "CPU", hint)({0: x})[0]
        np.save(folder / "expected" / f"{name}.npy", answer)


if __name__ == "__main__":
    main()
