# SPDX-License-Identifier: Apache-2.0
"""Stacks of recurrent layers with steps between them that work on each time step alone, as exporters
write them: the loops of the layers, and those steps, can be one loop (--arena-budget)."""

import numpy as np

from build import node
from casebook import i64, normal, recurrent
from families.sequences import DEFAULT, GATES, REFERENCES, stacked

STEPS, INPUTS = 13, 10


class _Model:
    """One description for nodes and for NumPy; x is [1, steps, features]."""
    def __init__(self, x, numpy):
        self.x, self.numpy, self.layer = x, numpy, 0

    def sequence(self, x, kind, inputs, hidden, direction="forward"):
        self.layer += 1
        w, r, b = stacked(f"stack{self.layer}{kind}", 1, GATES[kind], inputs, hidden)
        states = [np.zeros((1, 1, hidden), np.float32)] * (2 if kind == "LSTMSequence" else 1)
        lengths = np.full(1, STEPS, np.int32)
        if self.numpy:
            made = REFERENCES[kind](x, *states, lengths, w, r, b, direction=direction)
            return np.squeeze(made[0], 1)
        made = node(kind, 5, [x, *states, lengths, w, r, b], hidden_size=hidden,
                    direction=direction, activations=DEFAULT[kind])
        return node("Squeeze", 1, [made, i64(1)])

    def dense(self, x, inputs, outputs):
        self.layer += 1
        weights = normal(f"stack{self.layer}d", inputs, outputs, scale=0.4)
        bias = normal(f"stack{self.layer}b", outputs)
        if self.numpy:
            return x @ weights + bias
        product = node("MatMul", 1, [x, weights], transpose_a=False, transpose_b=False)
        return node("Add", 1, [product, bias])

    def relu(self, x):
        return np.maximum(x, 0) if self.numpy else node("Relu", 1, [x])

    def add(self, a, b):
        return a + b if self.numpy else node("Add", 1, [a, b])

    def norm(self, x, features):
        """Over the features, with a factor and a bias of each."""
        self.layer += 1
        factor = normal(f"stack{self.layer}f", features) + np.float32(1)
        if self.numpy:
            centred = x - x.mean(-1, keepdims=True)
            return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * factor
        made = node("MVN", 6, [x, i64(-1)], normalize_variance=True, eps=1e-5,
                    eps_mode="inside_sqrt")
        return node("Multiply", 1, [made, factor])

    def tanhs(self, x, features):
        """Twice, with time as the rows of a matrix in between."""
        if self.numpy:
            return np.tanh(np.tanh(x))
        rows = node("Reshape", 1, [node("Tanh", 1, [x]), i64(STEPS, features)], special_zero=False)
        return node("Reshape", 1, [node("Tanh", 1, [rows]), i64(1, STEPS, features)],
                    special_zero=False)

    def last(self, x):
        return x[:, -1] if self.numpy else node("Gather", 8, [x, np.array(-1), np.array(1)])


def _dense(m):
    y = m.sequence(m.x, "LSTMSequence", INPUTS, 16)
    y = m.sequence(m.relu(m.dense(y, 16, 9)), "LSTMSequence", 9, 16)
    return m.last(m.sequence(m.relu(m.dense(y, 16, 7)), "LSTMSequence", 7, 5))


def _normalised(m):
    y = m.norm(m.sequence(m.x, "GRUSequence", INPUTS, 17), 17)
    return m.last(m.sequence(m.norm(m.sequence(y, "GRUSequence", 17, 17), 17), "GRUSequence", 17, 3))


def _residual(m):
    first = m.sequence(m.x, "LSTMSequence", INPUTS, 16)
    second = m.add(m.sequence(first, "LSTMSequence", 16, 16), first)
    third = m.add(m.sequence(second, "LSTMSequence", 16, 16), second)
    return m.last(m.sequence(third, "GRUSequence", 16, 4))


def _flat(m):
    y = m.tanhs(m.sequence(m.x, "GRUSequence", INPUTS, 8), 8)
    return m.sequence(y, "RNNSequence", 8, 6)


def _reverse(m):
    y = m.relu(m.dense(m.sequence(m.x, "GRUSequence", INPUTS, 8, "reverse"), 8, 8))
    return m.sequence(y, "LSTMSequence", 8, 6, "reverse")


def _input_again(m):
    """The network's input is added to what a layer makes of it."""
    y = m.add(m.sequence(m.x, "LSTMSequence", INPUTS, INPUTS), m.x)
    return m.last(m.sequence(y, "GRUSequence", INPUTS, 6))


# With budgets in bytes that only plans with one loop keep.
MODELS = ((_dense, 1200), (_normalised, 1200), (_residual, 1400), (_flat, None), (_reverse, 830),
          (_input_again, 1000))


def cases():
    for build, budget in MODELS:
        name = build.__name__[1:]
        plans = {"": []} | ({"_fused": ["--arena-budget", str(budget)]} if budget else {})
        for plan, convert in plans.items():
            yield recurrent(f"stack/{name}{plan}", [normal("stackx" + name, 1, STEPS, INPUTS)],
                            lambda x, build=build: build(_Model(x, False)),
                            lambda x, build=build: build(_Model(x, True)), convert=convert)
