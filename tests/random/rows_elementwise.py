# SPDX-License-Identifier: Apache-2.0
"""Rows of elementwise functions, comparisons, reductions and normalisations."""

import functools

import numpy as np

from rows import makes, numbers


def _bounded(scope, limit=8):
    return scope.within(scope.floats(), limit)


def _scaled(scope, value, factor):
    """The value times a constant; the result is not an integer any longer."""
    value = scope.op("Multiply", [value, scope.scalar(factor, "f32")], "f32", value.dims,
                     value.bound * factor)
    value.exact = False
    return value


def _small(scope):
    return _bounded(scope, 2)


def _unit(scope):
    return _scaled(scope, _bounded(scope, 2), 0.4)


def _positive(scope):
    value = _bounded(scope)
    value = scope.op("Abs", [value], "f32", value.dims, value.bound)
    one = scope.scalar(2 if scope.chance(0.5) else 1.5, "f32")
    return scope.op("Add", [value, one], "f32", value.dims, value.bound + 2, exact=False)


SMOOTH = {  # name: opset, input, bound of the output
    "Acos": (1, _unit, 4), "Acosh": (4, _positive, 4), "Asin": (1, _unit, 2),
    "Asinh": (4, _bounded, 4), "Atan": (1, _bounded, 2), "Atanh": (4, _unit, 2),
    "Cos": (1, _bounded, 1), "Cosh": (1, _small, 4), "Erf": (1, _bounded, 1),
    "ErfInv": (17, _unit, 1), "Exp": (1, _small, 8), "HSigmoid": (5, _bounded, 1),
    "HSwish": (4, _bounded, 8), "Log": (1, _positive, 3), "Mish": (4, _bounded, 8),
    "Sin": (1, _bounded, 1), "Sinh": (1, _small, 4), "SoftPlus": (4, _bounded, 9),
    "SoftSign": (9, _bounded, 1), "Sqrt": (1, _positive, 4), "Swish": (4, _bounded, 8),
    "Tan": (1, _unit, 2), "Sigmoid": (1, _bounded, 1), "Tanh": (1, _bounded, 1),
}  # yapf: disable


def _smooth(kind, scope):
    opset, source, bound = SMOOTH[kind]
    value, inputs = source(scope), []
    if kind == "Swish" and scope.chance(0.5):
        inputs = [scope.scalar(scope.attribute(1, 0.5, 2), "f32")]
    return scope.apply(kind, [value, *inputs], bound, opset=opset, exact=False)


for _name in SMOOTH:
    makes(_name)(functools.partial(_smooth, _name))


@makes("Elu")
def _elu(scope):
    return scope.apply("Elu", [_bounded(scope)], 8, {"alpha": scope.attribute(1, 0.5)}, exact=False)


@makes("Gelu")
def _gelu(scope):
    mode = scope.attribute("ERF", "TANH")
    return scope.apply("Gelu", [_bounded(scope)], 8, {"approximation_mode": mode}, 7, False)


@makes("Selu", "HardSigmoid")
def _with_two_numbers(scope):
    kind = scope.pick(("Selu", "HardSigmoid"))
    words = [scope.scalar(scope.attribute(1, 0.25, 0.5), "f32") for _ in range(2)]
    return scope.apply(kind, [_bounded(scope), *words], 8, exact=False)


@makes("PRelu")
def _prelu(scope):
    value = scope.within(scope.floats(at_least=2), 8)
    count = value.dims[1] if scope.chance(0.7) else 1
    return scope.apply("PRelu", [value, numbers(scope, (count, ))], 8, exact=False)


@makes("Clamp")
def _clamp(scope):
    low, high = scope.attribute((0, 6), (-1, 1), (-3, 2), (0, 1))
    return scope.apply("Clamp", [scope.floats()], 6, {"min": low, "max": high})


@makes("Floor", "Ceiling", "Round")
def _to_integer(scope):
    value = scope.floats(exact=True)
    quarter = scope.op("Multiply", [value, scope.scalar(0.25, "f32")], "f32", value.dims,
                       value.bound)
    kind = scope.pick(("Floor", "Ceiling", "Round"))
    data = {"mode": scope.attribute("half_to_even", "half_away_from_zero")}
    return scope.apply(kind, [quarter], value.bound, data if kind == "Round" else None,
                       5 if kind == "Round" else 1)


@makes("Sign", "IsFinite", "IsNaN")
def _class(scope):
    kind, opset = scope.pick((("Sign", 1), ("IsFinite", 10), ("IsNaN", 10)))
    return scope.apply(kind, [scope.floats(exact=True)], 1, opset=opset, exact=True)


@makes("Divide", "Mod", "FloorMod")
def _divide(scope):
    kind = scope.pick(("Divide", "Mod", "FloorMod"))
    a = scope.any()
    if not a.exact:
        return None
    a = scope.within(a, 30)
    divisor = scope.pick((1, 2, 3, 4, 7)) * (-1 if scope.chance(0.3) else 1)
    if scope.chance(0.5):
        b = scope.source(a.dtype, a.dims)
        b = scope.op("Abs", [b], b.dtype, b.dims, b.bound)
        b = scope.op("Maximum", [b, scope.scalar(1, a.dtype)], a.dtype, a.dims, max(b.bound, 1))
        if not b.exact:
            return None
    else:
        b = scope.scalar(divisor, a.dtype)
    exact = a.dtype != "f32" or kind != "Divide"
    return scope.apply(kind, [a, b], 30, exact=exact)


@makes("Power", "SquaredDifference")
def _power(scope):
    if scope.chance(0.5):
        a = scope.within(scope.any(), 30)
        b = scope.within(scope.source(a.dtype, a.dims[len(a.dims) // 2:]), 30)
        return scope.apply("SquaredDifference", [a, b], (a.bound + b.bound)**2)
    if scope.chance(0.4):
        return scope.apply("Power", [_small(scope), scope.scalar(2, "f32")], 4)
    exponent = scope.scalar(scope.pick((0.5, 2, -1, -0.5, 1.5, 1)), "f32")
    return scope.apply("Power", [_positive(scope), exponent], 30, exact=False)


@makes("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitwiseLeftShift",
       "BitwiseRightShift")
def _bits(scope):
    kind = scope.pick(("And", "Or", "Xor", "Not", "LeftShift", "RightShift"))
    a = scope.within(scope.source(scope.pick(("i32", "i64")), scope.dims()), 1000)
    opset, name, inputs = 13, f"Bitwise{kind}", [a]
    if "Shift" in kind:
        opset = 15
        inputs.append(scope.scalar(int(scope.rng.integers(0, 5)), a.dtype))
    elif kind != "Not":
        inputs.append(scope.within(scope.source(a.dtype, a.dims), 1000))
    return scope.apply(name, inputs, 16384, opset=opset)


@makes("LogicalXor")
def _xor(scope):
    a = scope.source("boolean", scope.dims(1))
    return scope.apply("LogicalXor", [a, scope.source("boolean", a.dims)], 1)


def _some_axes(scope, value, least=1):
    count = int(scope.rng.integers(least, len(value.dims) + 1))
    axes = [int(axis) for axis in scope.rng.permutation(len(value.dims))[:count]]
    return [axis - len(value.dims) if scope.chance(0.2) else axis for axis in axes]


@makes("ReduceMean", "ReduceL1", "ReduceL2", "ReduceMin", "ReduceMax", "ReduceSum", "ReduceProd")
def _reduce(scope):
    kind = scope.pick(("Mean", "L1", "L2", "Min", "Max", "Sum", "Prod"))
    value = scope.floats(at_least=1)
    axes = _some_axes(scope, value)
    count = int(np.prod([value.dims[axis] for axis in axes]))
    bound = value.bound * (count if kind in ("L1", "L2", "Sum") else 1)
    if kind == "Prod":
        if count > 8:
            return None
        value, bound = scope.within(value, 2), 2**count
    if kind == "L2":
        value, offset = scope.within(value, 30), scope.scalar(0.5, "f32")
        value = scope.op("Add", [value, offset], "f32", value.dims, 31, exact=False)
    data = {"keep_dims": scope.attribute("false", "true")}
    opset = 4 if kind in ("L1", "L2") else 1
    exact = value.exact and kind not in ("Mean", "L2")
    return scope.apply(f"Reduce{kind}", [value, scope.integers(*axes)], bound, data, opset, exact)


@makes("ReduceLogicalAnd", "ReduceLogicalOr")
def _reduce_logic(scope):
    value = scope.source("boolean", scope.dims(2))
    data = {"keep_dims": scope.attribute("false", "true")}
    kind = scope.pick(("ReduceLogicalAnd", "ReduceLogicalOr"))
    return scope.apply(kind, [value, scope.integers(*_some_axes(scope, value))], 1, data)


@makes("CumSum")
def _cum_sum(scope):
    value = scope.floats(at_least=1)
    axis = int(scope.rng.integers(len(value.dims)))
    data = {key: scope.attribute("false", "true") for key in ("exclusive", "reverse")}
    bound = value.bound * value.dims[axis]
    return scope.apply("CumSum", [value, scope.scalar(axis, "i64")], bound, data, 3)


@makes("Softmax", "LogSoftmax")
def _softmax(scope):
    kind, opset = scope.pick((("Softmax", 1), ("Softmax", 8), ("LogSoftmax", 5)))
    value = scope.within(scope.floats(at_least=1), 8)
    axis = int(scope.rng.integers(len(value.dims)))
    if opset != 1 and scope.chance(0.4):
        axis -= len(value.dims)
    return scope.apply(kind, [value], 20, {"axis": axis}, opset, False)


@makes("MVN", "NormalizeL2")
def _normalize(scope):
    value = scope.within(scope.floats(at_least=2), 8)
    axes = scope.integers(*_some_axes(scope, value))
    eps = scope.attribute(0.5, 0.125)
    if scope.chance(0.5):
        data = {"eps": eps, "eps_mode": scope.attribute("add", "max")}
        return scope.apply("NormalizeL2", [value, axes], 20, data, exact=False)
    data = {
        "eps": eps, "normalize_variance": scope.attribute("true", "false"),
        "eps_mode": scope.attribute("inside_sqrt", "outside_sqrt")
    }  # yapf: disable
    return scope.apply("MVN", [value, axes], 16, data, 6, False)


@makes("GroupNormalization")
def _group_norm(scope):
    value = scope.within(scope.floats(at_least=2), 8)
    channels = value.dims[1]
    groups = scope.pick([count for count in range(1, channels + 1) if channels % count == 0])
    weights = [numbers(scope, (channels, )) for _ in range(2)]
    data = {"num_groups": groups, "epsilon": 0.5}
    return scope.apply("GroupNormalization", [value, *weights], 16, data, 12, False)


@makes("BatchNormInference")
def _batch_norm(scope):
    value = scope.within(scope.floats(at_least=2), 8)
    channels = (value.dims[1], )
    weights = [numbers(scope, channels) for _ in range(3)] + [numbers(scope, channels, 4, 16)]
    return scope.apply("BatchNormInference", [value, *weights], 30, {"epsilon": 0.125}, 5, False)


@makes("LRN", "GRN")
def _local_norm(scope):
    value = scope.within(scope.floats(rank=scope.pick((3, 4))), 8)
    if scope.chance(0.3):
        return scope.apply("GRN", [value], 8, {"bias": 0.5}, exact=False)
    size = scope.attribute(3, 1, 5)
    data = {"size": size, "alpha": 0.5, "beta": scope.attribute(1, 0.75), "bias": 1}
    return scope.apply("LRN", [value, scope.integers(1)], 8, data, exact=False)


@makes("FakeQuantize")
def _fake_quantize(scope):
    """Codes with a distance that is a power of two, so that exact inputs give exact codes. The code of
    zero is even: weft rounds halves of x / scale to even, the specification those of x / scale plus
    that code."""
    value = scope.floats(exact=True)
    levels = scope.attribute(256, 255, 16)
    unit = float(scope.attribute(1, 2, 4))
    zero = scope.attribute(levels // 4 * 2, 0)
    low, high = -zero * unit, (levels - 1 - zero) * unit
    dims = ()
    if len(value.dims) > 1 and scope.chance(0.3):
        dims = (value.dims[1], ) + (1, ) * (len(value.dims) - 2)
    ends = [scope.net.constant(np.full(dims, end, np.float32)) for end in (low, high)]
    bound = min(value.bound + unit, max(-low, high))
    return scope.apply("FakeQuantize", [value, *ends, *ends], bound, {"levels": levels})
