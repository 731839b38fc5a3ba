# SPDX-License-Identifier: Apache-2.0
"""Models with causal windows at several rates and other operations with state along time. `weft convert
--streaming` converts all of them. The goldens are those of the original models."""

import numpy as np

from build import node
from casebook import i64, normal, recurrent
from families.sequences import DEFAULT, GATES, stacked

BATCH, STEPS, CHANNELS = 1, 24, 3


def _window(stride, dilation, begin, end):
    return {
        "strides": [stride], "dilations": [dilation], "pads_begin": [begin], "pads_end": [end],
        "auto_pad": "explicit"
    }


def _convolved(x, label, shape, window):
    y = node("Convolution", 1, [x, normal(label, *shape, scale=0.4)], **window)
    return node("Add", 1, [y, normal(label + "b", 1, shape[0], 1)])


def _transposed(x, label, shape, stride, end):
    y = node("ConvolutionBackpropData", 1, [x, normal(label, *shape, scale=0.4)],
             output_padding=[0], **_window(stride, 1, 0, end))
    return node("Add", 1, [y, normal(label + "b", 1, shape[1], 1)])


def _turned(x):
    return node("Transpose", 1, [x, i64(0, 2, 1)])


def _gru(x, label, channels, steps):
    """A GRU from [1, channels, steps] to [1, 5, steps]."""
    hidden = 5
    w, r, b = stacked(label, 1, GATES["GRUSequence"], channels, hidden)
    state = np.zeros((BATCH, 1, hidden), np.float32)
    made = node("GRUSequence", 5, [_turned(x), state, np.full(BATCH, steps, np.int32), w, r, b],
                hidden_size=hidden, direction="forward", activations=DEFAULT["GRUSequence"])
    return _turned(node("Squeeze", 1, [made, i64(1)]))


def _without_end(x, places, axis=2):
    return node("Slice", 8, [x, i64(0), i64(-places), i64(1), i64(axis)])


def _u_net(x):
    """U-Net: strides of 2 and 3, a GRU at the lowest rate, overlapping transposed windows, a skip."""
    first = node("Relu", 1, [_convolved(x, "un1", (4, CHANNELS, 4), _window(2, 1, 2, 0))])
    low = node("Relu", 1, [_convolved(first, "un2", (6, 4, 5), _window(3, 1, 2, 0))])
    up = _transposed(_gru(low, "un3", 6, STEPS // 6), "un4", (5, 4, 5), 3, 2)
    joined = node("Concat", 1, [up, first], axis=1)
    return _transposed(joined, "un5", (8, 2, 4), 2, 2)


def _residual_blocks(x):
    """TCN: dilated convolutions padded on both sides, with the look-ahead part sliced off."""
    for dilation in (1, 2, 4):
        places = 2 * dilation
        y = _convolved(x, f"rb{dilation}", (CHANNELS, CHANNELS, 3),
                       _window(1, dilation, places, places))
        x = node("Add", 1, [node("Relu", 1, [_without_end(y, places)]), x])
    return x


def _rows_of_frequencies(x):
    """CRN: time is the height of an image whose width is halved and restored."""
    def geometry(begin):
        return {
            "strides": [1, 2], "dilations": [1, 1], "pads_begin": [begin, 1],
            "pads_end": [begin, 1], "auto_pad": "explicit"
        }

    image = node("Unsqueeze", 1, [_turned(x), i64(1)])
    down = node("Convolution", 1, [image, normal("rf1", 4, 1, 2, 3)], **geometry(1))
    down = node("Elu", 1, [_without_end(down, 1)], alpha=1.0)
    up = node("ConvolutionBackpropData", 1, [down, normal("rf2", 4, 2, 2, 3)],
              output_padding=[0, 0], **geometry(0))
    return node("Multiply", 1, [_without_end(up, 1), image])


def _pools(x):
    """Causal max and average pools, every second step selected, each step repeated twice."""
    pool = {"kernel": [3], "pads_begin": [2], "pads_end": [0], "auto_pad": "explicit"}
    peaks = node("MaxPool", 1, [x], strides=[1], rounding_type="floor", **pool)
    border = node("Pad", 1, [peaks, i64(0, 0, 3), i64(0, 0, 0), np.float32(0.5)],
                  pad_mode="constant")
    pool |= {"kernel": [4], "pads_begin": [0]}
    means = node("AvgPool", 1, [border], strides=[1], rounding_type="floor",
                 **pool, **{"exclude-pad": True})
    fewer = node("Slice", 8, [means, i64(1), i64(STEPS), i64(2), i64(2)])
    return node("Interpolate", 11, [fewer, np.array([2], np.float32), i64(2)], mode="nearest",
                shape_calculation_mode="scales", coordinate_transformation_mode="asymmetric",
                nearest_mode="floor", antialias=False, pads_begin=[0], pads_end=[0])


def _all_so_far(x):
    """Cumulative layer norm: mean and deviation of all steps so far, over all channels."""
    counts = (CHANNELS * np.arange(1, STEPS + 1)).reshape(1, 1, STEPS).astype(np.float32)

    def so_far(y):
        total = node("ReduceSum", 1, [y, i64(1)], keep_dims=True)
        return node("CumSum", 3, [total, np.array(2)], exclusive=False, reverse=False)

    mean = node("Divide", 1, [so_far(x), counts])
    square = node("Divide", 1, [so_far(node("Multiply", 1, [x, x])), counts])
    variance = node("Subtract", 1, [square, node("Multiply", 1, [mean, mean])])
    deviation = node("Sqrt", 1, [node("Add", 1, [variance, np.float32(1e-2)])])
    before = node("CumSum", 3, [x, np.array(-1)], exclusive=True, reverse=False)
    return [
        node("Divide", 1, [node("Subtract", 1, [x, mean]), deviation]).output(0),
        before.output(0)
    ]


def _shifts(x):
    """The previous step, by padding, by Concat and by slices of a padded tensor."""
    late = node("Pad", 12, [x, i64(0, 0, 2), i64(0, 0, -2), np.float32(0.25)],
                pad_mode="constant")
    zeros = np.zeros((BATCH, CHANNELS, 1), np.float32)
    joined = node("Concat", 1, [zeros, _without_end(x, 1)], axis=2)
    border = node("Pad", 1, [x, i64(0, 0, 3), i64(0, 0, 0)], pad_mode="constant")
    taps = [
        node("Multiply", 1, [
            node("Slice", 8, [border, i64(at), i64(at + STEPS), i64(1), i64(2)]),
            normal(f"sh{at}", 1, CHANNELS, 1)
        ]) for at in range(4)
    ]
    y = node("Subtract", 1, [late, joined])
    for tap in taps:
        y = node("Add", 1, [y, tap])
    return y


def _shared_pasts(x):
    """Windows, means, maxima and a shift that share the past of one tensor, some after transpositions."""
    pool = {"kernel": [4], "strides": [1], "pads_begin": [3], "pads_end": [0],
            "rounding_type": "floor", "auto_pad": "explicit"}
    x = node("Tanh", 1, [x])
    near = _convolved(x, "sp1", (5, CHANNELS, 4), _window(1, 1, 3, 0))
    far = _convolved(_turned(_turned(x)), "sp2", (5, CHANNELS, 3), _window(1, 5, 10, 0))
    mean = node("AvgPool", 1, [x], **pool, **{"exclude-pad": False})
    most = node("MaxPool", 1, [x], **pool)
    late = node("Pad", 12, [_turned(x), i64(0, 7, 0), i64(0, -7, 0), np.float32(0)],
                pad_mode="constant")
    half = _convolved(x, "sp3", (2, CHANNELS, 5), _window(2, 1, 3, 0))
    y = node("Concat", 1, [mean, most, _turned(late), near], axis=1)
    return [y.output(0), node("Multiply", 1, [near, far]).output(0), half.output(0)]


def _quantised(x, low, high):
    ends = [np.float32(low), np.float32(high)]
    return node("FakeQuantize", 1, [x, *ends, *ends], levels=256)


def _codes_of_rows(x):
    """Quantised [channels, time], padded before the batch axis is added, for integers and floats."""
    rows = _quantised(x, -2.2465553, 2.2290041)
    border = node("Pad", 12, [rows, i64(0, 4), i64(0, 0), np.float32(0)], pad_mode="constant")
    border = node("Unsqueeze", 1, [border, i64(0)])
    weights = _quantised(normal("cr", 4, CHANNELS, 5), -2, 1.984375)
    y = node("Convolution", 1, [border, weights], **_window(1, 1, 0, 0))
    mean = node("AvgPool", 1, [border], kernel=[5], strides=[1], pads_begin=[0], pads_end=[0],
                rounding_type="floor", auto_pad="explicit", **{"exclude-pad": False})
    low, high = -1.0641453, 1.0558317
    return [mean.output(0), _quantised(mean, low, high).output(0),
            _quantised(y, -6, 5.953125).output(0)]


def cases():
    for name, graph in (("u_net", _u_net), ("residual_blocks", _residual_blocks),
                        ("rows_of_frequencies", _rows_of_frequencies), ("pools", _pools),
                        ("all_so_far", _all_so_far), ("shifts", _shifts),
                        ("shared_pasts", _shared_pasts)):
        yield recurrent(f"streaming/{name}", [normal(name, BATCH, CHANNELS, STEPS)], graph)
    yield recurrent("streaming/codes_of_rows", [normal("codes_of_rows", CHANNELS, STEPS)],
                    _codes_of_rows)
