# SPDX-License-Identifier: Apache-2.0
"""Attention, rotary embeddings and gates decomposed into plain operations, and operands that are
transposed before a product. The converter uses fewer steps and copies for them, with equal results."""

import numpy as np

from build import node, outputs_of
from casebook import Case, i64, normal, sizes

LOWEST = float(np.finfo(np.float32).min)


def op(kind, *inputs, opset=1, **more):
    return node(kind, opset, list(inputs), **more)


def matmul(a, b, turned=False):
    return op("MatMul", a, b, transpose_a=False, transpose_b=turned)


def transpose(x, *order):
    return op("Transpose", x, i64(*order))


def softmax(x):
    return op("Softmax", x, opset=8, axis=-1)


def _shares(scores):
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def _attention_of(q, k, v, scale=1.0, causal=True):
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    scores = q @ np.swapaxes(k, -1, -2) * scale
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    return _shares(scores) @ v


def _attention(name, graph, reference=None, queries=7, width=5, note=""):
    label = f"patterns/attention_{name}"
    inputs = [normal(label + part, 2, 3, queries, width) for part in "qkv"]
    scale = float(np.float32(width**-0.5))
    return Case(label, inputs, lambda q, k, v: graph(q, k, v, scale),
                reference=lambda *x: (reference or _attention_of)(*x, scale), note=note)


def _mask(size, least):
    return np.where(np.tri(size, dtype=bool), 0, least).astype(np.float32)


def _attentions():
    def added(q, k, v, scale):
        scores = op("Multiply", matmul(q, k, True), scale)
        return matmul(softmax(op("Add", scores, _mask(7, -np.inf))), v)

    def added_first(q, k, v, scale):
        scores = op("Divide", matmul(q, transpose(k, 0, 1, 3, 2)), 1 / scale)
        return matmul(softmax(op("Add", _mask(7, LOWEST)[None, None], scores)), v)

    def chosen(q, k, v, scale):
        scores = matmul(op("Multiply", q, scale), k, True)
        return matmul(softmax(op("Select", np.tri(7, dtype=bool), scores, -np.inf)), v)

    def excluded(q, k, v, scale):
        scores = matmul(op("Multiply", q, scale), k, True)
        behind = ~np.tri(7, dtype=bool)[None, None]
        return matmul(softmax(op("Select", behind, LOWEST, scores)), v)

    def split(q, k, v, scale):
        root = float(np.sqrt(scale))
        turned = op("Multiply", transpose(k, 0, 1, 3, 2), root)
        return matmul(softmax(matmul(op("Multiply", q, root), turned)), v)

    def strict(q, k, v, scale):
        behind = np.where(np.tri(7, k=1, dtype=bool), 0, -np.inf).astype(np.float32)
        scores = op("Multiply", matmul(q, k, True), scale)
        return matmul(softmax(op("Add", scores, behind)), v)

    def strict_of(q, k, v, scale):
        q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
        scores = np.where(np.tri(7, k=1, dtype=bool), q @ np.swapaxes(k, -1, -2) * scale, -np.inf)
        return _shares(scores) @ v

    yield _attention("mask_added", added)
    yield _attention("mask_added_first", added_first)
    yield _attention("mask_chosen", chosen)
    yield _attention("mask_excludes", excluded)
    yield _attention("scale_on_both_sides", split,
                     lambda q, k, v, scale: _attention_of(q, k, v, scale, causal=False))
    yield _attention("one_place_ahead", strict, strict_of,
                     note="A triangle beside the diagonal is a mask like others.")
    for places in (1, 16, 33):
        label = f"patterns/causal_{places}"
        inputs = [normal(label + part, 2, places, 5) for part in "qkv"]
        yield Case(label, inputs, lambda *x: op("ScaledDotProductAttention", *x, opset=13,
                                                causal=True),
                   reference=lambda *x: _attention_of(*x, 5**-0.5))


# shape of a, its permutation, shape of b, its permutation, transpose_b
TRANSPOSED = [
    ((2, 5, 3, 4), (0, 2, 1, 3), (2, 7, 3, 4), (0, 2, 3, 1), False),
    ((2, 5, 3, 4), (0, 2, 1, 3), (2, 7, 3, 4), (0, 2, 1, 3), True),
    ((5, 3, 4), (1, 0, 2), (4, 6, 3), (2, 0, 1), False),
    ((3, 4, 5), (0, 2, 1), (2, 1, 4, 3, 6), (0, 3, 1, 2, 4), False),
    ((5, 2), (1, 0), (3, 5), (1, 0), False),
    ((1, 5, 2, 4), (0, 2, 1, 3), (1, 1, 2, 4), (0, 2, 3, 1), False),
    ((3, 1, 4, 2), (1, 3, 0, 2), (2, 4, 5), (0, 1, 2), False),
]


def _transposed():
    for a, first, b, second, turned in TRANSPOSED:
        label = f"patterns/transposed_{sizes(a)}_{sizes(first)}_{sizes(b)}_{sizes(second)}"

        def graph(x, y, first=first, second=second, turned=turned):
            return matmul(transpose(x, *first), transpose(y, *second), turned)

        def reference(x, y, first=first, second=second, turned=turned):
            x, y = (np.transpose(np.asarray(z, np.float64), by) for z, by in ((x, first),
                                                                              (y, second)))
            return x @ (np.swapaxes(y, -1, -2) if turned else y)

        yield Case(f"{label}{'t' if turned else ''}", [normal(label, *a), normal(label + "b", *b)],
                   graph, reference=reference)

    def read_twice(x, y):
        turned = transpose(x, 0, 2, 1)
        return [matmul(turned, y), turned]

    yield Case("patterns/transposed_and_an_output", [normal("twice", 2, 4, 3), normal("tw", 2, 4, 5)],
               read_twice, reference=lambda x, y: [np.swapaxes(x, 1, 2) @ y, np.swapaxes(x, 1, 2)])

    def gram(x):
        turned = transpose(x, 1, 2, 0)
        return matmul(turned, turned, True)

    def gram_of(x):
        turned = np.transpose(np.asarray(x, np.float64), (1, 2, 0))
        return turned @ np.swapaxes(turned, 1, 2)

    yield Case("patterns/transposed_times_itself", [normal("gram", 5, 2, 3)], gram,
               reference=gram_of)

    def by_weights(x):
        return matmul(transpose(x, 0, 2, 1), normal("weights", 5, 3))

    yield Case("patterns/transposed_by_weights", [normal("by_weights", 2, 5, 4)], by_weights,
               reference=lambda x: np.swapaxes(x, 1, 2) @ normal("weights", 5, 3))


def halves(x, axis=-1):
    return outputs_of(op("Split", x, np.int64(axis), num_splits=2))


def places(x, begin, axis=3):
    return op("Slice", x, i64(begin), i64(2**31 - 1), i64(2), i64(axis), opset=8)


def _angles(count, width):
    return np.outer(np.arange(count), 3.0**-np.arange(width)).astype(np.float32)


def _turned(x, alternates):
    x = np.asarray(x, np.float64)
    a, b = (x[..., 0::2], x[..., 1::2]) if alternates else np.split(x, 2, -1)
    y = np.stack((-b, a), -1) if alternates else np.concatenate((-b, a), -1)
    return y.reshape(x.shape)


def _spread(values, alternates):
    return np.repeat(values, 2, -1) if alternates else np.concatenate((values, values), -1)


def _rotations():
    shape, half = (2, 3, 5, 6), 3
    angles = _angles(5, half)
    cos, sin = np.cos(angles), np.sin(angles)

    def parts(x, alternates):
        return (places(x, 0), places(x, 1)) if alternates else halves(x)

    def joined(a, b, alternates):
        if not alternates:
            return op("Concat", a, b, axis=-1)
        a, b = (op("Unsqueeze", part, i64(4)) for part in (a, b))
        return op("Reshape", op("Concat", a, b, axis=-1), i64(*shape), special_zero=False)

    def by_turning(x, alternates):
        a, b = parts(x, alternates)
        turned = joined(op("Multiply", b, -1.0), a, alternates)
        return op("Add", op("Multiply", x, _spread(cos, alternates)),
                  op("Multiply", turned, _spread(sin, alternates)))

    def by_pairs(x, alternates):
        a, b = parts(x, alternates)
        first = op("Subtract", op("Multiply", a, cos), op("Multiply", b, sin))
        second = op("Add", op("Multiply", a, sin), op("Multiply", cos, b))
        return joined(first, second, alternates)

    def reference(x, alternates):
        return x * _spread(cos, alternates) + _turned(x, alternates) * _spread(sin, alternates)

    for alternates, label in ((False, "halves"), (True, "places")):
        for graph, how in ((by_turning, "turned"), (by_pairs, "pairs")):
            yield Case(f"patterns/rotary_{label}_{how}", [normal(label, *shape)],
                       lambda x, graph=graph, alternates=alternates: graph(x, alternates),
                       reference=lambda x, alternates=alternates: reference(x, alternates))

    def at_run_time(x, angles):
        a, b = parts(x, False)
        turned = joined(op("Negative", b), a, False)
        return op("Add", op("Multiply", x, op("Cos", angles)),
                  op("Multiply", turned, op("Sin", angles)))

    yield Case("patterns/rotary_at_run_time", [normal("run", *shape), normal("angle", 5, 6)],
               at_run_time,
               reference=lambda x, by: x * np.cos(by) + _turned(x, False) * np.sin(by))

    def exchanged(x):
        a, b = halves(x)
        return op("Concat", b, a, axis=-1)

    yield Case("patterns/halves_exchanged", [normal("exchanged", 3, 4)], exchanged,
               reference=lambda x: np.roll(x, 2, -1))

    def read_twice(x):
        a, b = halves(x)
        turned = joined(op("Negative", b), a, False)
        return [turned, op("Relu", b)]

    yield Case("patterns/half_is_read_elsewhere", [normal("elsewhere", *shape)], read_twice,
               reference=lambda x: [_turned(x, False), np.maximum(x[..., 3:], 0)])

    def squares(x):
        a, b = halves(x)
        return op("Concat", op("Multiply", b, b), op("Negative", a), axis=-1)

    yield Case("patterns/halves_squared", [normal("squared", 3, 4)], squares,
               reference=lambda x: np.concatenate((x[:, 2:]**2, -x[:, :2]), -1))


def _gates():
    weights, bias = normal("gate", 7, 48), normal("gate_bias", 48)

    def by(cut, finish, biased=True, turned=False):
        def graph(x):
            y = matmul(x, weights.T if turned else weights, turned)
            return finish(*cut(op("Add", y, bias) if biased else y))

        return graph

    def split(x):
        return outputs_of(op("VariadicSplit", x, np.int64(-1), i64(16, 32)))

    def slices(x):
        return [op("Slice", x, i64(begin), i64(end), i64(1), i64(-1), opset=8)
                for begin, end in ((32, 48), (0, 16))]

    def glu(a, b):
        return op("Multiply", a, op("Sigmoid", b))

    def of(x, biased=True):
        y = np.asarray(x, np.float64) @ weights
        return y + bias if biased else y

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    rows = normal("gates", 2, 3, 7)
    yield Case("patterns/gate_halves", [rows], by(lambda x: halves(x), glu),
               reference=lambda x: np.split(of(x), 2, -1)[0] * sigmoid(np.split(of(x), 2, -1)[1]))
    yield Case("patterns/gate_slices", [rows], by(slices, glu, turned=True),
               reference=lambda x: of(x)[..., 32:] * sigmoid(of(x)[..., :16]))
    yield Case("patterns/gate_without_bias", [rows], by(slices, glu, biased=False),
               reference=lambda x: of(x, False)[..., 32:] * sigmoid(of(x, False)[..., :16]))
    yield Case("patterns/uneven_parts", [rows], by(split, lambda a, b: [a, b]),
               reference=lambda x: [of(x)[..., :16], of(x)[..., 16:]])
    yield Case("patterns/parts_of_one_row", [normal("row", 1, 7)], by(lambda x: halves(x), glu),
               reference=lambda x: np.split(of(x), 2, -1)[0] * sigmoid(np.split(of(x), 2, -1)[1]))

    def whole_too(x):
        y = op("Add", matmul(x, weights), bias)
        return [glu(*halves(y)), y]

    yield Case("patterns/parts_and_the_whole", [rows], whole_too,
               reference=lambda x: [np.split(of(x), 2, -1)[0] * sigmoid(np.split(of(x), 2, -1)[1]),
                                    of(x)])

    def overlapping(x):
        y = op("Add", matmul(x, weights), bias)
        a, b = (op("Slice", y, i64(begin), i64(begin + 24), i64(1), i64(2), opset=8)
                for begin in (0, 16))
        return op("Add", a, b)

    yield Case("patterns/parts_overlap", [rows], overlapping,
               reference=lambda x: of(x)[..., :24] + of(x)[..., 16:40])


def cases():
    for part in (_attentions, _transposed, _rotations, _gates):
        yield from part()
