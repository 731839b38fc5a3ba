# SPDX-License-Identifier: Apache-2.0
"""OneHot-16, products of one-hot vectors and tables, and Eye."""

import numpy as np
from onnx import helper

from build import node
from casebook import NARROW, counting, exact, i64, integers, normal
from families.from_onnx import converted

NEAR = np.array([0, 2, -1, 3, -4, 7, -3, 1], np.int32)


def _one_hot_of(x, depth, on, off, axis, from_end):
    x = x.astype(np.int64)
    if from_end:
        x = np.where(x < 0, x + depth, x)
    places = np.arange(depth).reshape([-1 if i == axis % (x.ndim + 1) else 1
                                       for i in range(x.ndim + 1)])
    return np.where(np.expand_dims(x, axis) == places, on, off)


def _case(path, x, depth, on=np.float32(1), off=np.float32(0), axis=-1, mode="normalize", **more):
    def graph(x):
        attributes = {"negative_indices_mode": mode} if mode else {}
        return node("OneHot", 16, [x, depth, on, off], axis=axis, **attributes)

    return exact(f"one_hot/{path}", [x], graph,
                 lambda x: _one_hot_of(x, int(depth), on, off, axis, mode == "normalize"), **more)


def _one_hots():
    for mode in ("normalize", "ignore_negative", None):
        yield _case(f"near_{mode or 'default'}", NEAR, np.int32(3), mode=mode)
    for axis in (0, 1, -1, -3):
        label = f"axis_{axis}".replace("-", "m")
        yield _case(label, integers(label, -6, 6, 3, 5), np.int64(4), np.float32(2.5),
                    np.float32(-1), axis)
    kinds = (np.int32, np.int64, np.uint8, np.int8, np.bool_)

    def typed(x):
        return [node("OneHot", 16, [x, np.int64(4), dtype(1), dtype(0)], axis=0,
                     negative_indices_mode="normalize") for dtype in kinds]

    yield exact("one_hot/of_all_types", [integers("oh", -5, 5, 17)], typed,
                lambda x: [_one_hot_of(x, 4, dtype(1), dtype(0), 0, True) for dtype in kinds])
    yield _case("i64_indices", integers("oh64", -5, 5, 2, 3, dtype=np.int64), np.int32(5), axis=1)
    yield _case("far_indices", np.array([2**40, -(2**40), 2**32 + 1, -(2**32) - 1, 1, -1], np.int64),
                np.int64(3), **NARROW)
    yield _case("scalar", np.array(-1, np.int32), np.int64(3), axis=0)
    yield _case("one_place", np.array([0, -1, 1, -2], np.int32), np.int64(1))
    yield _case("extremes", np.array([2**31 - 1, -(2**31), 0, -3], np.int32), np.int64(3))
    yield _case("no_indices", np.zeros((2, 0), np.int32), np.int64(3), axis=1)
    yield _case("rank_4", integers("oh4", -4, 4, 2, 1, 3, 2), np.int64(3), axis=2)

    def exported():
        x = np.zeros((2, 3), np.int64)
        return converted([helper.make_node("OneHot", ["x", "depth", "values"], ["y"], axis=1)],
                         {"x": x}, {"y": np.zeros((2, 5, 3), np.float32)},
                         {"depth": i64(5), "values": np.array([-1, 2], np.float32)})

    yield exact("one_hot/from_onnx", [np.array([[0, 4, -1], [-5, 2, 7]], np.int64)], None,
                lambda x: _one_hot_of(x, 5, np.float32(2), np.float32(-1), 1, True), model=exported)


def _eye(rows, columns, diagonal, batch=None, dtype=np.float32, number=np.int64):
    """The node and its NumPy value."""
    names = {np.float32: "f32", np.int32: "i32", np.int64: "i64", np.int8: "i8", np.uint8: "u8"}
    inputs = [number(rows), number(columns), number(diagonal)]
    inputs += [] if batch is None else [np.array(batch, number)]
    answer = np.broadcast_to(np.eye(rows, columns, diagonal, dtype=dtype),
                             (*(batch or ()), rows, columns))
    return node("Eye", 9, inputs, output_type=names[dtype]), answer.copy()


def _several(path, rows):
    return exact(f"one_hot/{path}", [], lambda: [_eye(*row)[0] for row in rows],
                 lambda: [_eye(*row)[1] for row in rows])


def _eyes():
    yield _several("eye", [(3, 4, 2), (3, 4, -1), (5, 5, 0), (1, 1, 0), (4, 3, -3)])
    yield _several("eye_beyond", [(2, 2, 5), (2, 3, -2), (2, 5, 5), (3, 2, -40)])
    yield _several("eye_of_types", [(2, 5, 3, None, np.int64), (5, 2, -4, None, np.int8),
                                    (2, 3, 1, None, np.uint8, np.int32), (3, 4, 0, None, np.int32)])
    yield _several("eye_batch", [(3, 2, 1, (2, 3)), (2, 2, 0, ()), (2, 3, -1, (1, 2, 1), np.int32)])

    def like(x):
        """As EyeLike is converted: the size is the shape of a tensor."""
        shape = node("ShapeOf", 3, [x], output_type="i64")
        extent = [node("Gather", 8, [shape, np.int64(axis), np.int64(0)]) for axis in (0, 1)]
        eye = node("Eye", 9, [extent[0], extent[1], np.int64(1)], output_type="f32")
        return node("Multiply", 1, [x, eye])

    yield exact("one_hot/eye_like", [counting(3, 5)], like, lambda x: x * np.eye(3, 5, 1, np.float32))


def _product(one_hot, table, is_transposed=False):
    return node("MatMul", 1, [one_hot, table], transpose_a=False, transpose_b=is_transposed)


def _floats(x):
    return node("Convert", 1, [x], destination_type="f32")


def _rows(x, table, first=0):
    """Rows of the table, and zeros for an index outside of it."""
    x = x.astype(np.int64) - first
    inside = (x >= 0) & (x < len(table))
    return np.where(inside[..., None], table[np.where(inside, x, 0)], np.float32(0))


def _tables():
    """One-hot vectors times constant tables, which Gather computes."""
    table = normal("oht", 6, 5)
    table[2, 1] = -0.0
    far = np.array([2**31 - 1, -(2**31), 0, -1, 5, 6, -6], np.int32)

    def compared(dtype, first=0):
        classes = np.arange(first, first + 6).astype(dtype).reshape(1, 1, 6)
        return lambda x: _product(_floats(node("Equal", 1, [x, classes])), table)

    for label, dtype, first, x in (("i32", np.int32, 0, integers("oht", -3, 9, 2, 11, 1)),
                                   ("i32_far", np.int32, 0, far.reshape(1, 7, 1)),
                                   ("i32_from_m2", np.int32, -2, far.reshape(1, 7, 1) // 2),
                                   ("u8", np.uint8, 0, np.array([0, 3, 5, 6, 255], np.uint8)),
                                   ("u8_from_250", np.uint8, 250, np.arange(0, 256, 5, np.uint8))):
        x = x.reshape(-1, x.size, 1)
        yield exact(f"one_hot/table_{label}", [x], compared(dtype, first),
                    lambda x, first=first: _rows(x[..., 0], table, first))
    near = integers("ohti", -9, 9, 2, 7, dtype=np.int64)

    def one_hot(x, mode, numbers):
        return node("OneHot", 16, [x, np.int64(6), *numbers], axis=-1, negative_indices_mode=mode)

    yield exact("one_hot/table_i64", [near],
                lambda x: _product(_floats(one_hot(x, "ignore_negative", (np.int64(1), np.int64(0)))),
                                   table.T.copy(), True),
                lambda x: _rows(x, table))
    yield exact("one_hot/table_from_end", [near],
                lambda x: _product(one_hot(x, "normalize", (np.float32(1), np.float32(0))), table),
                lambda x: _rows(np.where(x < 0, x + 6, x), table))
    infinite = table.copy()
    infinite[4, 0] = np.inf

    def product(x):
        with np.errstate(invalid="ignore"):
            vectors = (x == np.arange(6)).astype(np.float32)
            return (vectors[..., None] * infinite).sum(-2)

    yield exact("one_hot/table_with_infinity", [integers("ohtn", -1, 7, 3, 4, 1)],
                lambda x: _product(_floats(node("Equal", 1, [x, np.arange(6, dtype=np.int32)])),
                                   infinite),
                product)


def cases():
    for part in (_one_hots, _eyes, _tables):
        yield from part()
