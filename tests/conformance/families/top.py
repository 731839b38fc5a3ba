# SPDX-License-Identifier: Apache-2.0
"""TopK: k, mode, order, element type and axis."""

import numpy as np

from build import node
from casebook import NARROW, exact, integers, normal, sizes


def _top_of(x, k, axis, mode, sort):
    key = x if mode == "min" else -x.astype(np.int64 if x.dtype.kind in "iu" else x.dtype)
    places = np.take(np.argsort(key, axis=axis, kind="stable"), np.arange(k), axis)
    if sort == "index":
        places = np.sort(places, axis)
    return np.take_along_axis(x, places, axis), places


def _case(path, x, k, axis=-1, mode="max", sort="value", opset=11, index="i32", **more):
    def graph(x):
        attributes = {"axis": axis, "mode": mode, "sort": sort, "index_element_type": index}
        return node("TopK", opset, [x, np.int32(k)], **attributes)

    def reference(x):
        values, places = _top_of(x, k, axis, mode, sort)
        return values, places.astype(np.int64 if index == "i64" else np.int32)

    return exact(f"top/{path}", [x], graph, reference, **more)


def cases():
    few = np.array([3, 1, 3, 2, 3, 1], np.float32)
    for mode in ("max", "min"):
        for sort in ("value", "index"):
            for k in (1, 4, 6):
                yield _case(f"{mode}_{k}_by_{sort}", few, k, 0, mode, sort)
    for shape, axis, k in (((2, 33), -1, 5), ((33, 2), 0, 5), ((2, 17, 3), 1, 17),
                           ((2, 3, 4, 5), 2, 2), ((2, 1, 3), 1, 1), ((3, 1000), 1, 40)):
        for turn, index in enumerate(("i32", "i64")):
            label = f"{sizes(shape)}_axis_{axis % len(shape)}_{k}_{index}"
            yield _case(label, normal(label, *shape), k, axis, ("max", "min")[turn],
                        ("value", "index")[turn], (3, 11)[turn], index)
    yield _case("equal", np.zeros(40, np.float32), 3)
    yield _case("zeros_of_both_signs", np.array([-0.0, 0.0, -0.0, -1], np.float32), 3)
    yield _case("first_version", normal("top_first", 2, 9), 3, opset=1)
    yield _case("i32", integers("top_i32", 2**24, 2**24 + 9, 3, 17), 4)
    yield _case("i8", integers("top_i8", -128, 128, 3, 33, dtype=np.int8), 7, sort="index")
    bytes_once = np.argsort(normal("top_u8", 3, 256)).astype(np.uint8)  # without ties within a line
    yield _case("u8", bytes_once[:, :33], 7, mode="min")
    wide = integers("top_i64", -9, 9, 3, 17, dtype=np.int64) * np.int64(2)**40
    yield _case("i64", wide, 4, index="i64", **NARROW)

    def argmax(x):
        best = node("TopK", 11, [x, np.int32(1)], axis=1, mode="max", sort="value",
                    index_element_type="i64")
        return node("Squeeze", 1, [best.output(1), np.array([1], np.int64)])

    yield exact("top/argmax", [np.round(normal("argmax", 3, 17, 2) * 3)], argmax,
                lambda x: x.argmax(1), note="The indices alone.")
