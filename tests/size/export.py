#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the models whose footprint is measured, with OpenVINO and random weights.

    export.py OUTPUT_DIR

An MLP 64-64-64-10, and an LSTM and a GRU of 64 units over 100 steps of 32 inputs with a dense head
of 32. Their files stand in models/; only a change of the models themselves needs this.
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


def main():
    folder = pathlib.Path(sys.argv[1])
    for model in (mlp(), recurrent("lstm"), recurrent("gru")):
        path = folder / f"{model.get_friendly_name()}.xml"
        ov.save_model(model, path, compress_to_fp16=False)


if __name__ == "__main__":
    main()
