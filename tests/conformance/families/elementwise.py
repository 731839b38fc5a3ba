# SPDX-License-Identifier: Apache-2.0
"""Add to SquaredDifference with NumPy broadcasting, in f32, i32 and i64."""

import numpy as np

from build import node
from casebook import NARROW, Case, by_numpy, exact, integers, normal, sizes, uniform

# Unusual broadcasts: different ranks, both sides expanded, scalars, inner extents of 1.
SHAPES = [
    ((17,), (17,)),
    ((3, 1, 5), (4, 1)),
    ((5,), (2, 3, 5)),
    ((), (33,)),
    ((33, 1), (1, 17)),
    ((1,), (3, 4)),
    ((2, 1, 3, 1), (1, 4, 1, 5)),
    ((15,), (16, 1)),
    ((2, 3, 4, 5), (3, 1, 1)),
    ((1, 1), (1,)),
    ((1, 16), (2, 3, 1, 16)),
    ((2, 1, 2, 1, 2), (3, 1, 3, 1)),
]

FLOAT = {
    "Add": np.add,
    "Subtract": np.subtract,
    "Multiply": np.multiply,
    "Divide": np.divide,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "Power": np.power,
    "SquaredDifference": lambda a, b: np.square(a - b),
}
# Integer division rounds toward minus infinity, the default of the attribute m_pythondiv.
INTEGER = {
    "Add": np.add,
    "Subtract": np.subtract,
    "Multiply": np.multiply,
    "Divide": np.floor_divide,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "SquaredDifference": lambda a, b: np.square(a - b),
}
TRUNCATES = by_numpy(
    "OpenVINO rounds down when it folds constants, as m_pythondiv says, but its CPU "
    "device truncates.")
ROTATION = {kind: index for index, kind in enumerate(FLOAT)}


def binary(kind, **attributes):
    """A graph of one operation on two Parameters."""
    return lambda a, b: node(kind, 1, [a, b], **attributes)


def _operands(kind, left, right):
    label = f"{kind}{left}{right}"
    if kind == "Power":
        return [uniform(label, 0.1, 3, *left), uniform(label + "e", -2, 3, *right)]
    if kind == "Divide":
        sign = np.where(normal(label + "s", *right) < 0, np.float32(-1), np.float32(1))
        return [
            normal(label, *left),
            np.asarray(uniform(label + "d", 0.25, 4, *right) * sign, np.float32)
        ]
    return [normal(label, *left), normal(label + "b", *right)]


def _broadcasting():
    for kind, formula in FLOAT.items():
        first = ROTATION[kind]
        count = len(SHAPES) if kind in ("Add", "Subtract") else 4
        for step in range(count):
            left, right = SHAPES[(3 * first + step) % len(SHAPES)]
            yield Case(f"elementwise/{kind.lower()}_{sizes(left)}_{sizes(right)}",
                       _operands(kind, left, right), binary(kind), reference=formula)


def _integers():
    for kind, formula in INTEGER.items():
        name = kind.lower()
        left, right = integers(name, -900, 900, 3, 1, 5), integers(name + "r", -60, 60, 4, 1)
        if kind == "Divide":
            right = np.where(right == 0, 7, right)
        yield exact(f"elementwise/{name}_i32", [left, right.astype(np.int32)], binary(kind),
                    formula, **(TRUNCATES if kind == "Divide" else {}))
        wide = integers(name, -2**31, 2**31, 2, 17, dtype=np.int64)
        if kind in ("Add", "Subtract", "Maximum", "Minimum", "Divide"):
            wide *= 2**24
        divisor = integers(name + "r", -99999, 99999, 17, dtype=np.int64)
        yield exact(f"elementwise/{name}_i64", [wide, np.where(divisor == 0, 3, divisor)],
                    binary(kind), formula, **NARROW)


def _specials():
    inf, nan = np.float32(np.inf), np.float32(np.nan)
    top = np.array([1, -1, 0, 0, inf, 1, -3.5, nan, 1e30], np.float32)
    bottom = np.array([0, 0, 0, 5, 2, inf, -0.5, 1, 1e-30], np.float32)
    yield Case("elementwise/divide_specials", [top, bottom], binary("Divide"), reference=np.divide)
    base = np.array([0, 0, 2, -2, -2, -8, 1, 5, 9, 1e20, 1e-20], np.float32)
    power = np.array([0, 3, -1, 3, 2, 1 / 3, 80, 0, 0.5, 2, 2], np.float32)
    yield Case("elementwise/power_specials", [base, power], binary("Power"), reference=np.power)
    for label, exponent in (("2", 2.0), ("half", 0.5), ("minus1", -1.0), ("3", 3.0), ("1", 1.0),
                            ("0", 0.0)):
        yield Case(f"elementwise/power_const_{label}", [uniform(f"pow{label}", 0.1, 4, 2, 17)],
                   lambda x, e=exponent: node("Power", 1, [x, e]),
                   reference=lambda x, e=exponent: np.power(x, np.float32(e)))
    yield Case("elementwise/power_const_3_negative_base", [normal("pow3n", 33)],
               lambda x: node("Power", 1, [x, 3.0]), reference=lambda x: x**3)
    wrap = [
        np.array([2**31 - 1, -2**31, 2**30, -5], np.int32),
        np.array([1, -1, 2**30, 7], np.int32)
    ]
    yield exact("elementwise/add_i32_wraps", wrap, binary("Add"), np.add)
    pair = [
        np.array([7, -7, 7, -7, 6, -6, 0, -1], np.int32),
        np.array([2, 2, -2, -2, 3, 3, 5, 4], np.int32)
    ]
    yield exact("elementwise/divide_i32_floors", pair, binary("Divide"), np.floor_divide,
                **TRUNCATES)
    yield exact("elementwise/divide_i32_truncates", pair, binary("Divide", m_pythondiv=False),
                lambda a, b: np.trunc(a / b).astype(np.int32))
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        limits = np.array([low, low + 1, low // 3, -7, -1, 1, 2, 7, high // 3 * 2, high - 1, high],
                          dtype)
        yield exact(f"elementwise/divide_{dtype.__name__}_limits",
                    [np.repeat(limits, limits.size - 1),
                     np.tile(limits[limits != -1], limits.size)], binary("Divide"),
                    np.floor_divide, **TRUNCATES)
    yield exact("elementwise/power_i32",
                [np.array([2, -2, 3, 0, 7, -1], np.int32),
                 np.array([10, 3, 0, 4, 5, 9], np.int32)], binary("Power"), np.power)


def _constants():
    x = normal("constants", 3, 17)
    row = normal("row", 17)
    yield Case("elementwise/add_const_right", [x], lambda a: node("Add", 1, [a, row]),
               reference=lambda a: a + row)
    yield Case("elementwise/subtract_const_left", [x], lambda a: node("Subtract", 1, [row, a]),
               reference=lambda a: row - a)
    yield Case("elementwise/multiply_const_scalar", [x], lambda a: node("Multiply", 1, [a, 2.5]),
               reference=lambda a: a * np.float32(2.5))
    column = normal("column", 3, 1)
    yield Case("elementwise/divide_const_column", [x], lambda a: node("Divide", 1, [a, column]),
               reference=lambda a: a / column)
    yield Case("elementwise/divide_const_left", [uniform("dcl", 1, 4, 3, 16)],
               lambda a: node("Divide", 1, [1.0, a]), reference=lambda a: 1 / a)
    yield Case("elementwise/multiply_same_input", [x], lambda a: node("Multiply", 1, [a, a]),
               reference=np.square)
    yield Case("elementwise/subtract_same_input", [x], lambda a: node("Subtract", 1, [a, a]),
               reference=lambda a: a - a)
    yield Case("elementwise/add_no_broadcast", [x, x[::-1].copy()],
               binary("Add", auto_broadcast="none"), reference=np.add)
    yield Case("elementwise/const_only", [], lambda: node("Add", 1, [row, np.float32(1)]),
               reference=lambda: row + np.float32(1), note="A model without inputs.")

    def chain(a, b):
        total = node("Add", 1, [a, b])
        return node("Multiply", 1,
                    [node("Subtract", 1, [total, a]),
                     node("Maximum", 1, [total, 0.0])]), total

    yield Case("elementwise/chain_with_two_outputs", [x, row], chain,
               reference=lambda a, b: [((a + b) - a) * np.maximum(a + b, 0), a + b])


def cases():
    yield from _broadcasting()
    yield from _integers()
    yield from _specials()
    yield from _constants()
