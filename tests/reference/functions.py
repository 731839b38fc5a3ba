# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions, reductions and normalisations in NumPy, from the OpenVINO specification.

Functions of f32 are computed in float64 and rounded once. An entry of FUNCTIONS takes the layer and
its input arrays and returns the list of its outputs.
"""

import math

import numpy as np


def _number(layer, key, default):
    return float(layer.data.get(key, default))


def _flag(layer, key, default="false"):
    return layer.data.get(key, default) == "true"


def _wide(formula):
    """A formula of float64 arrays as an operation."""
    def apply(layer, inputs):
        dtype = inputs[0].dtype
        with np.errstate(all="ignore"):
            answer = formula(layer, *[np.asarray(array, np.float64) for array in inputs])
        return [np.asarray(answer).astype(dtype)]

    return apply


def _of_x(formula):
    return _wide(lambda layer, x: formula(x))


def _each(function):
    """A function of one Python float as a formula of arrays."""
    return _of_x(lambda x: np.vectorize(function, otypes=[np.float64])(x) if x.size else x)


def _inverse_erf(y):
    """Newton's method on erf, which converges from the center in (-0.99, 0.99)."""
    if abs(y) >= 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    x = 0.0
    for _ in range(100):
        x -= (math.erf(x) - y) * math.sqrt(math.pi) / 2 * math.exp(min(x * x, 700))
    return x


def _gelu(layer, x):
    if layer.data.get("approximation_mode", "ERF").upper() == "TANH":
        return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x / 2 * (1 + np.vectorize(math.erf, otypes=[np.float64])(x / math.sqrt(2)))


def _round(layer, inputs):
    x = inputs[0]
    if layer.data.get("mode", "half_to_even") == "half_to_even":
        return [np.rint(x)]
    return [(np.sign(x) * np.floor(np.abs(x) + x.dtype.type(0.5))).astype(x.dtype)]


def _divide(layer, inputs):
    a, b = inputs
    if np.issubdtype(a.dtype, np.floating):
        return [a / b]
    if _flag(layer, "m_pythondiv", "true"):
        return [a // b]
    return [(np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))).astype(a.dtype)]


def _prelu(layer, x, slope):
    if slope.ndim == 1 and x.ndim > 1 and slope.size > 1:
        slope = slope.reshape([-1 if axis == 1 else 1 for axis in range(x.ndim)])
    return np.where(x < 0, x * slope, x)


def _axes(array, rank):
    return tuple(sorted({int(axis) % rank for axis in np.atleast_1d(array)}))


def _reduce(formula):
    def apply(layer, inputs):
        x, axes = inputs[0], _axes(inputs[1], max(inputs[0].ndim, 1))
        dtype = np.float64 if x.dtype == np.float32 else x.dtype
        answer = formula(x.astype(dtype), axis=axes, keepdims=_flag(layer, "keep_dims"))
        return [np.asarray(answer).astype(x.dtype)]

    return apply


def _softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _mvn(layer, inputs):
    x = inputs[0].astype(np.float64)
    axes = _axes(inputs[1], x.ndim)
    answer = x - x.mean(axes, keepdims=True)
    if _flag(layer, "normalize_variance", "true"):
        eps, variance = _number(layer, "eps", 1e-6), x.var(axes, keepdims=True)
        inside = layer.data.get("eps_mode", "inside_sqrt") == "inside_sqrt"
        answer /= np.sqrt(variance + eps) if inside else np.sqrt(variance) + eps
    return [answer.astype(inputs[0].dtype)]


def _normalize_l2(layer, inputs):
    x = inputs[0].astype(np.float64)
    total, eps = (x * x).sum(_axes(inputs[1], x.ndim), keepdims=True), _number(layer, "eps", 0)
    total = total + eps if layer.data["eps_mode"] == "add" else np.maximum(total, eps)
    return [(x / np.sqrt(total)).astype(inputs[0].dtype)]


def _group_normalization(layer, x, scale, bias):
    groups = int(layer.data["num_groups"])
    wide = x.reshape(x.shape[0], groups, -1)
    wide = (wide - wide.mean(2, keepdims=True)) / np.sqrt(
        wide.var(2, keepdims=True) + _number(layer, "epsilon", 0))
    place = [-1 if axis == 1 else 1 for axis in range(x.ndim)]
    return wide.reshape(x.shape) * scale.reshape(place) + bias.reshape(place)


def _batch_norm(layer, inputs):
    x, gamma, beta, mean, variance = (np.asarray(array, np.float64) for array in inputs)
    place = [-1 if axis == 1 else 1 for axis in range(x.ndim)]
    factor = gamma / np.sqrt(variance + _number(layer, "epsilon", 0))
    answer = (x - mean.reshape(place)) * factor.reshape(place) + beta.reshape(place)
    return [answer.astype(inputs[0].dtype)]


def _lrn(layer, x, axes):
    size, axes = int(layer.data["size"]), _axes(axes, x.ndim)
    before = (size - 1) // 2
    pads = [(before, size - 1 - before) if axis in axes else (0, 0) for axis in range(x.ndim)]
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x * x, pads), [size] * len(axes), axes)
    total = windows.sum(tuple(range(x.ndim, x.ndim + len(axes))))
    scale = _number(layer, "alpha", 1) / size**len(axes)
    return x / (_number(layer, "bias", 1) + scale * total)**_number(layer, "beta", 1)


def _grn(layer, x):
    return x / np.sqrt((x * x).sum(1, keepdims=True) + _number(layer, "bias", 0))


def _fake_quantize(layer, inputs):
    """The formula of the specification in f32; halves are rounded to even."""
    x, low, high, out_low, out_high = (np.asarray(array, np.float64) for array in inputs)
    steps = int(layer.data["levels"]) - 1
    middle = np.rint((x - low) / (high - low) * steps) / steps * (out_high - out_low) + out_low
    below, above = x <= np.minimum(low, high), x > np.maximum(low, high)
    return [np.where(below, out_low, np.where(above, out_high, middle)).astype(np.float32)]


def _cum_sum(layer, inputs):
    x, axis = inputs[0], int(inputs[1])
    if _flag(layer, "reverse"):
        x = np.flip(x, axis)
    answer = np.cumsum(x, axis, dtype=x.dtype)
    if _flag(layer, "exclusive"):
        answer = answer - x
    return [np.flip(answer, axis) if _flag(layer, "reverse") else answer]


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _soft_plus(x):
    return np.logaddexp(0, x)


FUNCTIONS = {
    "Acos": _of_x(np.arccos),
    "Acosh": _of_x(np.arccosh),
    "Asin": _of_x(np.arcsin),
    "Asinh": _of_x(np.arcsinh),
    "Atan": _of_x(np.arctan),
    "Atanh": _of_x(np.arctanh),
    "BatchNormInference": _batch_norm,
    "BitwiseAnd": lambda layer, inputs: [inputs[0] & inputs[1]],
    "BitwiseLeftShift": lambda layer, inputs: [inputs[0] << inputs[1]],
    "BitwiseNot": lambda layer, inputs: [~inputs[0]],
    "BitwiseOr": lambda layer, inputs: [inputs[0] | inputs[1]],
    "BitwiseRightShift": lambda layer, inputs: [inputs[0] >> inputs[1]],
    "BitwiseXor": lambda layer, inputs: [inputs[0] ^ inputs[1]],
    "Ceiling": _of_x(np.ceil),
    "Cos": _of_x(np.cos),
    "Cosh": _of_x(np.cosh),
    "CumSum": _cum_sum,
    "Divide": _divide,
    "Elu": _wide(lambda layer, x: np.where(x < 0, _number(layer, "alpha", 1) * np.expm1(
        np.minimum(x, 0)), x)),
    "Erf": _each(math.erf),
    "ErfInv": _each(_inverse_erf),
    "Exp": _of_x(np.exp),
    "FakeQuantize": _fake_quantize,
    "Floor": _of_x(np.floor),
    "FloorMod": lambda layer, inputs: [np.mod(*inputs)],
    "GRN": _wide(_grn),
    "Gelu": _wide(_gelu),
    "GroupNormalization": _wide(_group_normalization),
    "HSigmoid": _of_x(lambda x: np.clip(x + 3, 0, 6) / 6),
    "HSwish": _of_x(lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "HardSigmoid": _wide(lambda layer, x, alpha, beta: np.clip(alpha * x + beta, 0, 1)),
    "Identity": lambda layer, inputs: [inputs[0]],
    "IsFinite": lambda layer, inputs: [np.isfinite(inputs[0])],
    "IsNaN": lambda layer, inputs: [np.isnan(inputs[0])],
    "LRN": _wide(_lrn),
    "Log": _of_x(np.log),
    "LogSoftmax": _wide(lambda layer, x: np.log(_softmax(x, int(_number(layer, "axis", -1))))),
    "LogicalXor": lambda layer, inputs: [np.logical_xor(*inputs)],
    "MVN": _mvn,
    "Mish": _of_x(lambda x: x * np.tanh(_soft_plus(x))),
    "Mod": lambda layer, inputs: [np.fmod(*inputs)],
    "NormalizeL2": _normalize_l2,
    "PRelu": _wide(_prelu),
    "Power": _wide(lambda layer, x, exponent: np.power(x, exponent)),
    "ReduceL1": _reduce(lambda x, **how: np.abs(x).sum(**how)),
    "ReduceL2": _reduce(lambda x, **how: np.sqrt((x * x).sum(**how))),
    "ReduceLogicalAnd": _reduce(np.all),
    "ReduceLogicalOr": _reduce(np.any),
    "ReduceMean": _reduce(np.mean),
    "ReduceMin": _reduce(np.min),
    "ReduceProd": _reduce(np.prod),
    "Round": _round,
    "Selu": _wide(lambda layer, x, alpha, gamma: gamma * np.where(x <= 0, alpha * np.expm1(
        np.minimum(x, 0)), x)),
    "Sign": lambda layer, inputs: [np.sign(inputs[0])],
    "Sin": _of_x(np.sin),
    "Sinh": _of_x(np.sinh),
    "SoftPlus": _of_x(_soft_plus),
    "SoftSign": _of_x(lambda x: x / (1 + np.abs(x))),
    "Softmax": _wide(lambda layer, x: _softmax(x, int(_number(layer, "axis", 1)))),
    "Sqrt": _of_x(np.sqrt),
    "SquaredDifference": lambda layer, inputs: [(inputs[0] - inputs[1])**2],
    "Swish": _wide(lambda layer, x, beta=1.0: x * _sigmoid(beta * x)),
    "Tan": _of_x(np.tan),
}
