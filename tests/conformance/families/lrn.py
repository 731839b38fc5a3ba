# SPDX-License-Identifier: Apache-2.0
"""LRN: windows of odd and even size, across channels and in space."""

import numpy as np

from build import node
from casebook import Case, by_numpy, i64, listed, normal, sizes

AXES = by_numpy("OpenVINO's CPU device knows windows of axis 1 and of two axes of space alone.")
BIAS = by_numpy("OpenVINO's CPU device cuts the bias to a whole number.")


def _lrn_of(x, axes, alpha, beta, bias, size):
    total = np.asarray(x, np.float64)**2
    for axis in axes:
        reach = (size - 1) // 2
        padded = np.pad(total, [(reach, reach) if at == axis % x.ndim else (0, 0)
                                for at in range(x.ndim)])
        total = sum(np.take(padded, range(first, first + x.shape[axis]), axis)
                    for first in range(2 * reach + 1)) / size
    return x / (bias + alpha * total)**beta


def _lrn(path, x, axes, alpha=0.5, beta=0.75, bias=1.0, size=3, **more):
    return Case(f"lrn/{path}", [x],
                lambda x: node("LRN", 1, [x, i64(*axes)], alpha=alpha, beta=beta, bias=bias,
                               size=size),
                reference=lambda x: _lrn_of(x, axes, alpha, beta, bias, size), **more)


def cases():
    for shape, axes, size in (((2, 17, 3), [1], 5), ((2, 5, 3, 4), [1], 3),
                              ((2, 3, 7, 5), [2, 3], 3), ((1, 1, 1, 1), [1], 1)):
        yield _lrn(f"{sizes(shape)}_axes_{listed(axes)}_size_{size}", normal(sizes(shape), *shape),
                   axes, size=size)
    spread = normal("lrn_sizes", 2, 9, 4, 3)
    yield _lrn("size_4", spread, [1], size=4, note="An even window is one narrower than it divides.")
    yield _lrn("size_33", spread, [1], size=33, note="The window is wider than the axis.")
    yield _lrn("alexnet", normal("lrn_alexnet", 1, 33, 3, 3, scale=30), [1], 1e-4, 0.75, 2.0, 5)
    yield _lrn("bias_half", spread, [1], bias=0.5, **BIAS)
    for axes in ([-1], [1, 2, 3], []):
        yield _lrn(f"axes_{listed(axes) or 'none'}", normal("lrn_axes", 3, 5, 4, 3), axes, **AXES)
    spoilt = normal("lrn_nan", 1, 7, 3)
    spoilt[0, 3, 1] = np.nan
    yield _lrn("nan_in_one_window", spoilt, [1])
