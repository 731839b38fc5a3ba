# SPDX-License-Identifier: Apache-2.0
"""Models with look-ahead: `weft convert --streaming` converts them and reports the latency of their
outputs. The goldens are those of the original models."""

import numpy as np

from build import node
from casebook import i64, normal, recurrent
from families.streaming_windows import CHANNELS, _convolved, _gru, _window

BATCH, STEPS = 1, 24


def _cropped(x, places):
    return node("Slice", 8, [x, i64(places), i64(2**31 - 1), i64(1), i64(2)])


def _around(x):
    """Symmetric windows with skips: every branch is delayed to the maximum latency."""
    for dilation in (1, 2):
        y = _convolved(x, f"ar{dilation}", (CHANNELS, CHANNELS, 3),
                       _window(1, dilation, dilation, dilation))
        x = node("Add", 1, [node("Tanh", 1, [y]), x])
    return node("MaxPool", 1, [x], kernel=[3], strides=[1], pads_begin=[1], pads_end=[1],
                rounding_type="floor", auto_pad="explicit")


def _without_padding(x):
    """WaveNet: unpadded windows, and skips cropped to the same length."""
    skips = []
    for dilation in (1, 2, 4):
        y = _convolved(x, f"wp{dilation}", (CHANNELS, CHANNELS, 2), _window(1, dilation, 0, 0))
        y = node("Tanh", 1, [y])
        x = node("Add", 1, [y, _cropped(x, dilation)])
        skips.append((y, dilation))
    y = _cropped(skips[0][0], 6)
    y = node("Add", 1, [y, _cropped(skips[1][0], 4)])
    return node("Add", 1, [y, skips[2][0]])


def _recurrent(x):
    """A GRU whose state must not change before its first step arrives, then padded windows."""
    y = _gru(_convolved(x, "re1", (CHANNELS, CHANNELS, 5), _window(1, 1, 2, 2)), "re2", CHANNELS,
             STEPS)
    return _convolved(y, "re3", (2, 5, 3), _window(1, 1, 1, 1))


def _rates(x):
    """Padded strided windows, then transposed convolutions with cropped beginnings."""
    low = node("Tanh", 1, [_convolved(x, "ra1", (4, CHANNELS, 4), _window(2, 1, 1, 1))])
    up = node("ConvolutionBackpropData", 1, [low, normal("ra2", 4, CHANNELS, 4, scale=0.4)],
              output_padding=[0], **_window(2, 1, 1, 1))
    return node("Multiply", 1, [up, x])


def _ahead(x):
    """Each step concatenated with the step two later and a running sum."""
    left = node("Pad", 12, [x, i64(0, 0, -2), i64(0, 0, 2)], pad_mode="constant")
    sums = node("CumSum", 3, [left, np.int64(2)])
    return node("Concat", 1, [left, x, sums], axis=1)


def cases():
    for name, graph in (("around", _around), ("without_padding", _without_padding),
                        ("recurrent", _recurrent), ("rates", _rates), ("ahead", _ahead)):
        yield recurrent(f"latency/{name}", [normal(name, BATCH, CHANNELS, STEPS)], graph)
