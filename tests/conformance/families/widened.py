# SPDX-License-Identifier: Apache-2.0
"""Constants of type u16, u32, u64 and u1, as axes, shapes and indices and before a Convert."""

import numpy as np
import openvino as ov
from onnx import helper
from openvino.op import Constant

from build import node
from casebook import counting, exact, integers, normal
from families.from_onnx import converted

TYPES = {"u16": np.uint16, "u32": np.uint32, "u64": np.uint64}


def to(kind, x):
    return node("Convert", 1, [x], destination_type=kind)


def _controls():
    for name, dtype in TYPES.items():

        def controlled(x, dtype=dtype):
            return [
                node("Squeeze", 1, [x, dtype(1)]),
                node("Gather", 8, [x, np.array([4, 0, 2], dtype), dtype(0)]),
                node("Reshape", 1, [x, np.array([3, 10], dtype)], special_zero=False)
            ]

        yield exact(f"widened/axis_indices_and_shape_{name}", [counting(5, 1, 6)], controlled,
                    lambda x: [x.squeeze(1), x[[4, 0, 2]], x.reshape(3, 10)])
    yield exact("widened/sum_over_u64", [counting(2, 3, 5)],
                lambda x: node("ReduceSum", 1, [x, np.array([0, 2], np.uint64)], keep_dims=False),
                lambda x: x.sum((0, 2)))

    def joined(x):
        first, second = np.array(3, np.uint64), np.array([10], np.uint64)
        shape = node("Concat", 1, [node("Unsqueeze", 1, [first, np.uint64(0)]), second], axis=0)
        return node("Reshape", 1, [x, shape], special_zero=False)

    yield exact("widened/joined_shape", [counting(5, 6)], joined, lambda x: x.reshape(3, 10))


NUMBERS = {
    "u16": np.array([0, 1, 255, 32768, 65535], np.uint16),
    "u32": np.array([0, 1, 65536, 2**24 - 1, 2**31 - 1, 2**24 + 2], np.uint32),
    "u64": np.array([0, 1, 65536, 2**24 - 1, 2**31 - 1], np.uint64),
}


def _converts():
    for name, numbers in NUMBERS.items():
        yield exact(f"widened/{name}_converts", [],
                    lambda numbers=numbers: [to(kind, numbers) for kind in ("f32", "i32", "i64")],
                    lambda numbers=numbers: [numbers.astype(dtype)
                                             for dtype in (np.float32, np.int32, np.int64)])
    bits = np.array([0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1])

    def packed():
        made = Constant(ov.Type.u1, ov.Shape([11]), bits.tolist())
        return to("f32", made)

    yield exact("widened/u1_to_f32", [], packed, lambda: bits.astype(np.float32))
    yield exact("widened/through_narrower", [],
                lambda: to("f32", to("u16", to("u64", np.array([3, 0, 65535], np.int64)))),
                lambda: np.array([3, 0, 65535], np.float32))
    yield exact("widened/indices_from_u8", [counting(7, 3), integers("wu8", 0, 7, 5, dtype=np.uint8)],
                lambda x, at: node("Gather", 8, [x, to("u32", at), np.int64(0)]),
                lambda x, at: x[at])
    yield exact("widened/scale_of_u16", [normal("wsc", 3, 5)],
                lambda x: node("Multiply", 1, [x, to("f32", np.array([1, 2, 4, 8, 32768],
                                                                     np.uint16))]),
                lambda x: x * np.array([1, 2, 4, 8, 32768], np.float32))


def _exports():
    for axis, keep in ((1, 0), (-1, 1)):
        x = np.round(normal(f"wam{axis}", 3, 7, 5) * 3)

        def exported(x=x, axis=axis, keep=keep):
            return converted([helper.make_node("ArgMax", ["x"], ["y"], axis=axis, keepdims=keep)],
                             {"x": x}, {"y": np.argmax(x, axis, keepdims=bool(keep))})

        yield exact(f"widened/onnx_argmax_{'keeps' if keep else 'drops'}", [x], None,
                    lambda x, axis=axis, keep=keep: np.argmax(x, axis, keepdims=bool(keep)),
                    model=exported)


def cases():
    for part in (_controls, _converts, _exports):
        yield from part()
