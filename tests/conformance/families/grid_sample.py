# SPDX-License-Identifier: Apache-2.0
"""GridSample: modes, paddings, corners, points far outside, constant grids, types."""

import itertools

import numpy as np

from build import node
from casebook import Case, counting, exact, integers, normal, uniform

PADDINGS = ("zeros", "border", "reflection")
TAPS = {"nearest": (0, ), "bilinear": (0, 1), "bicubic": (-1, 0, 1, 2)}


def _weights(mode, fraction):
    if mode == "nearest":
        return [np.ones_like(fraction)]
    if mode == "bilinear":
        return [1 - fraction, fraction]

    def outer(d):
        return -0.75 * d**3 + 3.75 * d**2 - 6 * d + 3

    def inner(d):
        return 1.25 * d**3 - 2.25 * d**2 + 1

    return [outer(fraction + 1), inner(fraction), inner(1 - fraction), outer(2 - fraction)]


def _placed(place, size, padding, corners):
    """Positions clamped to the axis as `padding` requires, and which of the taps are valid."""
    inside = (place >= 0) & (place < size)
    if padding == "reflection":
        period = max(2 * (size - 1), 1) if corners else 2 * size
        place = np.mod(place, period)
        place = np.minimum(place, (2 * (size - 1) if corners else period - 1) - place)
    at = np.clip(place, 0, size - 1).astype(np.int64)
    return at, inside if padding == "zeros" else np.ones_like(inside)


def _sampled(x, grid, mode, padding, corners):
    sides = np.array([x.shape[3], x.shape[2]])
    grid = grid.astype(np.float64)
    points = (grid + 1) / 2 * (sides - 1) if corners else ((grid + 1) * sides - 1) / 2
    first = np.rint(points) if mode == "nearest" else np.floor(points)
    weights = _weights(mode, points - first)
    y = np.zeros((*x.shape[:2], *grid.shape[1:3]))
    for (i, v), (j, h) in itertools.product(enumerate(TAPS[mode]), repeat=2):
        row, row_counts = _placed(first[..., 1] + v, sides[1], padding, corners)
        column, column_counts = _placed(first[..., 0] + h, sides[0], padding, corners)
        for n in range(x.shape[0]):
            pixels = np.where(row_counts[n] & column_counts[n], x[n][:, row[n], column[n]], 0)
            y[n] += pixels * weights[i][n, ..., 1] * weights[j][n, ..., 0]
    return y.astype(x.dtype)


def _case(path, x, grid, mode=None, padding=None, corners=None, known=False, make=Case, **more):
    attributes = {"mode": mode, "padding_mode": padding, "align_corners": corners}
    attributes = {key: value for key, value in attributes.items() if value is not None}

    def graph(x, points=grid):
        return node("GridSample", 9, [x, points], **attributes)

    def reference(x, points=grid):
        return _sampled(x, points, mode or "bilinear", padding or "zeros", bool(corners))

    return make(f"grid_sample/{path}", [x] if known else [x, grid], graph, reference=reference,
                **more)


def _all_kinds():
    points = np.array([[[[-1, -1], [0.1, 0], [1, 1]], [[-1.5, 0.2], [.3, -.4], [1.8, 1.2]]]],
                      np.float32)
    x = normal("sampled", 1, 2, 3, 4)
    for mode, padding, corners in itertools.product(TAPS, PADDINGS, (False, True)):
        where = "corners" if corners else "halves"
        yield _case(f"{mode}_{padding}_{where}", x, points, mode, padding, corners)


def cases():
    yield from _all_kinds()
    x = normal("sampled_batch", 3, 5, 7, 6)
    grid = uniform("grid_batch", -1.3, 1.3, 3, 2, 9, 2)
    yield _case("defaults", x, grid)
    for mode, padding, corners in (("bilinear", "reflection", False), ("bicubic", "zeros", True),
                                   ("nearest", "border", False), ("bicubic", "border", False)):
        yield _case(f"known_{mode}_{padding}", x, grid, mode, padding, corners, known=True)
    far = np.array([[[[5.3, -7.1], [-3.2, 0.4], [0.6, 9.7]]]], np.float32)
    for mode, corners in (("bilinear", False), ("nearest", False), ("bicubic", True)):
        yield _case(f"far_{mode}", 1 + counting(1, 1, 3, 3), far, mode, "reflection", corners)
    yield _case("one_pixel", normal("one_pixel", 1, 3, 1, 1),
                uniform("grid_one_pixel", -2, 2, 1, 3, 2, 2), "bilinear", "reflection", True)
    yield _case("one_row", normal("one_row", 1, 1, 1, 17), uniform("grid_one_row", -1, 1, 1, 1, 15, 2),
                "bilinear", "border", True)
    halves = np.stack(np.meshgrid([-.5, 0, .5], [-.5, 0, .5]), -1).astype(np.float32)[None]
    yield _case("nearest_even", 1 + counting(1, 1, 4, 4), halves, "nearest", "zeros", False,
                note="Half way between two pixels it is the one of even number.")
    yield _case("nearest_i32", integers("pixels", -99, 99, 2, 3, 4, 5),
                uniform("grid_i32", -1.2, 1.2, 2, 3, 3, 2), "nearest", make=exact)
