# SPDX-License-Identifier: Apache-2.0
"""Unary operations from Abs to Tanh, Gelu, Swish: usual values at odd sizes, edges of the domain."""

import math
import statistics

import numpy as np

from build import node
from casebook import NARROW, Case, by_numpy, counting, exact, integers, normal, sizes, uniform

LENGTHS = [1, 15, 16, 17, 33]
INF = np.inf


def _wide(formula):
    """Evaluates in float64 and rounds once."""
    return lambda x: np.asarray(formula(np.asarray(x, np.float64)), np.float32)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _elu(alpha):
    return lambda x: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def _gelu_erf(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))


def _gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


# name: (type, opset, attributes, formula, smallest and largest usual value, edge values)
SIGNED = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1e10, -1e10, 8388609.0, -0.99999994]
SATURATING = [0.0, -0.0, 20, -20, 90, -90, 1e4, -1e4, 1e30, -1e30, INF, -INF, 1e-6, -1e-6]
FINITE = SATURATING[:10] + SATURATING[12:]
INSIDE = [0.0, -0.0, 1e-30, -1e-4, 0.5, -0.50001, 0.75, -0.999]
TABLE = {
    "abs": ("Abs", 1, {}, np.abs, -9, 9, SIGNED + [INF, -INF]),
    "ceiling": ("Ceiling", 1, {}, np.ceil, -9, 9, SIGNED + [INF, -INF]),
    "floor": ("Floor", 1, {}, np.floor, -9, 9, SIGNED + [INF, -INF]),
    "negative": ("Negative", 1, {}, np.negative, -9, 9, SIGNED + [INF, -INF]),
    "clamp": ("Clamp", 1, dict(min=-1.0, max=2.5), lambda x: np.clip(x, -1, 2.5), -5, 5,
              SIGNED + [INF, -INF]),
    "clamp_positive": ("Clamp", 1, dict(min=0.5, max=6.0), lambda x: np.clip(x, 0.5, 6), -5, 9,
                       SIGNED),
    "elu": ("Elu", 1, dict(alpha=1.0), _elu(1), -5, 5, FINITE),
    "elu_half": ("Elu", 1, dict(alpha=0.5), _elu(0.5), -5, 5, FINITE),
    "elu_3": ("Elu", 1, dict(alpha=3.0), _elu(3), -5, 5, FINITE),
    "exp": ("Exp", 1, {}, np.exp, -5, 5,
            [0.0, -0.0, 88.0, 88.7, -87, -200, -1e4, 1e-6, -1e-6, -INF, 700, INF]),
    "gelu": ("Gelu", 2, {}, _gelu_erf, -5, 5, [0.0, 20, -20, 90, 1e4, 1e-6, -1e-6, -6.5, -0.7518]),
    "gelu_erf": ("Gelu", 7, dict(approximation_mode="ERF"), _gelu_erf, -5, 5,
                 [0.0, 20, -20, 90, 1e4, 1e-6, -1e-6, -6.5, -0.7518]),
    "gelu_tanh": ("Gelu", 7, dict(approximation_mode="TANH"), _gelu_tanh, -5, 5,
                  [0.0, 20, -20, 90, 1e4, 1e-6, -1e-6, -6.5, -0.7525]),
    "hswish": ("HSwish", 4, {}, lambda x: x * np.clip(x + 3, 0, 6) / 6, -5, 5,
               [0.0, 3, -3, 3.0000002, -2.9999998, 1e10, -1e10]),
    "log": ("Log", 1, {}, np.log, 0.01, 9,
            [1.0, 1e-30, 3.4e38, 0.0, -1.0, INF, 0.99999994, 1.0000001]),
    "relu": ("Relu", 1, {}, lambda x: np.maximum(x, 0), -5, 5, SIGNED + [INF, -INF]),
    "sigmoid": ("Sigmoid", 1, {}, _sigmoid, -8, 8, SATURATING),
    "sin": ("Sin", 1, {}, np.sin, -7, 7,
            [0.0, 3.1415927, 1.5707964, -1.5707964, 100, -100, 1000.5, -9999.25, 1e-6]),
    "cos": ("Cos", 1, {}, np.cos, -7, 7,
            [0.0, 3.1415927, 1.5707964, -1.5707964, 100, -100, 1000.5, -9999.25, 1e-6]),
    "sqrt": ("Sqrt", 1, {}, np.sqrt, 0, 9, [0.0, 1.0, 1e-30, 3.4e38, 2.0, INF, -1.0]),
    "swish": ("Swish", 4, {}, lambda x: x * _sigmoid(x), -8, 8,
              [0.0, 20, -20, 80, -80, 1e4, -1e4, 1e-6]),
    "tanh": ("Tanh", 1, {}, np.tanh, -5, 5, SATURATING),
    "tan": ("Tan", 1, {}, np.tan, -7, 7, [0.0, -0.0, 1.5, -1.57, 3.1415927, 100, -1000.5, 1e-30]),
    "atan": ("Atan", 1, {}, np.arctan, -5, 5, SATURATING + [1, -1, 1e-30]),
    "asin": ("Asin", 1, {}, np.arcsin, -1, 1, INSIDE + [1, -1, 1.0000001, -2, INF]),
    "acos": ("Acos", 1, {}, np.arccos, -1, 1, INSIDE + [1, -1, 1.0000001, -2, INF]),
    "sinh": ("Sinh", 1, {}, np.sinh, -5, 5, INSIDE + [20, -20, 88, -88, 89, -89, 1e4, -INF, INF]),
    "cosh": ("Cosh", 1, {}, np.cosh, -5, 5, INSIDE + [20, -20, 88, -88, 89, -89, 1e4, -INF, INF]),
    "asinh": ("Asinh", 4, {}, np.arcsinh, -9, 9, SATURATING + [1e-4, 4096, -4097, 1e20, 3e38]),
    "acosh": ("Acosh", 4, {}, np.arccosh, 1, 9, [1, 1.0000001, 1.5, 4096, 4097, 1e20, INF, 0, -3]),
    "atanh": ("Atanh", 4, {}, np.arctanh, -0.99, 0.99, INSIDE + [1, -1, 1.5, -2, 0.99999]),
}
EDGES = {"exp": by_numpy("OpenVINO's CPU device overflows at 88.7; the largest f32 is exp(88.72).")}


def _table():
    for turn, (name, (kind, opset, attributes, formula, low, high,
                      edges)) in enumerate(TABLE.items()):

        def graph(x, kind=kind, opset=opset, attributes=attributes):
            return node(kind, opset, [x], **attributes)

        for shape in ((LENGTHS[turn % 5],), (3, LENGTHS[(turn + 2) % 5])):
            label = f"{name}_{sizes(shape)}"
            yield Case(f"unary/{label}", [uniform(label, low, high, *shape)], graph,
                       reference=_wide(formula))
        yield Case(f"unary/{name}_edges", [np.array(edges, np.float32)], graph,
                   reference=_wide(formula), **EDGES.get(name, {}))


def _integers():
    values = np.array([0, 1, -1, 7, -7, 2**31 - 1, -2**31 + 1, 100], np.int32)
    for name, kind, formula in (("abs", "Abs", np.abs), ("negative", "Negative", np.negative),
                                ("relu", "Relu", lambda x: np.maximum(x, 0))):
        answers = by_numpy("OpenVINO's CPU device computes in f32 here.") if kind == "Relu" else {}
        yield exact(f"unary/{name}_i32", [values], lambda x, kind=kind: node(kind, 1, [x]), formula,
                    **answers)
        yield exact(f"unary/{name}_i64", [values.astype(np.int64) * 2**30],
                    lambda x, kind=kind: node(kind, 1, [x]), formula, **NARROW)
    yield exact("unary/clamp_i32", [integers("ci", -50, 50, 33)],
                lambda x: node("Clamp", 1, [x], min=-10.0, max=20.0), lambda x: np.clip(x, -10, 20))
    yield exact("unary/clamp_i32_fractions", [integers("cf", -9, 9, 33)],
                lambda x: node("Clamp", 1, [x], min=-3.5, max=4.5), lambda x: np.clip(x, -3, 4),
                note="Bounds of an integer Clamp are rounded inwards.")
    for kind in (np.int8, np.uint8, np.int16):
        limits = np.iinfo(kind)
        ends = np.array([0, 1, 7, limits.max, limits.min + (kind != np.uint8)], kind)
        name = np.dtype(kind).name
        yield exact(f"unary/abs_{name}", [ends], lambda x: node("Abs", 1, [x]), np.abs)
        yield exact(f"unary/relu_{name}", [ends], lambda x: node("Relu", 1, [x]),
                    lambda x, kind=kind: np.maximum(x, kind(0)))
        yield exact(f"unary/sign_{name}", [ends], lambda x: node("Sign", 1, [x]), np.sign)
        yield exact(f"unary/clamp_{name}", [ends],
                    lambda x: node("Clamp", 1, [x], min=-4.5, max=100.25),
                    lambda x, kind=kind: np.clip(x.astype(np.int32), -4, 100).astype(kind))
    yield exact("unary/negative_int8", [np.array([0, 1, -127, 127], np.int8)],
                lambda x: node("Negative", 1, [x]), np.negative)


def _erf_inv(x):
    def one(number):
        if not -1 < number < 1:
            return np.inf * number if abs(number) == 1 else np.nan
        side = statistics.NormalDist().inv_cdf((1 - abs(number)) / 2) / np.sqrt(2)
        return np.copysign(side, number)

    return np.array([one(float(number)) for number in x.flat]).reshape(x.shape)


def _more():
    x = normal("more", 3, 17, scale=3)
    for name, beta in (("half", 0.5), ("minus2", -2.0), ("1_7", 1.702)):
        yield Case(f"unary/swish_beta_{name}", [x],
                   lambda a, beta=beta: node("Swish", 4, [a, beta]),
                   reference=_wide(lambda a, beta=beta: a * _sigmoid(beta * a)))
    yield Case("unary/swish_beta_is_input", [x, np.array(0.75, np.float32)],
               lambda a, b: node("Swish", 4, [a, b]), reference=lambda a, b: a * _sigmoid(b * a))
    yield Case("unary/scalar_input", [np.array(-0.25, np.float32)], lambda a: node("Tanh", 1, [a]),
               reference=np.tanh)
    yield Case("unary/rank_6", [normal("r6", 2, 1, 3, 1, 2, 5)], lambda a: node("Sigmoid", 1, [a]),
               reference=_sigmoid)
    yield Case(
        "unary/chain", [x],
        lambda a: node("Exp", 1, [node("Negative", 1, [node("Abs", 1, [node("Sin", 1, [a])])])]),
        reference=lambda a: np.exp(-np.abs(np.sin(a))))
    near = 1 - np.float32(2)**-np.arange(1, 25, dtype=np.float32)
    for name, values in (("", uniform("erf_inv", -1, 1, 3, 17)), ("_near_one", near),
                         ("_special", np.array([-1.5, -1, -1e-6, -0.0, 0, 1e-6, 1, 2, np.nan],
                                               np.float32))):
        yield Case(f"unary/erf_inv{name}", [values], lambda a: node("ErfInv", 17, [a]),
                   reference=_erf_inv, **by_numpy("OpenVINO's approximation is off by up to 0.4 % "
                                                  "near -1 and 1; erf of NumPy's number is x."))
    yield exact("unary/identity_model", [counting(3, 5)], lambda a: a, lambda a: a,
                note="A Result right after a Parameter.")


def cases():
    yield from _table()
    yield from _integers()
    yield from _more()
