# SPDX-License-Identifier: Apache-2.0
"""Resolves the port map and back edges of a TensorIterator or Loop before it runs.

Uses only declared shapes, so that an invalid model is rejected whether or not the loop would run.

Ranges are half open and split into chunks with the body Parameter's extent on the axis. Negative
bounds count from the end, which is -1. A nonnegative upper bound is ambiguous: exclusive or
inclusive. The interpretation on which all slices (and, in a TensorIterator, the declared outputs)
agree is used.
"""

import dataclasses

from reference.ir_file import Refused


@dataclasses.dataclass
class Cut:
    """The range [begin, end) of an axis in chunks of `part`; backward: last chunk first."""
    axis: int
    begin: int
    end: int
    part: int
    backward: bool

    @property
    def count(self):
        return (self.end - self.begin) // self.part


@dataclasses.dataclass
class PortMap:
    """sources, per body Parameter: ("sliced", input, Cut), ("carried", input, Result), ("invariant",
    input), ("iteration",) or ("unread",). An invariant that the body forwards to its own back edge
    also has the Result. outputs: (Result, axis or None, backward). condition: a Result or None. count:
    iterations defined by slices and outputs, None if they define none."""
    sources: list
    outputs: list
    condition: object
    count: object


def resolve(layer):
    """The PortMap of a TensorIterator or Loop, or Refused."""
    body, graph = layer.bodies[0], layer.bodies[0].graph
    fixed = layer.kind == "TensorIterator"
    externals = [entry.external for entry in body.outputs if entry.external >= 0]
    if len(set(externals)) != len(externals) or len(externals) != len(layer.outputs):
        raise Refused(f"outputs {externals} do not name each of {len(layer.outputs)} ports once")
    targets = [target for _, target in body.back_edges]
    if len(set(targets)) != len(targets):
        raise Refused(f"two back edges lead to one Parameter: {targets}")
    for source, target in body.back_edges:
        graph.index(graph.results, source, "Result")
        graph.index(graph.parameters, target, "Parameter")
    sources = [_source(layer, body, parameter) for parameter in graph.parameters]
    outputs, condition, given = [], None, []
    for entry in body.outputs:
        result = graph.results[graph.index(graph.results, entry.internal, "Result")]
        if entry.purpose == "execution_condition":
            condition = result
        if entry.external >= 0:
            chunk = _chunk_of_output(entry, result, fixed)
            whole = layer.outputs[len(outputs)].dims
            if entry.axis is not None and whole and whole[entry.axis] >= 0:
                given.append((f"output {len(outputs)}", entry, whole[entry.axis], chunk))
            backward = (entry.stride or 1) < 0
            outputs.append((result, entry.axis, backward))
    for entry in body.inputs:
        graph.index(graph.parameters, entry.internal, "Parameter")
    count = _count(sources, given, fixed)
    for name, entry, whole, chunk in given if count is not None and fixed else ():
        _check_range_of_output(name, entry, count * chunk)
    return PortMap([_decided(source, count, fixed) for source in sources], outputs, condition, count)


def _source(layer, body, parameter):
    entries = [entry for entry in body.inputs if entry.internal == parameter.id]
    fed = [entry for entry in entries if entry.external >= 0]
    if len(fed) > 1:
        raise Refused(f"Parameter {parameter.id} has {len(fed)} sources")
    edges = [source for source, target in body.back_edges if target == parameter.id]
    if not fed:
        if any(entry.purpose == "current_iteration" for entry in entries) and not edges:
            return ("iteration", )
        if not body.graph.reads(parameter):
            return ("unread", )
        raise Refused(f"Parameter {parameter.id} has no source")
    entry = fed[0]
    if entry.external >= len(layer.sources):
        raise Refused(f"input {entry.external} of {len(layer.sources)}")
    outer = layer.port(entry.external)
    if entry.axis is not None:  # has priority over a back edge
        return ("sliced", entry.external, _readings(entry, outer.dims, parameter))
    if not edges:
        return ("invariant", entry.external)
    result = body.graph.results[body.graph.index(body.graph.results, edges[0], "Result")]
    if result.sources[0][0] is parameter:  # forwarded unchanged
        return ("invariant", entry.external, result)
    inner = result.port(0)
    if (inner.dtype, inner.dims) != (outer.dtype, outer.dims):
        raise Refused(f"back edge to {parameter.id} joins {inner.dims} to {outer.dims}")
    return ("carried", entry.external, result)


def _check_chunk(entry, chunk):
    """Checks the chunk size. Writers that mean full chunks use a stride of 1 and omit part_size."""
    stride, part = entry.stride or 1, entry.part_size
    if entry.stride == 0 or abs(stride) not in (1, chunk) or part not in (None, chunk) or (
            abs(stride) == 1 and entry.stride is not None and part is None and chunk != 1):
        raise Refused(f"stride {entry.stride} and part_size {part} for chunks of {chunk}")


def _readings(entry, dims, parameter):
    """The possible Cuts of a sliced input: with exclusive and with inclusive upper bound."""
    axis = entry.axis
    if not -len(dims) <= axis < len(dims):
        raise Refused(f"axis {axis} of {dims}")
    axis %= len(dims)
    extent, chunk = dims[axis], parameter.outputs[0].dims[axis]
    _check_chunk(entry, chunk)
    start, end = entry.start or 0, -1 if entry.end is None else entry.end
    backward = (entry.stride or 1) < 0
    lower, upper = (end, start) if backward else (start, end)
    low, high = (bound + extent + 1 if bound < 0 else bound for bound in (lower, upper))
    cuts = [
        Cut(axis, low, top, chunk, backward) for top in ([high] if upper < 0 else [high, high + 1])
        if 0 <= low < top <= extent and (top - low) % chunk == 0
    ]
    if not cuts:
        raise Refused(f"start {start}, end {end} and chunks of {chunk} do not cut {extent}")
    return cuts


def _chunk_of_output(entry, result, fixed):
    if entry.axis is None:
        return None
    dims = result.port(0).dims or [1]
    if not -len(dims) <= entry.axis < len(dims):
        raise Refused(f"axis {entry.axis} of {dims}")
    if fixed:
        _check_chunk(entry, dims[entry.axis])
    return dims[entry.axis]


def _check_range_of_output(name, entry, extent):
    """Checks that the output is filled completely; only the stride determines the order."""
    if entry.start is None and entry.end is None:
        return
    start, end = entry.start or 0, -1 if entry.end is None else entry.end
    lower, upper = (end, start) if (entry.stride or 1) < 0 else (start, end)
    if lower not in (0, -extent - 1) or upper not in (-1, extent, extent - 1):
        raise Refused(f"{name}: start {start} and end {end} leave part of {extent} empty")


def _count(sources, given, fixed):
    """The number of iterations on which all entries agree; None if no entry defines it."""
    told = {
        f"input {source[1]}": {cut.count for cut in source[2]}
        for source in sources if source[0] == "sliced"
    }
    common = set.intersection(*told.values()) if told else set()
    for name, entry, whole, chunk in given if fixed or len(common) > 1 else ():
        if fixed and whole % chunk:
            raise Refused(f"{name} has {whole} elements in chunks of {chunk}")
        told[name] = {whole // chunk}
    common = set.intersection(*told.values()) if told else set()
    if told and len(common) != 1:
        raise Refused(f"numbers of iterations: {told}")
    return common.pop() if told else None


def _decided(source, count, fixed):
    if source[0] != "sliced":
        return source
    return source[:2] + (next(cut for cut in source[2] if cut.count == count), )
