# SPDX-License-Identifier: Apache-2.0
"""ScaledDotProductAttention: broadcast shapes, both kinds of masks, the causal form, scales and the
nodes that exporters add around it."""

import numpy as np

from build import node
from casebook import Case, flags, i64, normal, recurrent, sizes
from families.sequences import DEFAULT, GATES, stacked

# query, key, value: odd sizes, another row length in value, heads that share keys, different ranks,
# many batches, one key
SHAPES = [
    ((2, 3, 5), (2, 7, 5), (2, 7, 4)),
    ((1, 2, 7, 16), (1, 2, 9, 16), (1, 2, 9, 17)),
    ((2, 4, 7, 5), (2, 1, 9, 5), (2, 1, 9, 3)),
    ((3, 4, 5), (2, 1, 6, 5), (2, 3, 6, 5)),
    ((2, 1, 3, 2, 3, 5), (2, 1, 3, 2, 4, 5), (2, 1, 3, 2, 4, 3)),
    ((2, 5, 4), (2, 1, 4), (2, 1, 3)),
]

QUERY, KEY, VALUE = (2, 3, 5, 8), (2, 3, 6, 8), (2, 3, 6, 7)

# Scores that are easy to compute by hand.
SMALL = (np.array([[[1, 0], [0, 1], [1, 1]]], np.float32),
         2 * np.array([[[1, 0], [0, 1], [1, 1]]], np.float32),
         np.arange(6, dtype=np.float32).reshape(1, 3, 2))


def _attend(query, key, value, mask=None, scale=None, causal=False):
    """The formula of the OpenVINO specification, in double."""
    query, key, value = (np.asarray(x, np.float64) for x in (query, key, value))
    scale = 1 / np.sqrt(query.shape[-1]) if scale is None else np.asarray(scale).item()
    scores = query @ np.swapaxes(key, -1, -2) * scale
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    elif mask is not None and mask.dtype == bool:
        scores = np.where(mask, scores, -np.inf)
    elif mask is not None:
        scores = scores + np.asarray(mask, np.float64)
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True) @ value


def _node(*inputs, causal=False):
    return node("ScaledDotProductAttention", 13, list(inputs), causal=causal)


def _factors(label, query=QUERY, key=KEY, value=VALUE):
    return [normal(label, *query), normal(label + "k", *key), normal(label + "v", *value)]


def _case(name, factors, run=(), fixed=(), causal=False, **more):
    """`run`: mask and scale that are inputs; `fixed`: mask and scale that are constants."""
    return Case(f"attention/{name}", [*factors, *run],
                lambda *x: _node(*x, *fixed, causal=causal),
                reference=lambda *x: _attend(*x, *fixed, causal=causal), **more)


def _shapes():
    for query, key, value in SHAPES:
        label = f"{sizes(query)}_{sizes(key)}_{sizes(value)}"
        yield _case(label, _factors(label, query, key, value))
    yield _case("causal", SMALL, causal=True)
    yield _case("causal_more_keys", _factors("cmk"), causal=True,
                note="The first query attends to the first key alone.")
    yield _case("causal_more_queries",
                _factors("cmq", (2, 7, 5), (2, 4, 5), (2, 4, 3)), causal=True)
    query, key, value = _factors("large", (2, 3, 16), (2, 33, 16), (2, 33, 5))
    yield _case("large_scores", [np.round(query * 12), np.round(key * 12), value],
                note="Scores of some hundreds, all exact.")


def _float_masks():
    for shape in ((5, 1), (2, 1, 1, 6), (3, 5, 6), (2, 3, 5, 6)):
        label = f"mask_{sizes(shape)}"
        yield _case(label, _factors(label), [normal(label + "m", *shape)])
    label = "mask_of_more_batches"
    yield _case(label, _factors(label, (5, 1, 8), (1, 6, 8), (1, 6, 7)),
                [normal(label + "m", 2, 5, 1, 6)])
    label = "mask_const"
    yield _case(label, _factors(label), fixed=[normal(label + "m", 5, 6)])
    lowest = np.where(flags("lowest", 5, 6), 0, np.finfo(np.float32).min).astype(np.float32)
    yield _case("mask_lowest", _factors("lowest"), [lowest],
                note="The lowest number where exporters mean minus infinity.")
    excluded = np.where(flags("inf", 5, 6), 0, -np.inf).astype(np.float32)
    excluded[:, 0] = 0
    excluded[2] = -np.inf
    yield _case("mask_of_nothing", _factors("none"), [excluded],
                note="A query that may attend to no key gives NaN.")


def _boolean_masks():
    for shape in ((1, 6), (2, 1, 1, 6)):
        label = f"boolean_{sizes(shape)}"
        mask = flags(label + "m", *shape)
        mask[..., 1] = True
        yield _case(label, _factors(label), [mask])
    mask = flags("bc", 5, 6)
    mask[:, 3] = True
    yield _case("boolean_const", _factors("bc"), fixed=[mask])
    mask = mask.copy()
    mask[4] = False
    yield _case("boolean_of_nothing", _factors("bn"), [mask],
                note="A query that may attend to no key gives NaN.")


def _scales():
    zero = np.float32(0)
    yield _case("scale_one", SMALL, fixed=[zero, np.float32(1)],
                note="The zero stands for no mask, as exporters write it.")
    yield _case("scale_computed", _factors("sr"), [np.array(0, np.float32),
                                                   np.array(0.7, np.float32)])
    mask = normal("sm", 5, 6)
    yield _case("scale_behind_a_mask", _factors("sm"), [mask, np.array([-0.3], np.float32)])
    yield _case("causal_ignores_its_mask", _factors("ci"), [mask], causal=True)
    yield _case("causal_with_scale", _factors("cs"), fixed=[zero, np.float32(0.5)], causal=True)


def _exports():
    """The nodes that torch and ONNX add around it."""
    def heads(x, weights):
        x = node("MatMul", 1, [x, weights], transpose_a=False, transpose_b=True)
        x = node("Reshape", 1, [x, i64(2, -1, 4, 8)], special_zero=False)
        return node("Transpose", 1, [x, i64(0, 2, 1, 3)])

    weights = [normal(f"heads{i}", 32, 32, scale=0.2) for i in range(4)]

    def layer(x):
        y = _node(*(heads(x, matrix) for matrix in weights[:3]), causal=True)
        y = node("Transpose", 1, [y, i64(0, 2, 1, 3)])
        y = node("Reshape", 1, [y, i64(2, -1, 32)], special_zero=False)
        return node("MatMul", 1, [y, weights[3]], transpose_a=False, transpose_b=True)

    def layer_of(x):
        parts = [(x @ matrix.T.astype(np.float64)).reshape(2, -1, 4, 8).swapaxes(1, 2)
                 for matrix in weights[:3]]
        y = _attend(*parts, causal=True).swapaxes(1, 2)
        return y.reshape(2, -1, 32) @ weights[3].T

    yield Case("attention/self_attention", [normal("self", 2, 9, 32)], layer, reference=layer_of)

    def guarded(query, key, value, mask):
        y = _node(query, key, value, mask)
        return node("Select", 1, [node("IsNaN", 10, [y]), 0.0, y])

    mask = flags("guarded", 5, 6)
    mask[1] = False
    yield Case("attention/nan_replaced", [*_factors("guarded"), mask], guarded,
               reference=lambda *x: np.nan_to_num(_attend(*x)),
               note="What ONNX puts behind it where rows may be empty.")


def _streams():
    """A memory that all steps of a sequence attend to."""
    def graph(x):
        w, r, b = stacked("attend", 1, GATES["GRUSequence"], 6, 8)
        hidden = node("GRUSequence", 5, [x, np.zeros((2, 1, 8), np.float32),
                                         np.full(2, 12, np.int32), w, r, b],
                      hidden_size=8, direction="forward", activations=DEFAULT["GRUSequence"])
        queries = node("Squeeze", 1, [hidden, i64(1)])
        return _node(queries, normal("memory", 2, 5, 8), normal("contents", 2, 5, 7))

    yield recurrent("attention/memory_of_a_sequence", [normal("attend", 2, 12, 6)], graph)


def cases():
    for part in (_shapes, _float_masks, _boolean_masks, _scales, _exports, _streams):
        yield from part()
