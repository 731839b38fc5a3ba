# SPDX-License-Identifier: Apache-2.0
"""Rows of operations that move, select or count elements."""

import numpy as np

from rows import makes


def _axis(scope, value):
    return int(scope.rng.integers(len(value.dims)))


def _index(scope, dims, extent, dtype="i64", negative=True):
    """A constant of indices into an axis."""
    low = -extent if negative and scope.chance(0.3) else 0
    array = scope.rng.integers(low, extent, dims)
    return scope.net.constant(array.astype(np.int64 if dtype == "i64" else np.int32))


def _ranked(scope, rank=1):
    """A value with at least `rank` axes."""
    for _ in range(4):
        value = scope.any()
        if len(value.dims) >= rank:
            return value
    return scope.source(scope.dtype(), scope.dims(rank))


@makes("Pad")
def _pad(scope):
    value = _ranked(scope)
    mode = scope.attribute("constant", "edge", "reflect", "symmetric")
    pads = []
    for _ in range(2):
        limit = {"reflect": 1, "symmetric": 0}.get(mode, -2)
        pads.append([int(scope.rng.integers(0, 1 + max(0, min(2, dim - limit if limit >= 0 else 2))))
                     for dim in value.dims])
    words = [scope.integers(*row) for row in pads]
    if mode == "constant" and scope.chance(0.6):
        words.append(scope.scalar(int(scope.rng.integers(-3, 4)), value.dtype))
    return scope.apply("Pad", [value, *words], max(value.bound, 3), {"pad_mode": mode},
                       scope.attribute(1, 12))


@makes("Tile", "Broadcast")
def _repeat(scope):
    value = _ranked(scope)
    if scope.chance(0.5):
        counts = scope.rng.integers(1, 4, len(value.dims) + int(scope.rng.integers(2)))
        return scope.apply("Tile", [value, scope.integers(*map(int, counts))], value.bound)
    if scope.chance(0.5):
        target = scope.integers(int(scope.rng.integers(1, 4)), *value.dims)
        return scope.apply("Broadcast", [value, target], value.bound,
                           {"mode": scope.attribute("numpy", "bidirectional")}, 3)
    more = int(scope.rng.integers(1, 4))
    place = int(scope.rng.integers(len(value.dims) + 1))
    target = value.dims[:place] + (more, ) + value.dims[place:]
    axes = [axis + (axis >= place) for axis in range(len(value.dims))]
    return scope.apply("Broadcast", [value, scope.integers(*target), scope.integers(*axes)],
                       value.bound, {"mode": "explicit"}, scope.attribute(3, 1))


@makes("Reverse", "Roll", "ReverseSequence")
def _turned(scope):
    value = _ranked(scope, 2)
    axis = _axis(scope, value)
    roll = scope.rng.random()
    if roll < 0.3:
        if scope.chance(0.5):
            return scope.apply("Reverse", [value, scope.integers(axis)], value.bound,
                               {"mode": "index"})
        mask = scope.net.constant(scope.rng.random(len(value.dims)) < 0.5)
        return scope.apply("Reverse", [value, mask], value.bound, {"mode": "mask"})
    if roll < 0.6:
        shift = int(scope.rng.integers(-9, 10))
        return scope.apply("Roll", [value, scope.integers(shift), scope.integers(axis)], value.bound,
                           opset=7)
    batch = (axis + 1) % len(value.dims)
    lengths = scope.rng.integers(1, value.dims[axis] + 1, value.dims[batch]).astype(np.int32)
    return scope.apply("ReverseSequence", [value, scope.net.constant(lengths)], value.bound,
                       {"seq_axis": axis, "batch_axis": batch})


@makes("ShuffleChannels", "DepthToSpace", "SpaceToDepth")
def _blocks(scope):
    rank = scope.pick((3, 4))
    dtype = scope.dtype()
    batch, depth, *space = (int(size) for size in scope.rng.integers(1, 4, rank))
    roll = scope.rng.random()
    if roll < 0.3:
        group = int(scope.rng.integers(1, 4))
        value = scope.source(dtype, (batch, depth * group, *space))
        return scope.apply("ShuffleChannels", [value], value.bound, {"axis": 1, "group": group})
    mode = scope.attribute("blocks_first", "depth_first")
    if roll < 0.65:
        value = scope.source(dtype, (batch, depth * 2**(rank - 2), *space))
        return scope.apply("DepthToSpace", [value], value.bound, {"mode": mode, "block_size": 2})
    value = scope.source(dtype, (batch, depth, *[2 * size for size in space]))
    return scope.apply("SpaceToDepth", [value], value.bound, {"mode": mode, "block_size": 2})


@makes("BatchToSpace", "SpaceToBatch")
def _batch_blocks(scope):
    dtype = scope.dtype()
    batch, depth, height, width = (int(size) for size in scope.rng.integers(1, 4, 4))
    block = scope.integers(1, 1, 2, 2)
    pads = [scope.integers(0, 0, *map(int, scope.rng.integers(0, 2, 2))) for _ in range(2)]
    if scope.chance(0.5):
        value = scope.source(dtype, (4 * batch, depth, height + 1, width + 1))
        return scope.apply("BatchToSpace", [value, block, *pads], value.bound, opset=2)
    begin, end = (array.known[2:] for array in pads)
    space = [int(size * 2 + (-a - b) % 2) for size, a, b in zip((height, width), begin, end)]
    value = scope.source(dtype, (batch, depth, *space))
    return scope.apply("SpaceToBatch", [value, block, *pads], value.bound, opset=2)


@makes("Gather", "GatherElements", "GatherND")
def _gathers(scope):
    value = _ranked(scope, 2)
    axis, roll = _axis(scope, value), scope.rng.random()
    kind = scope.pick(("i32", "i64"))
    if roll < 0.4:
        shared = int(scope.rng.integers(0, axis + 1))
        dims = value.dims[:shared] + scope.dims(scope.pick((0, 1, 2)) if not shared else 1)
        index = _index(scope, dims, value.dims[axis], kind)
        return scope.apply("Gather", [value, index, scope.scalar(axis, "i64")], value.bound,
                           {"batch_dims": shared}, 8)
    if roll < 0.7:
        dims = list(value.dims)
        dims[axis] = int(scope.rng.integers(1, 5))
        index = _index(scope, dims, value.dims[axis], kind)
        return scope.apply("GatherElements", [value, index], value.bound, {"axis": axis}, 6)
    shared = int(scope.rng.integers(0, 2))
    length = int(scope.rng.integers(1, len(value.dims) - shared + 1))
    dims = value.dims[:shared] + (int(scope.rng.integers(1, 4)), )
    columns = [scope.rng.integers(0, value.dims[shared + place], dims) for place in range(length)]
    index = scope.net.constant(np.stack(columns, -1).astype(np.int64))
    return scope.apply("GatherND", [value, index], value.bound, {"batch_dims": shared}, 8)


@makes("ScatterUpdate", "ScatterElementsUpdate", "ScatterNDUpdate")
def _scatters(scope):
    value = _ranked(scope, 2)
    axis, roll = _axis(scope, value), scope.rng.random()
    extent = value.dims[axis]
    if roll < 0.35:
        count = int(scope.rng.integers(1, extent + 1))
        index = scope.integers(*map(int, scope.rng.permutation(extent)[:count]))
        updates = scope.source(value.dtype, value.dims[:axis] + (count, ) + value.dims[axis + 1:])
        return scope.apply("ScatterUpdate", [value, index, updates, scope.scalar(axis, "i64")],
                           max(value.bound, updates.bound), opset=3)
    reduction = scope.attribute("none", "sum", "min", "max")
    if roll < 0.7:
        dims = list(value.dims)
        dims[axis] = int(scope.rng.integers(1, extent + 1))
        # Indices of one line are different: with "none" the order would matter.
        lines = scope.rng.permuted(np.broadcast_to(np.arange(extent), (*dims[:axis], *dims[axis + 1:],
                                                                       extent)), axis=-1)
        index = np.moveaxis(lines[..., :dims[axis]], -1, axis).astype(np.int64)
        updates = scope.source(value.dtype, dims)
        return scope.apply("ScatterElementsUpdate", [
            value, scope.net.constant(np.ascontiguousarray(index)), updates,
            scope.scalar(axis, "i64")
        ], value.bound + updates.bound, {"reduction": reduction, "use_init_val": "true"}, 12)
    count = int(scope.rng.integers(1, value.dims[0] + 1))
    index = scope.rng.permutation(value.dims[0])[:count, np.newaxis].astype(np.int64)
    updates = scope.source(value.dtype, (count, ) + value.dims[1:])
    return scope.apply("ScatterNDUpdate", [value, scope.net.constant(index), updates],
                       value.bound + updates.bound, {"reduction": reduction}, 15)


@makes("SliceScatter")
def _slice_scatter(scope):
    value = _ranked(scope)
    axis = _axis(scope, value)
    extent = value.dims[axis]
    low, high = sorted(int(end) for end in scope.rng.choice(extent + 1, 2, replace=False))
    step = scope.attribute(1, 2)
    count = -(-(high - low) // step)
    updates = scope.source(value.dtype, value.dims[:axis] + (count, ) + value.dims[axis + 1:])
    words = [scope.integers(word) for word in (low, high, step, axis)]
    return scope.apply("SliceScatter", [value, updates, *words], max(value.bound, updates.bound),
                       opset=15)


@makes("StridedSlice")
def _strided_slice(scope):
    """All masks, and steps of both signs."""
    value = _ranked(scope, 2)
    begins, ends, steps = [], [], []
    masks = {name: [] for name in ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask")}
    for extent in value.dims:
        low, high = sorted(int(end) for end in scope.rng.choice(extent + 1, 2, replace=False))
        shrink = scope.chance(0.15)
        step = 1 if shrink else scope.attribute(1, 2, -1)
        begins.append(low if step > 0 or shrink else extent - 1)
        ends.append(low + 1 if shrink else high if step > 0 else -extent - 1)
        steps.append(step)
        free = not shrink and step > 0
        for name, on in (("begin_mask", free and scope.chance(0.2)),
                         ("end_mask", free and scope.chance(0.2)), ("new_axis_mask", False),
                         ("shrink_axis_mask", shrink)):
            masks[name].append(int(on))
    if scope.chance(0.2):
        place = int(scope.rng.integers(len(begins) + 1))
        for words, word in ((begins, 0), (ends, 1), (steps, 1)):
            words.insert(place, word)
        for name, words in masks.items():
            words.insert(place, int(name == "new_axis_mask"))
    data = {name: ",".join(map(str, words)) for name, words in masks.items()}
    data["ellipsis_mask"] = ""
    words = [scope.integers(*words) for words in (begins, ends, steps)]
    return scope.apply("StridedSlice", [value, *words], value.bound, data)


@makes("VariadicSplit", "Split")
def _variadic_split(scope):
    value = _ranked(scope)
    axis = _axis(scope, value)
    extent = value.dims[axis]
    cut = int(scope.rng.integers(1, extent)) if extent > 1 else 1
    lengths = [cut, extent - cut] if extent > cut else [cut]
    return scope.apply("VariadicSplit", [value, scope.scalar(axis, "i64"), scope.integers(*lengths)],
                       value.bound)


@makes("Concat")
def _concat(scope):
    """Up to four values, also one of them twice."""
    value = _ranked(scope)
    axis = _axis(scope, value)
    parts = [value]
    for _ in range(int(scope.rng.integers(1, 4))):
        dims = list(value.dims)
        if scope.chance(0.5):
            parts.append(value)
            continue
        dims[axis] = int(scope.rng.integers(1, 4))
        parts.append(scope.source(value.dtype, dims))
    scope.rng.shuffle(parts)
    return scope.apply("Concat", parts, max(part.bound for part in parts), {"axis": axis})


@makes("Reshape")
def _reshape(scope):
    value = _ranked(scope, 2)
    order = [int(axis) for axis in scope.rng.permutation(len(value.dims))]
    dims = [value.dims[axis] for axis in order]
    place = int(scope.rng.integers(len(dims)))
    if scope.chance(0.5):
        dims[place] = -1
    elif scope.chance(0.5) and len(dims) > 1:
        dims = [dims[0] * dims[1], *dims[2:]]
    special = scope.attribute("false", "true")
    return scope.apply("Reshape", [value, scope.integers(*dims)], value.bound,
                       {"special_zero": special})


@makes("OneHot")
def _one_hot(scope):
    value = scope.source("i32", scope.dims(scope.pick((1, 2))))
    words = [scope.scalar(4, "i64"), scope.scalar(2, "f32"), scope.scalar(-1, "f32")]
    axis = int(scope.rng.integers(-1, len(value.dims) + 1))
    value = scope.op("Maximum", [value, scope.scalar(0, "i32")], "i32", value.dims, value.bound)
    return scope.apply("OneHot", [value, *words], 2, {"axis": axis})


@makes("TopK")
def _topk(scope):
    """Elements of one line are different, because the order of equal ones is not specified."""
    rank = scope.pick((1, 2, 3))
    value = scope.source("f32", scope.dims(rank))
    axis = _axis(scope, value)
    extent = value.dims[axis]
    line = np.arange(extent, dtype=np.float32).reshape([-1] + [1] * (rank - axis - 1)) / 64
    if not value.exact or extent > 60 or value.bound > 1000:
        return None
    value = scope.op("Add", [value, scope.net.constant(line)], "f32", value.dims, value.bound + 1,
                     exact=True)
    data = {
        "axis": axis, "mode": scope.attribute("max", "min"),
        "sort": scope.attribute("value", "index"), "index_element_type": scope.attribute("i32", "i64")
    }  # yapf: disable
    made = scope.apply("TopK", [value, scope.scalar(int(scope.rng.integers(1, extent + 1)), "i64")],
                       max(value.bound, extent), data, 11)
    made[0].exact = False  # multiples of 1 / 64
    return made


@makes("Bucketize", "SearchSorted")
def _buckets(scope):
    value = scope.floats(exact=True, at_least=1)
    rows = np.unique(scope.rng.integers(-9, 10, 5)).astype(np.float32)
    kind = scope.attribute("i64", "i32")
    if scope.chance(0.5):
        data = {"output_type": kind, "with_right_bound": scope.attribute("true", "false")}
        return scope.apply("Bucketize", [value, scope.net.constant(rows)], 8, data, 3)
    data = {"output_type": kind, "right_mode": scope.attribute("false", "true")}
    return scope.apply("SearchSorted", [scope.net.constant(rows), value], 8, data, 15)


@makes("Eye", "Range", "ShapeOf")
def _made(scope):
    kind, roll = scope.dtype(), scope.rng.random()
    if roll < 0.3:
        rows, columns, shift = (int(word) for word in scope.rng.integers(1, 5, 3))
        words = [scope.scalar(word, "i64") for word in (rows, columns, shift - 2)]
        made = scope.apply("Eye", words, 1, {"output_type": kind}, 9)
    elif roll < 0.6:
        start, count, step = (int(word) for word in scope.rng.integers(1, 5, 3))
        words = [scope.scalar(word, kind) for word in (start, start + count * step, step)]
        made = scope.apply("Range", words, 30, {"output_type": kind}, 4)
    else:
        made = scope.apply("ShapeOf", [_ranked(scope)], 600, {"output_type": scope.attribute(
            "i64", "i32")}, 3)
        made[0].exact = True
    value = scope.source(made[0].dtype, made[0].dims)
    return scope.apply("Add", [value, made[0]], value.bound + 600)


@makes("ConvertLike", "Identity")
def _like(scope):
    value = scope.any()
    if scope.chance(0.5) or not value.exact:
        return scope.apply("Identity", [value], value.bound, opset=16)
    return scope.apply("ConvertLike", [value, scope.any()], value.bound, exact=True)
