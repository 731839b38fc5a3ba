#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the models whose footprint is measured, with OpenVINO and random weights.

    export.py OUTPUT_DIR [MODEL...]

An MLP 64-64-64-10, an LSTM and a GRU of 64 units over 100 steps of 32 inputs with a dense head of
32, and DS-CNN-S: a convolution, four pairs of a depthwise and a pointwise one over 25 x 5 pixels of
64 channels, and a dense head of 12. NAME_int8 is such a model after int8 calibration. The files are
stored in models/; run this script only to change the models.
"""
import pathlib
import sys

import numpy as np
import openvino as ov
from openvino import opset5 as op

RANDOM = np.random.default_rng(1)


def weights(*shape):
    return op.constant((RANDOM.standard_normal(shape) * 0.2).astype(np.float32))


def dense(x, inputs, outputs):
    return op.add(op.matmul(x, weights(outputs, inputs), False, True), weights(1, outputs))


def mlp():
    x = op.parameter([1, 64], np.float32, name="x")
    hidden = op.relu(dense(x, 64, 64))
    hidden = op.relu(dense(hidden, 64, 64))
    return ov.Model([dense(hidden, 64, 10)], [x], "mlp")


def recurrent(kind):
    x = op.parameter([1, 100, 32], np.float32, name="x")
    gates = 4 if kind == "lstm" else 3
    initial = op.constant(np.zeros((1, 1, 64), np.float32))
    lengths = op.constant(np.array([100], np.int64))
    cell = (weights(1, gates * 64, 32), weights(1, gates * 64, 64), weights(1, gates * 64))
    if kind == "lstm":
        sequence = op.lstm_sequence(x, initial, initial, lengths, *cell, 64, "forward")
    else:
        sequence = op.gru_sequence(x, initial, lengths, *cell, 64, "forward")
    last = op.reshape(sequence.output(1), op.constant(np.array([1, 64], np.int64)), False)
    return ov.Model([dense(last, 64, 32)], [x], kind)


def dscnn():
    stay = [0, 0]

    def ends(y):
        return op.relu(op.add(y, weights(1, 64, 1, 1)))

    x = op.parameter([1, 1, 49, 10], np.float32, name="x")
    y = ends(op.convolution(x, weights(64, 1, 10, 4), [2, 2], [4, 1], [5, 1], [1, 1]))
    for _ in range(4):
        y = ends(op.group_convolution(y, weights(64, 1, 1, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1]))
        y = ends(op.convolution(y, weights(64, 64, 1, 1), [1, 1], stay, stay, [1, 1]))
    mean = op.reduce_mean(y, op.constant(np.array([2, 3], np.int64)), False)
    return ov.Model([op.softmax(dense(mean, 64, 12), 1)], [x], "dscnn")


# Operations with quantised data -> the output axis of their weights, by input port.
CALIBRATED = {
    "MatMul": {1: 0}, "Convolution": {1: 0}, "GroupConvolution": {1: 0}, "ReduceMean": {},
    "LSTMSequence": {4: 1, 5: 1}
}
SAMPLES = 64


def extremes(model, values):
    """Minimum and maximum of each of these values over random inputs."""
    random = np.random.default_rng(2)
    traced = ov.Model(values, model.get_parameters(), "traced")
    compiled = ov.Core().compile_model(traced, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    shape = model.input(0).shape
    runs = [list(compiled([random.standard_normal(shape, np.float32)]).values())
            for _ in range(SAMPLES)]
    return [(min(run[i].min() for run in runs), max(run[i].max() for run in runs))
            for i in range(len(values))]


def on_levels(value, least, most):
    """Quantises a value to 256 levels, symmetric if it has negative numbers."""
    lowest, highest = (0, 255) if least >= 0 else (-128, 127)
    step = np.ceil(max(most / highest, least / min(lowest, -1)) * 4096) / 4096
    ends = (step * lowest, step * highest)
    low, high = (op.constant(np.float32(end)) for end in ends)
    return op.fake_quantize(value, low, high, low, high, 256).output(0)


def in_integers(constant, axis):
    """Quantises weights to the nearest int8 values, with one scale per output."""
    axes = tuple(i for i in range(constant.data.ndim) if i != axis)
    scales = np.abs(constant.data).max(axes, keepdims=True) / np.float32(127)
    narrow = op.constant(np.rint(constant.data / scales).astype(np.int8))
    return op.multiply(op.convert(narrow, np.float32), op.constant(scales)).output(0)


def calibrated(model):
    """Adds FakeQuantize to the input of every layer; weights become int8 times a scale."""
    layers = [node for node in model.get_ordered_ops() if node.get_type_name() in CALIBRATED]
    values = [layer.input_value(0) for layer in layers]
    made = [on_levels(*each) for each in zip(values, *zip(*extremes(model, values)))]
    for layer, value in zip(layers, made):
        layer.input(0).replace_source_output(value)
        for port, axis in CALIBRATED[layer.get_type_name()].items():
            weights_of = layer.input_value(port).get_node()
            layer.input(port).replace_source_output(in_integers(weights_of, axis))
    model.validate_nodes_and_infer_types()
    model.set_friendly_name(model.get_friendly_name() + "_int8")
    return model


def main():
    folder, *wanted = sys.argv[1:]
    made = [mlp(), recurrent("lstm"), recurrent("gru"), dscnn()]
    floats = {model.get_friendly_name(): model for model in made}
    made += [calibrated(floats[name].clone()) for name in ("mlp", "lstm", "dscnn")]
    for model in made:
        name = model.get_friendly_name()
        if not wanted or name in wanted:
            ov.save_model(model, pathlib.Path(folder) / f"{name}.xml", compress_to_fp16=False)


if __name__ == "__main__":
    main()
