# SPDX-License-Identifier: Apache-2.0
"""Col2Im: sizes, strides, dilations, pads, with and without a batch, types."""

import itertools

import numpy as np

from build import node
from casebook import Case, counting, exact, i64, integers, normal, sizes


def _blocks(size, kernel, strides, dilations, begin, end):
    return [(size[i] + begin[i] + end[i] - dilations[i] * (kernel[i] - 1) - 1) // strides[i] + 1
            for i in range(2)]


def _folded(x, size, kernel, strides, dilations, begin, end):
    blocks = _blocks(size, kernel, strides, dilations, begin, end)
    columns = x.reshape(-1, *kernel, *blocks)
    y = np.zeros((columns.shape[0], *size), np.float64 if x.dtype == np.float32 else x.dtype)
    for at in itertools.product(*map(range, (*kernel, *blocks))):
        row = at[2] * strides[0] + at[0] * dilations[0] - begin[0]
        column = at[3] * strides[1] + at[1] * dilations[1] - begin[1]
        if 0 <= row < size[0] and 0 <= column < size[1]:
            y[:, row, column] += columns[(slice(None),) + at]
    return y.reshape(*x.shape[:-2], -1, *size)


def _case(planes, size, kernel, strides=(1, 1), dilations=(1, 1), begin=(0, 0), end=(0, 0), x=None,
          kind=""):
    """planes: (batch, channels) or (channels,)."""
    geometry = (strides, dilations, begin, end)
    blocks = _blocks(size, kernel, *geometry)
    shape = (*planes[:-1], planes[-1] * kernel[0] * kernel[1], blocks[0] * blocks[1])
    name = f"{sizes(planes)}_to_{sizes(size)}_by_{sizes(kernel)}{kind}"
    names = ("strides", "dilations", "pads_begin", "pads_end")
    attributes = {key: list(value) for key, value in zip(names, geometry)}
    x = normal(name, *shape) if x is None else x(*shape)
    make = Case if x.dtype == np.float32 else exact
    return make(f"col2im/{name}", [x],
                lambda x: node("Col2Im", 15, [x, i64(*size), i64(*kernel)], **attributes),
                reference=lambda x: _folded(x, size, kernel, *geometry))


def cases():
    yield _case((1, 1), (3, 3), (2, 2), x=counting, kind="_counting")
    yield _case((2, 3), (7, 5), (3, 2), kind="_plain")
    yield _case((2, 3), (8, 9), (2, 3), strides=(2, 3), kind="_tiles")
    yield _case((2, 2), (9, 8), (3, 3), strides=(2, 2), begin=(1, 0), end=(1, 1), kind="_pads")
    yield _case((1, 2), (9, 11), (2, 3), strides=(1, 2), dilations=(3, 2), begin=(1, 2), end=(0, 1),
                kind="_dilations")
    yield _case((1, 2), (10, 7), (2, 2), strides=(4, 3), kind="_gaps")
    yield _case((1, 1), (5, 5), (3, 3), strides=(3, 3), dilations=(2, 2), kind="_one_block")
    yield _case((3, ), (6, 4), (3, 4), strides=(1, 1), kind="_no_batch")
    yield _case((1, 17), (1, 1), (1, 1), kind="_one_place")
    yield _case((1, 2), (5, 6), (2, 2), x=lambda *shape: integers("fold", -99, 99, *shape),
                kind="_i32")
