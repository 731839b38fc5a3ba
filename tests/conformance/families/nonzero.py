# SPDX-License-Identifier: Apache-2.0
"""NonZero, and the readers of its run-time length: selection by a mask as exporters write it, row-wise
operations, reductions and ShapeOf."""

import numpy as np
from onnx import helper

from build import node
from casebook import Case, counting, exact, flags, i64, integers, normal, sizes
from families.from_onnx import converted

SPECIALS = np.array([[0, 1, -0.0], [2, 0, np.nan], [1e-45, np.inf, 0]], np.float32)


def _places_of(x, index=np.int64):
    return np.array(np.nonzero(np.atleast_1d(x))).astype(index)


def _places(path, x, index="i64", **more):
    return exact(f"nonzero/{path}", [x], lambda x: node("NonZero", 3, [x], output_type=index),
                 lambda x: _places_of(x, np.dtype(f"int{index[1:]}")), **more)


def _some(label, *shape):
    """Numbers, about half of which are 0."""
    return integers(label, -1, 2, *shape) * integers(label + "n", 0, 2, *shape)


def _plain():
    yield _places("specials", SPECIALS)
    yield _places("specials_i32", SPECIALS, "i32")
    yield _places("none", np.zeros((3, 2), np.float32))
    yield _places("all", np.ones((2, 17), np.float32))
    yield _places("scalar", np.array(3, np.float32))
    yield _places("scalar_of_zero", np.array(0, np.int32))
    yield _places("no_elements", np.zeros((3, 0, 2), np.float32))
    for shape, dtype in (((7,), np.int8), ((5, 3), np.uint8), ((2, 3, 5), np.int32),
                         ((1, 6, 1), np.int64), ((2, 1, 3, 2, 2), np.int32)):
        label = f"{sizes(shape)}_{np.dtype(dtype).name}"
        yield _places(label, _some(label, *shape).astype(dtype))
    yield _places("boolean", flags("nonzero_flags", 5, 7))
    known = _some("nonzero_known", 4, 3)
    taken = np.nonzero(known)
    yield exact("nonzero/known", [counting(4, 3, 2)],
                lambda x: node("GatherND", 8, [x, node("Transpose", 1, [
                    node("NonZero", 3, [known], output_type="i64"), i64(1, 0)])], batch_dims=0),
                lambda x: x[taken], note="A constant mask is folded, with all that follows.")


def _indices(mask):
    """Indices [count, rank], as exporters create them for x[mask]."""
    places = node("NonZero", 3, [mask], output_type="i64")
    if len(mask.get_output_shape(0)) == 1:
        return node("Reshape", 1, [places, i64(-1, 1)], special_zero=True)
    return node("Transpose", 1, [places, i64(1, 0)])


def _taken(x, mask):
    return node("GatherND", 8, [x, _indices(mask)], batch_dims=0)


def _selected(path, made, must, shape=(4, 5, 3), rank=1, masks=("some", "none", "all"), **more):
    """made(x, x[mask]) for masks of rank `rank`."""
    x = normal(path, *shape)
    for label in masks:
        mask = flags(path, *shape[:rank]) if label == "some" else np.full(
            shape[:rank], label == "all")
        yield Case(f"nonzero/{path}_{label}", [x, mask],
                   lambda x, mask: made(x, _taken(x, mask)),
                   reference=lambda x, mask: must(x, x[mask]), **more)


def _exported():
    for rank in (1, 2, 3):
        yield from _selected(f"mask_{rank}", lambda x, y: y, lambda x, y: y, rank=rank, rtol=0,
                             atol=0)

    def where(mask, x):
        rows, columns = node("Split", 1, [node("NonZero", 3, [mask], output_type="i64"),
                                          np.int64(0)], num_splits=2).outputs()
        rows, columns = (node("Squeeze", 1, [part, i64(0)]) for part in (rows, columns))
        return [rows, columns, node("Gather", 8, [x, columns, np.int64(1)], batch_dims=0)]

    yield exact("nonzero/where", [flags("where", 3, 5), counting(2, 5, 3)], where,
                lambda mask, x: [*np.nonzero(mask), x[:, np.nonzero(mask)[1]]],
                note="torch.where(mask): one vector of places for each axis.")

    def onnx_model(x, by, name, nodes, must):
        return Case(f"nonzero/{name}", [x, by],
                    model=lambda: converted(nodes, {"x": x, "by": by}, {"y": must(x, by)},
                                            {"zero": np.zeros((), np.float32)}),
                    graph=None, reference=must, rtol=0, atol=0)

    above = helper.make_node("Greater", ["by", "zero"], ["mask"])
    yield onnx_model(normal("compress", 3, 7, 2), normal("compress_by", 7), "onnx_compress",
                     [above, helper.make_node("Compress", ["x", "mask"], ["y"], axis=1)],
                     lambda x, by: x[:, by > 0])
    yield onnx_model(normal("onnx_mask", 4, 5, 2), normal("onnx_mask_by", 4, 5), "onnx_mask",
                     [above, helper.make_node("NonZero", ["mask"], ["places"]),
                      helper.make_node("Transpose", ["places"], ["turned"], perm=[1, 0]),
                      helper.make_node("GatherND", ["x", "turned"], ["y"])],
                     lambda x, by: x[by > 0])


def _read():
    """Readers of a run-time number of rows."""
    weights = normal("length_weights", 3, 4)
    yield from _selected(
        "rows", lambda x, y: node("MatMul", 1, [node("Tanh", 1, [y]), weights], transpose_a=False,
                                  transpose_b=False),
        lambda x, y: np.tanh(y) @ weights, (9, 3), masks=("some", "none"))
    yield from _selected(
        "softmax", lambda x, y: node("Concat", 1, [node("Softmax", 8, [y], axis=-1), y], axis=1),
        lambda x, y: np.concatenate([np.exp(y) / np.exp(y).sum(-1, keepdims=True), y], 1), (9, 3),
        masks=("some",))
    yield from _selected("turned", lambda x, y: node("Transpose", 1, [y, i64(2, 0, 1)]),
                         lambda x, y: y.transpose(2, 0, 1), masks=("some",))
    yield from _selected(
        "flattened", lambda x, y: node("Multiply", 1, [node("Reshape", 1, [y, i64(-1)],
                                                            special_zero=False), 2.0]),
        lambda x, y: y.reshape(-1) * 2, masks=("some",))
    yield from _selected(
        "unsqueezed", lambda x, y: node("Reshape", 1, [
            node("Unsqueeze", 1, [node("Reshape", 1, [y, i64(-1)], special_zero=False), i64(0)]),
            i64(0, -1, 3)], special_zero=True),
        lambda x, y: y.reshape(1, -1, 3), masks=("some",))
    yield from _selected(
        "compared", lambda x, y: [node("ReduceMax", 1, [y, i64(1)], keep_dims=False), y],
        lambda x, y: [y.max(1), y], masks=("some", "none"))


def _reduced():
    """Reductions over the axis of run-time length."""
    for kind, of in (("Sum", np.sum), ("Mean", np.mean), ("Prod", np.prod), ("L2", None)):
        def must(x, y, of=of):
            return np.sqrt(np.sum(y * y, 0)) if of is None else of(y, 0)

        yield from _selected(
            f"reduce_{kind.lower()}",
            lambda x, y, kind=kind: node(f"Reduce{kind}", 4 if kind == "L2" else 1, [y, i64(0)],
                                         keep_dims=False),
            must, (9, 3), masks=("some", "none") if kind == "Sum" else ("some",))
    for kind, of in (("Max", np.max), ("Min", np.min)):
        yield from _selected(
            f"reduce_{kind.lower()}",
            lambda x, y, kind=kind: node(f"Reduce{kind}", 1, [y, i64(0, 2)], keep_dims=True),
            lambda x, y, of=of: of(y, (0, 2), keepdims=True), masks=("some", "all"))
    yield from _selected("reduce_mean_of_all", lambda x, y: node("ReduceMean", 1, [
        y, i64(0, 1)], keep_dims=False), lambda x, y: y.mean((0, 1)), masks=("some", "all"))

    def counted(x, y):
        shape = node("ShapeOf", 3, [y], output_type="i64")
        count = node("Convert", 1, [node("Gather", 8, [shape, i64(0), np.int64(0)], batch_dims=0)],
                     destination_type="f32")
        total = node("ReduceSum", 1, [y, i64(0)], keep_dims=False)
        return [shape, node("Divide", 1, [total, count])]

    yield from _selected("shape", counted,
                         lambda x, y: [np.array(y.shape), y.sum(0) / max(len(y), 1)], (9, 3),
                         masks=("some",))


def _normalised():
    """Normalisation formulas over the axis of run-time length: a single fused step would also include
    the elements beyond it."""
    def of(kind, *parts):
        return node(kind, 1, list(parts))

    def mean(y):
        return node("ReduceMean", 1, [y, i64(0)], keep_dims=True)

    def normal_rows(x, y):
        centred = of("Subtract", y, mean(y))
        root = of("Sqrt", of("Add", mean(of("Multiply", centred, centred)), np.float32(1e-5)))
        return of("Divide", centred, root)

    def shares(x, y):
        exp = of("Exp", y)
        return of("Divide", exp, node("ReduceSum", 1, [exp, i64(0)], keep_dims=True))

    yield from _selected("normalised_over_rows", normal_rows,
                         lambda x, y: (y - y.mean(0)) / np.sqrt(y.var(0) + 1e-5), (9, 3),
                         masks=("some",))
    yield from _selected("softmax_over_rows", shares, lambda x, y: np.exp(y) / np.exp(y).sum(0), (9, 3),
                         masks=("some",))


def cases():
    for part in (_plain, _exported, _read, _reduced, _normalised):
        yield from part()
