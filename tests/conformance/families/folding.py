# SPDX-License-Identifier: Apache-2.0
"""ShapeOf, Range and the arithmetic around them: all are folded, because every shape is static."""

import numpy as np

from build import node
from casebook import Case, counting, exact, i64, normal


def shape_of(x, opset=3, **attributes):
    return node("ShapeOf", opset, [x],
                **(attributes or ({"output_type": "i64"} if opset == 3 else {})))


def _pick(shape, *places):
    return node("Gather", 8, [shape, np.array(places, np.int64), np.int64(0)], batch_dims=0)


def _flatten_tail(x):
    """Reshape to [D0, D1 * D2] by arithmetic on the shape."""
    shape = shape_of(x)
    tail = node("Multiply", 1, [_pick(shape, 1), _pick(shape, 2)])
    return node("Reshape", 1, [x, node("Concat", 1, [_pick(shape, 0), tail], axis=0)],
                special_zero=False)


def _zero_state(x):
    """An initial state [batch, 16] derived from the input's shape, as exporters write it."""
    batch = _pick(shape_of(x), 1)
    return node("Broadcast", 3,
                [np.float32(0.25), node("Concat", 1, [batch, i64(16)], axis=0)], mode="numpy")


def cases():
    yield exact("folding/shape_of_1", [counting(2, 3, 5)], lambda x: shape_of(x, 1),
                lambda x: np.array(x.shape, np.int64))
    yield exact("folding/shape_of_3_i32", [counting(2, 3, 5)],
                lambda x: shape_of(x, 3, output_type="i32"), lambda x: np.array(x.shape, np.int32))
    yield exact("folding/shape_of_3_i64", [counting(17)], lambda x: shape_of(x),
                lambda x: np.array(x.shape, np.int64))
    yield exact("folding/reshape_by_shape_arithmetic", [counting(2, 3, 5)], _flatten_tail,
                lambda x: x.reshape(2, 15))
    yield exact("folding/state_from_batch", [counting(7, 3, 5)], _zero_state, lambda x: np.full(
        (3, 16), 0.25, np.float32))
    yield exact(
        "folding/range_1", [],
        lambda: node("Range", 1, [np.int64(2), np.int64(17), np.int64(3)]),
        lambda: np.arange(2, 17, 3))
    yield exact(
        "folding/range_4_f32", [],
        lambda: node("Range", 4, [np.float32(1), np.float32(
            -3), np.float32(-0.5)], output_type="f32"), lambda: np.arange(1, -3, -0.5, np.float32))
    yield exact(
        "folding/range_4_backward", [],
        lambda: node("Range", 4, [np.int32(9), np.int32(-1),
                                  np.int32(-1)], output_type="i64"), lambda: np.arange(9, -1, -1))
    yield exact(
        "folding/range_reverses_rows", [counting(6, 3)],
        lambda x: node("Gather", 8, [
            x,
            node("Range", 4, [np.int64(5), np.int64(-1), np.int64(-1)], output_type="i64"),
            np.int64(0)
        ], batch_dims=0), lambda x: x[::-1])

    def positions(x):
        length = node("Squeeze", 1, [_pick(shape_of(x), 1), i64(0)])
        steps = node("Range", 4, [np.int64(0), length, np.int64(1)], output_type="f32")
        return node("Add", 1, [x, node("Unsqueeze", 1, [steps, i64(1)])])

    yield exact("folding/positions_added", [counting(2, 7, 3)], positions,
                lambda x: x + np.arange(7, dtype=np.float32)[:, None])

    def last_frame(x):
        length = _pick(shape_of(x), 0)
        last = node("Subtract", 1, [length, i64(1)])
        return node("Slice", 8, [x, last, length, i64(1), i64(0)])

    yield exact("folding/last_frame_by_shape", [counting(7, 3)], last_frame, lambda x: x[6:])

    def conditioned(x):
        small = node("Less", 1, [_pick(shape_of(x), 0), i64(4)])
        scale = node("Select", 1, [small, np.array([2], np.float32), np.array([3], np.float32)])
        return node("Multiply", 1, [x, scale])

    yield exact("folding/select_by_shape", [counting(3, 5)], conditioned, lambda x: x * 2)
    w = normal("fold", 5, 7)
    yield Case(
        "folding/arithmetic_on_constants", [normal("foldx", 3, 7)],
        lambda x: node("MatMul", 1, [x, node("Tanh", 1, [node("Transpose", 1, [w, i64(1, 0)])])],
                       transpose_a=False, transpose_b=False), reference=lambda x: x @ np.tanh(w.T))
