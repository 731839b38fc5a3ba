# SPDX-License-Identifier: Apache-2.0
"""Rows of products, convolutions, pools, attention and recurrent sequences."""

import numpy as np

from rows import makes, numbers
from scope import DATA


def _whole(scope, dims, limit=2):
    return scope.net.constant(scope.rng.integers(-limit, limit + 1, dims).astype(np.float32))


def _text(values):
    return ",".join(map(str, values))


@makes("MatMul")
def _matmul(scope):
    """Batched products with all transpositions, of constants or computed values."""
    a = scope.within(scope.floats(at_least=1), 64)
    flip = [scope.attribute(False, True) and len(a.dims) > 1, scope.attribute(False, True)]
    inner = a.dims[-2] if flip[0] else a.dims[-1]
    columns = int(scope.rng.integers(1, scope.rng.max_dim + 1))
    dims = (columns, inner) if flip[1] else (inner, columns)
    if len(a.dims) > 2 and scope.chance(0.4):
        dims = a.dims[:-2] + dims
    if scope.chance(0.3) and len(a.dims) > 1:
        b = scope.within(scope.source("f32", dims), 8)
    else:
        b = _whole(scope, dims)
    data = {f"transpose_{name}": str(on).lower() for name, on in zip("ab", flip)}
    return scope.apply("MatMul", [a, b], max(a.bound * b.bound * inner, 1), data)


@makes("Einsum")
def _einsum(scope):
    equation, ranks = scope.pick((("ij,jk->ik", (2, 2)), ("bij,bjk->bik", (3, 3)),
                                  ("bij,bkj->bik", (3, 3)), ("bhid,bhjd->bhij", (4, 4)),
                                  ("ij->ji", (2, )), ("bij,jk->bik", (3, 2)), ("ij,ij->i", (2, 2))))
    terms = equation.split("->", maxsplit=1)[0].split(",")
    first = scope.within(scope.floats(rank=ranks[0]), 8)
    sizes = dict(zip(terms[0], first.dims))
    inputs = [first]
    for term in terms[1:]:
        dims = tuple(sizes.setdefault(letter, int(scope.rng.integers(1, 5))) for letter in term)
        inputs.append(scope.within(scope.source("f32", dims), 8))
    bound = float(np.prod([value.bound for value in inputs])) * max(first.dims)
    return scope.apply("Einsum", inputs, bound, {"equation": equation}, 7)


def _image(scope, space):
    """A value [batch, channels, space...]."""
    values = [value for value in scope.pool if value.dtype == "f32" and
              len(value.dims) == 2 + space]
    if values and scope.chance(0.7):
        return scope.within(scope.rng.pick_value(values), 64)
    batch = scope.attribute(1, 2)
    channels = int(scope.rng.integers(1, scope.rng.max_dim + 1))
    sizes = [int(size) for size in scope.rng.integers(2, 10 if space == 1 else 6, space)]
    return scope.within(scope.source("f32", (batch, channels, *sizes)), 64)


def _window(scope, sizes, limit=3):
    """Kernel, strides, dilations and pads of windows that fit the extents."""
    kernel, strides, dilations, begin, end = [], [], [], [], []
    for size in sizes:
        span = int(scope.rng.integers(1, limit + 1))
        dilation = scope.attribute(1, 1, 2)
        before, after = (int(pad) for pad in scope.rng.integers(0, span, 2))
        while (span - 1) * dilation + 1 > size + before + after:
            span, dilation = (span, 1) if dilation > 1 else (span - 1, 1)
        kernel.append(span)
        strides.append(scope.attribute(1, 1, 2, 3))
        dilations.append(dilation)
        begin.append(min(before, span - 1))
        end.append(min(after, span - 1))
    for axis, size in enumerate(sizes):  # smaller pads may have made the window too large again
        while (kernel[axis] - 1) * dilations[axis] + 1 > size + begin[axis] + end[axis]:
            kernel[axis] -= 1
            begin[axis], end[axis] = (min(pad, kernel[axis] - 1)
                                      for pad in (begin[axis], end[axis]))
    return kernel, {
        "strides": _text(strides), "dilations": _text(dilations), "pads_begin": _text(begin),
        "pads_end": _text(end), "auto_pad": scope.attribute("explicit", "explicit", "same_upper",
                                                            "same_lower", "valid")
    }  # yapf: disable


def _after(scope, value):
    """An optional bias and activation."""
    if scope.chance(0.6):
        bias = _whole(scope, (1, value.dims[1]) + (1, ) * (len(value.dims) - 2), DATA)
        value = scope.op("Add", [value, bias], "f32", value.dims, value.bound + DATA)
    if scope.chance(0.4):
        value = scope.op("Relu", [value], "f32", value.dims, value.bound)
    return value


@makes("Convolution", "GroupConvolution")
def _convolution(scope):
    space = scope.attribute(1, 2, 2, 3)
    x = _image(scope, space)
    kernel, data = _window(scope, x.dims[2:])
    if data["auto_pad"] == "valid" and any(
            (taps - 1) * int(gap) + 1 > size
            for taps, gap, size in zip(kernel, data["dilations"].split(","), x.dims[2:])):
        data["auto_pad"] = "explicit"
    channels = x.dims[1]
    outputs = int(scope.rng.integers(1, scope.rng.max_dim + 1))
    groups = scope.pick([count for count in range(1, channels + 1) if channels % count == 0])
    if scope.chance(0.5):
        weights, kind = _whole(scope, (outputs, channels, *kernel)), "Convolution"
        inputs = channels
    else:
        outputs = int(scope.rng.integers(1, 4))
        inputs = channels // groups
        weights, kind = _whole(scope, (groups, outputs, inputs, *kernel)), "GroupConvolution"
    bound = max(x.bound * 2 * inputs * float(np.prod(kernel)), 1)
    return _after(scope, scope.apply(kind, [x, weights], bound, data)[0])


@makes("ConvolutionBackpropData", "GroupConvolutionBackpropData")
def _backprop(scope):
    x = _image(scope, scope.attribute(1, 2))
    kernel, data = _window(scope, x.dims[2:])
    strides = [int(word) for word in data["strides"].split(",")]
    data["auto_pad"] = "explicit"
    data["output_padding"] = _text([int(scope.rng.integers(0, stride)) for stride in strides])
    spans = [(taps - 1) * int(gap) + 1 for taps, gap in zip(kernel, data["dilations"].split(","))]
    for axis, (size, stride, span) in enumerate(zip(x.dims[2:], strides, spans)):
        pads = sum(int(data[name].split(",")[axis]) for name in ("pads_begin", "pads_end"))
        if (size - 1) * stride + span - pads < 1:
            data["pads_begin"] = data["pads_end"] = _text([0] * len(spans))
    channels = x.dims[1]
    if scope.chance(0.6):
        dims, kind = (channels, int(scope.rng.integers(1, 5)), *kernel), "ConvolutionBackpropData"
    else:
        groups = scope.pick([count for count in range(1, channels + 1) if channels % count == 0])
        dims = (groups, channels // groups, int(scope.rng.integers(1, 4)), *kernel)
        kind = "GroupConvolutionBackpropData"
    bound = max(x.bound * 2 * channels * float(np.prod(kernel)), 1)
    return _after(scope, scope.apply(kind, [x, _whole(scope, dims)], bound, data)[0])


@makes("MaxPool", "AvgPool")
def _pool(scope):
    x = _image(scope, scope.attribute(1, 2, 2, 3))
    kernel, data = _window(scope, x.dims[2:])
    del data["dilations"]
    if any(taps > size for taps, size in zip(kernel, x.dims[2:])):
        return None
    begin, end, strides = ([int(word) for word in data[name].split(",")]
                           for name in ("pads_begin", "pads_end", "strides"))
    if data["auto_pad"] != "explicit":  # which ignores the pads
        begin = end = [0] * len(kernel)
    data.update(kernel=_text(kernel), rounding_type=scope.attribute("floor", "ceil"))
    if data["rounding_type"] == "ceil" and any(
            -(-(size + a + b - taps) // stride) * stride >= size + a
            for size, a, b, taps, stride in zip(x.dims[2:], begin, end, kernel, strides)):
        data["rounding_type"] = "floor"  # a window of pads alone has no defined result
    if scope.chance(0.5):
        return scope.apply("MaxPool", [x], x.bound, data)[0]
    data["exclude-pad"] = scope.attribute("true", "false")
    return scope.apply("AvgPool", [x], x.bound, data, exact=False)[0]


@makes("ScaledDotProductAttention")
def _attention(scope):
    query = scope.within(scope.floats(rank=scope.attribute(3, 4)), 2)
    *shared, _, size = query.dims
    length, width = (int(number) for number in scope.rng.integers(1, 6, 2))
    key = scope.within(scope.source("f32", (*shared, length, size)), 2)
    value = scope.within(scope.source("f32", (*shared, length, width)), 8)
    causal, words = scope.attribute("false", "true"), []
    if causal == "false" and scope.chance(0.4):
        dims = (query.dims[-2], length)
        words.append(scope.source("f32", dims) if scope.chance(0.5) else
                     scope.net.constant(scope.rng.integers(-3, 1, dims).astype(np.float32)))
        words[0] = scope.within(words[0], 4)
    return scope.apply("ScaledDotProductAttention", [query, key, value, *words], 8,
                       {"causal": causal}, 13, False)


SEQUENCES = {"LSTMSequence": 4, "GRUSequence": 3, "RNNSequence": 1}
ACTIVATIONS = {  # OpenVINO fails without this attribute, which has these defaults
    "LSTMSequence": "sigmoid,tanh,tanh", "GRUSequence": "sigmoid,tanh", "RNNSequence": "tanh"
}  # yapf: disable


@makes(*SEQUENCES)
def _sequence(scope):
    kind = scope.pick(list(SEQUENCES))
    x = scope.within(scope.floats(rank=3), 2 * DATA)
    batch, time, size = x.dims
    hidden = int(scope.rng.integers(1, scope.rng.max_dim + 1))
    direction = scope.attribute("forward", "reverse", "bidirectional")
    ways = 2 if direction == "bidirectional" else 1
    states = [scope.within(scope.source("f32", (batch, ways, hidden)), 2 * DATA)
              for _ in range(2 if kind == "LSTMSequence" else 1)]
    lengths = np.full(batch, time, np.int32)
    if scope.chance(0.3):
        lengths = scope.rng.integers(1, time + 1, batch).astype(np.int32)
    linear = kind == "GRUSequence" and scope.attribute(False, True)
    gates = SEQUENCES[kind] * hidden
    weights = [numbers(scope, (ways, *dims), divisor=16.0)
               for dims in ((gates, size), (gates, hidden), (gates + linear * hidden, ))]
    data = {
        "hidden_size": hidden, "direction": direction, "activations": ACTIVATIONS[kind]
    }  # yapf: disable
    if linear:
        data["linear_before_reset"] = "true"
    return scope.apply(kind, [x, *states, scope.net.constant(lengths), *weights], 2 * DATA + 2, data,
                       5, False)


@makes("FakeQuantize")
def _quantised_chain(scope):
    """Quantised data and weights around a convolution or product, whose sums are exact."""
    x = scope.floats(rank=scope.pick((2, 3, 4)), exact=True)

    def quantised(value, unit):
        ends = [scope.scalar(end * unit, "f32") for end in (-128, 127)]
        return scope.apply("FakeQuantize", [value, *ends, *ends], 128 * unit, {"levels": 256})[0]

    x = quantised(x, 1)
    outputs = int(scope.rng.integers(1, scope.rng.max_dim + 1))
    if len(x.dims) == 2:
        weights = _whole(scope, (outputs, x.dims[1]), 7)
        made = scope.apply("MatMul", [x, weights], 128 * 7 * x.dims[1],
                           {"transpose_a": "false", "transpose_b": "true"})[0]
    else:
        kernel, data = _window(scope, x.dims[2:])
        data["auto_pad"] = "explicit"
        weights = _whole(scope, (outputs, x.dims[1], *kernel), 7)
        made = _after(scope, scope.apply("Convolution", [x, weights], 128 * 7 * x.dims[1] *
                                         int(np.prod(kernel)), data)[0])
    return quantised(made, scope.attribute(4, 1, 16))
