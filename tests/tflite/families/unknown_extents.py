# SPDX-License-Identifier: Apache-2.0
"""Operators on extents that the file leaves open and --shape gives. The answers are those of the same
model with these extents in the file."""
import litert
import numpy as np
from casebook import Case, i32, normal
from writer import SAME, VALID, Model


class _Graph:
    """A model whose tensors have unknown extents on all axes but the last, unless `is_known`."""

    def __init__(self, path, is_known):
        self.path, self.is_known, self.model = path, is_known, Model()
        self.graph = self.model.graph()

    def tensor(self, kind, shape, stored=1, **more):
        """A computed tensor or an input."""
        if self.is_known:
            return self.graph.tensor(kind, shape, **more)
        return self.graph.tensor(kind, [stored] * (len(shape) - 1) + [shape[-1]],
                                 signature=[-1] * (len(shape) - 1) + [shape[-1]], **more)

    def constant(self, array):
        """A constant."""
        return self.graph.tensor("i32" if array.dtype == np.int32 else "f32", data=array)

    def data(self, x, y):
        """The file."""
        self.graph.inputs, self.graph.outputs = [x], [y]
        return self.model.bytes()


def _case(path, build, array):
    """build(graph) returns the ports."""
    known = _Graph(path, True)
    answers = litert.run(known.data(*build(known)), [array], 0)
    made = _Graph(path, False)
    made.data(*build(made))
    shape = ",".join(str(extent) for extent in array.shape)
    return Case(path, made.model, [array], answers=answers, convert=("--shape", f"x0={shape}"),
                note="LiteRT's answers for known extents")


def _transposed(padding, kernel, stride, extents):
    path = f"transpose_conv_{'sv'[padding]}{kernel}{stride}"
    weights = normal(path, 3, kernel, kernel, 3)

    def build(made):
        x, y = made.tensor("f32", (1, 4, 5, 3), name="x0"), made.tensor("f32", (1, *extents, 3), name="y0")
        shape, scaled = made.graph.tensor("i32", [4]), made.graph.tensor("i32", [4])
        made.graph.op("SHAPE", [x], [shape], out_type=2)
        more = np.array([0, *extents, 0], np.int32) - np.array([0, 4 * stride, 5 * stride, 0], np.int32)
        product = made.graph.tensor("i32", [4])
        made.graph.op("MUL", [shape, made.constant(i32(1, stride, stride, 1))], [product])
        made.graph.op("ADD", [product, made.constant(more.astype(np.int32))], [scaled])
        made.graph.op("TRANSPOSE_CONV", [scaled, made.constant(weights), x], [y], 3, padding=padding,
                      stride_w=stride, stride_h=stride)
        return x, y

    return _case(path, build, normal("x", 1, 4, 5, 3))


def _updated(stored, update, start):
    path = f"dynamic_update_slice_{stored}_{update[0]}x{update[1]}"
    values = normal(path, *update)

    def build(made):
        x, y = (made.tensor("f32", (9, 4), stored, name=name) for name in ("x0", "y0"))
        made.graph.op("DYNAMIC_UPDATE_SLICE", [x, made.constant(values), made.constant(i32(*start))], [y])
        return x, y

    return _case(path, build, normal("x", 9, 4))


def _updated_known(stored, update):
    """The file has known extents, and --shape gives others."""
    path = f"dynamic_update_slice_known_{stored}_{update[0]}x{update[1]}"
    values = normal(path, *update)

    def build(made):
        shape = (9, 4) if made.is_known else (stored, 4)
        x, y = (made.graph.tensor("f32", shape, name=name) for name in ("x0", "y0"))
        made.graph.op("DYNAMIC_UPDATE_SLICE", [x, made.constant(values), made.constant(i32(5, 1))], [y])
        return x, y

    return _case(path, build, normal("x", 9, 4))


def _updated_by_rows():
    """The update is rows of x, of an unknown number."""

    def build(made):
        x, y = (made.tensor("f32", (9, 4), name=name) for name in ("x0", "y0"))
        rows = made.tensor("f32", (3, 4))
        bounds = [made.constant(i32(*values)) for values in ((1, 0), (4, 4), (1, 1))]
        made.graph.op("STRIDED_SLICE", [x, *bounds], [rows])
        made.graph.op("DYNAMIC_UPDATE_SLICE", [x, rows, made.constant(i32(7, 2))], [y])
        return x, y

    return _case("dynamic_update_slice_of_rows", build, normal("x", 9, 4))


def _transposed_batch():
    """Only the batch is unknown, as in most files of Keras."""
    weights = normal("batch", 3, 3, 3, 3)

    def build(made):
        signature = {} if made.is_known else {"signature": [-1, 4, 5, 3]}
        x = made.graph.tensor("f32", [2 if made.is_known else 1, 4, 5, 3], name="x0", **signature)
        signature = {} if made.is_known else {"signature": [-1, 8, 10, 3]}
        y = made.graph.tensor("f32", [2 if made.is_known else 1, 8, 10, 3], name="y0", **signature)
        shape, scaled = made.graph.tensor("i32", [4]), made.graph.tensor("i32", [4])
        made.graph.op("SHAPE", [x], [shape], out_type=2)
        made.graph.op("MUL", [shape, made.constant(i32(1, 2, 2, 1))], [scaled])
        made.graph.op("TRANSPOSE_CONV", [scaled, made.constant(weights), x], [y], 3, padding=SAME, stride_w=2, stride_h=2)
        return x, y

    return _case("transpose_conv_batch", build, normal("x", 2, 4, 5, 3))


def cases():
    yield _updated_by_rows()
    yield _transposed_batch()
    for padding, kernel, stride, extents in ((SAME, 3, 2, (8, 10)), (SAME, 4, 2, (8, 10)), (SAME, 5, 2, (7, 9)),
                                             (VALID, 3, 2, (9, 11)), (VALID, 2, 3, (12, 15)), (SAME, 3, 1, (4, 5))):
        yield _transposed(padding, kernel, stride, extents)
    for stored, update, start in ((2, (1, 2), (5, 3)), (1, (1, 4), (3, 0)), (1, (2, 4), (3, 0)), (20, (2, 4), (15, 0))):
        yield _updated(stored, update, start)
    for stored, update in ((4, (4, 4)), (5, (2, 4)), (5, (2, 3))):
        yield _updated_known(stored, update)
