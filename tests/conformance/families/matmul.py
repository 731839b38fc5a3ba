# SPDX-License-Identifier: Apache-2.0
"""MatMul: transposes, batches, broadcast batches, vectors, weights that are constants or inputs."""

import numpy as np

from build import node
from casebook import NARROW, Case, exact, integers, normal, recurrent, sizes

# a, b, transpose_a, transpose_b
SHAPES = [
    ((1, 1), (1, 1), False, False),
    ((3, 17), (17, 16), False, False),
    ((17, 3), (17, 15), True, False),
    ((3, 16), (33, 16), False, True),
    ((15, 4), (17, 15), True, True),
    ((1, 33), (33, 17), False, False),
    ((1, 16), (16, 16), False, True),
    ((2, 3, 5), (2, 5, 7), False, False),
    ((2, 5, 3), (2, 7, 5), True, True),
    ((4, 1, 3, 5), (2, 5, 6), False, False),
    ((2, 1, 3, 5), (1, 4, 5, 2), False, False),
    ((3, 5), (2, 5, 4), False, False),
    ((2, 3, 17), (17, 5), False, False),
    ((2, 3, 17), (5, 17), False, True),
    ((5,), (5,), False, False),
    ((17,), (17, 16), False, False),
    ((3, 17), (17,), False, False),
    ((17,), (2, 17, 3), False, False),
    ((2, 3, 15), (15,), False, False),
    ((5,), (5,), True, True),
    ((17,), (17, 5), True, False),
    ((3, 17), (17,), False, True),
    ((33, 64), (64, 33), False, False),
]


def _label(a, b, transpose_a, transpose_b):
    return "_".join(
        sizes(shape) + ("t" if turned else "")
        for shape, turned in ((a, transpose_a), (b, transpose_b)))


def _product(a, b, transpose_a, transpose_b):
    """The specification's rule: transposes do not apply to vectors."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    a = np.swapaxes(a, -1, -2) if transpose_a and a.ndim > 1 else a
    b = np.swapaxes(b, -1, -2) if transpose_b and b.ndim > 1 else b
    return np.matmul(a, b)


def _node(a, b, transpose_a, transpose_b):
    return node("MatMul", 1, [a, b], transpose_a=transpose_a, transpose_b=transpose_b)


def _all():
    for index, (left, right, *turned) in enumerate(SHAPES):
        label = _label(left, right, *turned)
        a, b = normal(label, *left), normal(label + "b", *right)
        yield Case(f"matmul/{label}", [a, b], lambda a, b, turned=turned: _node(a, b, *turned),
                   reference=lambda a, b, turned=turned: _product(a, b, *turned))
        if index % 2 and len(left) > 1 or index in (2, 4, 12):
            yield Case(f"matmul/{label}_const_right", [a],
                       lambda a, b=b, turned=turned: _node(a, b, *turned),
                       reference=lambda a, b=b, turned=turned: _product(a, b, *turned))
        if index in (1, 3, 9, 16):
            yield Case(f"matmul/{label}_const_left", [b],
                       lambda b, a=a, turned=turned: _node(a, b, *turned),
                       reference=lambda b, a=a, turned=turned: _product(a, b, *turned))


def _networks():
    w1, b1, w2, b2 = normal("w1", 16, 33,
                            scale=0.2), normal("b1", 33), normal("w2", 5, 33,
                                                                 scale=0.2), normal("b2", 1, 5)

    def graph(x):
        middle = node("Relu", 1, [node("Add", 1, [_node(x, w1, False, False), b1])])
        return node("Softmax", 8, [node("Add", 1, [_node(middle, w2, False, True), b2])], axis=-1)

    def reference(x):
        last = np.maximum(x @ w1 + b1, 0) @ w2.T + b2
        raised = np.exp(last - last.max(-1, keepdims=True))
        return raised / raised.sum(-1, keepdims=True)

    yield Case("matmul/perceptron", [normal("px", 3, 16)], graph, reference=reference)
    yield recurrent("matmul/perceptron_f16_weights", [normal("px", 3, 16)], graph, None,
                    compress=True,
                    note="The weights are stored as f16 behind a decompression Convert.")
    yield Case("matmul/square_of_input", [normal("soi", 5, 5)], lambda a: _node(a, a, False, True),
               reference=lambda a: a @ a.T)

    def attention(q, k, v):
        scores = node("Multiply", 1, [_node(q, k, False, True), 0.25])
        return _node(node("Softmax", 8, [scores], axis=-1), v, False, False)

    def attend(q, k, v):
        scores = np.exp(q @ np.swapaxes(k, -1, -2) * 0.25)
        return scores / scores.sum(-1, keepdims=True) @ v

    yield Case("matmul/attention",
               [normal("q", 1, 2, 7, 16),
                normal("k", 1, 2, 9, 16),
                normal("v", 1, 2, 9, 15)], attention, reference=attend)


def _integers():
    for turn, (left, right, turn_a, turn_b) in enumerate(
            (((3, 17), (17, 5), False, False), ((17, 3), (5, 17), True, True),
             ((2, 1, 3, 4), (3, 4, 2), False, False), ((9,), (9,), False, False))):
        label = f"i32_{sizes(left)}_{sizes(right)}"
        yield exact(f"matmul/{label}",
                    [integers(label, -99, 99, *left), integers(label + "r", -99, 99, *right)],
                    lambda a, b, ta=turn_a, tb=turn_b: _node(a, b, ta, tb),
                    lambda a, b, ta=turn_a, tb=turn_b: (a.T if ta else a) @ (b.T if tb else b))
    strides = np.array([[12], [4], [1]], np.int64)
    yield exact("matmul/i64_flat_indices", [integers("flat", 0, 3, 5, 3, dtype=np.int64)],
                lambda a: _node(a, strides, False, False), lambda a: a @ strides,
                note="How exporters turn indices of several axes into one.")
    wide = np.array([[16777217, 1], [2**31 - 1, 2]], np.int32)
    yield exact("matmul/i32_wraps", [wide, np.array([[1, 3], [2, 5]], np.int32)],
                lambda a, b: _node(a, b, False, False), lambda a, b: a @ b,
                oracle="numpy", differs="OpenVINO's CPU device multiplies integers as floats.")
    yield exact("matmul/i64_wraps", [wide.astype(np.int64) << 32, np.full((2, 1), 7, np.int64)],
                lambda a, b: _node(a, b, False, False), lambda a, b: a @ b, **NARROW)
    weights = integers("mmi", -128, 128, 17, 5, dtype=np.int8)

    def dynamically_quantised(x):
        centred = node("Subtract", 1, [node("Convert", 1, [x], destination_type="i32"),
                                       np.int32(131)])
        wide_weights = node("Convert", 1, [weights], destination_type="i32")
        return _node(centred, wide_weights, False, False)

    yield exact("matmul/u8_by_i8", [integers("mmx", 0, 256, 3, 17, dtype=np.uint8)],
                dynamically_quantised,
                lambda x: (x.astype(np.int32) - 131) @ weights.astype(np.int32),
                note="ONNX MatMulInteger as the frontend leaves it.")


def cases():
    yield from _all()
    yield from _integers()
    yield from _networks()
