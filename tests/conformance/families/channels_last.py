# SPDX-License-Identifier: Apache-2.0
"""Convolutions, pools and neighbouring operations between pointwise convolutions. The converter
puts such groups of layers into channels-last layout, and single layers into planes."""

import numpy as np

from build import node
from casebook import Case, i64, normal
from families import convolution, pooling, transposed_convolution
from reference import windows


def _explicit(rank, **more):
    return {
        "strides": [1] * rank, "dilations": [1] * rank, "pads_begin": [0] * rank,
        "pads_end": [0] * rank, "auto_pad": "explicit", **more
    }


def _filters(label, *shape):
    """Filters [out, in, ...], scaled so that a sum has the magnitude of one term."""
    return normal(label, *shape, scale=1 / np.sqrt(np.prod(shape[1:])))


def _conv(x, label, out, channels, kernel, **geometry):
    return node("Convolution", 1, [x, _filters(label, out, channels, *kernel)],
                **_explicit(len(kernel), **geometry))


def _pointwise(x, label, out, channels, rank):
    return _conv(x, label, out, channels, [1] * rank)


def _pointwise_reference(x, label, out, channels):
    return np.einsum("oi,bi...->bo...", _filters(label, out, channels, *[1] * (x.ndim - 2)).reshape(
        out, channels), x)


def _between(path, data, out, layer, reference=None):
    """x -> pointwise, Relu -> layer -> pointwise; the layer has `out` output channels."""
    rank, channels = len(data) - 2, data[1]

    def graph(x):
        first = node("Relu", 1, [_pointwise(x, path + "a", channels, channels, rank)])
        return _pointwise(layer(first), path + "b", 5, out, rank)

    def whole(x):
        first = np.maximum(_pointwise_reference(x, path + "a", channels, channels), 0)
        return _pointwise_reference(reference(first), path + "b", 5, out)

    return Case(f"channels_last/{path}", [normal(path, *data)], graph,
                reference=whole if reference else None)


def _convolutions():
    for rows, kind, grouped in ((convolution.ROWS, "Convolution", 0),
                                (convolution.GROUPED, "GroupConvolution", 1)):
        for name, data, kernel, *geometry in rows + (MORE_GROUPED if grouped else MORE):
            w = normal("last" + kind + name, *kernel,
                       scale=1 / np.sqrt(np.prod(kernel[2 + grouped:]) * kernel[1 + grouped]))
            names = ("strides", "dilations", "pads_begin", "pads_end", "auto_pad")
            attributes = dict(zip(names, geometry))
            yield _between(
                f"{'group_' if grouped else ''}{name}", data,
                kernel[0] * kernel[1] if grouped else kernel[0],
                lambda x, w=w, kind=kind, attributes=attributes: node(kind, 1, [x, w], **
                                                                      attributes),
                lambda x, w=w, grouped=grouped, geometry=geometry: windows.convolution(
                    x, w if grouped else w[None], *geometry))


# As in convolution.ROWS: windows longer than the map, maps narrower than a vector, long taps.
MORE = [
    ("1d_longer_than_the_map", (1, 17, 5), (3, 17, 9), [1], [1], [4], [4], "explicit"),
    ("1d_one_place", (1, 33, 1), (15, 33, 3), [1], [1], [1], [1], "explicit"),
    ("1d_k31", (1, 5, 40), (17, 5, 31), [1], [1], [15], [15], "explicit"),
    ("2d_longer_than_the_map", (2, 3, 3, 2), (17, 3, 7, 5), [1, 1], [1, 1], [3, 2], [3, 2],
     "explicit"),
    ("2d_padding_beyond_the_window", (1, 2, 3, 4), (3, 2, 2, 2), [1, 2], [1, 1], [3, 0], [2, 5],
     "explicit"),
    ("2d_far_dilation", (1, 15, 6, 7), (16, 15, 2, 2), [1, 1], [5, 6], [0, 0], [0, 0], "explicit"),
    ("2d_one_column", (1, 16, 19, 1), (17, 16, 3, 3), [2, 1], [1, 1], [1, 1], [1, 1], "explicit"),
]
MORE_GROUPED = [
    ("1d_depthwise_k65", (1, 17, 40), (17, 1, 1, 65), [1], [1], [32], [32], "explicit"),
    ("1d_depthwise_longer_than_the_map", (2, 3, 4), (3, 1, 1, 9), [1], [1], [4], [4], "explicit"),
    ("1d_depthwise_multiplier3", (1, 7, 19), (7, 3, 1, 5), [2], [1], [2], [2], "explicit"),
    ("2d_depthwise_k5_stride2", (1, 100, 9, 10), (100, 1, 1, 5, 5), [2, 2], [1, 1], [2, 2], [2, 2],
     "explicit"),
    ("2d_depthwise_dilation", (1, 18, 7, 9), (18, 1, 1, 3, 3), [1, 1], [2, 3], [2, 3], [2, 3],
     "explicit"),
    ("2d_depthwise_one_channel", (1, 1, 9, 9), (1, 1, 1, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1],
     "explicit"),
    ("2d_groups_of_17", (1, 51, 5, 4), (3, 5, 17, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1],
     "explicit"),
]


def _pools():
    for name, data, *geometry in pooling.ROWS:
        attributes = dict(zip(pooling.NAMES, geometry))
        yield _between(f"max_{name}", data, data[1],
                       lambda x, attributes=attributes: node("MaxPool", 1, [x], **attributes),
                       lambda x, geometry=geometry: windows.max_pool(x, *geometry))
        for exclude in (False, True):
            yield _between(
                f"mean_{name}{'_exclude_pad' if exclude else ''}", data, data[1],
                lambda x, attributes=attributes, exclude=exclude: node(
                    "AvgPool", 1, [x], **{"exclude-pad": exclude}, **attributes))


def _transposed():
    for name, data, kernel, more in transposed_convolution.ROWS:
        if len(data) > 4:
            continue
        w = normal("last" + name, *kernel, scale=1 / np.sqrt(kernel[0]))
        attributes = _explicit(len(data) - 2, **{"output_padding": [0] * (len(data) - 2), **more})
        yield _between(
            f"transposed_{name}", data, kernel[1],
            lambda x, w=w, attributes=attributes: node("ConvolutionBackpropData", 1, [x, w], **
                                                       attributes))


def _per_channel(label, channels, rank):
    return normal(label, 1, channels, *[1] * rank)


def _gated(x):
    """Squeeze and excitation."""
    mean = node("ReduceMean", 1, [x, i64(2, 3)], keep_dims=True)
    return node("Multiply", 1, [x, node("Sigmoid", 1, [_pointwise(mean, "se", 17, 17, 2)])])


def _residual(x):
    inner = node("PRelu", 1, [_conv(x, "ra", 17, 17, [3, 3], pads_begin=[1, 1], pads_end=[1, 1]),
                              normal("rs", 17)])
    return node("Add", 1, [node("Add", 1, [inner, _per_channel("rb", 17, 2)]), x])


def _shuffled(x):
    grouped = node("Reshape", 1, [x, i64(2, 3, 6, 5, 4)], special_zero=False)
    turned = node("Transpose", 1, [grouped, i64(0, 2, 1, 3, 4)])
    return node("Reshape", 1, [turned, i64(2, 18, 5, 4)], special_zero=False)


def _branches(x):
    halves = node("Split", 1, [x, np.int64(1)], num_splits=2)
    left = _conv(halves.output(0), "ba", 7, 9, [3, 3], pads_begin=[1, 1], pads_end=[1, 1])
    return node("Concat", 1, [left, halves.output(1), x], axis=1)


def _beside(x):
    """Concatenated along the width, split again and padded."""
    joined = node("Concat", 1, [x, node("Tanh", 1, [x])], axis=3)
    cut = node("Slice", 8, [joined, i64(1), i64(7), i64(2), i64(3)])
    return node("Pad", 1, [cut, i64(0, 0, 1, 0), i64(0, 0, 0, 2), np.float32(0.5)],
                pad_mode="constant")


def _normalized(x):
    difference = node("Subtract", 1, [x, node("ReduceMean", 1, [x, i64(1)], keep_dims=True)])
    return node("Softmax", 8, [difference], axis=1)


def _table(x):
    """Three constants: one value per position, one per row and one per column."""
    sum_ = node("Add", 1, [x, normal("ta", 1, 17, 5, 4)])
    return node("Multiply", 1, [node("Add", 1, [sum_, normal("tb", 4)]), normal("tc", 5, 1)])


def _selected(x):
    return node("Select", 1, [node("Greater", 1, [x, _per_channel("se", 17, 2)]), x,
                              _per_channel("sf", 17, 2)])


def _doubled(x):
    attributes = {
        "mode": "nearest", "shape_calculation_mode": "scales", "antialias": False,
        "pads_begin": [0], "pads_end": [0], "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor", "cube_coeff": -0.75
    }
    return node("Interpolate", 4, [x, i64(10, 8), np.array([2, 2], np.float32), i64(2, 3)],
                **attributes)


def _around():
    for name, channels, layer, out in (("gated", 17, _gated, 17), ("residual", 17, _residual, 17),
                                       ("shuffled", 18, _shuffled, 18),
                                       ("branches", 18, _branches, 34), ("beside", 3, _beside, 3),
                                       ("normalized", 19, _normalized, 19),
                                       ("table", 17, _table, 17), ("selected", 17, _selected, 17),
                                       ("doubled", 5, _doubled, 5)):
        yield _between(name, (2, channels, 5, 4), out, layer)


def _to_dense(x):
    flat = node("Reshape", 1, [_conv(x, "da", 17, 3, [3, 3]), i64(2, -1)], special_zero=False)
    return node("MatMul", 1, [flat, normal("db", 17 * 3 * 2, 7, scale=0.1)], transpose_a=False,
                transpose_b=False)


def _to_vector(axes, keep):
    def graph(x):
        return node("ReduceMean", 1, [_conv(x, "va", 17, 3, [3, 3]), i64(*axes)], keep_dims=keep)

    return graph


def _to_sequence(x):
    """Convolutions over time before a GRU, which requires time as the first axis."""
    units, channels = 6, 17
    y = node("Relu", 1, [_conv(x, "ga", channels, 3, [3], pads_begin=[2])])
    y = node("Transpose", 1, [_conv(y, "gb", channels, channels, [3], pads_begin=[2]),
                              i64(0, 2, 1)])
    w, r = normal("gw", 1, 3 * units, channels, scale=0.3), normal("gr", 1, 3 * units, units,
                                                                   scale=0.3)
    return node("GRUSequence", 5, [y, np.zeros((2, 1, units), np.float32), i64(9, 9), w, r,
                                   np.zeros((1, 3 * units), np.float32)], hidden_size=units,
                direction="forward", activations=["sigmoid", "tanh"]).outputs()


def _from_last(x):
    """A channels-last input and a channels-last output."""
    planes = node("Transpose", 1, [x, i64(0, 3, 1, 2)])
    y = node("Relu", 1, [_conv(planes, "fa", 16, 3, [3, 3])])
    return node("Transpose", 1, [_conv(y, "fb", 5, 16, [1, 1]), i64(0, 2, 3, 1)])


def _read_twice(x):
    """A feature map that is also a model output, and one that two layout groups read."""
    y = node("Relu", 1, [_conv(x, "oa", 17, 3, [3, 3])])
    return [y, _conv(y, "ob", 5, 17, [1, 1]),
            node("ReduceMax", 1, [_conv(y, "oc", 6, 17, [1, 1]), i64(3)], keep_dims=False)]


def _borders():
    image = [normal("image", 2, 3, 5, 4)]
    yield Case("channels_last/dense_behind", image, _to_dense)
    for axes in ((2, 3), (3, 2), (1,), (3,), (1, 2), (1, 2, 3)):
        for keep in (False, True):
            name = f"mean_of_{'_'.join(map(str, axes))}{'_kept' if keep else ''}"
            yield Case(f"channels_last/{name}", image, _to_vector(axes, keep))
    yield Case("channels_last/sequence_behind", [normal("sequence", 2, 3, 9)], _to_sequence)
    yield Case("channels_last/last_at_the_ports", [normal("last", 2, 5, 4, 3)], _from_last)
    yield Case("channels_last/outputs_inside", image, _read_twice)


def cases():
    yield from _convolutions()
    yield from _pools()
    yield from _transposed()
    yield from _around()
    yield from _borders()
