# SPDX-License-Identifier: Apache-2.0
"""Random operations without bodies: each function takes a Scope and returns a Value, or None."""

import numpy as np

from scope import DATA


def _arithmetic(scope):
    a = scope.any()
    dims = a.dims if scope.chance(0.7) else a.dims[len(a.dims) // 2:]
    b = scope.source(a.dtype, dims)
    kind = scope.pick(("Add", "Subtract", "Multiply", "Maximum", "Minimum"))
    exact = a.exact and b.exact
    if kind == "Multiply" and (a.bound * b.bound > (1 << 20) or not exact and
                               min(a.bound, b.bound) > 1):
        kind = "Subtract"
    bound = {"Multiply": a.bound * b.bound}.get(kind, a.bound + b.bound)
    if kind in ("Maximum", "Minimum"):
        bound = max(a.bound, b.bound)
    pair = [a, b] if scope.chance(0.5) else [b, a]
    return scope.tame(scope.op(kind, pair, a.dtype, a.dims, bound))


def _compare(scope):
    a = scope.any()
    b = scope.source(a.dtype, a.dims)
    if not (a.exact and b.exact):
        return None
    kind = scope.pick(("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"))
    return scope.op(kind, [a, b], "boolean", a.dims, 1)


def _logic(scope):
    a = scope.source("boolean", scope.dims(1))
    if scope.chance(0.3):
        return scope.op("LogicalNot", [a], "boolean", a.dims, 1)
    b = scope.source("boolean", a.dims)
    return scope.op(scope.pick(("LogicalAnd", "LogicalOr")), [a, b], "boolean", a.dims, 1)


def _select(scope):
    a = scope.any()
    b = scope.source(a.dtype, a.dims)
    condition = scope.source("boolean", a.dims if scope.chance(0.7) else ())
    return scope.op("Select", [condition, a, b], a.dtype, a.dims, max(a.bound, b.bound),
                    exact=a.exact and b.exact)


def _unary(scope):
    a = scope.any()
    kind = scope.pick(("Relu", "Abs", "Negative"))
    return scope.op(kind, [a], a.dtype, a.dims, a.bound)


def _matmul(scope):
    a = scope.source("f32", scope.dims(2))
    columns = int(scope.rng.integers(1, 5))
    transposed = scope.chance(0.5)
    weights = scope.rng.integers(-2, 3, (a.dims[1], columns)).astype(np.float32)
    b = scope.net.constant(weights.T.copy() if transposed else weights)
    data = {"transpose_a": "false", "transpose_b": str(transposed).lower()}
    bound = max(a.bound * 2 * a.dims[1], 1)
    return scope.tame(scope.op("MatMul", [a, b], "f32", (a.dims[0], columns), bound, data))


def _concat(scope):
    a = scope.any()
    if not a.dims or max(a.dims) > 8:
        return None
    axis = int(scope.rng.integers(len(a.dims)))
    dims = list(a.dims)
    dims[axis] = int(scope.rng.integers(1, 4))
    b = scope.source(a.dtype, dims)
    dims[axis] += a.dims[axis]
    sign = axis - len(dims) if scope.chance(0.3) else axis
    return scope.op("Concat", [a, b], a.dtype, tuple(dims), max(a.bound, b.bound), {"axis": sign})


def _split(scope):
    a = scope.any()
    axes = [axis for axis, dim in enumerate(a.dims) if dim > 1]
    if not axes:
        return None
    axis = scope.pick(axes)
    parts = a.dims[axis] if a.dims[axis] % 2 else 2
    dims = list(a.dims)
    dims[axis] //= parts
    made = scope.net.add("Split", [a, scope.scalar(axis, "i64")], [(a.dtype, tuple(dims))] * parts,
                         {"num_splits": parts})[1]
    for value in made:
        value.bound, value.exact = a.bound, a.exact
    return scope.pick(made)


def _transpose(scope):
    a = scope.any()
    if len(a.dims) < 2:
        return None
    order = [int(axis) for axis in scope.rng.permutation(len(a.dims))]
    return scope.op("Transpose", [a, scope.integers(*order)], a.dtype,
                    tuple(a.dims[axis] for axis in order), a.bound)


def _ranks(scope):
    a = scope.any()
    if len(a.dims) < 4 and scope.chance(0.5):
        axis = int(scope.rng.integers(len(a.dims) + 1))
        dims = a.dims[:axis] + (1, ) + a.dims[axis:]
        return scope.op("Unsqueeze", [a, scope.integers(axis)], a.dtype, dims, a.bound)
    axes = [axis for axis, dim in enumerate(a.dims) if dim == 1]
    if not axes:
        return None
    axis = scope.pick(axes)
    dims = a.dims[:axis] + a.dims[axis + 1:]
    return scope.op("Squeeze", [a, scope.integers(axis)], a.dtype, dims, a.bound)


def _cut(scope):
    """Slice or StridedSlice of one axis, forward or backward."""
    a = scope.any()
    if not a.dims:
        return None
    axis = int(scope.rng.integers(len(a.dims)))
    extent = a.dims[axis]
    low, high = sorted(int(bound) for bound in scope.rng.choice(extent + 1, 2, replace=False))
    backward = scope.chance(0.3)
    begin, end, step = (high - 1, low - 1 - extent, -1) if backward else (low, high, 1)
    if backward and low > 0:
        end = low - 1
    dims = a.dims[:axis] + (high - low, ) + a.dims[axis + 1:]
    if scope.chance(0.5):
        control = [scope.integers(number) for number in (begin, end, step, axis)]
        return scope.op("Slice", [a, *control], a.dtype, dims, a.bound, opset=8)
    if backward and low == 0:
        end = -extent - 1
    control = [scope.integers(*([rest] * axis + [number]))
               for number, rest in ((begin, 0), (end, 0), (step, 1))]
    mask = ",".join("1" * axis + "0")
    data = {"begin_mask": mask, "end_mask": mask, "new_axis_mask": "", "shrink_axis_mask": "",
            "ellipsis_mask": ""}  # yapf: disable
    return scope.op("StridedSlice", [a, *control], a.dtype, dims, a.bound, data)


def _gather(scope):
    a = scope.any()
    if not a.dims:
        return None
    axis = int(scope.rng.integers(len(a.dims)))
    indices = scope.rng.integers(0, a.dims[axis], int(scope.rng.integers(1, 4)))
    control = [scope.net.constant(indices.astype(np.int64)), scope.scalar(axis, "i64")]
    dims = a.dims[:axis] + (len(indices), ) + a.dims[axis + 1:]
    return scope.op("Gather", [a, *control], a.dtype, dims, a.bound, {"batch_dims": 0}, 8)


def _reduce(scope):
    a = scope.any()
    if not a.dims:
        return None
    axis, keep = int(scope.rng.integers(len(a.dims))), scope.chance(0.5)
    kind = scope.pick(("ReduceSum", "ReduceMax"))
    dims = a.dims[:axis] + ((1, ) if keep else ()) + a.dims[axis + 1:]
    bound = a.bound * (a.dims[axis] if kind == "ReduceSum" else 1)
    return scope.tame(
        scope.op(kind, [a, scope.integers(axis)], a.dtype, dims, bound,
                 {"keep_dims": str(keep).lower()}))


def _convert(scope):
    a = scope.any()
    return scope.convert(a, scope.pick(("f32", "i32", "i64")))


def _curve(scope):
    a = scope.source("f32", scope.dims())
    kind = scope.pick(("Tanh", "Sigmoid"))
    if a.bound > 2 * DATA:
        return None
    return scope.op(kind, [a], "f32", a.dims, 1, exact=False)


def _cell(scope):
    """A recurrent cell with constant weights on states from the pool."""
    kind = scope.pick(("LSTMCell", "GRUCell", "RNNCell"))
    gates = {"LSTMCell": 4, "GRUCell": 3, "RNNCell": 1}[kind]
    batch, size, hidden = (int(number) for number in scope.rng.integers(1, 5, 3))
    x = scope.source("f32", (batch, size))
    states = [scope.source("f32", (batch, hidden)) for _ in range(2 if kind == "LSTMCell" else 1)]
    if max(value.bound for value in [x, *states]) > 2 * DATA:
        return None
    linear = kind == "GRUCell" and scope.chance(0.5)
    shapes = [(gates * hidden, size), (gates * hidden, hidden), ((gates + linear) * hidden, )]
    weights = [
        scope.net.constant((scope.rng.integers(-8, 9, shape) / 16).astype(np.float32))
        for shape in shapes
    ]
    data = {"hidden_size": hidden}
    if linear:
        data["linear_before_reset"] = "true"
    outputs = [("f32", (batch, hidden))] * len(states)
    made = scope.net.add(kind, [x, *states, *weights], outputs, data,
                         {"LSTMCell": 4, "GRUCell": 3, "RNNCell": 1}[kind])[1]
    for value, bound in zip(made, (1 + 2 * DATA, 1 + 2 * DATA)):
        value.bound, value.exact = bound, False
    return scope.tame(scope.pick(made))


def _gates(scope, x, state, count):
    """x W + state R + b for `count` gates, in plain operations."""
    size, hidden = x.dims[1], state.dims[1]
    parts = []
    for value, rows in ((x, size), (state, hidden)):
        weights = (scope.rng.integers(-8, 9, (rows, count * hidden)) / 16).astype(np.float32)
        product = scope.op("MatMul", [value, scope.net.constant(weights)], "f32",
                           (x.dims[0], count * hidden), value.bound * rows,
                           {"transpose_a": "false", "transpose_b": "false"}, exact=False)
        parts.append(product)
    bias = (scope.rng.integers(-8, 9, count * hidden) / 16).astype(np.float32)
    total = scope.op("Add", parts, "f32", parts[0].dims, 100)
    return scope.op("Add", [total, scope.net.constant(bias)], "f32", total.dims, 100)


def _act(scope, kind, value):
    return scope.op(kind, [value], "f32", value.dims, 1, exact=False)


def _spelled_cell(scope):
    """An RNN or LSTM step in plain operations, on states from the pool."""
    batch, size = (int(number) for number in scope.rng.integers(1, 4, 2))
    states = [value for value in scope.pool if value.dtype == "f32" and len(value.dims) == 2 and
              value.bound <= 2 * DATA]
    state = scope.pick(states) if states else scope.source("f32", (batch, 3))
    x = scope.source("f32", (state.dims[0], size))
    if max(x.bound, state.bound) > 2 * DATA:
        return None
    if scope.chance(0.5):
        return _act(scope, "Tanh", _gates(scope, x, state, 1))
    cell = scope.source("f32", state.dims)
    if cell.bound > 2 * DATA:
        return None
    parts = scope.net.add("Split", [_gates(scope, x, state, 4), scope.scalar(1, "i64")],
                          [("f32", state.dims)] * 4, {"num_splits": 4})[1]
    forget, update, candidate, output = (
        _act(scope, kind, part) for kind, part in zip(("Sigmoid", "Sigmoid", "Tanh", "Sigmoid"),
                                                      parts))
    kept = scope.op("Multiply", [forget, cell], "f32", state.dims, cell.bound)
    new = scope.op("Multiply", [update, candidate], "f32", state.dims, 1)
    cell = scope.op("Add", [kept, new], "f32", state.dims, cell.bound + 1)
    hidden = scope.op("Multiply", [output, _act(scope, "Tanh", cell)], "f32", state.dims, 1)
    scope.pool.append(scope.tame(cell))
    return hidden


EXACT_KINDS = (_arithmetic, _arithmetic, _arithmetic, _compare, _logic, _select, _unary, _matmul,
               _concat, _split, _transpose, _ranks, _cut, _gather, _reduce, _convert)
ROUNDED_KINDS = (_curve, _cell, _spelled_cell, _spelled_cell)


def grow(scope, count, rounded):
    """Adds `count` random operations to the scope's pool."""
    for _ in range(count):
        with scope.rng.step() as taken:
            kinds = ROUNDED_KINDS if rounded and scope.chance(0.3) else EXACT_KINDS
            made = scope.pick(kinds)(scope) if taken else None
        if made is not None and made.count <= 64:
            scope.pool.append(made)
