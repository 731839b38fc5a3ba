# SPDX-License-Identifier: Apache-2.0
"""Operations on integers of 8 and 16 bits."""

import numpy as np

from build import node
from casebook import by_numpy, exact, i64, integers
from families.elementwise import TRUNCATES

TYPES = {"i8": np.int8, "u8": np.uint8, "i16": np.int16}
WRAPS = by_numpy("OpenVINO's CPU device keeps to the bounds of the type.")


def _some(label, name, *shape, most=12):
    """Numbers so small that a sum of a few does not overflow the type."""
    return integers(label + name, 0 if name == "u8" else -most, most, *shape, dtype=TYPES[name])


def _of(dtype):
    """Converts integers of any size to `dtype`, keeping the low bits."""
    return lambda x: np.asarray(x).astype(np.int64).astype(dtype)


PAIRS = {
    "Add": np.add,
    "Subtract": np.subtract,
    "Multiply": np.multiply,
    "Divide": lambda a, b: np.floor_divide(a, b),
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "Mod": np.fmod,
    "FloorMod": np.mod,
    "Power": np.power,
    "SquaredDifference": lambda a, b: (a - b)**2,
}
COMPARISONS = {"Less": np.less, "Equal": np.equal, "GreaterEqual": np.greater_equal}


def _shorts():
    """Pairs of i16, which no step supports; elementwise.py has the 8-bit cases."""
    for kind, formula in PAIRS.items():
        a, b = _some(kind, "i16", 3, 1, 5, most=90), _some(kind + "b", "i16", 4, 1, most=90)
        if kind in ("Divide", "Mod", "FloorMod"):
            b = np.where(b == 0, 7, b).astype(np.int16)
        if kind == "Power":
            b = np.abs(b) % 2 + np.int16(1)
        yield exact(f"narrow/{kind.lower()}_i16", [a, b],
                    lambda a, b, kind=kind: node(kind, 1, [a, b]), formula,
                    **(TRUNCATES if kind == "Divide" else {}))
    for kind, formula in COMPARISONS.items():
        yield exact(f"narrow/{kind.lower()}_i16",
                    [_some(kind, "i16", 2, 17), _some(kind + "b", "i16", 17)],
                    lambda a, b, kind=kind: node(kind, 1, [a, b]), formula)
    yield exact("narrow/add_wraps_i16", [np.array([32767, -32768, 5], np.int16)],
                lambda x: node("Add", 1, [x, np.array([1, -1, 1], np.int16)]),
                lambda x: x + np.array([1, -1, 1], np.int16), **WRAPS)


def _reductions():
    formulas = {"ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMin": np.min,
                "ReduceProd": np.prod, "ReduceL1": lambda x, axis: np.abs(x).sum(axis),
                "ReduceMean": lambda x, axis: np.trunc(x.sum(axis) / x.shape[axis])}
    for kind, formula in formulas.items():
        for name, dtype in TYPES.items():
            most = 3 if kind == "ReduceProd" else 12
            yield exact(f"narrow/{kind.lower()}_{name}", [_some(kind, name, 3, 4, 5, most=most)],
                        lambda x, kind=kind: node(kind, 4 if kind == "ReduceL1" else 1, [x, i64(1)],
                                                  keep_dims=False),
                        lambda x, formula=formula, dtype=dtype: _of(dtype)
                        (formula(x.astype(np.int64), 1)))
    yield exact("narrow/reducesum_wraps_u8", [np.full((3, 2), 200, np.uint8)],
                lambda x: node("ReduceSum", 1, [x, i64(1)], keep_dims=False),
                lambda x: x.sum(1).astype(np.uint8), **WRAPS)


def _products():
    for name, dtype in TYPES.items():
        a, b = _some("ma", name, 2, 3, 5, most=4), _some("mb", name, 5, 4, most=4)
        yield exact(f"narrow/matmul_{name}", [a, b], lambda a, b: node(
            "MatMul", 1, [a, b], transpose_a=False, transpose_b=False),
                    lambda a, b, dtype=dtype: _of(dtype)(a.astype(np.int64) @ b.astype(np.int64)))
        yield exact(f"narrow/matmul_constant_{name}", [a], lambda a, b=b: node(
            "MatMul", 1, [a, b], transpose_a=False, transpose_b=False),
                    lambda a, b=b, dtype=dtype: _of(dtype)
                    (a.astype(np.int64) @ b.astype(np.int64)))


def _others():
    for name, dtype in TYPES.items():
        slope = np.array([2, 3, 1], dtype)
        yield exact(f"narrow/prelu_{name}", [_some("pr", name, 2, 3, 5)],
                    lambda x, slope=slope: node("PRelu", 1, [x, slope]),
                    lambda x, slope=slope: np.where(x < 0, x * slope[:, None], x))
    x = _some("top", "i16", 3, 17, most=300)
    yield exact("narrow/topk_i16", [x], lambda x: node(
        "TopK", 11, [x, np.int64(3)], axis=1, mode="max", sort="value",
        index_element_type="i32").outputs(),
                lambda x: [-np.sort(-x, axis=1)[:, :3],
                           np.argsort(-x, axis=1, kind="stable")[:, :3].astype(np.int32)])
    yield exact("narrow/cumsum_i16", [_some("cs", "i16", 3, 7, most=300)],
                lambda x: node("CumSum", 3, [x, np.int64(1)], exclusive=False, reverse=False),
                lambda x: np.cumsum(x, 1, dtype=np.int16))
    for name in TYPES:
        yield exact(f"narrow/maxpool_{name}", [_some("mp", name, 1, 2, 5, 7)],
                    lambda x: node("MaxPool", 1, [x], strides=[1, 2], pads_begin=[0, 1],
                                   pads_end=[0, 1], kernel=[2, 3], rounding_type="floor",
                                   auto_pad="explicit"), None)


def cases():
    for part in (_shorts, _reductions, _products, _others):
        yield from part()
