# SPDX-License-Identifier: Apache-2.0
"""Less common operations: additional activations, remainders, reductions and reorderings."""

import math

import numpy as np

from build import node
from casebook import Case, by_numpy, counting, exact, flags, i64, integers, normal, sizes, uniform

LENGTHS = [1, 15, 16, 17, 33]


def _f32(formula):
    return lambda *x: np.asarray(formula(*[np.asarray(v, np.float64) for v in x]), np.float32)


def _softplus(x):
    return np.where(x > 20, x, np.log1p(np.exp(np.minimum(x, 20))))


def _half_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


# name: (type, opset, further constant inputs, attributes, formula)
UNARY = {
    "erf": ("Erf", 1, [], {}, np.vectorize(math.erf)),
    "hsigmoid": ("HSigmoid", 5, [], {}, lambda x: np.clip(x + 3, 0, 6) / 6),
    "hard_sigmoid": ("HardSigmoid", 1, [0.3, 0.4], {}, lambda x: np.clip(np.float32(0.3) * x + np.float32(0.4), 0, 1)),
    "mish": ("Mish", 4, [], {}, lambda x: x * np.tanh(_softplus(x))),
    "round_even": ("Round", 5, [], dict(mode="half_to_even"), np.round),
    "round_away": ("Round", 5, [], dict(mode="half_away_from_zero"), _half_away),
    "selu": ("Selu", 1, [1.6732632, 1.050701], {},
             lambda x: 1.050701 * np.where(x > 0, x, 1.6732632 * np.expm1(np.minimum(x, 0)))),
    "sign": ("Sign", 1, [], {}, np.sign),
    "softplus": ("SoftPlus", 4, [], {}, _softplus),
    "softsign": ("SoftSign", 9, [], {}, lambda x: x / (1 + np.abs(x))),
    "identity": ("Identity", 16, [], {}, lambda x: x),
}


def _unary():
    for turn, (name, (kind, opset, more, attributes, formula)) in enumerate(UNARY.items()):
        for shape in ((LENGTHS[turn % 5],), (3, LENGTHS[(turn + 2) % 5])):
            label = f"{name}_{sizes(shape)}"
            values = uniform(label, -6, 6, *shape)
            values.flat[0] = -2.5
            yield Case(f"beyond/{label}", [values],
                       lambda x, kind=kind, opset=opset, more=more, attributes=attributes: node(
                           kind, opset, [x, *[np.float32(v) for v in more]], **attributes),
                       reference=_f32(formula))


def _binary():
    for kind, formula in (("Mod", np.fmod), ("FloorMod", np.mod)):
        label = f"{kind.lower()}_f32"
        yield Case(f"beyond/{label}", [uniform(label, -9, 9, 3, 17), uniform(label + "b", 1, 4, 17)],
                   lambda a, b, kind=kind: node(kind, 1, [a, b]), reference=_f32(formula))
        label = f"{kind.lower()}_i32"
        yield exact(f"beyond/{label}", [integers(label, -50, 50, 33), integers(label + "b", 1, 9, 33)],
                    lambda a, b, kind=kind: node(kind, 1, [a, b]), formula)
    slope = np.array([0.1, -0.5, 2.0], np.float32)
    yield Case("beyond/prelu_channels", [normal("prelu", 2, 3, 5)],
               lambda x: node("PRelu", 1, [x, slope]),
               reference=_f32(lambda x: np.where(x > 0, x, x * slope.reshape(1, 3, 1))))
    yield Case("beyond/prelu_one_slope", [normal("prelu1", 17)],
               lambda x: node("PRelu", 1, [x, np.array([0.25], np.float32)]),
               reference=_f32(lambda x: np.where(x > 0, x, x * 0.25)))
    yield Case("beyond/prelu_scalar", [normal("prelu_scalar")],
               lambda x: node("PRelu", 1, [x, np.array([0.25], np.float32)]),
               reference=_f32(lambda x: np.where(x > 0, x, x * 0.25)),
               note="ONNX's LeakyRelu of a scalar has a slope of shape [1].")
    yield exact("beyond/convert_like", [normal("like", 7) * 9, integers("like", 0, 2, 2)],
                lambda a, b: node("ConvertLike", 1, [a, b]), lambda a, b: np.trunc(a).astype(np.int32))


def _reduce():
    rows = [("ReduceL1", 4, lambda x, a, k: np.abs(x).sum(axis=a, keepdims=k)),
            ("ReduceL2", 4, lambda x, a, k: np.sqrt((x * x).sum(axis=a, keepdims=k))),
            ("ReduceProd", 1, lambda x, a, k: x.prod(axis=a, keepdims=k))]
    for kind, opset, formula in rows:
        for shape, axes, keep in (((3, 17), (1,), False), ((2, 5, 33), (0, 2), True), ((16,), (0,), False)):
            label = f"{kind.lower()}_{sizes(shape)}_axes_{'_'.join(map(str, axes))}"
            values = uniform(label, 0.5, 1.5, *shape) if kind == "ReduceProd" else normal(label, *shape)
            yield Case(f"beyond/{label}", [values],
                       lambda x, kind=kind, opset=opset, axes=axes, keep=keep: node(
                           kind, opset, [x, i64(*axes)], keep_dims=keep),
                       reference=_f32(lambda x, f=formula, axes=axes, keep=keep: f(x, axes, keep)))
    for kind, formula in (("ReduceLogicalAnd", np.all), ("ReduceLogicalOr", np.any)):
        yield exact(f"beyond/{kind.lower()}", [flags(kind, 4, 3)],
                    lambda x, kind=kind: node(kind, 1, [x, i64(1)], keep_dims=False),
                    lambda x, f=formula: f(x, axis=1))
    for axis in (0, -1):
        def log_softmax(x, axis=axis):
            shifted = x - x.max(axis=axis, keepdims=True)
            return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
        yield Case(f"beyond/log_softmax_axis_{'last' if axis < 0 else axis}", [normal(f"ls{axis}", 5, 17)],
                   lambda x, axis=axis: node("LogSoftmax", 5, [x], axis=axis), reference=_f32(log_softmax))


def _depth_to_space(x, block, blocks_first):
    n, c, h, w = x.shape
    lead = c // block**2
    if blocks_first:
        return x.reshape(n, block, block, lead, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(n, lead, h * block, w * block)
    return x.reshape(n, lead, block, block, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, lead, h * block, w * block)


def _space_to_depth(x, block, blocks_first):
    n, c, h, w = x.shape
    parts = x.reshape(n, c, h // block, block, w // block, block)
    order = (0, 3, 5, 1, 2, 4) if blocks_first else (0, 1, 3, 5, 2, 4)
    return parts.transpose(order).reshape(n, c * block**2, h // block, w // block)


def _reduce_of_nothing():
    """The type's lowest and highest value, as the ONNX specification requires."""
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64):
        name = np.dtype(kind).name
        yield exact(f"beyond/reduce_extremes_of_no_{name}", [np.zeros((0, 3), kind)],
                    lambda x: [node("ReduceMax", 1, [x, i64(0)], keep_dims=False),
                               node("ReduceMin", 1, [x, i64(0)], keep_dims=True)],
                    lambda x, kind=kind: [np.full(3, np.iinfo(kind).min, kind),
                                          np.full((1, 3), np.iinfo(kind).max, kind)],
                    **(by_numpy("OpenVINO gives 0, or numbers of 32 bits.")
                       if kind in (np.int16, np.int64) else {}))


def _reorder():
    for mode in ("blocks_first", "depth_first"):
        first = mode == "blocks_first"
        yield exact(f"beyond/depth_to_space_{mode}", [counting(2, 12, 3, 5)],
                    lambda x, mode=mode: node("DepthToSpace", 1, [x], mode=mode, block_size=2),
                    lambda x, first=first: _depth_to_space(x, 2, first))
        yield exact(f"beyond/space_to_depth_{mode}", [counting(2, 3, 4, 6)],
                    lambda x, mode=mode: node("SpaceToDepth", 1, [x], mode=mode, block_size=2),
                    lambda x, first=first: _space_to_depth(x, 2, first))
    yield exact("beyond/shuffle_channels", [counting(2, 6, 5)],
                lambda x: node("ShuffleChannels", 1, [x], axis=1, group=3),
                lambda x: x.reshape(2, 3, 2, 5).swapaxes(1, 2).reshape(2, 6, 5))
    yield exact("beyond/roll", [counting(3, 5)], lambda x: node("Roll", 7, [x, i64(2, -1), i64(1, 0)]),
                lambda x: np.roll(x, (2, -1), (1, 0)))
    yield exact("beyond/reverse_index", [counting(3, 5)],
                lambda x: node("Reverse", 1, [x, i64(1)], mode="index"), lambda x: x[:, ::-1])

    def reversed_rows(x):
        out = x.copy()
        for row, length in enumerate((5, 2, 1)):
            out[row, :length] = x[row, :length][::-1]
        return out

    yield exact("beyond/reverse_sequence", [counting(3, 5, 2)],
                lambda x: node("ReverseSequence", 1, [x, np.array([5, 2, 1], np.int32)], batch_axis=0, seq_axis=1),
                reversed_rows)
    yield exact("beyond/one_hot", [np.array([0, 3, 2, -1, 5], np.int32)],
                lambda x: node("OneHot", 1, [x, np.int64(4), np.float32(2), np.float32(-1)], axis=1),
                lambda x: np.where(x[:, None] == np.arange(4), np.float32(2), np.float32(-1)),
                differs="negative and too large indices are off everywhere by the document", oracle="numpy")


def cases():
    yield from _unary()
    yield from _binary()
    yield from _reduce()
    yield from _reduce_of_nothing()
    yield from _reorder()
