# SPDX-License-Identifier: Apache-2.0
"""ReduceSum, ReduceMean, ReduceMax, ReduceMin over every kind of axes, and Softmax."""

import numpy as np

from build import node
from casebook import NARROW, Case, by_numpy, exact, i64, integers, listed, normal, sizes

FORMULAS = {"ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min}
# shape, axes
LAYOUTS = [
    ((33,), [0]),
    ((3, 17), [1]),
    ((17, 3), [0]),
    ((2, 5, 16), [-1]),
    ((2, 15, 3), [1]),
    ((2, 3, 4, 5), [0, 2]),
    ((2, 3, 4, 5), [2, 3]),
    ((2, 3, 4, 5), [1, 3]),
    ((3, 4, 5), [0, 1, 2]),
    ((1, 1, 7), [1]),
    ((2, 1, 3, 1, 2), [-5, 2]),
    ((1,), [0]),
    ((2, 3, 4), [2, 0]),
]


def _graph(kind, axes, keep):
    return lambda x: node(kind, 1, [x, np.array(axes, np.int64)], keep_dims=keep)


def _reference(kind, axes, keep):
    return lambda x: FORMULAS[kind](np.asarray(x, np.float64), axis=tuple(axes), keepdims=keep)


def _reductions():
    for turn, kind in enumerate(FORMULAS):
        for step, (shape, axes) in enumerate(LAYOUTS):
            keep = (turn + step) % 2 == 0
            if kind in ("ReduceMean", "ReduceMin") and step % 3 == 1:
                continue
            label = f"{kind[6:].lower()}_{sizes(shape)}_axes_{listed(axes)}"
            yield Case(f"reduce/{label}{'_keep' if keep else ''}", [normal(label, *shape)],
                       _graph(kind, axes, keep), reference=_reference(kind, axes, keep))
        yield exact(f"reduce/{kind[6:].lower()}_no_axes", [normal(kind, 3, 5)],
                    _graph(kind, [], True), lambda x: x,
                    note="An empty list of axes leaves the tensor as it is.")


def _integers():
    for kind in ("ReduceSum", "ReduceMax", "ReduceMin"):
        name = kind[6:].lower()

        def reference(x, kind=kind):
            return FORMULAS[kind](x, axis=(0, 2)).astype(x.dtype)

        yield exact(f"reduce/{name}_i32", [integers(name, -999, 999, 3, 4, 5)],
                    _graph(kind, [0, 2], False), reference)
        wide = integers(name, -2**31, 2**31, 3, 4, 5, dtype=np.int64) * 2**20
        yield exact(f"reduce/{name}_i64", [wide], _graph(kind, [0, 2], False), reference, **NARROW)


def _long():
    """Sums of so many terms that sequential rounding errors would exceed the tolerance."""
    repeated = {
        "run": ((1, 1), (250, 400), [0, 1]),
        "column": ((1, 3), (30000, 3), [0]),
    }
    for what, (shape, target, axes) in repeated.items():
        values = normal(f"long_{what}", *shape) + np.float32(3)
        for kind in ("ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2"):
            def graph(x, kind=kind, target=target, axes=axes):
                return node(kind, 4 if kind[6] == "L" else 1,
                            [node("Broadcast", 3, [x, i64(*target)], mode="numpy"), i64(*axes)],
                            keep_dims=False)

            def reference(x, kind=kind, target=target, axes=axes):
                wide = np.broadcast_to(np.asarray(x, np.float64), target)
                if kind == "ReduceL2":
                    return np.sqrt((wide * wide).sum(tuple(axes)))
                return (wide.mean if kind == "ReduceMean" else wide.sum)(tuple(axes))

            yield Case(f"reduce/long_{what}_{kind[6:].lower()}", [values], graph,
                       reference=reference, rtol=2e-6, atol=0.0,
                       **by_numpy("OpenVINO's CPU device adds in an order of its own."))


def _more():
    yield Case("reduce/sum_scalar_axis", [normal("ssa", 4, 15)],
               lambda x: node("ReduceSum", 1, [x, np.int64(1)], keep_dims=True),
               reference=lambda x: x.sum(1, keepdims=True))
    yield Case("reduce/mean_i32_axes", [normal("mia", 4, 15)],
               lambda x: node("ReduceMean", 1, [x, np.array([0], np.int32)], keep_dims=False),
               reference=lambda x: x.mean(0))
    low = np.array([[-np.inf, -5, -3], [-np.inf, -np.inf, -np.inf]], np.float32)
    yield Case(
        "reduce/max_of_infinities", [low], _graph("ReduceMax", [1], False),
        reference=_reference("ReduceMax", [1], False),
        **by_numpy(
            "OpenVINO's CPU device gives the lowest finite f32 for a row of minus infinities."))
    yield Case("reduce/sum_of_1000", [normal("s1000", 2, 1000)], _graph("ReduceSum", [1], False),
               reference=_reference("ReduceSum", [1], False), rtol=1e-5, atol=5e-5)

    for dtype in (np.float16, np.float64):
        yield exact(f"reduce/{dtype.__name__}_to_scalar",
                    [np.array([[1, -2, 3], [0.5, 8, -0.25]], dtype)],
                    lambda x: node("ReduceSum", 1, [x, i64(0, 1)], keep_dims=False),
                    lambda x: x.sum(dtype=x.dtype), note="A port without dims has a type.")

    def layer_norm(x):
        centred = node("Subtract", 1, [x, node("ReduceMean", 1, [x, i64(-1)], keep_dims=True)])
        variance = node("ReduceMean", 1, [node("Multiply", 1, [centred, centred])] + [i64(-1)],
                        keep_dims=True)
        return node("Divide", 1, [centred, node("Sqrt", 1, [node("Add", 1, [variance, 1e-5])])])

    yield Case(
        "reduce/layer_norm_by_hand", [normal("ln", 3, 33)], layer_norm, reference=lambda x:
        (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5))


def _softmax_of(x, axis):
    x = np.asarray(x, np.float64)
    raised = np.exp(x - x.max(axis, keepdims=True))
    return raised / raised.sum(axis, keepdims=True)


def _softmax():
    rows = [(1, (2, 17), 1), (1, (3, 16, 2), 1), (1, (5, 33), 0), (1, (2, 3, 4, 5), 3),
            (8, (2, 15), -1), (8, (16, 3), 0), (8, (2, 3, 17), -2), (8, (1, 1), 1), (8, (33,), 0),
            (8, (2, 3, 4, 5), 1), (8, (2, 3, 1, 4, 5), -4), (8, (2, 3, 4), -3)]
    for opset, shape, axis in rows:
        label = f"softmax{opset}_{sizes(shape)}_axis_{listed([axis])}"
        yield Case(f"reduce/{label}", [normal(label, *shape, scale=2)],
                   lambda x, opset=opset, axis=axis: node("Softmax", opset, [x], axis=axis),
                   reference=lambda x, axis=axis: _softmax_of(x, axis))
    large = np.array([[1000, 1001, 999], [-1000, -1001, 0], [3e38, -3e38, 0], [-90, -90, -90]],
                     np.float32)
    yield Case("reduce/softmax8_large_values", [large], lambda x: node("Softmax", 8, [x], axis=1),
               reference=lambda x: _softmax_of(x, 1))
    masked = np.array([[-np.inf, 0.5, 1], [-np.inf, -np.inf, 2]], np.float32)
    yield Case("reduce/softmax8_masked", [masked], lambda x: node("Softmax", 8, [x], axis=-1),
               reference=lambda x: _softmax_of(x, -1))


def cases():
    for part in (_reductions, _integers, _long, _more, _softmax):
        yield from part()
