# SPDX-License-Identifier: Apache-2.0
"""AdaptiveAvgPool and AdaptiveMaxPool: 1 to 3 axes, even and uneven windows, upsampling."""

import numpy as np

from build import node
from casebook import Case, by_numpy, exact, i64, integers, normal, sizes

POOLS = {"AdaptiveAvgPool": np.mean, "AdaptiveMaxPool": np.max}


def _pooled(x, shape, function):
    y = np.empty((*x.shape[:2], *shape), np.float32)
    for place in np.ndindex(*shape):
        window = tuple(
            slice(j * extent // out, -(-(j + 1) * extent // out))
            for j, extent, out in zip(place, x.shape[2:], shape))
        y[(..., *place)] = function(x[(..., *window)], tuple(range(2, x.ndim)))
    return y


def _places(x, shape):
    """The index of each window's first maximum in the flattened spatial axes."""
    flat = np.arange(int(np.prod(x.shape[2:]))).reshape(x.shape[2:])
    places = np.empty((*x.shape[:2], *shape), np.int64)
    for place in np.ndindex(*shape):
        window = tuple(
            slice(j * extent // out, -(-(j + 1) * extent // out))
            for j, extent, out in zip(place, x.shape[2:], shape))
        lines = x[(..., *window)].reshape(*x.shape[:2], flat[window].size)
        places[(..., *place)] = flat[window].reshape(-1)[lines.argmax(-1)]
    return places


def _with_places():
    for shape, out, index in (((2, 3, 12), (4,), "i64"), ((2, 3, 7), (3,), "i32"),
                              ((1, 2, 7), (10,), "i64"), ((2, 3, 6, 9), (1, 1), "i32"),
                              ((1, 2, 5, 7), (3, 4), "i64"), ((1, 2, 4, 5), (4, 5), "i32"),
                              ((0, 2, 4), (2,), "i64"), ((1, 2, 5, 3, 4), (2, 2, 3), "i32")):
        label = f"places_{index}_{sizes(shape)}_to_{sizes(out)}"
        # Few distinct values, so that a window has several equal maxima.
        x = integers(label, 0, 4, *shape).astype(np.float32)

        def both(x, out=out, index=index):
            return node("AdaptiveMaxPool", 8, [x, i64(*out)], index_element_type=index).outputs()

        yield exact(f"adaptive_pooling/{label}", [x], both,
                    lambda x, out=out, index=index: [
                        _pooled(x, out, np.max), _places(x, out).astype(f"int{index[1:]}")],
                    **(by_numpy("OpenVINO's CPU device has no indices of i64 here.")
                       if index == "i64" else {}))


def cases():
    yield from _with_places()
    for kind, function in POOLS.items():
        for shape, out in (((2, 3, 12), (4,)), ((2, 3, 7), (3,)), ((1, 2, 7), (10,)),
                           ((2, 3, 6, 9), (1, 1)), ((2, 3, 6, 9), (3, 3)), ((1, 2, 5, 7), (3, 4)),
                           ((2, 1, 4, 7), (2, 3)), ((1, 2, 3, 5), (3, 2)), ((1, 2, 4, 5), (4, 5)),
                           ((1, 2, 4, 6, 3), (2, 3, 1)), ((1, 2, 5, 3, 4), (2, 2, 3))):
            label = f"{kind.lower()}_{sizes(shape)}_to_{sizes(out)}"

            def graph(x, kind=kind, out=out):
                indices = {"index_element_type": "i32"} if kind == "AdaptiveMaxPool" else {}
                return node(kind, 8, [x, i64(*out)], **indices)

            yield Case(f"adaptive_pooling/{label}", [normal(label, *shape)],
                       (lambda x, graph=graph: graph(x).output(0)),
                       reference=lambda x, out=out, function=function: _pooled(x, out, function))
