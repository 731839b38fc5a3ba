# SPDX-License-Identifier: Apache-2.0
"""The few operations that loop bodies need, for both graph nodes and NumPy arrays.

One body function can then build the model and run in tests/reference/iterate.py. For arrays the
arithmetic is float64; in a graph, weights given as arrays become Constants of the body.
"""

import numpy as np

from build import node
from reference import cells


def _arrays(*values):
    return all(isinstance(value, (np.ndarray, np.generic, int, float)) for value in values)


def _binary(kind, formula):
    def apply(a, b):
        return formula(a, b) if _arrays(a, b) else node(kind, 1, [a, b])

    return apply


def _unary(kind, formula):
    def apply(a):
        return formula(a) if _arrays(a) else node(kind, 1, [a])

    return apply


add = _binary("Add", np.add)
sub = _binary("Subtract", np.subtract)
mul = _binary("Multiply", np.multiply)
maximum = _binary("Maximum", np.maximum)
less = _binary("Less", np.less)
greater = _binary("Greater", np.greater)
both = _binary("LogicalAnd", np.logical_and)
tanh = _unary("Tanh", np.tanh)
relu = _unary("Relu", lambda a: np.maximum(a, 0))
sigmoid = _unary("Sigmoid", lambda a: 1 / (1 + np.exp(-a)))


def cast(a, dtype):
    """Converts to a NumPy type."""
    if _arrays(a):
        return np.asarray(a).astype(dtype)
    names = {np.float32: "f32", np.int32: "i32", np.int64: "i64", np.bool_: "boolean"}
    return node("Convert", 1, [a], destination_type=names[dtype])


def total(a):
    """The sum of all elements, a scalar."""
    if _arrays(a):
        return np.sum(a, dtype=np.asarray(a).dtype)
    axes = np.arange(len(a.get_shape() if hasattr(a, "get_shape") else a.output(0).get_shape()))
    return node("ReduceSum", 1, [a, axes], keep_dims=False)


def matmul(a, b, transpose_b=False):
    if _arrays(a, b):
        return a @ (np.swapaxes(b, -1, -2) if transpose_b else b)
    return node("MatMul", 1, [a, b], transpose_a=False, transpose_b=transpose_b)


def reshape(a, *shape):
    return a.reshape(shape) if _arrays(a) else node("Reshape", 1, [a, np.array(shape, np.int64)],
                                                    special_zero=False)


def squeeze(a, axis):
    return a.squeeze(axis) if _arrays(a) else node("Squeeze", 1, [a, np.array([axis], np.int64)])


def unsqueeze(a, axis):
    return np.expand_dims(a, axis) if _arrays(a) else node("Unsqueeze", 1,
                                                           [a, np.array([axis], np.int64)])


def lstm(x, hidden, cell, w, r, b):
    """Returns (hidden, cell)."""
    if _arrays(x):
        return cells.lstm_cell(x, hidden, cell, w, r, b)
    made = node("LSTMCell", 4, [x, hidden, cell, w, r, b], hidden_size=int(r.shape[-1]),
                activations=["sigmoid", "tanh", "tanh"])
    return made.output(0), made.output(1)


def gru(x, hidden, w, r, b, linear_before_reset=False):
    if _arrays(x):
        return cells.gru_cell(x, hidden, w, r, b, linear_before_reset)
    return node("GRUCell", 3, [x, hidden, w, r, b], hidden_size=int(r.shape[-1]),
                activations=["sigmoid", "tanh"], linear_before_reset=linear_before_reset)


def rnn(x, hidden, w, r, b):
    if _arrays(x):
        return cells.rnn_cell(x, hidden, w, r, b)
    return node("RNNCell", 1, [x, hidden, w, r, b], hidden_size=int(r.shape[-1]),
                activations=["tanh"])
