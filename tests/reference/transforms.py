# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms, adaptive pools, matrix inverses and bags of embeddings in NumPy, from the
OpenVINO specification.

An entry of TRANSFORMS takes the layer and its input arrays and returns the list of its outputs.
"""

import numpy as np


def _axes(array, rank):
    return [int(axis) % rank for axis in np.atleast_1d(array)]


def _sizes(inputs, x, axes):
    if len(inputs) < 3:
        return [x.shape[axis] for axis in axes]
    return [x.shape[axis] if size < 0 else int(size) for axis, size in zip(axes, inputs[2])]


def _pairs(x):
    return np.stack([x.real, x.imag], -1)


def _complex(function):
    def apply(layer, inputs):
        x = inputs[0][..., 0] + 1j * inputs[0][..., 1].astype(np.float64)
        axes = _axes(inputs[1], x.ndim)
        return [_pairs(function(x, _sizes(inputs, x, axes), axes)).astype(inputs[0].dtype)]

    return apply


def _rdft(layer, inputs):
    x = inputs[0].astype(np.float64)
    axes = _axes(inputs[1], x.ndim)
    return [_pairs(np.fft.rfftn(x, _sizes(inputs, x, axes), axes)).astype(inputs[0].dtype)]


def _irdft(layer, inputs):
    x = inputs[0][..., 0] + 1j * inputs[0][..., 1].astype(np.float64)
    axes = _axes(inputs[1], x.ndim)
    sizes = _sizes(inputs, x, axes)
    if len(inputs) < 3 or inputs[2][-1] < 0:
        sizes[-1] = 2 * (x.shape[axes[-1]] - 1)
    return [np.fft.irfftn(x, sizes, axes).astype(inputs[0].dtype)]


def _bins(x, sizes):
    """Yields (output index, elements of its bin)."""
    for at in np.ndindex(*sizes):
        cut = [slice(index * extent // size, -(-(index + 1) * extent // size))
               for index, size, extent in zip(at, sizes, x.shape[2:])]
        part = x[(slice(None), slice(None), *cut)]
        yield at, part.reshape(*x.shape[:2], int(np.prod(part.shape[2:])))


def _adaptive_average(layer, inputs):
    x, sizes = inputs
    answer = np.zeros((*x.shape[:2], *sizes), x.dtype)
    for at, part in _bins(x.astype(np.float64), sizes):
        answer[(..., *at)] = part.mean(-1)
    return [answer]


def _adaptive_maximum(layer, inputs):
    x, sizes = inputs
    kind = np.int32 if layer.data.get("index_element_type", "i64") == "i32" else np.int64
    places = np.broadcast_to(np.arange(int(np.prod(x.shape[2:]))).reshape(x.shape[2:]), x.shape)
    answer, found = np.zeros((*x.shape[:2], *sizes), x.dtype), np.zeros((*x.shape[:2], *sizes), kind)
    for (at, part), (_, place) in zip(_bins(x, sizes), _bins(places, sizes)):
        best = part.argmax(-1)[..., np.newaxis]
        answer[(..., *at)] = np.take_along_axis(part, best, -1)[..., 0]
        found[(..., *at)] = np.take_along_axis(place, best, -1)[..., 0]
    return [answer, found]


def _bag_offsets_sum(layer, inputs):
    table, index, offsets = inputs[:3]
    default = int(inputs[3]) if len(inputs) > 3 else -1
    ends = [*offsets[1:], len(index)]
    answer = np.zeros((len(offsets), *table.shape[1:]), table.dtype)
    for row, (begin, end) in enumerate(zip(offsets, ends)):
        for at in range(int(begin), int(end)):
            answer[row] += table[index[at]] * (inputs[4][at] if len(inputs) > 4 else 1)
        if begin == end and default >= 0:
            answer[row] = table[default]
    return [answer]


def _bag_packed_sum(layer, inputs):
    table, index = inputs[:2]
    weights = inputs[2] if len(inputs) > 2 else np.ones(index.shape, table.dtype)
    weights = weights.reshape(*index.shape, *[1] * (table.ndim - 1))
    return [(table[index] * weights).sum(1).astype(table.dtype)]


def _segments_sum(layer, inputs):
    table, index, segments, count = inputs[:4]
    default = int(inputs[4]) if len(inputs) > 4 else -1
    answer = np.zeros((int(count), *table.shape[1:]), table.dtype)
    for at, (place, segment) in enumerate(zip(index, segments)):
        answer[segment] += table[place] * (inputs[5][at] if len(inputs) > 5 else 1)
    for segment in range(int(count)):
        if default >= 0 and segment not in segments:
            answer[segment] = table[default]
    return [answer]


def _reorg(layer, inputs):
    """The order of ReorgYolo's reference: channels are divided before they are multiplied."""
    x, step = inputs[0], int(layer.data["stride"])
    batch, depth, height, width = x.shape
    below = depth // step**2
    answer = np.zeros(x.size, x.dtype)
    flat = x.reshape(-1)
    for b, k, j, i in np.ndindex(batch, depth, height, width):
        offset = k // below
        row, column = j * step + offset // step, i * step + offset % step
        source = column + width * step * (row + height * step * (k % below + below * b))
        answer[i + width * (j + height * (k + depth * b))] = flat[source]
    return [answer.reshape(batch, depth * step**2, height // step, width // step)]


def _inverse(layer, inputs):
    try:
        answer = np.linalg.inv(inputs[0].astype(np.float64)).astype(inputs[0].dtype)
    except np.linalg.LinAlgError:  # of a singular matrix no result is specified
        answer = np.full_like(inputs[0], np.nan)
    return [np.swapaxes(answer, -1, -2) if layer.data.get("adjoint") == "true" else answer]


def _is_inf(layer, inputs):
    signs = [layer.data.get(f"detect_{name}", "true") == "true" for name in ("negative", "positive")]
    return [np.isneginf(inputs[0]) & signs[0] | np.isposinf(inputs[0]) & signs[1]]


TRANSFORMS = {
    "AdaptiveAvgPool": _adaptive_average,
    "AdaptiveMaxPool": _adaptive_maximum,
    "DFT": _complex(np.fft.fftn),
    "EmbeddingBagOffsetsSum": _bag_offsets_sum,
    "EmbeddingBagPackedSum": _bag_packed_sum,
    "EmbeddingSegmentsSum": _segments_sum,
    "IDFT": _complex(np.fft.ifftn),
    "IRDFT": _irdft,
    "Inverse": _inverse,
    "IsInf": _is_inf,
    "RDFT": _rdft,
    "ReorgYolo": _reorg,
}
