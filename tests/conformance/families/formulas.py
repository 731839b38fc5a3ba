# SPDX-License-Identifier: Apache-2.0
"""Activations, normalisations and softmax decomposed into plain operations, as exporters write
them, and constants after a product. The converter replaces each by one operation with the result of
the complete formula. The expected outputs follow the formula's definition."""

import numpy as np

from build import constant, node, outputs_of
from casebook import Case, by_numpy, i64, normal, uniform


def add(a, b):
    return node("Add", 1, [a, b])


def sub(a, b):
    return node("Subtract", 1, [a, b])


def mul(a, b):
    return node("Multiply", 1, [a, b])


def div(a, b):
    return node("Divide", 1, [a, b])


def power(a, b):
    return node("Power", 1, [a, float(b)])


def of(kind, x, **more):
    return node(kind, 1, [x], **more)


def reduce(kind, x, axes, keep=True, opset=1):
    return node(kind, opset, [x, i64(*axes)], keep_dims=keep)


def mean(x, axes=(-1,)):
    return reduce("ReduceMean", x, axes)


def clamp(x, low, high):
    return node("Clamp", 1, [x], min=low, max=high)


def _erf(x):
    from math import erf
    return np.vectorize(erf)(x)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


ROOT = float(np.sqrt(2 / np.pi))


def _gelu_tanh(x):
    inner = mul(add(x, mul(power(x, 3), 0.044715)), ROOT)
    return mul(mul(x, 0.5), add(of("Tanh", inner), 1.0))


def _gelu_tanh_of(x):
    return 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x**3)))


SLOPES = np.array([0.1, -0.2, 0.5, 1.5, 0.01], np.float32)

ACTIVATIONS = [  # name, graph, formula
    ("gelu_erf", lambda x: mul(mul(x, add(of("Erf", div(x, float(np.sqrt(2)))), 1.0)), 0.5),
     lambda x: 0.5 * x * (1 + _erf(x / np.sqrt(2)))),
    ("gelu_tanh", _gelu_tanh, _gelu_tanh_of),
    ("gelu_of_half_precision", lambda x: mul(mul(x, add(of("Erf", mul(x, 0.70703125)), 1.0)), 0.5),
     lambda x: 0.5 * x * (1 + _erf(x * 0.70703125))),
    ("silu", lambda x: mul(x, of("Sigmoid", x)), lambda x: x * _sigmoid(x)),
    ("quick_gelu", lambda x: mul(x, of("Sigmoid", mul(x, 1.702))),
     lambda x: x * _sigmoid(float(np.float32(1.702)) * x)),
    ("sigmoid_by_exp", lambda x: div(1.0, add(of("Exp", of("Negative", x)), 1.0)), _sigmoid),
    ("mish", lambda x: mul(x, of("Tanh", of("Log", add(of("Exp", x), 1.0)))),
     lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    ("hard_swish", lambda x: div(mul(x, clamp(add(x, 3.0), 0.0, 6.0)), 6.0),
     lambda x: x * np.clip(x + 3, 0, 6) / 6),
    ("hard_sigmoid", lambda x: clamp(add(mul(x, 0.2), 0.5), 0.0, 1.0),
     lambda x: np.clip(float(np.float32(0.2)) * x + 0.5, 0, 1)),
    ("leaky_by_select", lambda x: node("Select", 1, [node("Greater", 1, [x, 0.0]), x,
                                                     mul(x, 0.1)]),
     lambda x: np.where(x > 0, x, float(np.float32(0.1)) * x)),
    ("leaky_by_maximum", lambda x: node("Maximum", 1, [x, mul(x, 0.01)]),
     lambda x: np.maximum(x, float(np.float32(0.01)) * x)),
    ("prelu_of_the_last_axis",
     lambda x: sub(of("Relu", x), mul(SLOPES, of("Relu", of("Negative", x)))),
     lambda x: np.where(x > 0, x, SLOPES * x)),
]


DIFFERENT = {
    "gelu_of_half_precision": "OpenVINO takes the constant for the root of 1/2.",
    "prelu_of_the_last_axis": "OpenVINO takes slopes along the last axis for those of the channels "
                              "where both are as many; Multiply lines them up with the last.",
}


def _activations():
    for name, graph, formula in ACTIVATIONS:
        x = normal(f"formulas/{name}", 3, 5, 5, scale=3)
        more = by_numpy(DIFFERENT[name]) if name in DIFFERENT else {}
        yield Case(f"formulas/{name}", [x], graph,
                   reference=lambda x, formula=formula: formula(x.astype(np.float64)), **more)


def _layer_norm(x, axes, eps=1e-5):
    centred = sub(x, mean(x, axes))
    return div(centred, of("Sqrt", add(mean(power(centred, 2), axes), eps)))


def _standard(x, axes, eps):
    x = x.astype(np.float64)
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axes, keepdims=True) + eps)


GAIN = uniform("formulas/gain", 0.5, 2, 17)
SHIFT = normal("formulas/shift", 17)


def _keras(x):
    average = mean(x)
    variance = mean(node("SquaredDifference", 1, [x, average]))
    scale = mul(power(add(variance, 1e-3), -0.5), GAIN)
    return add(mul(x, scale), sub(SHIFT, mul(average, scale)))


def _group_norm(x):
    parts = node("Reshape", 1, [x, i64(2, 3, -1)], special_zero=False)
    normalised = node("Reshape", 1, [_layer_norm(parts, (2,)), i64(2, 6, 5)], special_zero=False)
    return add(mul(normalised, GAIN[:6].reshape(1, 6, 1)), SHIFT[:6].reshape(1, 6, 1))


def _group_of(x):
    parts = _standard(x.reshape(2, 3, -1), (2,), 1e-5).reshape(2, 6, 5)
    return parts * GAIN[:6].reshape(1, 6, 1) + SHIFT[:6].reshape(1, 6, 1)


def _rms(x):
    inverse = div(1.0, of("Sqrt", add(mean(power(x, 2)), 1e-6)))
    return mul(mul(x, inverse), GAIN)


def _rms_of(x):
    x = x.astype(np.float64)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * GAIN


def _l2(x):
    norm = reduce("ReduceL2", x, (1,), opset=4)
    return div(x, clamp(norm, 1e-12, float(np.finfo(np.float32).max)))


def _softmax(x, logarithm=False):
    shifted = sub(x, reduce("ReduceMax", x, (-1,)))
    total = reduce("ReduceSum", of("Exp", shifted), (-1,))
    return sub(shifted, of("Log", total)) if logarithm else div(of("Exp", shifted), total)


def _softmax_once(x):
    grown = of("Exp", sub(x, reduce("ReduceMax", x, (1,))))
    return div(grown, reduce("ReduceSum", grown, (1,)))


def _shares(x, axis):
    x = x.astype(np.float64)
    grown = np.exp(x - x.max(axis, keepdims=True))
    return grown / grown.sum(axis, keepdims=True)


NORMS = [  # name, shape, graph, formula
    ("layer_norm", (2, 3, 17), lambda x: add(mul(_layer_norm(x, (-1,)), GAIN), SHIFT),
     lambda x: _standard(x, (-1,), 1e-5) * GAIN + SHIFT),
    ("layer_norm_of_channels", (2, 5, 3, 4), lambda x: _layer_norm(x, (1,)),
     lambda x: _standard(x, (1,), 1e-5)),
    ("layer_norm_of_keras", (2, 3, 17), _keras,
     lambda x: _standard(x, (-1,), 1e-3) * GAIN + SHIFT),
    ("instance_norm", (2, 3, 4, 5), lambda x: _layer_norm(x, (2, 3), 1e-3),
     lambda x: _standard(x, (2, 3), 1e-3)),
    ("group_norm", (2, 6, 5), _group_norm, _group_of),
    ("rms_norm", (2, 3, 17), _rms, _rms_of),
    ("l2", (2, 7, 3), _l2,
     lambda x: x / np.sqrt((x.astype(np.float64)**2).sum(1, keepdims=True))),
    ("softmax", (2, 7, 3), _softmax_once, lambda x: _shares(x, 1)),
    ("softmax_of_two_exps", (3, 9), _softmax, lambda x: _shares(x, -1)),
    ("log_softmax", (3, 9), lambda x: _softmax(x, True), lambda x: np.log(_shares(x, -1))),
]


def _norms():
    for name, shape, graph, formula in NORMS:
        yield Case(f"formulas/{name}", [normal(f"formulas/{name}", *shape, scale=2)], graph,
                   reference=formula)
    x = normal("formulas/outputs", 2, 9)

    def both(x):
        square = mean(power(x, 2))
        return [outputs_of(made)[0] for made in
                (div(x, of("Sqrt", add(square, 1e-6))), square)]

    yield Case("formulas/mean_square_is_an_output", [x], both,
               reference=lambda x: [
                   x / np.sqrt((x.astype(np.float64)**2).mean(-1, keepdims=True) + 1e-6),
                   (x.astype(np.float64)**2).mean(-1, keepdims=True)])


def _batch_norm(x, channels):
    shape = (1, channels, 1, 1)
    numbers = [uniform(f"formulas/bn{i}", 0.5, 2, channels).reshape(shape) for i in range(4)]
    centred = div(sub(x, numbers[0]), numbers[1])
    return add(mul(centred, numbers[2]), numbers[3])


def _constants():
    for name, grouped in (("batch_norm", False), ("batch_norm_of_depthwise", True)):
        kernel = normal(f"formulas/{name}_w", *((4, 1, 1, 3, 3) if grouped else (6, 4, 3, 3)))

        def convolved(x, kernel=kernel, grouped=grouped):
            made = node("GroupConvolution" if grouped else "Convolution", 1,
                        [x, constant(kernel)], strides=[1, 1], pads_begin=[1, 1],
                        pads_end=[1, 1], dilations=[1, 1])
            return of("Relu", _batch_norm(made, 4 if grouped else 6))

        yield Case(f"formulas/{name}", [normal(f"formulas/{name}", 1, 4, 5, 6)], convolved,
                   note="The factors go into the weights: sums of about 40 terms round otherwise.")
    weights, bias = normal("formulas/scaled_w", 9, 5), normal("formulas/scaled_b", 5)

    def scaled(x):
        product = node("MatMul", 1, [x, weights], transpose_a=False, transpose_b=False)
        return mul(mul(add(product, bias), SLOPES), 0.125)

    yield Case("formulas/factors_behind_a_product", [normal("formulas/scaled", 3, 9)], scaled,
               reference=lambda x: (x.astype(np.float64) @ weights + bias) * SLOPES * 0.125)


def _channel_numbers(name, *dims):
    return uniform(f"formulas/{name}", 0.5, 2.5, *dims)


def _snake(x, slope, height):
    return add(x, mul(power(of("Sin", mul(x, slope)), 2), height))


def _snake_over(x, slope, height):
    wave = of("Sin", mul(slope, x))
    return add(div(mul(wave, wave), height), x)


def _snake_of_cosine(x, slope, height):
    return add(x, div(sub(1.0, of("Cos", mul(mul(x, slope), 2.0))), mul(height, 2.0)))


SNAKES = [  # name, shape of x, shape of the numbers, graph, formula
    ("snake", (2, 7, 19), (1, 7, 1), _snake, lambda x, a, b: x + b * np.sin(a * x)**2),
    ("snake_of_planes", (1, 3, 4, 5), (3, 1, 1), _snake_over,
     lambda x, a, b: x + np.sin(a * x)**2 / b),
    ("snake_last", (3, 21), (21,), _snake_over, lambda x, a, b: x + np.sin(a * x)**2 / b),
    ("snake_first", (5, 1, 3), (5, 1, 1), _snake, lambda x, a, b: x + b * np.sin(a * x)**2),
    ("snake_of_one_number", (3, 7), (), _snake, lambda x, a, b: x + b * np.sin(a * x)**2),
    ("snake_scalar", (), (), _snake, lambda x, a, b: x + b * np.sin(a * x)**2),
    ("snake_of_cosine", (1, 6, 11), (6, 1), _snake_of_cosine,
     lambda x, a, b: x + np.sin(a * x)**2 / b),
]


def _snakes():
    for name, shape, dims, graph, formula in SNAKES:
        slope, height = (_channel_numbers(f"{name}_{part}", *dims) for part in ("slope", "height"))
        yield Case(f"formulas/{name}", [normal(f"formulas/{name}", *shape, scale=4)],
                   lambda x, graph=graph, slope=slope, height=height: graph(x, slope, height),
                   reference=lambda x, formula=formula, slope=slope, height=height: formula(
                       x.astype(np.float64), slope.astype(np.float64), height.astype(np.float64)))


def product(a, b, turned=False):
    return node("MatMul", 1, [a, b], transpose_a=False, transpose_b=turned)


def einsum(equation, *factors):
    return node("Einsum", 7, list(factors), equation=equation)


def reshape(x, *dims):
    return node("Reshape", 1, [x, i64(*dims)], special_zero=False)


def turn(x, *order):
    return node("Transpose", 1, [x, i64(*order)])


def _stretched(x, *dims):
    """Repeats each of 2 heads 3 times: [2, 2, rows, size] -> [2, 6, rows, size]."""
    stretched = node("Broadcast", 3, [node("Unsqueeze", 1, [x, i64(2)]), i64(*dims)],
                     mode="bidirectional")
    return reshape(stretched, dims[0], dims[1] * dims[2], *dims[3:])


def _tiled(x):
    """As _stretched, with the heads after the rows: [2, rows, 2, size] -> [2, rows, 6, size]."""
    tiled = node("Tile", 1, [node("Unsqueeze", 1, [x, i64(3)]), i64(1, 1, 1, 3, 1)])
    return reshape(tiled, 2, 7, 6, 5)


def shares(scores):
    return node("Softmax", 8, [scores], axis=-1)


def _shared(q, k, v):
    k, v = (_stretched(x, 2, 2, 3, 7, 5) for x in (k, v))
    return product(shares(product(q, k, True)), v)


def _shared_behind_turns(q, k, v):
    q, k, v = (turn(x, 0, 2, 1, 3) for x in (q, k, v))
    k, v = (_stretched(x, 2, 2, 3, 7, 5) for x in (k, v))
    return turn(product(shares(product(q, turn(k, 0, 1, 3, 2))), v), 0, 2, 1, 3)


def _shared_by_gather(q, k, v):
    k, v = (node("Gather", 8, [x, i64(0, 0, 0, 1, 1, 1), i64(1)], batch_dims=0) for x in (k, v))
    return product(shares(product(q, k, True)), v)


def _gathered_otherwise(q, k, v):
    k, v = (node("Gather", 8, [x, i64(0, 1, 0, 1, 0, 1), i64(1)], batch_dims=0) for x in (k, v))
    return product(shares(product(q, k, True)), v)


def _shared_by_all(q, k, v):
    k, v = (node("Broadcast", 3, [x, i64(2, 6, 7, 5)], mode="numpy") for x in (k, v))
    return product(shares(product(q, k, True)), v)


def _shared_by_letters(q, k, v):
    scores = einsum("BTNH,BSNH->BNTS", q, _tiled(k))
    return einsum("BNTS,BSNH->BTNH", shares(scores), _tiled(v))


def _shared_in_the_operation(q, k, v):
    k, v = (_stretched(x, 2, 2, 3, 7, 5) for x in (k, v))
    mask = normal("formulas/shared_mask", 2, 6, 4, 7)
    return node("ScaledDotProductAttention", 13, [q, k, v, mask], causal=False)


def _attended(q, k, v, mask=0):
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    return _shares(q @ k.swapaxes(2, 3) + mask, -1) @ v


def _of_rows(q, k, v):
    return _attended(*(x.swapaxes(1, 2) for x in (q, k, v))).swapaxes(1, 2)


QUERIES, KEYS = (2, 6, 4, 5), (2, 2, 7, 5)
TURNED_QUERIES, TURNED_KEYS = (2, 4, 6, 5), (2, 7, 2, 5)
HEADS = [  # name, shapes of queries and keys, graph, formula
    ("shared_heads", QUERIES, KEYS, _shared, _attended),
    ("shared_heads_behind_turns", TURNED_QUERIES, TURNED_KEYS, _shared_behind_turns, _of_rows),
    ("shared_heads_by_gather", QUERIES, KEYS, _shared_by_gather, _attended),
    ("shared_heads_in_turn", QUERIES, KEYS, _gathered_otherwise, lambda q, k, v: _attended(
        q, np.tile(k, (1, 3, 1, 1)), np.tile(v, (1, 3, 1, 1)))),
    ("shared_heads_of_one", QUERIES, (2, 1, 7, 5), _shared_by_all, _attended),
    ("shared_heads_by_letters", TURNED_QUERIES, TURNED_KEYS, _shared_by_letters, _of_rows),
    ("shared_heads_in_the_operation", QUERIES, KEYS, _shared_in_the_operation,
     lambda q, k, v: _attended(q / np.sqrt(5), k, v, normal("formulas/shared_mask", 2, 6, 4, 7))),
]


def _heads():
    for name, queries, keys, graph, formula in HEADS:
        inputs = [normal(f"formulas/{name}_{i}", *shape)
                  for i, shape in enumerate((queries, keys, keys))]
        yield Case(f"formulas/{name}", inputs, graph, reference=formula)


TRIANGLE = np.tril(np.ones((7, 7), bool))


def _causal():
    x = normal("formulas/causal", 2, 3, 7, 7, scale=2)
    masks = [
        ("chosen", lambda x: node("Select", 1, [constant(TRIANGLE), x, -3e9])),
        ("excluded", lambda x: node("Select", 1, [constant(~TRIANGLE), -np.inf, x])),
        ("added", lambda x: add(x, np.where(TRIANGLE, 0, -1e9).astype(np.float32))),
    ]
    for name, masked in masks:
        yield Case(f"formulas/causal_{name}", [x], lambda x, masked=masked: shares(masked(x)),
                   reference=lambda x: _shares(np.where(TRIANGLE, x, -np.inf), -1))


def _length(x, axes, factor):
    return of("Sqrt", mul(reduce("ReduceSum", mul(x, x), axes, keep=False), factor))


def _deviation(x):
    centred = sub(x, mean(x))
    return of("Sqrt", div(mul(reduce("ReduceMean", mul(centred, centred), (-1,), keep=False), 17.0),
                          16.0))


def _standardised(x):
    centred = sub(x, mean(x, (1,)))
    variance = div(reduce("ReduceSum", power(centred, 2), (1,)), 6.0)
    return div(centred, add(of("Sqrt", variance), 1e-3))


def _halves(x, axis, kind):
    if kind == "Split":
        parts = node("Split", 1, [x, i64(axis)[0]], num_splits=2).outputs()
    else:
        count = x.get_output_shape(0)[axis] // 2
        parts = [node("Slice", 8, [x, i64(begin), i64(begin + count), i64(1), i64(axis)])
                 for begin in (0, count)]
    return of("Sqrt", add(*(mul(part, part) for part in parts)))


def _numbers(x):
    parts = [node("Gather", 8, [x, i64(place)[0], i64(-1)[0]], batch_dims=0) for place in (0, 1)]
    return of("Sqrt", add(*(power(part, 2) for part in parts)))


def _magnitude(x, axis):
    a, b = np.split(x.astype(np.float64), 2, axis)
    return np.sqrt(a**2 + b**2)


LENGTHS = [  # name, shape, graph, formula
    ("length", (3, 17), lambda x: _length(x, (-1,), 1.0),
     lambda x: np.sqrt((x.astype(np.float64)**2).sum(-1))),
    ("length_of_two_axes", (2, 5, 3, 4), lambda x: _length(x, (1, 3), 0.25),
     lambda x: np.sqrt((x.astype(np.float64)**2).sum((1, 3)) * 0.25)),
    ("deviation", (2, 3, 17), _deviation, lambda x: x.astype(np.float64).std(-1, ddof=1)),
    ("standardised_unbiased", (2, 7, 5), _standardised,
     lambda x: (x - x.astype(np.float64).mean(1, keepdims=True)) / (
         x.astype(np.float64).std(1, ddof=1, keepdims=True) + 1e-3)),
    ("magnitude_of_parts", (2, 10, 7), lambda x: _halves(x, 1, "Split"),
     lambda x: _magnitude(x, 1)),
    ("magnitude_of_slices", (3, 5, 6), lambda x: _halves(x, 2, "Slice"),
     lambda x: _magnitude(x, 2)),
    ("magnitude_of_numbers", (2, 5, 7, 2), _numbers, lambda x: _magnitude(x, 3)[..., 0]),
]


def _lengths():
    for name, shape, graph, formula in LENGTHS:
        yield Case(f"formulas/{name}", [normal(f"formulas/{name}", *shape, scale=2)], graph,
                   reference=formula)


def cases():
    for part in (_activations, _norms, _constants, _snakes, _heads, _causal, _lengths):
        yield from part()
