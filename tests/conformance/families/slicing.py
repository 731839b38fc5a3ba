# SPDX-License-Identifier: Apache-2.0
"""Slice, StridedSlice and Gather."""

import numpy as np

from build import node
from casebook import NARROW, Case, by_numpy, counting, exact, i64, integers, normal

LAST = 2**31 - 1


def _slice():
    rows = [  # name, shape, start, stop, step, axes, index expression
        ("plain", (7, 5), [1], [6], [1], [0], np.s_[1:6]),
        ("step_2", (7, 5), [0], [LAST], [2], [0], np.s_[::2]),
        ("negative_bounds", (7, 17), [-5], [-1], [1], [1], np.s_[:, -5:-1]),
        ("backward", (7, 5), [LAST], [-LAST], [-1], [0], np.s_[::-1]),
        ("backward_step_3", (17,), [-2], [0], [-3], [0], np.s_[-2:0:-3]),
        ("backward_inner", (3, 16), [14], [2], [-4], [-1], np.s_[:, 14:2:-4]),
        ("two_axes", (5, 6, 7), [1, 2], [4, 7], [2, 3], [0, 2], np.s_[1:4:2, :, 2:7:3]),
        ("two_axes_out_of_order", (5, 6, 7), [2, 4], [7, 0], [3, -2], [2, 0], np.s_[4:0:-2, :,
                                                                                    2:7:3]),
        ("beyond_the_end", (5, 3), [-99], [99], [2], [0], np.s_[::2]),
        ("one_element", (33, 2), [32], [33], [1], [0], np.s_[32:33]),
        ("middle_axis", (2, 9, 3, 2), [8], [0], [-2], [1], np.s_[:, 8:0:-2]),
    ]
    for name, shape, start, stop, step, axes, index in rows:
        given = [i64(*part) for part in (start, stop, step, axes)]
        yield exact(f"slicing/slice_{name}", [counting(*shape)],
                    lambda x, given=given: node("Slice", 8, [x, *given]),
                    lambda x, index=index: x[index])
    yield exact(
        "slicing/slice_default_axes", [counting(5, 6, 7)],
        lambda x: node("Slice", 8, [
            x,
            np.array([1, 0], np.int32),
            np.array([4, 6], np.int32),
            np.array([1, 2], np.int32)
        ]), lambda x: x[1:4, 0:6:2])
    yield exact(
        "slicing/slice_i64", [integers("sl", -2**62, 2**62, 7, 3, dtype=np.int64)],
        lambda x: node("Slice", 8, [x, i64(5), i64(0), i64(-2), i64(0)]), lambda x: x[5:0:-2],
        **NARROW)
    yield exact("slicing/slice_overlapping_windows", [counting(9, 2)], _windows,
                lambda x: np.concatenate([x[:5], x[2:7], x[4:]], 1))


    # The slices are overlapping views and the last readers of their input.
    yield exact("slicing/slice_differences_of_neighbours", [counting(6, 5)], _differences,
                lambda x: np.diff(-x, axis=0))


def _differences(x):
    negative = node("Negative", 1, [x])
    after, before = (node("Slice", 8, [negative, i64(at), np.array([at + 5]), i64(1), i64(0)])
                     for at in (1, 0))
    return node("Subtract", 1, [after, before])


def _computed():
    """Slices of constant length with a computed start that is known to be inside the axis."""
    def sliced(x, start, count, axis, step=1):
        stop = node("Add", 1, [start, count])
        one = i64(0)
        ends = [end if axis is None else node("Unsqueeze", 1, [end, one]) for end in (start, stop)]
        return node("Slice", 8, [x, *ends, i64(step), i64(0 if axis is None else axis)])

    def clamped(x, i):
        return sliced(x, node("Clamp", 1, [i], min=0.0, max=4.0), i64(3), None)

    def in_ring(x, i):
        return sliced(x, node("FloorMod", 1, [i, np.int32(6)]), np.int32(1), 1)

    def limited(x, i):
        start = node("Minimum", 1, [node("Maximum", 1, [i, np.int64(1)]), np.int64(3)])
        return sliced(x, start, np.int64(2), -1)

    def behind(x, i):
        place = node("Clamp", 1, [i], min=0.0, max=2.0)
        start, stop = (node("Add", 1, [place, i64(offset)]) for offset in (1, 4))
        return node("Slice", 8, [x, start, stop, i64(1), i64(1)])

    for value in (-3, 2, 9):
        name = f"{value}".replace("-", "m")
        start = int(np.clip(value, 0, 4))
        yield exact(f"slicing/slice_computed_clamped_{name}", [counting(7, 5), i64(value)], clamped,
                    lambda x, i, start=start: x[start:start + 3])
    yield exact("slicing/slice_computed_in_ring", [counting(2, 6, 3), np.array(-4, np.int32)],
                in_ring, lambda x, i: x[:, 2:3])
    yield exact("slicing/slice_computed_limited", [counting(2, 5), np.array(7)], limited,
                lambda x, i: x[:, 3:5])
    yield exact("slicing/slice_computed_behind", [counting(3, 6, 2), i64(2)], behind,
                lambda x, i: x[:, 3:6])


def _masks(entries, **ones):
    """The masks of StridedSlice, by the entries at which each of them is 1."""
    return {
        f"{kind}_mask": [int(at in ones.get(kind, ())) for at in range(entries)]
        for kind in ("begin", "end", "new_axis", "shrink_axis", "ellipsis")
    }


def _clamped(i, low, high):
    return node("Clamp", 1, [i], min=float(low), max=float(high))


def _named(*numbers):
    return "_".join(str(number) for number in numbers).replace("-", "m")


def _of_run_time_length():
    """Slices whose length is known only at run time."""
    def window(x, i):
        return node("Slice", 8, [x, i, node("Add", 1, [i, i64(3)]), i64(1), i64(0)])

    for start in (-9, -7, -2, 0, 5, 9, 2**31 - 1):
        yield exact(f"slicing/slice_window_{_named(start)}", [counting(7, 5), i64(start)], window,
                    lambda x, i: x[i[0]:i[0] + 3])
    for end in (0, 2, 17, 99, -1, -99):
        yield exact(f"slicing/slice_first_{_named(end)}", [counting(2, 17), i64(end)],
                    lambda x, i: node("Slice", 8, [x, i64(0), i, i64(1), i64(1)]),
                    lambda x, i: x[:, :i[0]])
    for begin, end in ((0, 9), (2, -1), (-3, 5), (7, 3), (-1, 0), (9, -10), (-99, 99)):
        for step in (1, 3, -1, -2):
            yield exact(
                f"slicing/slice_between_{_named(begin, end, step)}",
                [counting(2, 9, 3), np.array([begin], np.int32), np.array([end], np.int32)],
                lambda x, b, e, step=step: node("Slice", 8, [
                    x, b, e, np.array([step], np.int32), np.array([-2], np.int32)]),
                lambda x, b, e, step=step: x[:, b[0]:e[0]:step])

    def joined(x, b):
        begin = node("Concat", 1, [i64(1), b, i64(0)], axis=0)
        end = node("Concat", 1, [i64(3), node("Add", 1, [b, i64(1)]), i64(2)], axis=0)
        return node("StridedSlice", 1, [x, begin, end, i64(1, 2, 1)], **_masks(3, end=[1], begin=[2]))

    yield exact("slicing/strided_slice_joined_begin", [counting(4, 7, 3), i64(2)],
                joined, lambda x, b: x[1:3, b[0]::2, :2])
    for begin in (5, -8):
        yield exact(f"slicing/strided_slice_backward_from_{_named(begin)}",
                    [counting(7, 2), i64(begin, 0)],
                    lambda x, b: node("StridedSlice", 1, [x, b, i64(0, 2), i64(-2, 1)],
                                      **_masks(2, end=[0], begin=[1])),
                    lambda x, b: x[b[0]::-2] if b[0] >= -7 else x[:1])

    def read(x, n):
        rows = node("Slice", 8, [x, i64(0), n, i64(1), i64(0)])
        return [node("Tanh", 1, [rows]), node("ReduceMean", 1, [rows, i64(0)], keep_dims=False),
                node("ShapeOf", 3, [rows], output_type="i64")]

    yield Case("slicing/slice_first_read", [normal("first_read", 9, 4), i64(5)], read,
               reference=lambda x, n: [np.tanh(x[:n[0]]), x[:n[0]].mean(0), np.array([n[0], 4])])


def _computed_strided():
    """StridedSlice with a computed start and a constant length."""
    def two(x, p):
        begin = _clamped(p, 0, 2)
        return node("StridedSlice", 1, [x, begin, node("Add", 1, [begin, i64(3, 2)]), i64(1, 1)],
                    **_masks(2))

    yield exact("slicing/strided_slice_computed_both", [counting(5, 4, 2), i64(1, 9)], two,
                lambda x, p: x[1:4, 2:4])

    def from_the_end(x, p):
        begin = _clamped(p, -6, -4)
        return node("StridedSlice", 1, [x, begin, node("Add", 1, [begin, i64(3)]), i64(2)],
                    **_masks(1))

    yield exact("slicing/strided_slice_computed_from_end", [counting(7, 3), i64(-5)], from_the_end,
                lambda x, p: x[-5:-2:2])

    def backward(x, p):
        begin = _clamped(p, 4, 6)
        return node("Slice", 8, [x, begin, node("Subtract", 1, [begin, i64(4)]), i64(-1), i64(0)])

    yield exact("slicing/slice_computed_backward", [counting(7, 3), i64(5)], backward,
                lambda x, p: x[5:1:-1])
    for place in (0, 4, -1, -5):
        def taken(x, p):
            begin = node("Concat", 1, [i64(0), p, i64(1)], axis=0)
            end = node("Concat", 1, [i64(0), node("Add", 1, [p, i64(1)]), i64(3)], axis=0)
            return node("StridedSlice", 1, [x, begin, end, i64(1, 1, 1)],
                        **_masks(3, begin=[0], end=[0], shrink_axis=[1]))

        yield exact(f"slicing/strided_slice_computed_shrink_{_named(place)}",
                    [counting(2, 5, 4), i64(place)], taken,
                    lambda x, p, place=place: x[:, place, 1:3])

    def last(x, p):
        begin = node("Concat", 1, [i64(0), p], axis=0)
        return node("StridedSlice", 1, [x, begin, i64(0, 0), i64(1, 1)],
                    **_masks(2, ellipsis=[0], shrink_axis=[1]))

    yield exact("slicing/strided_slice_computed_ellipsis", [counting(3, 2, 6), i64(4)], last,
                lambda x, p: x[..., 4], **by_numpy(
                    "OpenVINO's CPU device reads elsewhere behind an ellipsis."))

    def below_new_axis(x, p):
        begin = node("Concat", 1, [i64(0), p, i64(1)], axis=0)
        return node("StridedSlice", 1, [x, begin, i64(0, 0, 3), i64(1, 1, 1)],
                    **_masks(3, new_axis=[0], shrink_axis=[1]))

    yield exact("slicing/strided_slice_computed_new_axis", [counting(3, 4), i64(2)],
                below_new_axis, lambda x, p: x[None, 2, 1:3])


def _of_found():
    """Slices of a value that already has a run-time length."""
    rows = [  # name, start, stop, step
        ("first_two", 0, 2, 1), ("first_many", 0, 99, 1), ("last_two", -2, LAST, 1),
        ("but_first", 1, LAST, 1), ("but_last", 0, -1, 1), ("every_second", 0, LAST, 2),
        ("backward", LAST, -LAST, -1), ("middle", 1, -1, 1), ("back_across", -2, 0, -1),
    ]
    for label, mask in (("some", np.array([1, 0, 1, 1, 0, 1, 0])), ("none", np.zeros(7)),
                        ("one", np.array([0, 0, 1, 0, 0, 0, 0])), ("all", np.ones(7))):
        for name, start, stop, step in rows:
            if label in ("none", "all") and name not in ("first_two", "last_two", "backward"):
                continue

            def found(x, m, start=start, stop=stop, step=step):
                places = node("NonZero", 3, [m], output_type="i64")
                taken = node("GatherND", 8, [x, node("Transpose", 1, [places, i64(1, 0)])],
                             batch_dims=0)
                return node("Slice", 8, [taken, *(i64(n) for n in (start, stop, step)), i64(0)])

            yield exact(f"slicing/slice_of_found_{name}_{label}",
                        [counting(7, 3), mask.astype(np.int32)], found,
                        lambda x, m, start=start, stop=stop, step=step: x[m != 0][
                            start:stop if stop > -LAST else None:step])

    def last(m):
        places = node("NonZero", 3, [m], output_type="i64")
        return node("StridedSlice", 1, [places, i64(0, -1), i64(0, 0), i64(1, 1)],
                    **_masks(2, begin=[0], end=[0], shrink_axis=[1]))

    yield exact("slicing/strided_slice_last_found", [integers("last_found", 0, 2, 4, 5)], last,
                lambda m: np.array(np.nonzero(m))[:, -1])

    def but_as_many(x, m):
        places = node("NonZero", 3, [m], output_type="i64")
        count = node("Gather", 8, [node("ShapeOf", 3, [places], output_type="i64"), i64(1),
                                   np.int64(0)], batch_dims=0)
        return node("Slice", 8, [x, count, i64(LAST), i64(1), i64(0)])

    yield exact("slicing/slice_from_count", [counting(7, 2), np.array([1, 0, 1, 1, 0], np.int32)],
                but_as_many, lambda x, m: x[3:])


def _windows(x):
    parts = [node("Slice", 8, [x, i64(at), np.array([at + 5]), i64(1), i64(0)]) for at in (0, 2, 4)]
    return node("Concat", 1, parts, axis=1)


def _strided_slice():
    rows = [  # name, shape, begin, end, strides, masks that are not 0, index expression
        ("plain", (5, 7), [1, 2], [4, 6], [1, 2], {}, np.s_[1:4, 2:6:2]),
        ("begin_end_masks", (5, 7), [3, 2], [2, 5], [1,
                                                     1], {"begin_mask": [1, 0],
                                                          "end_mask": [1, 0]}, np.s_[:, 2:5]),
        ("backward", (5, 17), [0, 0], [0, 0], [1, -1], {"begin_mask": [1, 1],
                                                        "end_mask": [1, 1]}, np.s_[:, ::-1]),
        ("backward_both", (5, 6), [4, -1], [0, 1], [-2, -1], {}, np.s_[4:0:-2, -1:1:-1]),
        ("shrink", (5, 7), [2, 1], [3, 6], [1, 1], {"shrink_axis_mask": [1, 0]}, np.s_[2, 1:6]),
        ("shrink_negative", (5, 7), [0, -2], [5, -1], [1, 1], {"shrink_axis_mask": [0,
                                                                                    1]}, np.s_[0:5,
                                                                                               -2]),
        ("shrink_all", (3, 4), [1, 2], [2, 3], [1, 1], {"shrink_axis_mask": [1, 1]}, np.s_[1, 2]),
        ("new_axis", (5, 7), [0, 1, 0], [0, 4, 7], [1, 1,
                                                    1], {"new_axis_mask": [1, 0,
                                                                           0]}, np.s_[None, 1:4,
                                                                                      0:7]),
        ("new_axis_inside", (5, 7), [1, 0, 2], [3, 0, 5], [1, 1, 1], {"new_axis_mask": [0, 1, 0]},
         np.s_[1:3, None, 2:5]),
        ("ellipsis", (2, 3, 4, 5), [1, 0, 1], [2, 0, 4], [1, 1, 1], {"ellipsis_mask": [0, 1, 0]},
         np.s_[1:2, ..., 1:4]),
        ("ellipsis_first", (2, 3, 4), [0, 0], [0, 4], [1, 3], {"ellipsis_mask": [1,
                                                                                 0]}, np.s_[...,
                                                                                            0:4:3]),
        ("ellipsis_and_shrink", (2, 3, 4), [0, 2], [0, 3], [1, 1],
         {"ellipsis_mask": [1, 0], "shrink_axis_mask": [0, 1]}, np.s_[..., 2]),
        ("fewer_axes", (4, 3, 5), [1], [3], [1], {}, np.s_[1:3]),
        ("beyond_the_end", (4, 15), [0, -100], [100, 100], [3, 2], {}, np.s_[::3, ::2]),
    ]
    for name, shape, begin, end, strides, masks, index in rows:
        attributes = {
            key: masks.get(key, [0] * len(begin))
            for key in ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask",
                        "ellipsis_mask")
        }
        given = [i64(*part) for part in (begin, end, strides)]
        yield exact(
            f"slicing/strided_slice_{name}",
            [counting(*shape)], lambda x, given=given, attributes=attributes: node(
                "StridedSlice", 1, [x, *given], **attributes),
            lambda x, index=index: np.asarray(x[index]))
    plain = {"begin_mask": [0], "end_mask": [0]}
    yield exact("slicing/strided_slice_no_strides", [counting(6, 3)],
                lambda x: node("StridedSlice", 1, [x, i64(1), i64(5)], **plain), lambda x: x[1:5])


def _begin_before_the_axis():
    """A negative step selects the first element, as in OpenVINO and ONNX Runtime; NumPy selects none."""
    for begin in (-5, -6, -99, -2**63):
        name = f"{-begin}_before" if begin > -2**63 else "lowest"
        given = [i64(-2**63), i64(-1), i64(0)]
        yield exact(f"slicing/slice_computed_begin_{name}", [counting(5, 2), i64(begin)],
                    lambda x, begin, given=given: node("Slice", 8, [x, begin, *given]),
                    lambda x, begin: x[:1])
    yield exact("slicing/slice_begin_before", [counting(5, 2)],
                lambda x: node("Slice", 8, [x, i64(-9), i64(-99), i64(-1), i64(0)]),
                lambda x: x[:1])
    yield exact("slicing/strided_slice_begin_before", [counting(5, 2)],
                lambda x: node("StridedSlice", 1, [x, i64(-9), i64(0), i64(-2)], begin_mask=[0],
                               end_mask=[1]), lambda x: x[:1])
    yield exact("slicing/slice_computed_beside_an_empty_axis", [counting(3, 2), i64(2, 2)],
                lambda x, begin: node("Slice", 8, [x, begin, i64(9, 0), i64(1, 1), i64(0, 1)]),
                lambda x, begin: x[2:, 2:0])


def _gather():
    data = counting(5, 4)
    indices = np.array([[0, 4, 2], [3, 3, 1]], np.int32)
    for opset in (1, 7, 8):
        more = {} if opset == 1 else {"batch_dims": 0}
        yield exact(
            f"slicing/gather{opset}_const_indices", [data], lambda x, opset=opset, more=more: node(
                "Gather", opset, [x, indices, np.int64(0)], **more), lambda x: x[indices])
        yield exact(
            f"slicing/gather{opset}_runtime_indices", [data, indices],
            lambda x, i, opset=opset, more=more: node("Gather", opset, [x, i, np.int64(0)], **more),
            lambda x, i: x[i])
        yield exact(
            f"slicing/gather{opset}_axis_1",
            [counting(3, 17, 2), i64(16, 0, 5, 5)],
            lambda x, i, opset=opset, more=more: node("Gather", opset, [x, i, np.int64(1)], **more),
            lambda x, i: x[:, i])
    yield exact("slicing/gather8_negative_indices",
                [data, np.array([-1, -5, 2, -2], np.int32)],
                lambda x, i: node("Gather", 8, [x, i, np.int64(0)], batch_dims=0),
                lambda x, i: x[i])
    yield exact("slicing/gather8_negative_const_indices", [counting(2, 3, 5)],
                lambda x: node("Gather", 8, [x, i64(-1, 0, -3), np.int64(-1)], batch_dims=0),
                lambda x: x[:, :, [-1, 0, -3]])
    yield exact("slicing/gather8_scalar_index", [data],
                lambda x: node("Gather", 8, [x, np.int32(3), np.int64(0)], batch_dims=0),
                lambda x: x[3])
    yield exact("slicing/gather8_scalar_runtime_index", [data, np.array(2, np.int32)],
                lambda x, i: node("Gather", 8, [x, i, np.int64(1)], batch_dims=0),
                lambda x, i: x[:, i])
    for opset in (7, 8):
        yield exact(
            f"slicing/gather{opset}_batch_dims_1",
            [counting(2, 5, 3), np.array([[4, 0, 1], [2, 2, 3]], np.int32)],
            lambda x, i, opset=opset: node("Gather", opset, [x, i, np.int64(1)], batch_dims=1),
            lambda x, i: np.stack([x[b][i[b]] for b in range(2)]))
    yield exact("slicing/gather8_batch_dims_1_inner_axis",
                [counting(2, 3, 5), np.array([[4, 0], [2, -1]], np.int32)],
                lambda x, i: node("Gather", 8, [x, i, np.int64(2)], batch_dims=1),
                lambda x, i: np.stack([x[b][:, i[b]] for b in range(2)]))
    yield exact(
        "slicing/gather8_batch_dims_minus_1",
        [counting(2, 3, 5), integers("gbm", 0, 5, 2, 3, 2)],
        lambda x, i: node("Gather", 8, [x, i, np.int64(2)], batch_dims=-1),
        lambda x, i: np.stack([np.stack([x[a, b][i[a, b]] for b in range(3)]) for a in range(2)]))
    table = normal("table", 33, 16)
    yield exact("slicing/gather8_embedding", [integers("ids", 0, 33, 1, 7, dtype=np.int64)],
                lambda i: node("Gather", 8, [table, i, np.int64(0)], batch_dims=0),
                lambda i: table[i])
    yield exact(
        "slicing/gather8_reverse_by_indices", [counting(6, 3)],
        lambda x: node("Gather", 8, [x, np.arange(5, -1, -1), np.int64(0)], batch_dims=0),
        lambda x: x[::-1])
    yield exact("slicing/gather8_i64_data",
                [integers("gd", -2**62, 2**62, 5, 3, dtype=np.int64),
                 np.array([4, 1], np.int32)],
                lambda x, i: node("Gather", 8, [x, i, np.int64(0)], batch_dims=0),
                lambda x, i: x[i], **NARROW)
    yield exact("slicing/gather8_u8_data",
                [integers("gu", 0, 255, 5, 3, dtype=np.uint8),
                 np.array([4, 1], np.int32)],
                lambda x, i: node("Gather", 8, [x, i, np.int64(0)], batch_dims=0),
                lambda x, i: x[i])
    beyond = np.array([0, 5, -6, 3], np.int32)
    yield exact("slicing/gather8_out_of_range", [data + 1, beyond],
                lambda x, i: node("Gather", 8, [x, i, np.int64(0)], batch_dims=0),
                lambda x, i: np.where(((i >= -5) & (i < 5))[:, None], x[np.clip(i, -5, 4)], 0),
                note="An index out of range gives zeros and must read nothing outside the tensor.")


def cases():
    yield from _computed()
    for part in (_computed_strided, _of_run_time_length, _of_found, _slice, _strided_slice,
                 _begin_before_the_axis, _gather):
        yield from part()
