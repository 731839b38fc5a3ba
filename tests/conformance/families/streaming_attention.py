# SPDX-License-Identifier: Apache-2.0
"""Causal attention along time: `weft convert --streaming` converts all of these models, with one step
a run and with several. The goldens are those of the original models."""

import numpy as np

from build import node
from casebook import i64, normal, recurrent

STEPS, WIDTH, SIZE = 24, 6, 3
NOTHING = np.float32(-np.inf)


def _places(steps):
    return np.mgrid[:steps, :steps]


def _window(steps, window, excluded=NOTHING):
    at, key = _places(steps)
    return np.where((key <= at) & (at - key < window), np.float32(0), excluded)


def _chunks(steps, chunk, before):
    at, key = _places(steps)
    distance = at // chunk - key // chunk
    return np.where((distance >= 0) & (distance <= before), np.float32(0), NOTHING)


def _projected(x, label, width):
    y = node("MatMul", 1, [x, normal(label, WIDTH, width, scale=0.5)], transpose_a=False,
             transpose_b=False)
    return node("Add", 1, [y, normal(label + "b", width)])


def _heads(x, label, heads, steps=STEPS):
    y = _projected(x, label, heads * SIZE)
    y = node("Reshape", 1, [y, i64(1, steps, heads, SIZE)], special_zero=False)
    return node("Transpose", 1, [y, i64(0, 2, 1, 3)])


def _joined(y, heads, steps=STEPS):
    y = node("Transpose", 1, [y, i64(0, 2, 1, 3)])
    return node("Reshape", 1, [y, i64(1, steps, heads * SIZE)], special_zero=False)


def _product(a, b, turned=False):
    return node("MatMul", 1, [a, b], transpose_a=False, transpose_b=turned)


def _attended(x, label, heads, mask, steps=STEPS, scale=0.6):
    query, key, value = (_heads(x, label + part, heads, steps) for part in "qkv")
    scores = node("Multiply", 1, [_product(query, key, True), np.float32(scale)])
    shares = node("Softmax", 8, [mask(scores)], axis=-1)
    return _joined(_product(shares, value), heads, steps)


def _added(numbers):
    return lambda scores: node("Add", 1, [scores, np.asarray(numbers, np.float32)])


def _block(x):
    """Two layers with residuals, learned positions and a full causal mask."""
    x = node("Add", 1, [x, normal("bp", 1, STEPS, WIDTH)])
    for layer in ("b1", "b2"):
        y = _attended(x, layer, 2, _added(_window(STEPS, STEPS, np.float32(-1e9))))
        x = node("Add", 1, [x, y])
        y = node("Gelu", 7, [_projected(x, layer + "f", WIDTH)], approximation_mode="ERF")
        x = node("Add", 1, [x, y])
    return x


def _distances(x):
    """Biases by distance (ALiBi) and a different window for each head."""
    at, key = _places(STEPS)
    slopes = np.float32(0.5)**np.arange(1, 4, dtype=np.float32)[:, None, None]
    masks = np.stack([_window(STEPS, 5 + 4 * head) for head in range(3)])
    return _attended(x, "di", 3, _added((masks - slopes * (at - key))[None]))


def _chosen(x):
    """The scores of a window, selected by a boolean mask."""
    flags = _window(STEPS, 7) == 0
    return _attended(x, "ch", 2,
                     lambda scores: node("Select", 1, [flags, scores, np.float32(-1e9)]))


def _capped(x):
    """Scores that tanh limits, then a bias by distance and a full causal mask; the shares are
    quantised and scaled."""
    at, key = _places(STEPS)
    query, keys, value = (_heads(x, "ca" + part, 2) for part in "qkv")
    scores = node("Multiply", 1, [node("Tanh", 1, [_product(query, keys, True)]), np.float32(3)])
    biased = node("Subtract", 1, [scores, (0.3 * (at - key)).astype(np.float32)])
    masked = _added(_window(STEPS, STEPS, np.float32(-1e9)))(biased)
    limited = node("Maximum", 1, [masked, np.finfo(np.float32).min])
    shares = node("Softmax", 8, [limited], axis=-1)
    ends = [np.float32(0), np.float32(1)]
    codes = node("FakeQuantize", 1, [shares, *ends, *ends], levels=256)
    return _joined(_product(node("Multiply", 1, [codes, np.float32(0.9)]), value), 2)


def _of_relu(x):
    """Attention without softmax: squares of positive scores, selected by a causal mask."""
    query, keys, value = (_heads(x, "ar" + part, 2) for part in "qkv")
    positive = node("Relu", 1, [_product(query, keys, True)])
    squares = node("Power", 1, [positive, np.float32(2)])
    seen = node("Select", 1, [_window(STEPS, 9) == 0, squares, np.float32(0)])
    return _joined(_product(seen, value), 2)


def _in_chunks(x):
    """Each position attends to its chunk of four and to the previous chunk."""
    return _attended(x, "ic", 2, _added(_chunks(STEPS, 4, 1)))


def _within_chunks(x):
    """Each position attends to earlier positions in its chunk of six and in the previous chunk."""
    mask = np.minimum(_chunks(STEPS, 6, 1), _window(STEPS, STEPS))
    return _attended(x, "wc", 2, _added(mask))


def _rotated(x, label):
    halves = [node("Slice", 8, [x, i64(at), i64(at + 2), i64(1), i64(3)]) for at in (0, 2)]
    turned = node("Concat", 1, [node("Negative", 1, [halves[1]]), halves[0]], axis=3)
    angle = np.arange(STEPS)[:, None] * np.array([1, 0.1, 1, 0.1])
    parts = [node("Multiply", 1, [one, by(angle).astype(np.float32)])
             for one, by in ((x, np.cos), (turned, np.sin))]
    return node("Add", 1, parts)


def _shared_keys(x):
    """Four query heads, two key heads, rotary positions; uses ScaledDotProductAttention."""
    def heads(label, count):
        y = _projected(x, label, count * 4)
        y = node("Reshape", 1, [y, i64(1, STEPS, count, 4)], special_zero=False)
        return node("Transpose", 1, [y, i64(0, 2, 1, 3)])

    def twice(y):
        y = node("Broadcast", 3, [node("Unsqueeze", 1, [y, i64(2)]), i64(1, 2, 2, STEPS, 4)],
                 mode="numpy")
        return node("Reshape", 1, [y, i64(1, 4, STEPS, 4)], special_zero=False)

    query = _rotated(heads("skq", 4), "skq")
    key = twice(_rotated(heads("skk", 2), "skk"))
    return node("ScaledDotProductAttention", 13, [query, key, twice(heads("skv", 2))], causal=True)


def _behind_windows(x):
    """A strided convolution, then attention over a window of its frames."""
    y = node("Transpose", 1, [x, i64(0, 2, 1)])
    y = node("Convolution", 1, [y, normal("bw", WIDTH, WIDTH, 4, scale=0.4)], strides=[2],
             dilations=[1], pads_begin=[2], pads_end=[0], auto_pad="explicit")
    y = node("Transpose", 1, [node("Relu", 1, [y]), i64(0, 2, 1)])
    half = STEPS // 2
    return _attended(y, "bw", 2, _added(_window(half, 5)), half)


def _turned(x):
    """Keys and values with time already as the last axis; batch 2."""
    def split(label, order):
        y = node("Reshape", 1, [_projected(x, label, 2 * SIZE), i64(2, STEPS, 2, SIZE)],
                 special_zero=False)
        return node("Transpose", 1, [y, i64(*order)])

    scores = _product(split("tuq", (0, 2, 1, 3)), split("tuk", (0, 2, 3, 1)))
    shares = node("Softmax", 8, [_added(_window(STEPS, 9))(scores)], axis=-1)
    y = _product(shares, split("tuv", (0, 2, 3, 1)), True)
    y = node("Transpose", 1, [y, i64(0, 2, 1, 3)])
    return node("Reshape", 1, [y, i64(2, STEPS, 2 * SIZE)], special_zero=False)


def _one_head(x):
    """Three query heads and one key head, which is also the value head."""
    query, key = _heads(x, "ohq", 3), _heads(x, "ohk", 1)
    shares = node("Softmax", 8, [_added(_window(STEPS, 18))(_product(query, key, True))], axis=-1)
    return _joined(_product(shares, key), 3)


def cases():
    for name, graph in (("attention_block", _block), ("attention_by_distance", _distances),
                        ("attention_chosen", _chosen), ("attention_capped", _capped),
                        ("attention_of_relu", _of_relu), ("attention_in_chunks", _in_chunks),
                        ("attention_within_chunks", _within_chunks),
                        ("attention_of_shared_keys", _shared_keys),
                        ("attention_behind_windows", _behind_windows),
                        ("attention_of_one_key_head", _one_head)):
        yield recurrent(f"streaming/{name}", [normal(name, 1, STEPS, WIDTH)], graph)
    yield recurrent("streaming/attention_turned", [normal("attention_turned", 2, STEPS, WIDTH)],
                    _turned)
