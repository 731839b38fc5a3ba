# SPDX-License-Identifier: Apache-2.0
"""Reshape, Squeeze, Unsqueeze, Transpose, Concat, Split and VariadicSplit."""

import numpy as np

from build import node
from casebook import NARROW, counting, exact, flags, i64, integers, listed, normal, sizes

# shape, axes
UNSQUEEZES = [((3, 5), [0]), ((3, 5), [2]), ((3, 5), [0, 3]), ((3, 5), [-1]), ((3, 5), [1, -1]),
              ((), [0]), ((17,), [0, 1, 3])]
# shape, axis, lengths
VARIADIC = [((7, 3), 0, [2, 5]), ((2, 17), 1, [1, 15, 1]), ((2, 17), 1, [4, -1, 3]),
            ((2, 3, 9), -1, [-1, 2]), ((5, 2), 0, [5])]


def _reshape():
    rows = [((2, 3, 4), [6, 4], False), ((2, 3, 4), [-1], False), ((2, 3, 4), [2, -1, 2], False),
            ((2, 3, 4), [0, -1], True), ((2, 3, 4), [0, 0, 2, 2], True),
            ((2, 3, 4), [-1, 0, 0], True), ((17,), [1, 17, 1], False), ((1, 1, 1), [1], False),
            ((1, 1), [], False), ((), [1, 1], False), ((2, 1, 3, 1, 5), [-1, 15], False)]
    for shape, target, special in rows:
        result = np.zeros(shape).reshape(
            [shape[at] if special and size == 0 else size for at, size in enumerate(target)]).shape
        suffix = "_special_zero" if special else ""
        label = f"{sizes(shape)}_to_{listed(target) or 'scalar'}{suffix}"
        yield exact(
            f"layout/reshape_{label}", [np.asarray(counting(*shape))],
            lambda x, target=target, special=special: node("Reshape", 1, [x, i64(
                *target)], special_zero=special), lambda x, result=result: x.reshape(result))
    yield exact("layout/reshape_i32_pattern", [counting(2, 8)],
                lambda x: node("Reshape", 1, [x, np.array([4, 4], np.int32)], special_zero=False),
                lambda x: x.reshape(4, 4))


def _squeeze():
    rows = [((1, 3, 1, 5), [0]), ((1, 3, 1, 5), [0, 2]), ((1, 3, 1, 5), [-2]), ((3, 1), [1]),
            ((1, 1, 1), [0, 1, 2])]
    for opset in (1, 15):
        for shape, axes in rows if opset == 1 else rows[1:3]:
            yield exact(f"layout/squeeze{opset}_{sizes(shape)}_axes_{listed(axes)}",
                        [counting(*shape)],
                        lambda x, opset=opset, axes=axes: node("Squeeze", opset, [x, i64(*axes)]),
                        lambda x, axes=axes: x.squeeze(tuple(axes)))
    yield exact("layout/squeeze_all", [counting(1, 3, 1, 5, 1)], lambda x: node("Squeeze", 1, [x]),
                lambda x: x.squeeze())
    yield exact("layout/squeeze_scalar_axis", [counting(1, 3)],
                lambda x: node("Squeeze", 1, [x, np.int64(0)]), lambda x: x.squeeze(0))
    for shape, axes in UNSQUEEZES:
        label = f"{sizes(shape)}_axes_{listed(axes)}"
        yield exact(f"layout/unsqueeze_{label}", [np.asarray(counting(*shape))],
                    lambda x, axes=axes: node("Unsqueeze", 1, [x, i64(*axes)]),
                    lambda x, axes=axes: np.expand_dims(x, tuple(axes)))


def _transpose():
    rows = [((3, 5), [1, 0]), ((15, 17), [1, 0]), ((2, 3, 4), [2, 0, 1]), ((2, 3, 4), [0, 2, 1]),
            ((2, 3, 4), [1, 0, 2]), ((2, 3, 4), [0, 1, 2]), ((2, 3, 4, 5), [0, 2, 3, 1]),
            ((2, 3, 4, 5), [3, 2, 1, 0]), ((2, 1, 3, 1, 4), [4, 3, 2, 1, 0]),
            ((2, 3, 2, 3, 2, 2), [5, 1, 3, 0, 2, 4]), ((33,), [0]), ((1, 16, 33), [0, 2, 1])]
    for shape, order in rows:
        yield exact(f"layout/transpose_{sizes(shape)}_order_{listed(order)}", [counting(*shape)],
                    lambda x, order=order: node("Transpose", 1, [x, i64(*order)]),
                    lambda x, order=order: x.transpose(order))
    yield exact("layout/transpose_no_order", [counting(2, 3, 4)],
                lambda x: node("Transpose", 1, [x, np.zeros(0, np.int64)]), lambda x: x.transpose(),
                note="An empty order reverses the axes.")
    for dtype in (np.uint8, np.int8, np.int32, np.float16, np.int64):
        data = integers(f"t{dtype.__name__}", 0, 100, 3, 17, dtype=dtype)
        yield exact(f"layout/transpose_{np.dtype(dtype).name}", [data],
                    lambda x: node("Transpose", 1, [x, i64(1, 0)]), lambda x: x.T)
    yield exact("layout/transpose_int64_large",
                [integers("tl", -2**62, 2**62, 3, 5, dtype=np.int64)],
                lambda x: node("Transpose", 1, [x, i64(1, 0)]), lambda x: x.T, **NARROW)
    yield exact("layout/transpose_boolean", [flags("tb", 3, 5)],
                lambda x: node("Transpose", 1, [x, i64(1, 0)]), lambda x: x.T)


def _concat():
    rows = [([(2, 3), (4, 3)], 0), ([(2, 3), (2, 17)], 1), ([(2, 3), (2, 1), (2, 5)], -1),
            ([(2, 3, 4), (2, 1, 4), (2, 2, 4)], 1), ([(1,), (15,), (16,)], 0),
            ([(2, 3, 2, 5), (2, 3, 2, 1)], -1), ([(2, 1, 2, 5), (2, 3, 2, 5)], -3), ([(3, 4)], 0),
            ([(1, 2, 1, 2, 2), (1, 2, 3, 2, 2)], 2)]
    for shapes, axis in rows:
        inputs = [counting(*shape) + 1000 * place for place, shape in enumerate(shapes)]
        yield exact(f"layout/concat_{'_'.join(map(sizes, shapes))}_axis_{listed([axis])}", inputs,
                    lambda *x, axis=axis: node("Concat", 1, x, axis=axis),
                    lambda *x, axis=axis: np.concatenate(x, axis))
    fixed = counting(2, 2) - 50
    yield exact("layout/concat_with_constant", [counting(2, 3)],
                lambda x: node("Concat", 1, [fixed, x, fixed], axis=1),
                lambda x: np.concatenate([fixed, x, fixed], 1))
    yield exact("layout/concat_of_itself", [counting(2, 3)],
                lambda x: node("Concat", 1, [x, x, x], axis=0),
                lambda x: np.concatenate([x, x, x], 0))
    yield exact(
        "layout/concat_nested", [counting(2, 3), -counting(2, 3)], lambda x, y: node(
            "Concat", 1, [node("Concat", 1, [x, y], axis=1),
                          node("Concat", 1, [y, x], axis=1)], axis=0),
        lambda x, y: np.block([[x, y], [y, x]]))
    yield exact("layout/concat_i64_large", [
        integers("cl", -2**62, 2**62, 2, 3, dtype=np.int64),
        integers("cm", -2**62, 2**62, 2, 2, dtype=np.int64)
    ], lambda x, y: node("Concat", 1, [x, y], axis=1), lambda x, y: np.concatenate([x, y], 1),
                **NARROW)
    yield exact("layout/concat_u8", [
        integers("cu", 0, 255, 3, 5, dtype=np.uint8),
        integers("cv", 0, 255, 3, 2, dtype=np.uint8)
    ], lambda x, y: node("Concat", 1, [x, y], axis=1), lambda x, y: np.concatenate([x, y], 1))


def _split():
    rows = [((6, 3), 0, 3), ((3, 6), 1, 2), ((2, 3, 16), -1, 4), ((2, 15, 3), 1, 5),
            ((4, 2, 2), 0, 1), ((33,), 0, 33)]
    for shape, axis, count in rows:
        kept = min(count, 5)
        yield exact(
            f"layout/split_{sizes(shape)}_axis_{listed([axis])}_into_{count}",
            [counting(*shape)], lambda x, axis=axis, count=count, kept=kept: node(
                "Split", 1, [x, np.int64(axis)], num_splits=count).outputs()[-kept:],
            lambda x, axis=axis, count=count, kept=kept: np.split(x, count, axis)[-kept:],
            note="Only the last parts are outputs." if kept < count else "")
    for shape, axis, lengths in VARIADIC:
        known = [
            shape[axis] - sum(size for size in lengths if size > 0) if size == -1 else size
            for size in lengths
        ]
        cuts = np.cumsum(known)[:-1]
        yield exact(
            f"layout/variadic_split_{sizes(shape)}_axis_{listed([axis])}_{listed(lengths)}",
            [counting(*shape)], lambda x, axis=axis, lengths=lengths: node(
                "VariadicSplit", 1, [x, np.int64(axis), i64(*lengths)]).outputs(),
            lambda x, axis=axis, cuts=cuts: np.split(x, cuts, axis))
    yield exact("layout/split_then_concat_swapped", [counting(3, 8)], _swap_halves,
                lambda x: np.concatenate([x[:, 4:], x[:, :4]], 1))

    def gated(x):
        left, right = node("Split", 1, [x, np.int64(1)], num_splits=2).outputs()
        return node("Multiply", 1, [left, node("Floor", 1, [right])])

    yield exact("layout/split_feeds_arithmetic", [np.round(normal("gate", 3, 34) * 4)], gated,
                lambda x: x[:, :17] * np.floor(x[:, 17:]))


def _swap_halves(x):
    left, right = node("Split", 1, [x, np.int64(1)], num_splits=2).outputs()
    return node("Concat", 1, [right, left], axis=1)


def _chains():
    def channel_shuffle(x):
        wide = node("Reshape", 1, [x, i64(1, 2, 3, 5)], special_zero=False)
        return node("Reshape", 1, [node("Transpose", 1, [wide, i64(0, 2, 1, 3)]),
                                   i64(1, 6, 5)], special_zero=False)

    yield exact("layout/channel_shuffle", [counting(1, 6, 5)], channel_shuffle,
                lambda x: x.reshape(1, 2, 3, 5).transpose(0, 2, 1, 3).reshape(1, 6, 5))
    yield exact(
        "layout/output_used_twice", [counting(2, 3)],
        lambda x: (node("Reshape", 1, [x, i64(3, 2)], special_zero=False),
                   node("Transpose", 1, [x, i64(1, 0)]), x), lambda x: [x.reshape(3, 2), x.T, x],
        note="One input is the source of three outputs, one of them itself.")


def cases():
    for part in (_reshape, _squeeze, _transpose, _concat, _split, _chains):
        yield from part()
