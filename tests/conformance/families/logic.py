# SPDX-License-Identifier: Apache-2.0
"""Comparisons, LogicalAnd/Or/Not/Xor and Select."""

import numpy as np

from build import node
from casebook import NARROW, by_numpy, exact, flags, integers, normal, sizes

COMPARISONS = {
    "Equal": np.equal,
    "NotEqual": np.not_equal,
    "Less": np.less,
    "LessEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
}
LOGICALS = {"LogicalAnd": np.logical_and, "LogicalOr": np.logical_or, "LogicalXor": np.logical_xor}
PAIRS = [((3, 1, 5), (4, 1)), ((17,), (2, 17)), ((), (33,)), ((16, 1), (1, 15)), ((1,), (1,)),
         ((2, 3, 4, 5), (5,))]
UNORDERED = by_numpy("OpenVINO's CPU device calls NaN greater than everything.")


def _comparisons():
    for index, (kind, formula) in enumerate(COMPARISONS.items()):
        name = kind.lower()

        def graph(a, b, kind=kind):
            return node(kind, 1, [a, b])

        left, right = PAIRS[index]
        yield exact(f"logic/{name}_f32",
                    [np.round(normal(name, *left) * 2),
                     np.round(normal(name + "r", *right) * 2)], graph, formula)
        yield exact(f"logic/{name}_i32",
                    [integers(name, -3, 4, *right),
                     integers(name + "r", -3, 4, *left)], graph, formula)
        wide = integers(name, -3, 4, 33, dtype=np.int64) + np.int64(2)**40
        yield exact(f"logic/{name}_i64",
                    [wide, np.where(wide % 2 == 0, wide, wide - np.int64(2)**33)], graph, formula,
                    **NARROW)
        odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, np.inf], np.float32)
        yield exact(
            f"logic/{name}_specials",
            [odd, np.array([-0.0, 0.0, np.inf, np.inf, np.nan, np.nan, -np.inf], np.float32)],
            graph, formula, **(UNORDERED if kind.startswith("Greater") else {}))
    yield exact("logic/equal_boolean", [flags("eb", 3, 5), flags("ebr", 5)],
                lambda a, b: node("Equal", 1, [a, b]), np.equal)
    yield exact("logic/less_const", [normal("lc", 2, 17)], lambda a: node("Less", 1, [a, 0.0]),
                lambda a: a < 0)


def _logicals():
    for index, (kind, formula) in enumerate(LOGICALS.items()):
        name = kind.lower()
        for left, right in (PAIRS[index], PAIRS[index + 3]):
            label = f"{sizes(left)}_{sizes(right)}"
            yield exact(f"logic/{name}_{label}",
                        [flags(name, *left), flags(name + "r", *right)],
                        lambda a, b, kind=kind: node(kind, 1, [a, b]), formula)
    for kind, formula in (("BitwiseAnd", np.bitwise_and), ("BitwiseOr", np.bitwise_or),
                          ("BitwiseXor", np.bitwise_xor)):
        yield exact(f"logic/{kind.lower()}_boolean", [flags(kind, 3, 1, 5), flags(kind + "r", 4, 1)],
                    lambda a, b, kind=kind: node(kind, 13, [a, b]), formula)
    yield exact("logic/bitwisenot_boolean", [flags("bitnot", 2, 17)],
                lambda a: node("BitwiseNot", 13, [a]), np.invert)
    for shape in ((1,), (33,), (2, 3, 5)):
        yield exact(f"logic/logicalnot_{sizes(shape)}", [flags(f"not{shape}", *shape)],
                    lambda a: node("LogicalNot", 1, [a]), np.logical_not)
    yield exact(
        "logic/between", [normal("between", 3, 15)],
        lambda a: node("LogicalAnd", 1, [node(
            "Greater", 1, [a, -0.5]), node("Less", 1, [a, 0.5])]), lambda a: (a > -0.5) & (a < 0.5))


def _narrow_rows():
    """8-bit and 64-bit integers: comparison, logic and selection of a column with a row."""
    def graph(column, row, wide):
        equal = node("Equal", 1, [column, row])
        less = node("Less", 1, [wide, np.int64(7)])
        joined = node("LogicalAnd", 1, [node("LogicalNot", 1, [equal]), less])
        return node("Select", 1, [joined, row, column])

    yield exact("logic/narrow_rows", [
        integers("nr", 0, 9, 20, 1, dtype=np.uint8),
        integers("nrr", 0, 9, 1, 100, dtype=np.uint8),
        integers("nrw", 0, 9, 20, 100, dtype=np.int64)
    ], graph, lambda column, row, wide: np.where((column != row) & (wide < 7), row, column))


def _select():
    def graph(c, a, b):
        return node("Select", 1, [c, a, b])

    shapes = [((17,), (17,), (17,)), ((3, 1), (1, 4), (2, 1, 1)), ((), (2, 5), (5,)),
              ((2, 3, 4), (), (4,)), ((33, 1), (33, 16), ())]
    for condition, then, other in shapes:
        label = "_".join(sizes(shape) for shape in (condition, then, other))
        yield exact(f"logic/select_{label}", [
            np.asarray(flags(label, *condition)),
            normal(label, *then),
            normal(label + "o", *other)
        ], graph, np.where)
    yield exact("logic/select_i32",
                [flags("si", 2, 15),
                 integers("si", -9, 9, 2, 15),
                 integers("so", -9, 9, 15)], graph, np.where)
    yield exact("logic/select_i64", [
        flags("sl", 2, 5),
        integers("sl", -2**30, 2**30, 2, 5, dtype=np.int64) * 2**20,
        integers("sm", -9, 9, 5, dtype=np.int64)
    ], graph, np.where, **NARROW)
    yield exact(
        "logic/select_boolean",
        [flags("sb", 16), flags("sc", 16), flags("sd", 16)], graph, np.where)
    yield exact("logic/select_u8", [
        flags("su", 16),
        integers("su", 0, 255, 16, dtype=np.uint8),
        integers("sv", 0, 255, 16, dtype=np.uint8)
    ], graph, np.where)
    yield exact(
        "logic/select_of_comparison", [normal("soc", 3, 17)], lambda a: node(
            "Select", 1, [node("GreaterEqual", 1, [a, 0.0]), a,
                          node("Multiply", 1, [a, 0.25])]),
        lambda a: np.where(a >= 0, a, a * np.float32(0.25)))
    constant = flags("const", 17)
    yield exact("logic/select_const_condition",
                [normal("scc", 2, 17), normal("scd", 17)],
                lambda a, b: node("Select", 1, [constant, a, b]),
                lambda a, b: np.where(constant, a, b))
    yield exact(
        "logic/select_no_broadcast",
        [flags("snb", 5), normal("snb", 5), normal("snc", 5)],
        lambda c, a, b: node("Select", 1, [c, a, b], auto_broadcast="none"), np.where)


def _classes():
    odd = np.array([-np.inf, -1, -0.0, 0, 1e-45, 3.4e38, np.inf, np.nan, -np.nan], np.float32)
    for shape in ((9,), (2, 3, 17)):
        x = np.resize(odd, shape)
        for kind, formula in (("IsNaN", np.isnan), ("IsFinite", np.isfinite)):
            subnormal = by_numpy("OpenVINO's CPU device calls subnormal numbers infinite.")
            yield exact(f"logic/{kind.lower()}_{sizes(shape)}", [x],
                        lambda x, kind=kind: node(kind, 10, [x]), formula,
                        **(subnormal if kind == "IsFinite" else {}))
    for low in (True, False):
        for high in (True, False):
            signs = "_".join(["negative"] * low + ["positive"] * high) or "none"
            yield exact(f"logic/isinf_{signs}", [np.resize(odd, (3, 7))],
                        lambda x, low=low, high=high: node("IsInf", 10, [x], detect_negative=low,
                                                           detect_positive=high),
                        lambda x, low=low, high=high: np.isinf(x) & np.where(x < 0, low, high))


def cases():
    yield from _comparisons()
    yield from _logicals()
    yield from _narrow_rows()
    yield from _select()
    yield from _classes()
