# SPDX-License-Identifier: Apache-2.0
"""Random causal graphs over a time axis: every value is [1, channels, time], and no time step depends
on a later one. They convert with --streaming, for any number of steps per run.
"""

import numpy as np

import rows
import rows_elementwise
import rows_layers
from scope import DATA, ROUNDED

TIME = 12  # a multiple of the steps per run
STEPS = (1, 2, 3)
MAX_CHANNELS = 9


def _channels(scope):
    return int(scope.rng.integers(1, MAX_CHANNELS + 1))


def _value(scope, limit=8):
    return scope.within(scope.rng.pick_value(scope.pool), limit)


def _whole(scope, dims):
    return scope.net.constant(scope.rng.integers(-2, 3, dims).astype(np.float32))


def _convolution(scope, x=None):
    """Pads before the first step only; any dilation. x: its data; None: a value of the pool."""
    x = x or _value(scope)
    taps, gap = int(scope.rng.integers(1, 5)), scope.attribute(1, 2, 3)
    pads = (taps - 1) * gap
    data = {"strides": 1, "dilations": gap, "pads_begin": pads, "pads_end": 0}
    if scope.chance(0.5):
        dims, kind, inputs = (_channels(scope), x.dims[1], taps), "Convolution", x.dims[1]
    else:
        dims, kind, inputs = (x.dims[1], scope.attribute(1, 2), 1, taps), "GroupConvolution", 1
    made = scope.apply(kind, [x, _whole(scope, dims)], max(x.bound * 2 * inputs * taps, 1), data)[0]
    if scope.chance(0.5):
        bias = _whole(scope, (1, made.dims[1], 1))
        made = scope.apply("Add", [made, bias], made.bound + 2)[0]
    return made


def _quantise(scope, value, unit):
    ends = [scope.scalar(end * unit, "f32") for end in (-128, 127)]
    return scope.apply("FakeQuantize", [value, *ends, *ends], 128 * unit, {"levels": 256})[0]


def _delayed(scope, x, mode):
    """x after a border of this mode; the last steps are cut off."""
    pads = [scope.integers(0, 0, count) for count in (int(scope.rng.integers(1, 5)), 0)]
    padded = scope.apply("Pad", [x, *pads], x.bound, {"pad_mode": mode})[0]
    words = [scope.integers(word) for word in (0, TIME, 1, 2)]
    return scope.apply("Slice", [padded, *words], x.bound, opset=8)[0]


def _quantised_windows(scope):
    """Windows of different lengths over one quantised tensor, whose sums are exact."""
    x = _value(scope)
    if not x.exact:
        x = scope.fresh("f32", (1, _channels(scope), TIME))
    x = _quantise(scope, x, 1)
    if scope.chance(0.3):
        x = _delayed(scope, x, "edge")
    if scope.chance(0.3):
        x = _quantise(scope, scope.apply("Relu", [x], x.bound)[0], 1)
    parts = [_quantise(scope, _convolution(scope, x), scope.attribute(4, 1, 16))
             for _ in range(int(scope.rng.integers(1, 4)))]
    if len(parts) == 1:
        return parts[0]
    return scope.apply("Concat", parts, max(part.bound for part in parts), {"axis": 1})[0]


def _pool(scope):
    """A causal window: the pad before it is part of the operation."""
    x = _value(scope)
    taps = int(scope.rng.integers(2, 4))
    pads = [scope.integers(0, 0, count) for count in (taps - 1, 0)]
    padded = scope.apply("Pad", [x, *pads], x.bound, {"pad_mode": "constant"})[0]
    data = {"strides": 1, "kernel": taps, "pads_begin": 0, "pads_end": 0, "rounding_type": "floor",
            "auto_pad": "explicit"}  # yapf: disable
    if scope.chance(0.5):
        return scope.apply("MaxPool", [padded], x.bound, data)[0]
    return scope.apply("AvgPool", [padded], x.bound, {**data, "exclude-pad": "false"},
                       exact=False)[0]


def _function(scope):
    x = _value(scope, 2)
    kind = scope.pick(("Tanh", "Sigmoid", "Exp", "Swish", "Mish", "Cos", "HSwish", "Atan", "Erf"))
    return scope.apply(kind, [x], 8, opset=rows_elementwise.SMOOTH[kind][0], exact=False)[0]


def _binary(scope):
    a, b = _value(scope), _value(scope)
    if b.dims != a.dims and b.dims[1] != 1:
        b = _whole(scope, (1, a.dims[1], 1))
    kind = scope.pick(("Add", "Subtract", "Multiply", "Maximum", "Minimum"))
    bound = a.bound * b.bound if kind == "Multiply" else a.bound + b.bound
    return scope.apply(kind, [a, b] if scope.chance(0.5) else [b, a], bound)[0]


def _concat(scope):
    parts = [_value(scope) for _ in range(int(scope.rng.integers(2, 4)))]
    return scope.apply("Concat", parts, 8, {"axis": 1})[0]


def _slice(scope):
    """Some of the channels."""
    x = _value(scope)
    low, high = sorted(int(end) for end in scope.rng.choice(x.dims[1] + 1, 2, replace=False))
    words = [scope.integers(word) for word in (low, high, 1, 1)]
    return scope.apply("Slice", [x, *words], x.bound, opset=8)[0]


def _delay(scope):
    """Zeros before the first step; the last steps are cut off."""
    return _delayed(scope, _value(scope), "constant")


def _over_channels(scope):
    x = _value(scope)
    roll = scope.rng.random()
    if roll < 0.3:
        return scope.apply("Softmax", [x], 1, {"axis": 1}, 8, False)[0]
    if roll < 0.6:
        data = {"eps": 0.5, "normalize_variance": "true", "eps_mode": "inside_sqrt"}
        return scope.apply("MVN", [x, scope.integers(1)], 8, data, 6, False)[0]
    kind = scope.pick(("ReduceMean", "ReduceSum", "ReduceMax"))
    return scope.apply(kind, [x, scope.integers(1)], x.bound * x.dims[1], {"keep_dims": "true"},
                       exact=x.exact and kind != "ReduceMean")[0]


def _transposed(scope, value):
    return scope.apply("Transpose", [value, scope.integers(0, 2, 1)], value.bound)[0]


def _product(scope):
    x = _transposed(scope, _value(scope))
    weights = _whole(scope, (x.dims[2], _channels(scope)))
    data = {"transpose_a": "false", "transpose_b": "false"}
    made = scope.apply("MatMul", [x, weights], max(x.bound * 2 * x.dims[2], 1), data)[0]
    return _transposed(scope, made)


def _numbers(scope):
    """Numbers before and after movements that merge the channels with time."""
    x = _transposed(scope, _value(scope, 2))
    if scope.chance(0.5):
        weights = _whole(scope, (x.dims[2], _channels(scope)))
        data = {"transpose_a": "false", "transpose_b": "false"}
        x = scope.apply("MatMul", [x, weights], 4 * x.dims[2], data)[0]
    dims = x.dims
    shapes = scope.pick((((-1, ), dims), ((-1, 1), dims), ((TIME, -1), dims), (dims, )))
    for shape in (dims, *shapes):
        x = scope.apply("Reshape", [x, scope.integers(*shape)], x.bound,
                        {"special_zero": "false"})[0]
        for _ in range(int(scope.rng.integers(0, 3))):
            number = scope.scalar(float(scope.pick((0.7, -0.3, 1.9))), "f32")
            kind = scope.pick(("Add", "Multiply", "Subtract", "Divide"))
            x = scope.apply(kind, [x, number], 4 * x.bound + 2, exact=False)[0]
    return _transposed(scope, scope.within(x, 8))


def _sequence(scope):
    kind, gates = scope.pick((("LSTMSequence", 4), ("GRUSequence", 3), ("RNNSequence", 1)))
    x, hidden = _transposed(scope, _value(scope)), _channels(scope)
    linear = kind == "GRUSequence" and scope.attribute(False, True)
    states = [rows.numbers(scope, (1, 1, hidden)) for _ in range(2 if gates == 4 else 1)]
    weights = [rows.numbers(scope, (1, *dims), divisor=16.0)
               for dims in ((gates * hidden, x.dims[2]), (gates * hidden, hidden),
                            ((gates + linear) * hidden, ))]
    data = {
        "hidden_size": hidden, "direction": "forward", "activations": rows_layers.ACTIVATIONS[kind]
    }  # yapf: disable
    if linear:
        data["linear_before_reset"] = "true"
    lengths = scope.net.constant(np.full(1, TIME, np.int32))
    made = scope.apply(kind, [x, *states, lengths, *weights], 2 * DATA, data, 5, False)[0]
    return _transposed(scope, scope.apply("Squeeze", [made, scope.integers(1)], made.bound)[0])


def _with_constant(scope, value, kind, numbers):
    return scope.apply(kind, [value, scope.net.constant(np.asarray(numbers, np.float32))],
                       abs(value.bound), exact=False)[0]


def _masked(scope, scores):
    """The scores of earlier keys, with operations before and after the mask."""
    query, key = np.mgrid[:TIME, :TIME]
    sees = (key <= query) & (query - key < int(scope.rng.integers(1, TIME + 1)))
    if scope.chance(0.3):
        scores = _with_constant(scope, scope.apply("Tanh", [scores], 1, exact=False)[0], "Multiply", 3)
    if scope.chance(0.3):
        scores = _with_constant(scope, scores, "Subtract", 0.3 * (query - key))
    low = np.float32(scope.pick((-np.inf, -3e38, -1e9, -1e4)))
    if scope.chance(0.5):
        scores = _with_constant(scope, scores, "Add", np.where(sees, np.float32(0), low))
    else:
        flags = scope.net.constant(sees)
        scores = scope.apply("Select", [flags, scores, scope.scalar(float(low), "f32")],
                             scores.bound, exact=False)[0]
    if scope.chance(0.2):
        scores = _with_constant(scope, scores, "Maximum", -1e9)
    return scores


def _attention(scope):
    """Causal attention over earlier steps."""
    x = _transposed(scope, _value(scope, 2))
    if scope.chance(0.5):
        made = scope.apply("ScaledDotProductAttention", [x, x, x], 2, {"causal": "true"}, 13,
                           False)[0]
        return _transposed(scope, made)
    turned = {"transpose_a": "false", "transpose_b": "true"}
    scores = scope.apply("MatMul", [x, x], 4 * x.dims[2], turned, exact=False)[0]
    shares = scope.apply("Softmax", [_masked(scope, scores)], 1, {"axis": -1}, 8, False)[0]
    if scope.chance(0.3):
        shares = _with_constant(scope, shares, "Multiply", 0.7)
    data = {"transpose_a": "false", "transpose_b": "false"}
    return _transposed(scope, scope.apply("MatMul", [shares, x], 2, data, exact=False)[0])


def _cum_sum(scope):
    x = _value(scope)
    return scope.apply("CumSum", [x, scope.scalar(2, "i64")], x.bound * TIME,
                       {"exclusive": scope.attribute("false", "true"), "reverse": "false"}, 3)[0]


LINKS = (_convolution, _convolution, _convolution, _quantised_windows, _pool, _function, _function,
         _binary, _binary, _concat, _slice, _delay, _over_channels, _product, _numbers, _sequence,
         _attention, _cum_sum)


def fill(scope):
    """Adds the inputs and operations of one graph to the pool."""
    for _ in range(int(scope.rng.integers(1, 3))):
        scope.pool.append(scope.fresh("f32", (1, _channels(scope), TIME)))
    for _ in range(int(scope.rng.integers(2, 14))):
        with scope.rng.step() as taken:
            if taken:
                value = scope.pick(LINKS)(scope)
                scope.pool.append(rows.finished(scope, scope.within(value, ROUNDED)))
    scope.pool = [value for value in scope.pool if value.dims[0] == 1 and len(value.dims) == 3]
