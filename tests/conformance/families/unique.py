# SPDX-License-Identifier: Apache-2.0
"""Unique: elements and slices, sorted and in order of first occurrence, all outputs."""

import numpy as np

from build import node
from casebook import NARROW, by_numpy, exact, integers, normal, sizes

DISTINCT = by_numpy("OpenVINO's CPU device overwrites its results where there is a NaN; each is a "
                    "value of its own behind all numbers, as NumPy says with equal_nan=False.")

REPEATED = by_numpy("OpenVINO's CPU device gives more slices than there are different ones along "
                    "an axis other than the first.")


def _unique_of(x, axis, is_sorted):
    options = {"equal_nan": False} if axis is None else {}
    values, first, inverse, counts = np.unique(x, True, True, True, axis, **options)
    inverse = inverse.reshape(-1)
    if not is_sorted:
        order = np.argsort(first, kind="stable")
        values = np.take(values, order, 0 if axis is None else axis)
        first, counts, inverse = first[order], counts[order], np.argsort(order)[inverse]
    return values, first, inverse, counts


def _unique(path, x, axis=None, is_sorted=True, index="i64", count="i64", outputs=4, known=False,
            **more):
    def graph(*given):
        inputs = [x if known else given[0]] + ([] if axis is None else [np.int64(axis)])
        made = node("Unique", 10, inputs, sorted=is_sorted, index_element_type=index,
                    count_element_type=count).outputs()[:outputs]
        return made + list(given) if known else made

    def reference(*given):
        values, first, inverse, counts = _unique_of(x, axis, is_sorted)
        types = (x.dtype, f"int{index[1:]}", f"int{index[1:]}", f"int{count[1:]}")
        answers = [array.astype(dtype)
                   for array, dtype in zip((values, first, inverse, counts), types)]
        return answers[:outputs] + (list(given) if known else [])

    return exact(f"unique/{path}", [normal("unique_other", 2)] if known else [x], graph, reference,
                 **more)


def cases():
    few = np.array([3, 1, 2, 1, 3, 3], np.float32)
    rows = np.array([[3, 1], [2, 1], [3, 1], [2, 0]], np.float32)
    for is_sorted in (True, False):
        how = "sorted" if is_sorted else "as_they_come"
        yield _unique(f"few_{how}", few, is_sorted=is_sorted)
        yield _unique(f"rows_{how}", rows, 0, is_sorted)
        yield _unique(f"flat_{how}", integers("unique_flat", 0, 9, 3, 11), is_sorted=is_sorted,
                      index="i32", count="i32")
        for shape, axis in (((3, 9), 1), ((2, 7, 2), 1), ((6, 1, 3), -3)):
            label = f"{sizes(shape)}_axis_{axis % len(shape)}"
            x = integers(f"unique_{label}", 0, 2, *shape).astype(np.float32)
            yield _unique(f"{label}_{how}", x, axis, is_sorted,
                          **(REPEATED if axis % len(shape) else {}))
    yield _unique("equal", np.full(7, -2, np.int32))
    yield _unique("different", np.array([5, -1, 7, 0, 2], np.int32), is_sorted=False)
    yield _unique("one", np.array([[4]], np.float32), 1)
    yield _unique("zeros_of_both_signs", np.array([1, -0.0, 0.0, -1, 0.0], np.float32))
    yield _unique("values_alone", few, outputs=1)
    yield _unique("known", few, known=True)
    yield _unique("u8", integers("unique_u8", 250, 256, 12, dtype=np.uint8))
    yield _unique("i8", integers("unique_i8", -3, 3, 12, dtype=np.int8))
    yield _unique("i64", integers("unique_i64", -2, 2, 9, dtype=np.int64) * np.int64(2)**40,
                  **NARROW)
    yield _unique("nan", np.array([1, np.nan, -np.inf, 1, np.nan, np.inf], np.float32), **DISTINCT)
