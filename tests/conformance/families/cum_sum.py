# SPDX-License-Identifier: Apache-2.0
"""CumSum: both directions, inclusive and exclusive, every axis and type."""

import numpy as np

from build import node
from casebook import NARROW, Case, integers, normal, sizes


def _cum_sum_of(x, axis, exclusive, reverse):
    x = np.flip(x, axis) if reverse else x
    y = np.cumsum(x, axis, dtype=x.dtype)  # sequential, as specified
    if exclusive:
        y = np.roll(y, 1, axis)
        np.moveaxis(y, axis, 0)[:1] = 0
    return np.flip(y, axis) if reverse else y


def _cum_sum(path, x, axis=0, exclusive=False, reverse=False, **more):
    return Case(f"cum_sum/{path}", [x],
                lambda x: node("CumSum", 3, [x, np.int64(axis)], exclusive=exclusive,
                               reverse=reverse),
                reference=lambda x: _cum_sum_of(x, axis, exclusive, reverse), rtol=0, atol=0,
                **more)


def _computed_axis(path, shape, axis, exclusive=False, reverse=False):
    return Case(f"cum_sum/computed_{path}", [normal(path, *shape), axis],
                lambda x, axis: node("CumSum", 3, [x, axis], exclusive=exclusive, reverse=reverse),
                reference=lambda x, axis: _cum_sum_of(x, int(axis.flat[0]), exclusive, reverse),
                rtol=0, atol=0)


def cases():
    for path, shape, axis in (("of_three", (2, 5, 3), np.array(1)),
                              ("from_the_end", (4, 3, 2), np.array(-1, np.int32)),
                              ("first", (3, 4), np.array(0)), ("only", (7,), np.array(-1))):
        yield _computed_axis(path, shape, axis)
    yield _computed_axis("without_own_reverse", (3, 4, 5), np.array(2), True, True)
    for label, exclusive, reverse in (("with_own", False, False), ("without_own", True, False),
                                      ("with_own_reverse", False, True),
                                      ("without_own_reverse", True, True)):
        yield _cum_sum(f"{label}_2x5x3_axis_1", normal("cum_253", 2, 5, 3), 1, exclusive, reverse)
    for shape, axis in (((3, 33), -1), ((33, 3), 0)):
        yield _cum_sum(f"{sizes(shape)}_axis_{axis % 2}", normal(sizes(shape), *shape), axis, True)
    yield _cum_sum("of_one", normal("cum_one", 3, 1), 1, exclusive=True)
    yield _cum_sum("order", np.array([1e8, 1, -1e8, 1], np.float32),
                   note="The terms are added in the order of the axis.")
    yield _cum_sum("i32_wraps", np.array([[2**30] * 4, [7, -9, 0, 1]], np.int32), 1)
    wide = integers("cum_i64", -2**60, 2**60, 5, 3, dtype=np.int64)
    yield _cum_sum("i64", wide, 0, reverse=True, **NARROW)
