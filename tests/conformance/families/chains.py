# SPDX-License-Identifier: Apache-2.0
"""Consecutive unary and binary operations, which the converter fuses into chain steps: the maximum
length and one more, broadcast operands, values that are read twice, loops, edge values."""

import numpy as np

from build import node
from casebook import Case, by_numpy, normal, uniform
from families.loop import loop
from reference.iterate import forward

LEAST = np.float32(0.25)


def add(a, b):
    return node("Add", 1, [a, b])


def sub(a, b):
    return node("Subtract", 1, [a, b])


def mul(a, b):
    return node("Multiply", 1, [a, b])


def of(kind, x, **more):
    return node(kind, 1, [x], **more)


def _long(count):
    """`count` chain instructions that cannot be merged: tanh, then a sum with the input."""

    def graph(x):
        y = x
        for i in range(count):
            y = of("Tanh", y) if i % 2 == 0 else add(y, x)
        return y

    def formula(x):
        y = x
        for i in range(count):
            y = np.tanh(y) if i % 2 == 0 else y + x
        return y

    return graph, formula


def _decayed(a, b, c):
    """One step of a leaky state: two operations of the chain read one value."""
    gate = of("Sigmoid", a)
    return add(mul(gate, b), mul(sub(np.float32(1), gate), of("Tanh", c)))


def _decayed_of(a, b, c):
    gate = 1 / (1 + np.exp(-a.astype(np.float64)))
    return gate * b + (1 - gate) * np.tanh(c)


def _energy(x, scale, offset):
    """Per-channel normalisation of energies."""
    gained = node("Power", 1, [add(mul(x, scale), LEAST), np.float32(0.5)])
    return sub(gained, of("Sqrt", of("Abs", offset)))


def _energy_of(x, scale, offset):
    return np.power(x * scale + LEAST, 0.5) - np.sqrt(np.abs(offset))


def _kept(x, y):
    """An intermediate value of the chain is also an output of the model."""
    sums = add(x, y)
    return [sums, mul(of("Tanh", sums), y)]


def _kept_of(x, y):
    return x + y, np.tanh(x + y) * y


def _edges(x, y):
    """NaN and infinities through functions that preserve them."""
    return node("Maximum", 1, [of("Relu", mul(x, y)), node("Minimum", 1, [x, sub(y, x)])])


def _edges_of(x, y):
    with np.errstate(invalid="ignore"):
        product = x * y
        return np.maximum(np.where(product < 0, np.float32(0), product), np.minimum(x, y - x))


def _looped(x, state, scale):

    def body(_, slices, states, invariants):
        kept = _decayed(slices[0], states[0], mul(slices[0], invariants[0]))
        return [kept], [kept]

    return loop(body, 5, [(x, forward(0))], [state], [scale], [(1, 0), (0, None)])


def _looped_of(x, state, scale):
    every = []
    for row in x:
        state = _decayed_of(row[None], state, row[None] * scale).astype(np.float32)
        every.append(state)
    return np.concatenate(every), state


def cases():
    for count in (2, 15, 16, 17, 33):
        graph, formula = _long(count)
        yield Case(f"chains/of_{count}", [normal(f"chain_{count}", 3, 7)], graph, reference=formula)
    for label, shapes in (("whole", [(5, 9)] * 3), ("row", [(5, 9), (9,), (5, 9)]),
                          ("column", [(5, 9), (5, 1), (1, 9)]),
                          ("number", [(5, 9), (), (1, 1)]), ("grown", [(5, 1), (1, 9), (5, 9)]),
                          ("planes", [(2, 3, 4, 5), (3, 1, 1), (2, 1, 4, 1)]),
                          ("many_axes", [(2, 1, 2, 1, 3), (3, 1, 3, 1), (2, 3, 1, 3, 1)]),
                          ("rank_0", [()] * 3), ("long", [(3, 700), (3, 1), (700,)]),
                          ("short_rows", [(700, 3), (3,), (700, 1)])):
        arrays = [normal(f"chain_{label}{i}", *shape) for i, shape in enumerate(shapes)]
        yield Case(f"chains/{label}", arrays, _decayed, reference=_decayed_of)
    energies = [uniform("chain_energy", 0, 4, 4, 33), uniform("chain_scale", 0.5, 2, 33),
                normal("chain_offset", 4, 1)]
    yield Case("chains/energy", energies, _energy, reference=_energy_of)
    yield Case("chains/kept", [normal("chain_kx", 3, 5), normal("chain_ky", 3, 5)], _kept,
               reference=_kept_of)
    yield Case("chains/empty", [np.zeros((0, 5), np.float32)] * 3, _decayed, reference=_decayed_of)
    edges = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-30], np.float32)
    yield Case("chains/edges", [np.repeat(edges, 8), np.tile(edges, 8)], _edges,
               reference=_edges_of,
               **by_numpy("A NaN stays one; of one that ReLU gets OpenVINO's CPU device makes 0."))
    looped = [normal("chain_lx", 5, 6), normal("chain_ls", 1, 6), normal("chain_lw", 1, 6)]
    yield Case("chains/looped", looped, _looped, reference=_looped_of)
