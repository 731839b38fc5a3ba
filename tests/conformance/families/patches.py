# SPDX-License-Identifier: Apache-2.0
"""ExtractImagePatches and ReorgYolo: sizes, strides, rates, padding, types."""

import numpy as np

from build import node
from casebook import counting, exact, integers, normal, sizes


def _padded(x, axis, size, stride, rate, pad):
    extent = (size - 1) * rate + 1
    if pad == "valid":
        return x, (x.shape[axis] - extent) // stride + 1
    out = -(-x.shape[axis] // stride)
    zeros = max(0, (out - 1) * stride + extent - x.shape[axis])
    small, large = zeros // 2, zeros - zeros // 2
    widths = [(0, 0)] * x.ndim
    widths[axis] = (small, large) if pad == "same_upper" else (large, small)
    return np.pad(x, widths), out


def _patches(x, size, stride, rate, pad):
    x, height = _padded(x, 2, size[0], stride[0], rate[0], pad)
    x, width = _padded(x, 3, size[1], stride[1], rate[1], pad)
    rows = [
        x[:, :, i * rate[0]:i * rate[0] + (height - 1) * stride[0] + 1:stride[0],
          j * rate[1]:j * rate[1] + (width - 1) * stride[1] + 1:stride[1]]
        for i in range(size[0]) for j in range(size[1])
    ]
    return np.concatenate(rows, 1)


def _case(shape, size, stride, rate, pad, x=None, kind=""):
    label = f"extract_{sizes(shape)}_{sizes(size)}_by_{sizes(stride)}_rate_{sizes(rate)}_{pad}{kind}"

    def graph(x):
        return node("ExtractImagePatches", 3, [x], sizes=list(size), strides=list(stride),
                    rates=list(rate), auto_pad=pad)

    return exact(f"patches/{label}", [normal(label, *shape) if x is None else x], graph,
                 lambda x: _patches(x, size, stride, rate, pad))


def _reorg(x, stride):
    n, c, h, w = x.shape
    less = c // stride**2
    view = x.reshape(n, less, h, stride, w, stride)
    view = view.transpose(0, 3, 5, 1, 2, 4)
    return np.ascontiguousarray(view).reshape(n, c * stride**2, h // stride, w // stride)


def cases():
    for pad in ("valid", "same_upper", "same_lower"):
        yield _case((2, 3, 7, 9), (3, 2), (2, 3), (1, 1), pad)
        yield _case((1, 2, 9, 8), (2, 3), (1, 2), (2, 3), pad)
        yield _case((1, 1, 4, 4), (1, 1), (2, 2), (1, 1), pad)
    yield _case((1, 2, 6, 6), (3, 3), (3, 3), (1, 1), "valid")
    yield _case((1, 2, 5, 5), (2, 2), (2, 2), (1, 1), "same_upper",
                integers("patch_i32", -99, 99, 1, 2, 5, 5), "_i32")
    for stride, shape in ((2, (1, 4, 4, 4)), (2, (2, 8, 2, 6)), (3, (1, 9, 3, 6)), (1, (1, 2, 3, 2))):
        yield exact(f"patches/reorg_{sizes(shape)}_by_{stride}", [counting(*shape)],
                    lambda x, stride=stride: node("ReorgYolo", 2, [x], stride=[stride]),
                    lambda x, stride=stride: _reorg(x, stride))
