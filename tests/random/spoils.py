# SPDX-License-Identifier: Apache-2.0
"""Changes that make a loop invalid, each applied to the first loop that allows it."""


def _sliced(iterator):
    return [entry for entry in iterator.loop.entries_in if entry.get("axis") is not None]


def _scans(iterator):
    return [entry for entry in iterator.loop.entries_out if entry.get("axis") is not None]


def _set(entries, **attributes):
    """Changes the first entry; returns False if there is none."""
    if entries:
        entries[0].update(attributes)
    return bool(entries)


def _slices_disagree(iterator):
    entries = _sliced(iterator)
    if len(entries) < 2:
        return False
    entry = entries[0]
    _, outer, cut = next(slice for slice in iterator.slices
                         if slice[0].layer == entry["internal_layer_id"])
    axis, _, count, part, _ = cut
    if count < 2:
        return False
    entry.update(start=-part - 1, end=-1, stride=part, part_size=part)
    return outer.dims[axis] >= part


def _output_disagrees(iterator):
    if iterator.kind == "Loop" or not iterator.slices or not _scans(iterator):
        return False
    place = iterator.loop.entries_out.index(_scans(iterator)[0])
    dtype, dims = iterator.loop.outputs[place]
    axis = _scans(iterator)[0]["axis"]
    dims = list(dims)
    dims[axis] *= 2  # also for bounds that count from the end
    iterator.loop.outputs[place] = (dtype, tuple(dims))
    return True


def _two_readings(iterator):
    if iterator.kind == "Loop" or len(iterator.slices) != 1 or _scans(iterator):
        return False
    _, outer, (axis, begin, count, part, _) = iterator.slices[0]
    if part != 1 or begin + count >= outer.dims[axis]:
        return False
    return _set(_sliced(iterator), start=begin, end=begin + count, stride=1)


def _back_edge_shapes(iterator):
    if not iterator.states:
        return False
    state = iterator.states[0][0]
    inner = iterator.inner
    wrong = inner.net.result(inner.random_constant(state.dtype, state.dims + (2, )))
    edges = iterator.loop.back_edges
    edges[:] = [(wrong if to == state.layer else source, to) for source, to in edges]
    return True


def _two_back_edges(iterator):
    edges = iterator.loop.back_edges
    if edges:
        edges.append(edges[0])
    return bool(edges)


def _no_source(iterator):
    """A Parameter that is read but has no source."""
    outputs = iterator.loop.entries_out
    last = [entry for entry in outputs
            if entry.get("axis") is None and entry["external_port_id"] >= 0]
    if not last:
        return False
    value = iterator.inner.net.parameter("f32", (2, ))
    used = iterator.inner.net.result(value)
    last[0]["internal_layer_id"] = used
    return True


def _output_twice(iterator):
    ports = [entry for entry in iterator.loop.entries_out if entry["external_port_id"] >= 0]
    return len(ports) > 1 and _set(ports, external_port_id=ports[1]["external_port_id"])


def _more_trips_than_slices(iterator):
    if iterator.kind != "Loop" or not iterator.fixed or not iterator.slices or not iterator.trips:
        return False
    if iterator.maker.open_bodies > 0:  # an outer body may drop an unneeded loop unchecked
        return False
    known = iterator.loop.inputs[0].known
    if known is None or any("condition: false" in name for name in iterator.maker.features):
        return False
    iterator.loop.inputs[0] = iterator.outer.scalar(iterator.slices[0][2][2] + 1, "i64")
    return True


SPOILS = {
    "slices disagree": _slices_disagree,
    "output disagrees with slices": _output_disagrees,
    "two readings and no entry that decides": _two_readings,
    "range beyond the axis": lambda it: _set(_sliced(it), start=0, end=1000, stride=None),
    "range below the axis": lambda it: _set(_sliced(it), start=-1000, end=-1, stride=None),
    "empty range": lambda it: _set(_sliced(it), start=-1, end=0, stride=None, part_size=None),
    "stride zero": lambda it: _set(_sliced(it), stride=0),
    "stride is not the chunk": lambda it: _set(_sliced(it), stride=7, part_size=None),
    "part_size is not the chunk": lambda it: _set(_sliced(it), part_size=9),
    "axis beyond the rank": lambda it: _set(_sliced(it), axis=5),
    "scan axis beyond the rank": lambda it: _set(_scans(it), axis=5),
    "output with half a range":
        lambda it: it.kind != "Loop" and it.trips > 1 and _set(_scans(it), start=1, end=-1,
                                                               stride=None),
    "back edge joins two shapes": _back_edge_shapes,
    "two back edges to one Parameter": _two_back_edges,
    "Parameter without source": _no_source,
    "input names an unknown layer":
        lambda it: _set(it.loop.entries_in, internal_layer_id=100000),
    "output names an unknown layer":
        lambda it: _set(it.loop.entries_out, internal_layer_id=100000),
    "input beyond the layer's": lambda it: _set(it.loop.entries_in, external_port_id=99),
    "two entries for one output": _output_twice,
    "more iterations than slices": _more_trips_than_slices,
}  # yapf: disable


def choose(rng):
    """The name of a random change."""
    return list(SPOILS)[int(rng.integers(len(SPOILS)))]


# Errors detected when the file is read. A converter may drop layers that no output of a Loop or
# branch needs before it checks the others, so the other changes are applied outside of both.
AT_ONCE = {
    "two back edges to one Parameter", "input names an unknown layer",
    "output names an unknown layer", "input beyond the layer's", "two entries for one output",
    "more iterations than slices"
}  # yapf: disable


def apply(iterator):
    """Applies the model's change to this loop, once per model; returns True if it did."""
    maker = iterator.maker
    in_loop = iterator.kind == "Loop" or maker.open_bodies > 0
    if not maker.spoil or maker.spoiled or (in_loop and maker.spoil not in AT_ONCE):
        return False
    maker.spoiled = bool(SPOILS[maker.spoil](iterator))
    return maker.spoiled
