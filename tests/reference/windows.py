# SPDX-License-Identifier: Apache-2.0
"""Convolution and pooling over any number of spatial axes in NumPy, one window at a time.

Data is [batch, channels, spatial...]; kernels are [groups, out, in, spatial...]. Geometry follows
the OpenVINO specification: `same_*` pads so that out = ceil(in / stride), with an odd element after
(upper) or before (lower). `ceil` rounds the output size up; `ceil_torch` also does, but drops a last
window that would start after the data and the pads before it.
"""

import itertools
import math

import numpy as np


def _pads(sizes, spans, strides, begin, end, auto_pad):
    """Pads before and after every spatial axis."""
    if auto_pad == "valid":
        return [0] * len(sizes), [0] * len(sizes)
    if auto_pad == "explicit":
        return list(begin), list(end)
    totals = [
        max((-(-size // stride) - 1) * stride + span - size, 0)
        for size, span, stride in zip(sizes, spans, strides)
    ]
    small, large = [total // 2 for total in totals], [total - total // 2 for total in totals]
    return (small, large) if auto_pad == "same_upper" else (large, small)


def _count(size, span, stride, before, after, rounding):
    """The number of windows along one axis."""
    room = size + before + after - span
    if rounding == "floor":
        return room // stride + 1
    count = -(-room // stride) + 1
    if rounding == "ceil_torch" and (count - 1) * stride >= size + before:
        count -= 1
    return count


def _places(counts, strides, before):
    """Yields (output index, start of its window in the data) for all windows."""
    for at in itertools.product(*map(range, counts)):
        yield at, [index * stride - pad for index, stride, pad in zip(at, strides, before)]


def _products(rows, filters):
    return rows @ filters.T


def convolution(x, kernel, strides, dilations, begin, end, auto_pad, product=_products):
    """Cross-correlation per group in float64; `product` multiplies windows [batch, inputs] and filters
    [outputs, inputs]."""
    x, kernel = np.asarray(x, np.float64), np.asarray(kernel, np.float64)
    groups, outs, ins, sizes = kernel.shape[0], kernel.shape[1], kernel.shape[2], kernel.shape[3:]
    spans = [(size - 1) * dilation + 1 for size, dilation in zip(sizes, dilations)]
    before, after = _pads(x.shape[2:], spans, strides, begin, end, auto_pad)
    counts = [_count(*axis, "floor") for axis in zip(x.shape[2:], spans, strides, before, after)]
    margins = [max(pad, 0) for pad in before]
    wide = np.pad(x, [(0, 0),
                      (0, 0)] + [(margin, max(pad, 0)) for margin, pad in zip(margins, after)])
    answer = np.zeros((x.shape[0], groups * outs, *counts))
    for at, start in _places(counts, strides, before):
        cut = tuple(
            slice(first + margin, first + margin + span, dilation)
            for first, margin, span, dilation in zip(start, margins, spans, dilations))
        window = wide[(slice(None), slice(None)) + cut].reshape(x.shape[0], groups, ins, *sizes)
        rows, filters = window.reshape(x.shape[0], groups, -1), kernel.reshape(groups, outs, -1)
        answer[(slice(None), slice(None)) + at] = np.concatenate(
            [product(rows[:, group], filters[group]) for group in range(groups)], axis=1)
    return answer


def _windows(x, kernel, strides, begin, end, rounding, auto_pad, dilations):
    """Yields output index, the window's elements inside the data, and the window's size including
    pads and elements that rounding up adds; without any pads only the elements inside."""
    spans = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations)]
    before, after = _pads(x.shape[2:], spans, strides, begin, end, auto_pad)
    counts = [_count(*axis, rounding) for axis in zip(x.shape[2:], spans, strides, before, after)]
    for at, start in _places(counts, strides, before):
        inside = []
        for first, size, dilation, length in zip(start, kernel, dilations, x.shape[2:]):
            taps = [first + tap * dilation for tap in range(size)]
            inside.append([tap for tap in taps if 0 <= tap < length])
        window = x[(slice(None), slice(None)) + np.ix_(*inside)].reshape(*x.shape[:2], -1)
        yield at, counts, window, math.prod(kernel) if any([*before, *after]) else window.shape[-1]


def max_pool(x, kernel, strides, begin, end, rounding, auto_pad, dilations=None):
    """The maximum of each window, without pads."""
    answer = None
    for at, counts, window, _ in _windows(x, kernel, strides, begin, end, rounding, auto_pad,
                                          dilations or [1] * len(kernel)):
        answer = np.zeros((*x.shape[:2], *counts), x.dtype) if answer is None else answer
        answer[(slice(None), slice(None)) + at] = window.max(-1)
    return answer


def average_pool(x, kernel, strides, begin, end, rounding, auto_pad, exclude_pad):
    """The mean of each window. The divisor includes pads unless excluded. OpenVINO then also counts the
    elements that rounding up adds, which the specification does not mention."""
    x, answer = np.asarray(x, np.float64), None
    for at, counts, window, padded in _windows(x, kernel, strides, begin, end, rounding, auto_pad,
                                               [1] * len(kernel)):
        answer = np.zeros((*x.shape[:2], *counts)) if answer is None else answer
        answer[(slice(None), slice(None)) +
               at] = window.sum(-1) / (window.shape[-1] if exclude_pad else padded)
    return answer
