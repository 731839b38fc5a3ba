# SPDX-License-Identifier: Apache-2.0
"""Rows of Fourier transforms, adaptive pools, matrix inverses and bags of embeddings."""

import numpy as np

from rows import makes, numbers


@makes("AdaptiveAvgPool", "AdaptiveMaxPool")
def _adaptive(scope):
    rank = scope.attribute(3, 4, 5)
    x = scope.floats(rank=rank)
    sizes = scope.integers(*(int(size) for size in scope.rng.integers(1, 5, rank - 2)))
    if scope.chance(0.5):
        return scope.apply("AdaptiveAvgPool", [x, sizes], x.bound, opset=8, exact=False)
    if not x.exact:
        return None
    data = {"index_element_type": scope.attribute("i64", "i32")}
    return scope.apply("AdaptiveMaxPool", [x, sizes], max(x.bound, 400), data, 8)


def _transform_axes(scope, rank, sign):
    """Different axes, the last of which is not an axis of pairs."""
    count = int(scope.rng.integers(1, min(rank, 3) + 1))
    axes = [int(axis) for axis in scope.rng.permutation(rank)[:count]]
    return [axis - rank if sign and scope.chance(0.3) else axis for axis in axes]


@makes("DFT", "IDFT")
def _complex(scope):
    kind = scope.pick(("DFT", "IDFT"))
    dims = scope.dims(scope.pick((1, 2, 3)))
    x = scope.within(scope.source("f32", (*dims, 2)), 4)
    axes = _transform_axes(scope, len(dims), False)
    words = [scope.integers(*axes)]
    if scope.chance(0.4):
        words.append(scope.integers(*(int(size) for size in scope.rng.integers(1, 8, len(axes)))))
    return scope.apply(kind, [x, *words], 4 * 400, opset=7, exact=False)


@makes("RDFT")
def _real(scope):
    x = scope.within(scope.floats(at_least=1), 4)
    axes = _transform_axes(scope, len(x.dims), True)
    words = [scope.integers(*axes)]
    if scope.chance(0.4):
        words.append(scope.integers(*(int(size) for size in scope.rng.integers(1, 8, len(axes)))))
    return scope.apply("RDFT", [x, *words], 4 * 400, opset=9, exact=False)


@makes("IRDFT")
def _inverse_real(scope):
    """Of a real transform, because other inputs have no defined imaginary parts."""
    x = scope.within(scope.floats(at_least=1), 4)
    axis = int(scope.rng.integers(len(x.dims)))
    words = [scope.integers(axis)]
    made = scope.apply("RDFT", [x, *words], 4 * 60, opset=9, exact=False)[0]
    words.append(scope.integers(x.dims[axis]))
    return scope.apply("IRDFT", [made, *words], 60, opset=9, exact=False)


@makes("Inverse")
def _inverse(scope):
    """Of a matrix whose diagonal is larger than the rest of each row."""
    size = int(scope.rng.integers(1, 5))
    dims = scope.attribute((), (2, ), (2, 2)) + (size, size)
    x = scope.within(scope.source("f32", dims), 2)
    diagonal = scope.net.constant(np.eye(size, dtype=np.float32) * 12)
    x = scope.op("Add", [x, diagonal], "f32", dims, 14)
    return scope.apply("Inverse", [x], 1, {"adjoint": scope.attribute("false", "true")}, 14, False)


@makes("EmbeddingBagOffsetsSum", "EmbeddingBagPackedSum", "EmbeddingSegmentsSum")
def _bags(scope):
    rank = scope.attribute(2, 3)
    table = scope.within(scope.floats(rank=rank), 8)
    count, rows = int(scope.rng.integers(1, 7)), table.dims[0]
    roll, weighted = scope.rng.random(), scope.chance(0.5)
    if roll < 0.35:
        dims = (int(scope.rng.integers(1, 4)), count)
        index = scope.net.constant(scope.rng.integers(0, rows, dims).astype(np.int32))
        words = [numbers(scope, dims)] * weighted
        return scope.apply("EmbeddingBagPackedSum", [table, index, *words], 60, opset=3, exact=False)
    index = scope.net.constant(scope.rng.integers(0, rows, count).astype(np.int32))
    default = scope.scalar(int(scope.rng.integers(0, rows)), "i32")
    words = [default] * (weighted or scope.chance(0.5)) + [numbers(scope, (count, ))] * weighted
    if roll < 0.7:
        offsets = np.sort(scope.rng.integers(0, count, int(scope.rng.integers(1, 4))))
        offsets[0] = 0
        return scope.apply("EmbeddingBagOffsetsSum",
                           [table, index, scope.net.constant(offsets.astype(np.int32)), *words], 60,
                           opset=3, exact=False)
    segments = np.sort(scope.rng.integers(0, 4, count)).astype(np.int32)
    return scope.apply("EmbeddingSegmentsSum",
                       [table, index, scope.net.constant(segments), scope.scalar(4, "i32"), *words],
                       60, opset=3, exact=False)


@makes("ReorgYolo")
def _reorg(scope):
    """One batch; the channels are a multiple of the square of the step."""
    step = scope.attribute(2, 1)
    depth, height, width = (int(size) for size in scope.rng.integers(1, 4, 3))
    dims = (scope.attribute(1, 2), depth * step**2, height * step, width * step)
    x = scope.source("f32", dims)
    return scope.apply("ReorgYolo", [x], x.bound, {"stride": step}, 2)


@makes("IsInf")
def _is_inf(scope):
    data = {f"detect_{name}": scope.attribute("true", "false") for name in ("negative", "positive")}
    return scope.apply("IsInf", [scope.floats(exact=True)], 1, data, 10, True)
