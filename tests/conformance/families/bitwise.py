# SPDX-License-Identifier: Apache-2.0
"""BitwiseAnd/Or/Xor/Not and shifts of every integer type; logic.py has the boolean cases."""

import numpy as np

from build import node
from casebook import NARROW, exact, integers, sizes

PAIRS = {"BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor}
SHIFTS = {"BitwiseLeftShift": np.left_shift, "BitwiseRightShift": np.right_shift}
TYPES = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
SHAPES = [((3, 1, 5), (4, 1)), ((17,), (2, 17)), ((), (33,)), ((2, 3, 1, 3, 1), (3, 4)),
          ((2, 3, 5), ())]


def _any(label, dtype, *shape):
    """Numbers over the full range of the type, including its extremes."""
    limits = np.iinfo(dtype)
    numbers = integers(label, limits.min, limits.max, *shape, dtype=np.int64).astype(dtype)
    flat = np.array(numbers).reshape(-1)
    flat[:3] = np.array([limits.min, limits.max, 0], dtype)[:flat.size]
    return flat.reshape(shape)


def _pairs():
    for turn, (kind, formula) in enumerate(PAIRS.items()):
        for step, (name, dtype) in enumerate(TYPES.items()):
            left, right = SHAPES[(turn + step) % len(SHAPES)]
            label = f"{kind.lower()[7:]}_{name}_{sizes(left)}_{sizes(right)}"
            yield exact(f"bitwise/{label}",
                        [_any(label, dtype, *left), _any(label + "r", dtype, *right)],
                        lambda a, b, kind=kind: node(kind, 13, [a, b]), formula,
                        **(NARROW if name == "i64" else {}))
    for name, dtype in TYPES.items():
        yield exact(f"bitwise/not_{name}", [_any(name, dtype, 3, 11)],
                    lambda x: node("BitwiseNot", 13, [x]), np.invert,
                    **(NARROW if name == "i64" else {}))
    yield exact("bitwise/and_mask_u8", [_any("mask", np.uint8, 2, 17)],
                lambda x: node("BitwiseAnd", 13, [x, np.uint8(0x3C)]), lambda x: x & np.uint8(0x3C))
    yield exact("bitwise/hash_i32", [integers("hash", 0, 2**15, 33)], lambda x: node(
        "BitwiseXor", 13, [x, node("BitwiseRightShift", 15, [x, np.int32(7)])]),
                lambda x: x ^ (x >> 7))
    yield exact("bitwise/xor_of_nothing", [np.zeros((0, 3), np.int32)],
                lambda x: node("BitwiseXor", 13, [x, np.int32(5)]), lambda x: x)


def _shifts():
    for turn, (kind, formula) in enumerate(SHIFTS.items()):
        side = kind.lower()[7:-5]
        for step, (name, dtype) in enumerate(TYPES.items()):
            width = np.iinfo(dtype).bits
            left, right = SHAPES[(turn + step) % len(SHAPES)]
            label = f"{side}_{name}_{sizes(left)}_{sizes(right)}"
            numbers = _any(label, dtype, *left)
            if side == "left":  # overflow is unspecified
                numbers = integers(label, 0, 2, *left, dtype=np.int64).astype(dtype)
            most = width - 1 if side == "right" or name == "u8" else width - 2
            places = integers(label + "p", 0, most + 1, *right, dtype=np.int64).astype(dtype)
            yield exact(f"bitwise/shift_{label}", [numbers, places],
                        lambda a, b, kind=kind: node(kind, 15, [a, b]), formula,
                        **(NARROW if name == "i64" else {}))
            known = np.array([0, 1, most // 2, most], dtype)
            yield exact(f"bitwise/shift_{side}_{name}_by_constants",
                        [np.resize(numbers, (3, 1, 4))],
                        lambda a, kind=kind, known=known: node(kind, 15, [a, known]),
                        lambda a, formula=formula, known=known: formula(a, known),
                        **(NARROW if name == "i64" else {}))
        yield exact(f"bitwise/shift_{side}_of_nothing", [np.zeros((3, 0), np.int32)],
                    lambda x, kind=kind: node(kind, 15, [x, np.int32(5)]), lambda x: x)


def cases():
    yield from _pairs()
    yield from _shifts()
