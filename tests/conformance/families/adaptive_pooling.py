# SPDX-License-Identifier: Apache-2.0
"""AdaptiveAvgPool and AdaptiveMaxPool: one to three axes, even and uneven windows, growing ones."""

import numpy as np

from build import node
from casebook import Case, i64, normal, sizes

POOLS = {"AdaptiveAvgPool": np.mean, "AdaptiveMaxPool": np.max}


def _pooled(x, shape, function):
    y = np.empty((*x.shape[:2], *shape), np.float32)
    for place in np.ndindex(*shape):
        window = tuple(
            slice(j * extent // out, -(-(j + 1) * extent // out))
            for j, extent, out in zip(place, x.shape[2:], shape))
        y[(..., *place)] = function(x[(..., *window)], tuple(range(2, x.ndim)))
    return y


def cases():
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
