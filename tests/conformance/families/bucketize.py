# SPDX-License-Identifier: Apache-2.0
"""Bucketize and SearchSorted: both bounds, equal elements, NaN, types, separate bounds per line."""

import numpy as np

from build import node
from casebook import exact, integers, normal, sizes

STEPS = np.array([1, 3, 3, 5], np.float32)
VALUES = np.array([0, 1, 2, 3, 4, 5, 6, np.nan, np.inf, -np.inf], np.float32)


def _bucketize(path, x, buckets, closes_right, index="i64", **more):
    def reference(x):
        below = buckets < x[..., None] if closes_right else ~(buckets > x[..., None])
        return below.sum(-1).astype(np.int64 if index == "i64" else np.int32)

    def graph(x):
        return node("Bucketize", 3, [x, buckets], output_type=index, with_right_bound=closes_right)

    return exact(f"bucketize/{path}", [x], graph, reference, **more)


def _search(path, lines, values, right, index="i64", **more):
    def graph(lines, values):
        return node("SearchSorted", 15, [lines, values], right_mode=right, output_type=index)

    def reference(lines, values):
        rows = np.broadcast_to(lines, (*values.shape[:-1], lines.shape[-1]))
        places = [np.searchsorted(rows[at], values[at], "right" if right else "left")
                  for at in np.ndindex(*values.shape[:-1])]
        places = np.reshape(places, values.shape)
        return places.astype(np.int64 if index == "i64" else np.int32)

    return exact(f"bucketize/{path}", [lines, values], graph, reference, **more)


def _mixed():
    """Numbers of one type among bounds of another."""
    small = integers("bmx", -9, 9, 3, 17)
    rows = [  # name, numbers, bounds
        ("f32_i32", (small * .5).astype(np.float32), np.array([-4, 0, 0, 3], np.int32)),
        ("i32_f32", small, np.array([-3.5, 0, .5], np.float32)),
        ("u8_i64", integers("bmu", 0, 256, 40, dtype=np.uint8), np.array([-3, 7, 200, 300])),
        ("i8_u8", integers("bmi", -128, 128, 40, dtype=np.int8), np.array([3, 90], np.uint8)),
    ]
    for name, x, bounds in rows:
        yield _bucketize(f"mixed_{name}", x, bounds, name != "i32_f32")


def cases():
    yield from _mixed()
    for closes_right in (False, True):
        bound = "right" if closes_right else "left"
        yield _bucketize(f"specials_{bound}", VALUES, STEPS, closes_right)
        yield _bucketize(f"i32_{bound}", integers("bi", -9, 9, 3, 17),
                         np.array([-4, 0, 0, 7], np.int32), closes_right, "i32")
        yield _bucketize(f"one_{bound}", normal("bo", 2, 3, 5), np.zeros(1, np.float32),
                         closes_right)
        yield _bucketize(f"none_{bound}", normal("bn", 7), np.zeros(0, np.float32), closes_right)
        for lines, values in (((9,), (17,)), ((5,), (2, 3, 4)), ((2, 6), (2, 9)),
                              ((2, 3, 7), (2, 3, 2))):
            label = f"search_{sizes(lines)}_{sizes(values)}_{bound}"
            yield _search(label, np.sort(np.round(normal(label, *lines) * 3), -1),
                          np.round(normal(label + "v", *values) * 3), closes_right)
    yield _search("search_i32", np.sort(integers("si", -9, 9, 12)), integers("sv", -12, 12, 2, 5),
                  True, "i32")
