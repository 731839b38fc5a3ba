# SPDX-License-Identifier: Apache-2.0
"""RandomUniform with seeds, which the converter folds to a constant: the numbers of the first run."""

import numpy as np

from build import node
from casebook import Case, by_numpy, exact, i64, sizes


def drawn(shape, low, high, kind, **attributes):
    """A graph function without inputs that creates a RandomUniform node."""
    dtype = {"f16": np.float16, "i32": np.int32, "i64": np.int64}.get(kind, np.float32)
    made = np.array(low, dtype), np.array(high, dtype)
    if kind == "bf16":
        made = tuple(node("Convert", 1, [limit], destination_type="bf16") for limit in made)
    return node("RandomUniform", 8, [i64(*shape), *made], output_type=kind, **attributes)


def _philox(global_seed, op_seed, count):
    """Random words by Philox-4x32-10, as specified."""
    words = []
    for block in range(-(-count // 4)):
        n, counter = (block & 0xFFFFFFFF, block >> 32), (op_seed & 0xFFFFFFFF, op_seed >> 32)
        key = (global_seed & 0xFFFFFFFF, global_seed >> 32)
        for _ in range(10):
            first, second = 0xD2511F53 * n[0], 0xCD9E8D57 * counter[0]
            n = ((second >> 32) ^ n[1] ^ key[0], second & 0xFFFFFFFF)
            counter = ((first >> 32) ^ counter[1] ^ key[1], first & 0xFFFFFFFF)
            key = ((key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF)
        words += [*n, *counter]
    return np.array(words, np.uint64)


def _twister(global_seed, count):
    bits = np.random.MT19937()
    bits._legacy_seeding(global_seed & 0xFFFFFFFF)
    return np.array([bits.random_raw() for _ in range(count + 3)], np.uint64)


def _words(count, global_seed=0, op_seed=0, alignment="tensorflow"):
    if alignment == "pytorch":
        return _twister(global_seed, count)
    return _philox(global_seed, op_seed, count)


def _integers(shape, low, high, kind, **attributes):
    count = int(np.prod(shape))
    words = _words(2 * count, **attributes)
    like_pytorch = attributes.get("alignment") == "pytorch"
    if kind == "i64" and not (like_pytorch and high < 2**32):
        first, second = words[0:2 * count:2], words[1:2 * count:2]
        high_half, low_half = (first, second) if like_pytorch else (second, first)
        words = (high_half << np.uint64(32)) + low_half
    numbers = [int(word) % (high - low) + low for word in words[:count]]
    return np.array(numbers, {"i32": np.int32, "i64": np.int64}[kind]).reshape(shape)


def _floats(shape, low, high, kind, **attributes):
    count = int(np.prod(shape))
    dtype = {"f16": np.float16}.get(kind, np.float32)
    like_pytorch = attributes.get("alignment") == "pytorch"
    bits = {"f32": 23, "f16": 10}[kind] + (1 if like_pytorch else 0)
    words = _words(count, **attributes)[:count] & np.uint64(2**bits - 1)
    low, high = dtype(low), dtype(high)
    if like_pytorch:
        fractions = words.astype(np.float32) * np.float32(2.0**-bits)
        numbers = (fractions * np.float32(high - low) + np.float32(low)).astype(dtype)
    else:
        numbers = words.astype(dtype) * dtype(2.0**-bits) * (high - low) + low
    return numbers.reshape(shape)


FLOATS = [
    ((3, 3), 0, 1, {"global_seed": 150, "op_seed": 10}),
    ((5,), -2, 6, {"global_seed": 0, "op_seed": 7}),
    ((2, 1, 17), 10, 11.5, {"global_seed": 2**40 + 3, "op_seed": 2**35 + 1}),
    ((), 0, 1, {"global_seed": 9, "op_seed": 0}),
    ((0, 3), 0, 1, {"global_seed": 9, "op_seed": 0}),
]
INTEGERS = [
    ("i32", (2, 3), 50, 100, {"global_seed": 80, "op_seed": 100}),
    ("i32", (7,), -2**30, 2**30 - 1, {"global_seed": 3, "op_seed": 1}),
    ("i64", (2, 5), -7, 12, {"global_seed": 80, "op_seed": 100}),
    ("i64", (3, 1, 3), 5, 2**40, {"global_seed": 1, "op_seed": 0}),
]
HALVES = by_numpy("OpenVINO's CPU device draws f32 and rounds; the document draws f16's own bits.")
SCALAR = by_numpy("OpenVINO's CPU device leaves a result without axes unwritten.")
LONG = by_numpy("OpenVINO's CPU device draws i32; the document makes an i64 of two words.")


def _float_case(kind, alignment, shape, low, high, seeds):
    given = {"alignment": alignment, **seeds}
    more = HALVES if kind == "f16" else {}
    if kind == "f32" and shape == ():
        more = SCALAR
    # The CPU device scales f32 in one rounding.
    return Case(f"random_uniform/{kind}_{alignment}_{sizes(shape)}", [],
                lambda: drawn(shape, low, high, kind, **given),
                reference=lambda: _floats(shape, low, high, kind, **given), rtol=2e-7, atol=0.0,
                **more)


def _integer_case(kind, alignment, shape, low, high, seeds):
    given = {"alignment": alignment, **seeds}
    pairs = kind == "i64" and (alignment == "tensorflow" or high >= 2**32)
    return exact(f"random_uniform/{kind}_{alignment}_{sizes(shape)}", [],
                 lambda: drawn(shape, low, high, kind, **given),
                 lambda: _integers(shape, low, high, kind, **given), **(LONG if pairs else {}))


def cases():
    for alignment in ("tensorflow", "pytorch"):
        for kind in ("f32", "f16"):
            for row in FLOATS:
                yield _float_case(kind, alignment, *row)
        for kind, *row in INTEGERS:
            yield _integer_case(kind, alignment, *row)
