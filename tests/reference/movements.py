# SPDX-License-Identifier: Apache-2.0
"""Operations that move elements, in NumPy, from the OpenVINO specification.

An entry of MOVEMENTS takes the layer and its input arrays and returns the list of its outputs.
"""

import numpy as np

from reference import blocks
from reference.ir_file import TYPES


def _number(layer, key, default):
    return int(layer.data.get(key, default))


def _gather(layer, inputs):
    """Gather-8: negative indices count from the end."""
    x, index, axis = inputs[0], inputs[1], int(inputs[2])
    shared = _number(layer, "batch_dims", 0)
    axis, shared = axis % x.ndim, shared % max(index.ndim, 1)
    if not shared:
        return [np.take(x, index, axis)]
    rows = [
        np.take(x[place], index[place], axis - shared)
        for place in np.ndindex(*x.shape[:shared])
    ]
    return [np.reshape(rows, x.shape[:shared] + rows[0].shape)]


def _gather_elements(layer, inputs):
    axis = _number(layer, "axis", 0)
    x, index = inputs
    return [np.take_along_axis(x, np.where(index < 0, index + x.shape[axis], index), axis)]


def _gather_nd(layer, inputs):
    x, index = inputs
    shared = _number(layer, "batch_dims", 0)
    answer = np.array([
        x[place[:shared] + tuple(index[place])] for place in np.ndindex(*index.shape[:-1])
    ], x.dtype)
    return [answer.reshape(index.shape[:-1] + x.shape[shared + index.shape[-1]:])]


def _scatter_update(layer, inputs):
    x, index, updates, axis = inputs
    axis, answer = int(axis) % x.ndim, x.copy()
    for place in np.ndindex(*index.shape):
        at = (slice(None), ) * axis
        answer[at + (index[place], )] = updates[at + place]
    return [answer]


COMBINE = {
    "none": lambda old, new: new, "sum": lambda old, new: old + new,
    "sub": lambda old, new: old - new, "prod": lambda old, new: old * new, "min": min, "max": max
}  # yapf: disable


def _scatter_elements(layer, inputs):
    x, index, updates, axis = inputs
    axis, answer = int(axis) % x.ndim, x.copy()
    combine, seen = COMBINE[layer.data.get("reduction", "none")], set()
    for place in np.ndindex(*index.shape):
        at = list(place)
        at[axis] = int(index[place]) % x.shape[axis]
        at = tuple(at)
        first = layer.data.get("use_init_val", "true") == "false" and at not in seen
        answer[at] = updates[place] if first else combine(answer[at], updates[place])
        seen.add(at)
    return [answer]


def _scatter_nd(layer, inputs):
    x, index, updates = inputs
    answer, combine = x.copy(), COMBINE[layer.data.get("reduction", "none")]
    for place in np.ndindex(*index.shape[:-1]):
        at = tuple(index[place])
        new = updates[place]
        answer[at] = (np.minimum(answer[at], new) if combine is min else
                      np.maximum(answer[at], new) if combine is max else combine(answer[at], new))
    return [answer]


def _slice_scatter(layer, inputs):
    x, updates, starts, stops, steps = inputs[:5]
    cut = [slice(None)] * x.ndim
    axes = inputs[5] if len(inputs) > 5 else range(len(starts))
    for axis, start, stop, step in zip(axes, starts, stops, steps):
        cut[axis] = slice(int(start), int(stop), int(step))
    answer = x.copy()
    answer[tuple(cut)] = updates
    return [answer]


def _pad(layer, inputs):
    x, begin, end = inputs[:3]
    mode, cut = layer.data["pad_mode"], []
    pads = [(max(int(a), 0), max(int(b), 0)) for a, b in zip(begin, end)]
    for size, a, b in zip(x.shape, begin, end):
        cut.append(slice(max(-int(a), 0), size - max(-int(b), 0)))
    if mode == "constant":
        fill = inputs[3] if len(inputs) > 3 else 0
        return [np.pad(x[tuple(cut)], pads, constant_values=np.asarray(fill, x.dtype))]
    return [np.pad(x[tuple(cut)], pads, mode)]


def _roll(layer, inputs):
    x, shifts, axes = inputs
    return [np.roll(x, tuple(np.atleast_1d(shifts)), tuple(np.atleast_1d(axes)))]


def _reverse_sequence(layer, inputs):
    x, lengths = inputs
    batch, time = (_number(layer, key, value) % x.ndim
                   for key, value in (("batch_axis", 0), ("seq_axis", 1)))
    answer = x.copy()
    for row, length in enumerate(lengths):
        own = [slice(None)] * x.ndim
        own[batch] = row
        part = np.moveaxis(x[tuple(own)], time - (batch < time), 0)
        target = np.moveaxis(answer[tuple(own)], time - (batch < time), 0)
        target[:length] = part[:length][::-1]
    return [answer]


def _depth_to_space(layer, inputs):
    x, block = inputs[0], _number(layer, "block_size", 1)
    space = x.ndim - 2
    parts, depth = [block] * space, x.shape[1] // block**space
    if layer.data["mode"] == "blocks_first":
        x = x.reshape(x.shape[0], *parts, depth, *x.shape[2:])
        first, channel = 1, space + 1
    else:
        x = x.reshape(x.shape[0], depth, *parts, *x.shape[2:])
        first, channel = 2, 1
    order = [0, channel] + [
        place for axis in range(space) for place in (space + 2 + axis, first + axis)
    ]
    sizes = [size * block for size in x.shape[space + 2:]]
    return [x.transpose(order).reshape(x.shape[0], depth, *sizes)]


def _space_to_depth(layer, inputs):
    x, block = inputs[0], _number(layer, "block_size", 1)
    space = x.ndim - 2
    sizes = [part for size in x.shape[2:] for part in (size // block, block)]
    x = x.reshape(*x.shape[:2], *sizes)
    apart, inside = [2 + 2 * i for i in range(space)], [3 + 2 * i for i in range(space)]
    order = [0, *inside, 1, *apart] if layer.data["mode"] == "blocks_first" else [
        0, 1, *inside, *apart
    ]
    channels = x.shape[1] * block**space
    return [x.transpose(order).reshape(x.shape[0], channels, *x.shape[2::2])]


def _shuffle_channels(layer, inputs):
    x, axis, group = inputs[0], _number(layer, "axis", 1), _number(layer, "group", 1)
    axis %= x.ndim
    apart = x.reshape(*x.shape[:axis], group, x.shape[axis] // group, *x.shape[axis + 1:])
    return [np.swapaxes(apart, axis, axis + 1).reshape(x.shape)]


def _one_hot(layer, inputs):
    index, depth, on, off = inputs
    axis = _number(layer, "axis", -1)
    index = np.where(index < 0, index + depth, index)
    hot = np.arange(int(depth)) == index[..., np.newaxis]
    return [np.moveaxis(np.where(hot, on, off), -1, axis)]


def _reverse(layer, inputs):
    x, axes = inputs
    if layer.data["mode"] == "mask":
        axes = np.flatnonzero(axes)
    return [np.flip(x, tuple(int(axis) for axis in np.atleast_1d(axes)))]


def _topk(layer, inputs):
    """The first of equal elements comes first; sorted by value or by index."""
    x, k = inputs[0], int(inputs[1])
    axis = _number(layer, "axis", -1)
    key = -x if layer.data["mode"] == "max" else x
    order = np.take(np.argsort(key, axis, kind="stable"), range(k), axis)
    if layer.data["sort"] == "index":
        order = np.sort(order, axis)
    kind = TYPES[layer.data.get("index_element_type", "i32")]
    return [np.take_along_axis(x, order, axis), order.astype(kind)]


def _bucketize(layer, inputs):
    side = "left" if layer.data.get("with_right_bound", "true") == "true" else "right"
    kind = TYPES[layer.data.get("output_type", "i64")]
    return [np.searchsorted(inputs[1], inputs[0], side).astype(kind)]


def _search_sorted(layer, inputs):
    rows, values = inputs
    side = "right" if layer.data.get("right_mode", "false") == "true" else "left"
    kind = TYPES[layer.data.get("output_type", "i64")]
    if rows.ndim == 1:
        return [np.searchsorted(rows, values, side).astype(kind)]
    answer = np.zeros(values.shape, kind)
    for place in np.ndindex(*rows.shape[:-1]):
        answer[place] = np.searchsorted(rows[place], values[place], side)
    return [answer]


def _eye(layer, inputs):
    rows, columns, shift = (int(np.asarray(array).item()) for array in inputs[:3])
    return [np.eye(rows, columns, shift, TYPES[layer.data["output_type"]])]


def _range(layer, inputs):
    start, stop, step = (array.item() for array in inputs)
    return [np.arange(start, stop, step).astype(TYPES[layer.data["output_type"]])]


def _shape_of(layer, inputs):
    return [np.array(inputs[0].shape, TYPES[layer.data.get("output_type", "i64")])]


MOVEMENTS = {
    "BatchToSpace": lambda layer, inputs: [blocks.batch_to_space(*inputs)],
    "Bucketize": _bucketize,
    "ConvertLike": lambda layer, inputs: [inputs[0].astype(inputs[1].dtype)],
    "DepthToSpace": _depth_to_space,
    "Eye": _eye,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "OneHot": _one_hot,
    "Pad": _pad,
    "Range": _range,
    "Reverse": _reverse,
    "ReverseSequence": _reverse_sequence,
    "Roll": _roll,
    "ScatterElementsUpdate": _scatter_elements,
    "ScatterNDUpdate": _scatter_nd,
    "ScatterUpdate": _scatter_update,
    "SearchSorted": _search_sorted,
    "ShapeOf": _shape_of,
    "ShuffleChannels": _shuffle_channels,
    "SliceScatter": _slice_scatter,
    "SpaceToBatch": lambda layer, inputs: [blocks.space_to_batch(*inputs)],
    "SpaceToDepth": _space_to_depth,
    "Tile": lambda layer, inputs: [np.tile(inputs[0], tuple(np.atleast_1d(inputs[1])))],
    "TopK": _topk,
}
