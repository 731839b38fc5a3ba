# SPDX-License-Identifier: Apache-2.0
"""Inverse: sizes, pivots, batches, transposed matrices, a singular one."""

import numpy as np

from build import node
from casebook import Case, normal, sizes


def _inverse(x, adjoint):
    x = x.astype(np.float64)
    return np.linalg.inv(np.swapaxes(x, -1, -2) if adjoint else x)


def _case(path, x, adjoint=None, **more):
    attributes = {} if adjoint is None else {"adjoint": adjoint}
    more.setdefault("reference", lambda x: _inverse(x, bool(adjoint)))
    return Case(f"inverse/{path}", [x], lambda x: node("Inverse", 14, [x], **attributes), rtol=1e-4,
                atol=1e-4, **more)


def _good(label, *shape):
    """Well-conditioned matrices whose row order requires pivoting."""
    n = shape[-1]
    return (normal(label, *shape) + 3 * np.eye(n, dtype=np.float32)[::-1]).astype(np.float32)


def cases():
    yield _case("2x2", np.array([[4, 7], [2, 6]], np.float32))
    yield _case("2x2_transposed", np.array([[4, 7], [2, 6]], np.float32), True)
    yield _case("2x2_straight", np.array([[4, 7], [2, 6]], np.float32), False)
    yield _case("2x2_zero_pivot", np.array([[0, 1], [1, 0]], np.float32))
    yield _case("1x1", np.array([[-4]], np.float32))
    for shape in ((3, 3), (2, 3, 5, 5), (7, 1, 1), (4, 2, 2), (1, 16, 16)):
        yield _case(f"batch_{sizes(shape)}", _good(f"inverse{shape}", *shape))
    yield _case("batch_3x4x4_transposed", _good("inverse_turned", 3, 4, 4), True)
    last_pivot = np.array([[0, 0, 1, 2], [0, 3, 1, 0], [2, 0, 0, 1], [0, 0, 0, 5]], np.float32)
    yield _case("rows_change_places", last_pivot)

    def beside(x):
        y = node("Inverse", 14, [x])
        parts = [node("Gather", 8, [y, np.array([0, 2]), np.int64(0)])]
        return parts

    x = _good("inverse_beside", 3, 3, 3)
    x[1] = 1
    yield Case("inverse/beside_a_singular_one", [x], beside, rtol=1e-4, atol=1e-4,
               reference=lambda x: _inverse(x[[0, 2]], False),
               note="A singular matrix leaves its neighbours in the batch as they are.")
