# SPDX-License-Identifier: Apache-2.0
"""Quantised models as exported by NNCF, ONNX QDQ and TFLite: FakeQuantize of one range around every
layer, int8 weights times a scale. weft and the NumPy reference (tests/reference/levels.py) compute in
integers. OpenVINO also runs the models whose values have no ties to round; for ties its integers may
differ by one."""

import pathlib

import numpy as np
from onnx import helper

from build import node
from casebook import Case, by_numpy, integers, normal, recurrent
from families.from_onnx import converted
from families.sequences import DEFAULT, REFERENCES
from reference import levels as q8
from reference.levels import levels_of

F = np.float32
EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
TOLERANCE = {"oracle": "numpy", "rtol": 2e-6, "atol": 2e-6}
GROUPS = by_numpy("OpenVINO refuses one scale for several outputs of a group: its own rewriting gives "
                  "it a shape that does not fit.")
IN_FLOATS = {"settings": {"LP_TRANSFORMS_MODE": False},
             "note": "OpenVINO's integers are wrong by several levels; its f32 arithmetic is not."}
RANK = by_numpy("OpenVINO's CPU device gives the output the rank of the ranges.")


def fake(x, low, high, out=None, count=256, shape=(), **attributes):
    """FakeQuantize of [low, high]; `out` is the output range, by default the same."""
    limits = [np.full(shape, limit, F) for limit in (low, high, *(out or (low, high)))]
    return node("FakeQuantize", 1, [x, *limits], levels=count, **attributes)


class Weights:
    """Integers in [-most, most] and a scale for each output along `axis`."""

    def __init__(self, label, *shape, axis=0, most=127, size=1.0):
        self.integers = integers(label, -most, most + 1, *shape, dtype=np.int8)
        inputs = self.integers.size / shape[axis]
        spread = 1 + np.arange(shape[axis]) % 5 / 4
        self.scales = (spread * size / (most * np.sqrt(inputs))).astype(F)
        self.along = [shape[axis] if i == axis else 1 for i in range(len(shape))]

    def node(self):
        wide = node("Convert", 1, [self.integers], destination_type="f32")
        return node("Multiply", 1, [wide, self.scales.reshape(self.along)])


def bias(label, count):
    return normal(label, count, scale=0.3)


def matmul(x, w, b=None, turned=True):
    y = node("MatMul", 1, [x, w.node()], transpose_a=False, transpose_b=turned)
    return y if b is None else node("Add", 1, [y, b.reshape(1, -1)])


def convolve(x, w, b=None, stride=1, pad=0, grouped=False):
    """A convolution with weights in the layout of the specification, groups first if grouped."""
    rank = w.integers.ndim - 2 - grouped
    y = node("GroupConvolution" if grouped else "Convolution", 1, [x, w.node()],
             strides=[stride] * rank, dilations=[1] * rank, pads_begin=[pad] * rank,
             pads_end=[pad] * rank, auto_pad="explicit")
    return y if b is None else node("Add", 1, [y, b.reshape(1, -1, *[1] * rank)])


def relu(x):
    return node("Relu", 1, [x])


def positive(to):
    """The bounds (low, high) of the quantised values that represent nonnegative numbers."""
    return max(to.low, to.zero), to.high


def _case(name, inputs, graph, reference, **more):
    return Case(f"quantised/{name}", inputs, graph, reference=reference, **{**TOLERANCE, **more})


def _mlps():
    a, b, c = (Weights("qa", 33, 19), Weights("qb", 33, 17, axis=1), Weights("qc", 17, 17))
    ba, bb = bias("qba", 33), bias("qbb", 17)
    for name, ends, hidden, count, shape in (
        ("symmetric", (-128 / 40, 127 / 40), (0, 5.1), 256, ()),
        ("any_zero", (-93 * 0.03, 162 * 0.03), (-20 * 0.02, 235 * 0.02), 256, ()),
        ("levels_255", (-127 / 40, 127 / 40), (0, 254 * 0.02), 255, (1, 1)),
        ("few_levels", (-8 * 0.4, 7 * 0.4), (0, 15 * 0.3), 16, (1, 1, 1, 1)),
        ("far_zero", (0.5, 0.5 + 255 / 64), (-4, -4 + 255 / 64), 256, (1,))):

        def graph(x, ends=ends, hidden=hidden, count=count, shape=shape):
            x = fake(x, *ends, count=count, shape=shape)
            x = fake(relu(matmul(x, a, ba)), *hidden, count=count, shape=shape)
            x = fake(matmul(x, b, bb, turned=False), *ends, count=count, shape=shape)
            return matmul(x, c)

        def reference(x, ends=ends, hidden=hidden, count=count):
            first, second = levels_of(*ends, count), levels_of(*hidden, count)
            x = q8.quantised(x, first)
            x = q8.product(x, a.integers, a.scales, ba, second, (
                max(second.low, min(second.zero, second.high)), second.high))
            x = q8.product(x, b.integers.T, b.scales, bb, first)
            return q8.product(x, c.integers, c.scales)

        floats = name == "far_zero"  # zero points outside int8
        yield _case(f"mlp_{name}", [normal("q" + name, 5, 19)], graph,
                    reference if not floats else lambda x: _floats(x, [a, b, c], [ba, bb]),
                    **({"rtol": 1e-5, "atol": 1e-5} if floats else {}),
                    **{"levels_255": IN_FLOATS, "few_levels": RANK}.get(name, {}))


def _floats(x, weights, biases):
    """The model "far_zero" in floats: the zero points of its ranges do not fit int8."""
    def fake(x, low):
        high = low + 255 / 64
        return np.rint((np.clip(x.astype(np.float64), low, high) - low) * 64) / 64 + low

    a, b, c = (w.integers * w.scales.reshape(w.along).astype(np.float64) for w in weights)
    x = np.maximum(fake(x, 0.5) @ a.T + biases[0], 0)
    return fake(fake(x, -4) @ b + biases[1], 0.5) @ c.T


def _convolutions():
    """Two layers each, in channels-last layout; also with one channel or one axis."""
    for name, data, window, stride, pad, group, outputs in (
        ("conv", (2, 3, 9, 7), (3, 3), 1, 1, 0, 17), ("conv_one_channel", (1, 1, 11, 5), (3, 2), 2, 1, 0, 8),
        ("conv_1d", (2, 5, 21), (4,), 2, 2, 0, 19), ("conv_pointwise", (1, 19, 3, 4), (1, 1), 1, 0, 0, 33),
        ("conv_pointwise_stride", (1, 6, 5, 7), (1, 1), 2, 0, 0, 16),
        ("conv_whole", (2, 6, 3, 4), (3, 4), 1, 0, 0, 5),
        ("conv_groups", (1, 6, 7, 5), (3, 3), 1, 1, 3, 18),
        ("depthwise", (2, 17, 6, 7), (3, 3), 1, 1, 17, 17),
        ("depthwise_multiplier", (1, 9, 8, 5), (3, 3), 2, 1, 9, 18),
        ("depthwise_1d", (1, 20, 13), (5,), 1, 2, 20, 20)):
        shape = (outputs, data[1], *window)
        if group:
            shape = (group, outputs // group, data[1] // group, *window)
        w = Weights("qw" + name, *shape)
        if group:  # a scale for each output, as in depthwise layers
            w.along = [group, *[1] * (len(shape) - 1)]
        second = Weights("qv" + name, 7, outputs, *[1] * len(window))
        b, c = bias("qb" + name, outputs), bias("qc" + name, 7)
        ends, hidden = (-100 * 0.025, 155 * 0.025), (0, 255 * 0.012)

        def graph(x, w=w, second=second, b=b, c=c, stride=stride, pad=pad, group=group):
            x = fake(x, *ends)
            x = fake(relu(convolve(x, w, b, stride, pad, bool(group))), *hidden, shape=(1, 1, 1, 1)[:x.get_output_partial_shape(0).rank.get_length()])
            return convolve(x, second, c)

        def reference(x, w=w, second=second, b=b, c=c, stride=stride, pad=pad, group=group):
            rank = x.ndim - 2
            scales = np.broadcast_to(w.scales.reshape(w.along), w.integers.shape[:2 if group else 1] + (1,) * (w.integers.ndim - (2 if group else 1))).ravel()
            grouped = w.integers if group else w.integers[None]
            x = q8.quantised(x, levels_of(*ends))
            to = levels_of(*hidden)
            x = q8.convolution(x, grouped, scales, [stride] * rank, [(pad, pad)] * rank, b, to)
            return q8.convolution(x, second.integers[None], second.scales, [1] * rank,
                                  [(0, 0)] * rank, c)

        yield _case(name, [normal("qx" + name, *data)], graph, reference,
                    **(GROUPS if group and outputs > group else {}))


def _channels():
    """Ranges per channel before depthwise convolutions, as NNCF writes them: the integers have a scale
    per channel. Channels that differ in more than their scale are computed in floats."""
    for name, data, window, pad, outputs, lows, most in (
        ("channels_2d", (2, 5, 8, 9), (3, 3), 1, 19, 0, None), ("channels_1d", (1, 6, 17), (5,), 2, 33, 0, None),
        ("channels_signed", (1, 4, 7, 6), (3, 2), 1, 70, -128, None),
        ("channels_clamped", (2, 5, 5, 9), (3, 3), 0, 16, 0, 0.8),
        ("channels_apart", (1, 3, 6, 7), (3, 3), 1, 9, None, None)):
        ones = [1] * len(window)
        first = Weights("qf" + name, outputs, data[1], *ones)
        second = Weights("qg" + name, outputs, 1, 1, *window)
        third = Weights("qt" + name, 7, outputs, *ones)
        b, c, d = bias("qfb" + name, outputs), bias("qgb" + name, outputs), bias("qtb" + name, 7)
        ends, hidden = (-100 * 0.025, 155 * 0.025), (0, 255 * 0.012)
        scales = ((0.004 + 0.003 * (np.arange(outputs) % 7)) * (1 if most is None else 0.25)).astype(F)
        low = (np.full(outputs, lows) if lows is not None else -(np.arange(outputs) % 3) * 20) * scales
        high = low + F(255) * scales

        def graph(x, first=first, second=second, third=third, b=b, c=c, d=d, pad=pad, low=low,
                  high=high, most=most, lows=lows, ones=ones):
            y = convolve(fake(x, *ends), first, b)
            if most is not None:
                y = node("Clamp", 1, [y], min=0.0, max=most)
            elif lows == 0:
                y = relu(y)
            limits = [limit.astype(F).reshape(1, -1, *ones) for limit in (low, high)]
            y = node("FakeQuantize", 1, [y, *limits, *limits], levels=256)
            y = fake(relu(convolve(y, second, c, 1, pad, True)), *hidden)
            return convolve(y, third, d)

        def reference(x, first=first, second=second, third=third, b=b, c=c, d=d, pad=pad, low=low,
                      high=high, most=most, lows=lows):
            rank = x.ndim - 2
            once, none, to = [1] * rank, [(0, 0)] * rank, levels_of(*hidden)
            x = q8.quantised(x, levels_of(*ends))
            of = [levels_of(a, z) for a, z in zip(low.astype(F), high.astype(F))]
            steps = np.array([level.scale for level in of])
            if lows is None or most is not None:  # in floats
                y = q8.convolution(x, first.integers[None], first.scales, once, none, b)
                along = (1, -1, *once)
                y = y if most is None else np.clip(y, 0, F(most))
                y = np.clip(np.rint((y - low.reshape(along)) / steps.reshape(along)), 0, 255)
                y = y.astype(np.int64) + np.rint(low / steps).astype(np.int64).reshape(along)
                y = q8.Bytes(y, q8.Levels(steps, 0, -255, 255))
            else:
                y = q8.convolution(x, first.integers[None], first.scales, once, none, b,
                                   q8.Levels(steps, of[0].zero, of[0].low, of[0].high))
            y = q8.convolution(y, second.integers, second.scales, once, [(pad, pad)] * rank, c, to)
            return q8.convolution(y, third.integers[None], third.scales, once, none, d)

        yield _case(name, [normal("qx" + name, *data)], graph, reference)


def _between():
    """Operations other than products between quantisers."""
    ends, other, wide = (-3.2, 3.175), (0, 5.1), (-128 / 20, 127 / 20)
    a, b, c = levels_of(*ends), levels_of(*other), levels_of(*wide)
    w = Weights("qbw", 9, 12)

    def residual(x, y):
        x, y = fake(x, *ends), fake(y, *other)
        return matmul(fake(relu(node("Add", 1, [x, y])), *wide), w)

    yield _case("add_relu", [normal("qax", 3, 5, 12), normal("qay", 5, 12)], residual,
                lambda x, y: q8.product(q8.add(q8.quantised(x, a), q8.quantised(y, b), c, positive(c)),
                                        w.integers, w.scales))
    yield _case("multiply", [normal("qmx", 4, 12), normal("qmy", 4, 1)],
                lambda x, y: fake(node("Multiply", 1, [fake(x, *ends), fake(y, *other)]), *wide),
                lambda x, y: q8.multiply(q8.quantised(x, a), q8.quantised(y, b), c).numbers())
    for name, operation, apply, attributes in (
        ("sigmoid", "Sigmoid", lambda x: 1 / (1 + np.exp(-x.astype(np.float64))), {}),
        ("tanh", "Tanh", lambda x: np.tanh(x.astype(np.float64)), {}),
        ("clamp", "Clamp", lambda x: np.clip(x, F(-1.3), F(2.1)), {"min": -1.3, "max": 2.1}),
        ("elu", "Elu", lambda x: np.where(x > 0, x, 0.5 * np.expm1(np.minimum(x, 0).astype(np.float64))), {"alpha": 0.5})):
        yield _case(name, [normal("qf" + name, 2, 3, 12, scale=2)],
                    lambda x, operation=operation, attributes=attributes: matmul(
                        fake(node(operation, 1, [fake(x, *wide)], **attributes), *ends), w),
                    lambda x, apply=apply: q8.product(
                        q8.function(q8.quantised(x, c), apply, a), w.integers, w.scales),
                    **(IN_FLOATS if name == "clamp" else {}))
    yield _case("two_functions", [normal("qtf", 3, 12, scale=2)],
                lambda x: fake(node("Multiply", 1, [node("Tanh", 1, [node("Add", 1, [fake(x, *wide), F(0.25)])]), F(3)]), *ends),
                lambda x: q8.function(q8.quantised(x, c),
                                      lambda x: np.tanh(x + F(0.25)) * F(3), a).numbers(),
                rtol=1e-6, atol=1e-6)


def _pools():
    ends, other = (-3.2, 3.175), (-4 * 0.0213, 251 * 0.0213)
    a, b = levels_of(*ends), levels_of(*other)
    w = Weights("qpw", 6, 5, 1, 1)

    def pool(kind, x, pad, **attributes):
        return node(kind, 1, [x], kernel=[3, 2], strides=[2, 1], pads_begin=[pad, 0],
                    pads_end=[pad, pad], rounding_type="floor", auto_pad="explicit", **attributes)

    def convolved(x):
        return q8.convolution(x, w.integers[None], w.scales, [1, 1], [(0, 0)] * 2)

    how = ((3, 2), (2, 1))
    for pad in (0, 1):
        pads = [(pad, pad), (0, pad)]
        yield _case(f"max_pool_{pad}", [normal("qpm", 2, 5, 9, 8)],
                    lambda x, pad=pad: convolve(pool("MaxPool", fake(x, *ends), pad), w),
                    lambda x, pads=pads: convolved(q8.maximum(q8.quantised(x, a), *how, pads)))
        for exclude in (True, False):
            yield _case(f"avg_pool_{pad}_{'exclude' if exclude else 'include'}",
                        [normal("qpa", 2, 5, 9, 8)],
                        lambda x, pad=pad, exclude=exclude: convolve(fake(pool(
                            "AvgPool", fake(x, *ends), pad, **{"exclude-pad": exclude}), *other), w),
                        lambda x, pads=pads, exclude=exclude: convolved(q8.mean(
                            q8.quantised(x, a), *how, pads, b, not exclude)))


    def indexed(x, opset):
        more = {"dilations": [1, 1], "index_element_type": "i64", "axis": 0}
        made = node("MaxPool", opset, [fake(x, *ends)], kernel=[3, 2], strides=[2, 1],
                    pads_begin=[1, 0], pads_end=[1, 1], rounding_type="floor", auto_pad="explicit",
                    **more)
        return convolve(made.output(0), w)

    for opset in (8, 14):
        yield _case(f"max_pool_opset{opset}", [normal("qpo", 2, 5, 9, 8)],
                    lambda x, opset=opset: indexed(x, opset),
                    lambda x: convolved(q8.maximum(q8.quantised(x, a), *how, [(1, 1), (0, 1)])))


def _means():
    """Means along adjacent axes are computed as pooling windows."""
    ends, other = (-3.2, 3.175), (-100 * 0.0071, 155 * 0.0071)
    a, b = levels_of(*ends), levels_of(*other)

    def averaged(x, axes, keep):
        y = node("ReduceMean", 1, [x, np.array(axes)], keep_dims=keep)
        return fake(y, *other)

    def along(x, axes, keep):
        levels = q8.quantised(x, a)
        kept = [size for i, size in enumerate(x.shape) if i not in axes]
        dims = [1 if i in axes else size for i, size in enumerate(x.shape)] if keep else kept
        length = x.size // int(np.prod(kept))
        order = [i for i in range(x.ndim) if i not in axes] + list(axes)
        rows = levels.moved(lambda q: q.transpose(order).reshape(-1, 1, length, 1))
        means = q8.mean(rows, (length, 1), (1, 1), [(0, 0)] * 2, b, True)
        return means.moved(lambda q: q.reshape(dims))

    shapes = {"planes": ((2, 17, 9, 5), (2, 3), False), "kept": ((2, 17, 9, 5), (2, 3), True),
              "rows": ((3, 7, 33), (2,), False), "steps": ((2, 50, 19), (1,), False),
              "channels": ((2, 17, 4, 5), (1,), True), "all": ((1, 6, 7), (0, 1, 2), True)}
    for name, (shape, axes, keep) in shapes.items():
        yield _case(f"mean_{name}", [normal("qam" + name, *shape)],
                    lambda x, axes=axes, keep=keep: averaged(fake(x, *ends), axes, keep),
                    lambda x, axes=axes, keep=keep: along(x, axes, keep).numbers())

    conv, dense = Weights("qac", 17, 5, 3, 3), Weights("qad", 12, 17)

    def head(x, keep):
        y = fake(relu(convolve(fake(x, *ends), conv, pad=1)), 0, 3.1875)
        y = averaged(y, (2, 3), keep)
        if keep:
            y = node("Reshape", 1, [y, np.array([0, 17])], special_zero=True)
        return matmul(y, dense)

    def of_head(x):
        to = levels_of(0, 3.1875)
        y = q8.convolution(q8.quantised(x, a), conv.integers[None], conv.scales, [1, 1],
                           [(1, 1)] * 2, to=to, bounds=positive(to))
        means = q8.mean(y, y.integers.shape[2:], (1, 1), [(0, 0)] * 2, b, True)
        return q8.product(means.moved(lambda q: q.reshape(-1, 17)), dense.integers, dense.scales)

    for keep in (False, True):
        yield _case(f"mean_head_{'kept' if keep else 'dropped'}", [normal("qah", 2, 5, 6, 7)],
                    lambda x, keep=keep: head(x, keep), of_head)


def _moved():
    """Data movement preserves quantised values."""
    ends, other = (-3.2, 3.175), (-1.5 * 128 / 127, 1.5)
    a, b = levels_of(*ends), levels_of(*other)
    w = Weights("qmw", 8, 24)

    def doubled(x):
        x = fake(x, *ends, shape=(1, 1, 1))
        x = fake(node("Transpose", 1, [x, np.array([0, 2, 1])]), *ends, shape=(1, 1, 1))
        x = fake(node("Reshape", 1, [x, np.array([3, 24])], special_zero=False), *ends, shape=(1, 1))
        return matmul(x, w)

    yield _case("doubles", [normal("qmd", 3, 4, 6)], doubled,
                lambda x: q8.product(q8.quantised(x, a).moved(
                    lambda x: x.transpose(0, 2, 1).reshape(3, 24)), w.integers, w.scales))

    def taken(x):
        x = fake(x, *ends)
        x = node("Gather", 8, [x, np.array([4, 0, 3]), np.int64(0)], batch_dims=0)
        x = node("StridedSlice", 1, [x, np.array([0, 1]), np.array([3, 25])],
                 begin_mask=[1, 0], end_mask=[1, 0])
        x = node("Split", 1, [x, np.int64(1)], num_splits=2)
        return matmul(node("Concat", 1, [x.output(1), x.output(0)], axis=1), w)

    yield _case("taken", [normal("qmt", 5, 26)], taken,
                lambda x: q8.product(q8.quantised(x, a).moved(
                    lambda x: np.roll(x[[4, 0, 3], 1:25], 12, axis=1)), w.integers, w.scales))
    yield _case("other_range", [normal("qor", 5, 24)],
                lambda x: matmul(fake(fake(x, *ends), *other), w),
                lambda x: q8.product(q8.relevelled(q8.quantised(x, a), b), w.integers, w.scales),
                **IN_FLOATS)


def _joined():
    """Concat of values with one quantisation range, which it preserves, and with two."""
    ends, other = (-3.2, 3.175), (-1.5 * 128 / 127, 1.5)
    a, b = levels_of(*ends), levels_of(*other)
    w = Weights("qmw", 8, 24)

    def concat(x, y):
        joined = node("Concat", 1, [fake(x, *ends), fake(y, *other)], axis=1)
        return matmul(fake(joined, *ends), w)

    yield _case("concat", [normal("qcx", 3, 11), normal("qcy", 3, 13)], concat,
                lambda x, y: q8.product(q8.Bytes(np.concatenate([
                    q8.quantised(x, a).integers,
                    q8.relevelled(q8.quantised(y, b), a).integers], 1), a), w.integers, w.scales))
    yield _case("concat_one_range", [normal("qcx", 3, 11), normal("qcy", 3, 13)],
                lambda x, y: matmul(node("Concat", 1, [fake(x, *ends), fake(y, *ends)], axis=1), w),
                lambda x, y: q8.product(q8.quantised(np.concatenate([x, y], 1), a), w.integers,
                                        w.scales))

    def split(x, y):
        """Each input has its own range, so that the product is computed in two parts."""
        return node("Add", 1, [matmul(node("Concat", 1, [fake(x, *ends), fake(y, *other)], axis=-1), w),
                               bias("qsb", 8)])

    yield _case("concat_two_ranges", [normal("qcx", 3, 11), normal("qcy", 3, 13)], split,
                lambda x, y: q8.product(q8.quantised(x, a), w.integers[:, :11], w.scales) + q8.product(
                    q8.quantised(y, b), w.integers[:, 11:], w.scales) + bias("qsb", 8))
    v = Weights("qmv", 7, 9, 3, 3)

    def joined(x, y):
        x, y = fake(x, *ends), fake(y, *other)
        z = node("Concat", 1, [x, y], axis=1)
        mean = node("AvgPool", 1, [z], kernel=[3, 3], strides=[2, 2], pads_begin=[0, 0],
                    pads_end=[0, 0], rounding_type="floor", auto_pad="explicit",
                    **{"exclude-pad": True})
        return [convolve(z, v, pad=1), fake(mean, *end)]

    def of_joined(x, y):
        x, y = q8.quantised(x, a), q8.quantised(y, b)
        products = [q8.convolution(part, w[None], v.scales, [1, 1], [(1, 1)] * 2)
                    for part, w in ((x, v.integers[:, :5]), (y, v.integers[:, 5:]))]
        means = [q8.mean(part, (3, 3), (2, 2), [(0, 0)] * 2, levels_of(*end)).numbers()
                 for part in (x, y)]
        return [products[0] + products[1], np.concatenate(means, 1)]

    end = (-1.1 * 128 / 127, 1.1)
    yield _case("concat_convolved", [normal("qjx", 1, 5, 9, 7), normal("qjy", 1, 4, 9, 7)], joined,
                of_joined, settings=IN_FLOATS["settings"],
                note="OpenVINO's integers give both parts one range; its f32 arithmetic does not.")


def _stays():
    """Models that remain fully or partly f32: values that int8 cannot hold, or float weights."""
    ends = (-3.2, 3.175)
    a = levels_of(*ends)
    w = Weights("qsw", 8, 24)
    floats = normal("qsf", 8, 24, scale=0.3)
    tolerance = {"rtol": 1e-5, "atol": 1e-5}
    yield _case("float_weights", [normal("qsx", 3, 24)],
                lambda x: node("MatMul", 1, [fake(x, *ends), floats], transpose_b=True,
                               transpose_a=False),
                lambda x: q8.quantised(x, a).numbers() @ floats.T.astype(np.float64), **tolerance)

    def channels(x):
        low = -np.linspace(1, 2, 24).astype(F)
        return matmul(node("FakeQuantize", 1, [x, low, -low, low, -low], levels=256), w)

    def of_channels(x):
        low = -np.linspace(1, 2, 24).astype(F).astype(np.float64)
        steps = np.rint((np.clip(x, low, -low) - low) / (-2 * low) * 255)
        return (steps / 255 * -2 * low + low) @ (w.integers * w.scales[:, None].astype(np.float64)).T

    yield _case("channels", [normal("qsc", 3, 24)], channels, of_channels, **tolerance)
    yield _case("precision_f32", [normal("qsp", 3, 24)], lambda x: matmul(fake(x, *ends), w),
                lambda x: q8.quantised(x, a).numbers() @ (w.integers * w.scales[:, None]).T.astype(np.float64),
                convert=["--precision", "f32"], **tolerance)

    def scaled(x):
        """A quantiser between the product and its bias."""
        y = fake(matmul(fake(x, *ends), w), *ends)
        return fake(relu(node("Add", 1, [y, bias("qsb", 8)])), 0, 5.1)

    def of_scaled(x):
        y = q8.product(q8.quantised(x, a), w.integers, w.scales, 0, a).numbers()
        return q8.quantised(np.maximum(y + bias("qsb", 8), 0), levels_of(0, 5.1)).numbers()

    yield _case("before_add", [normal("qsa", 3, 24)], scaled, of_scaled)

    def shared(x):
        y = relu(matmul(fake(x, *ends), w, bias("qss", 8)))
        return [fake(y, 0, 5.1), y]

    def of_shared(x):
        y = np.maximum(q8.product(q8.quantised(x, a), w.integers, w.scales, bias("qss", 8)), 0)
        return [q8.quantised(y, levels_of(0, 5.1)).numbers(), y]

    yield _case("shared", [normal("qsh", 3, 24)], shared, of_shared)


def _ports():
    """Integers from input to output, as in TFLite models."""
    w, v = Weights("qtw", 1, 3, 3, 5, axis=3), Weights("qtv", 4, 5)
    real, hidden, end = (-1.7 * 128 / 127, 1.7), (0, 255 * 0.011), (-90 * 0.02, 165 * 0.02)
    whole = (-128, 127)
    b = bias("qtb", 5)
    source, middle, last = levels_of(*real), levels_of(*hidden), levels_of(*end)

    def graph(x):
        x = node("Transpose", 1, [node("Convert", 1, [x], destination_type="f32"),
                                  np.array([0, 3, 1, 2])])
        x = fake(x, *whole, out=real)
        kernel = node("Reshape", 1, [w.node(), np.array([3, 3, 5, 1])], special_zero=False)
        kernel = node("Unsqueeze", 1, [kernel, np.array([0])])
        kernel = node("Transpose", 1, [kernel, np.array([3, 4, 0, 1, 2])])
        x = node("GroupConvolution", 1, [x, kernel], strides=[1, 1], dilations=[1, 1],
                 pads_begin=[1, 1], pads_end=[1, 1], auto_pad="same_upper")
        x = fake(node("Add", 1, [x, b.reshape(1, -1, 1, 1)]), *hidden)
        x = node("Transpose", 1, [x, np.array([0, 2, 3, 1])])
        x = fake(matmul(x, v), *end, out=whole)
        return node("Convert", 1, [x], destination_type="i8")

    def reference(x):
        x = q8.Bytes(x.astype(np.int64).transpose(0, 3, 1, 2), source)
        filters = w.integers[0].transpose(2, 0, 1)[:, None, None]
        x = q8.convolution(x, filters, w.scales, [1, 1], [(1, 1)] * 2, b, middle)
        x = x.moved(lambda x: x.transpose(0, 2, 3, 1))
        return q8.product(x, v.integers, v.scales, 0, last).integers.astype(np.int8)

    yield _case("ports", [integers("qtx", -128, 128, 1, 7, 6, 5, dtype=np.int8)], graph, reference,
                **by_numpy("OpenVINO's results of i8 differ by one here and there."))


def _byte_ports():
    """u8 values, and i8 values with a zero point, as in DequantizeLinear and uint8 models."""
    w, b = Weights("quw", 9, 21), bias("qub", 9)
    scale, end = F(0.0173), (-90 * 0.02, 165 * 0.02)
    last = levels_of(*end)

    def dequantised(x, zero):
        x = node("Convert", 1, [x], destination_type="f32")
        if zero is not None:
            x = node("Subtract", 1, [x, F([zero])])
        return node("Multiply", 1, [x, scale])

    def graph(x, zero, to):
        y = fake(matmul(dequantised(x, zero), w, b), *end, out=(0, 255) if to == "u8" else (-128, 127))
        return node("Convert", 1, [y], destination_type=to)

    def reference(x, zero, to):
        shift = 128 if x.dtype == np.uint8 else 0
        x = q8.Bytes(x.astype(np.int64) - shift, q8.Levels(scale, (zero or 0) - shift, -128, 127))
        y = q8.product(x, w.integers, w.scales, b, last).integers
        return (y + 128).astype(np.uint8) if to == "u8" else y.astype(np.int8)

    for name, kind, zero, to in (("u8", np.uint8, 137, "u8"), ("u8_whole", np.uint8, None, "i8"),
                                 ("i8_offset", np.int8, -19, "u8")):
        ends = (0, 256) if kind == np.uint8 else (-128, 128)
        yield _case(f"port_{name}", [integers("qu" + name, *ends, 4, 21, dtype=kind)],
                    lambda x, zero=zero, to=to: graph(x, zero, to),
                    lambda x, zero=zero, to=to: reference(x, zero, to),
                    **by_numpy("OpenVINO's integers differ by one here and there."))


def _sequences():
    """A sequence over quantised data; its initial states, which NNCF writes as int8 zeros, are floats."""
    ends, inputs, hidden, steps = (-3.2, 3.175), 9, 17, 6
    w, r = (Weights("ql" + name, 1, 4 * hidden, size, axis=1, size=2)
            for name, size in (("w", inputs), ("r", hidden)))
    b = normal("qlb", 1, 4 * hidden, scale=0.3)
    length, v = np.array([steps] * 2, np.int32), Weights("qlv", 5, hidden)
    end = (-128 / 120, 127 / 120)

    def graph(x):
        zeros = node("Multiply", 1, [
            node("Convert", 1, [np.zeros((2, 1, hidden), np.int8)], destination_type="f32"),
            np.full((1, 1, 1), 6.3e-7, F)
        ])
        made = node("LSTMSequence", 5, [fake(x, *ends), zeros, zeros, length, w.node(), r.node(), b],
                    hidden_size=hidden, direction="forward", activations=DEFAULT["LSTMSequence"])
        y = node("Squeeze", 1, [made.output(0), np.array([1])])
        return matmul(fake(y, *end), v)

    def reference(x):
        x = q8.quantised(x, levels_of(*ends)).numbers()
        zeros = np.zeros((2, 1, hidden), F)
        scaled = [each.integers * each.scales.reshape(each.along) for each in (w, r)]
        made = REFERENCES["LSTMSequence"](x, zeros, zeros, length, *scaled, b, direction="forward",
                                          activations=DEFAULT["LSTMSequence"])[0]
        return q8.product(q8.quantised(made[:, 0], levels_of(*end)), v.integers, v.scales)

    yield recurrent("quantised/lstm", [normal("qlx", 2, steps, inputs)], graph, reference,
                    oracle="numpy")


def _dynamic():
    """Ranges computed from the data in each run, as by ONNX's quantize_dynamic: i32 products."""
    w, x = integers("qdw", -127, 128, 24, 9, dtype=np.int8), normal("qdx", 3, 24)
    scale = F(0.013)

    def exported():
        return converted([
            helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"]),
            helper.make_node("MatMulInteger", ["q", "w", "zero"], ["sums"]),
            helper.make_node("Cast", ["sums"], ["floats"], to=1),
            helper.make_node("Mul", ["scale", "w_scale"], ["scales"]),
            helper.make_node("Mul", ["floats", "scales"], ["y"])
        ], {"x": x}, {"y": np.zeros((3, 9), F)}, {"w": w, "w_scale": scale})

    def reference(x):
        step = (max(x.max(), F(0)) - min(x.min(), F(0))) / F(255)
        zero = np.rint(np.clip(-min(x.min(), F(0)) / step, 0, 255))
        levels = np.clip(np.rint(x / step) + zero, 0, 255)
        return ((levels - zero) @ w.astype(F)) * (step * scale)

    yield Case("quantised/dynamic", [x], model=exported, reference=reference)


def _exported():
    """The keypad decoder as calibrated by NNCF, including its state, on the end of its recording."""
    keypad = EXAMPLES / "quantise/model/keypad_int8.xml"
    frames = np.load(EXAMPLES / "dtmf/model/audio_frames.npy")[-40:]
    yield Case("quantised/keypad", [frames], calls=len(frames), **IN_FLOATS,
               files=(keypad.read_text(), keypad.with_suffix(".bin").read_bytes()))


def cases():
    for part in (_mlps, _convolutions, _channels, _between, _pools, _means, _moved, _joined, _stays, _ports,
                 _byte_ports, _sequences, _dynamic, _exported):
        yield from part()
