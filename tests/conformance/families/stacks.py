# SPDX-License-Identifier: Apache-2.0
"""Stacks of recurrent layers with time-independent operations between them, as exporters write them.
The loops of the layers and those operations can be fused into one loop (--arena-budget), and windows
over time between them can run in chunks of that loop."""

import numpy as np

from build import node
from casebook import i64, normal, recurrent
from families.sequences import DEFAULT, GATES, REFERENCES, stacked

STEPS, INPUTS = 13, 10


class _Model:
    """A model definition for both nodes and NumPy arrays; x is [1, steps, features]."""
    def __init__(self, x, numpy):
        self.x, self.numpy, self.layer = x, numpy, 0

    def sequence(self, x, kind, inputs, hidden, direction="forward"):
        self.layer += 1
        ways = 2 if direction == "bidirectional" else 1
        w, r, b = stacked(f"stack{self.layer}{kind}", ways, GATES[kind], inputs, hidden)
        states = [np.zeros((1, ways, hidden), np.float32)] * (2 if kind == "LSTMSequence" else 1)
        lengths = np.full(1, self.steps(x), np.int32)
        if self.numpy:
            made = REFERENCES[kind](x, *states, lengths, w, r, b, direction=direction)[0]
            return np.concatenate([made[:, way] for way in range(ways)], -1)
        made = node(kind, 5, [x, *states, lengths, w, r, b], hidden_size=hidden,
                    direction=direction, activations=DEFAULT[kind])
        if ways == 1:
            return node("Squeeze", 1, [made, i64(1)])
        turned = node("Transpose", 1, [made, i64(0, 2, 1, 3)])
        return node("Reshape", 1, [turned, i64(1, self.steps(x), 2 * hidden)], special_zero=False)

    def steps(self, x):
        return x.shape[1] if self.numpy else x.get_output_shape(0)[1]

    def window(self, x, inputs, outputs, kernel, pads, dilation=1, groups=1):
        """A convolution over time with a bias and ReLU; the operation has channels before time."""
        self.layer += 1
        weights = normal(f"stack{self.layer}k", groups, outputs // groups, inputs // groups, kernel,
                         scale=0.3)
        bias = normal(f"stack{self.layer}b", 1, outputs, 1)
        if self.numpy:
            x = np.pad(x, ((0, 0), pads, (0, 0)))
            rows = x.shape[1] - (kernel - 1) * dilation
            parts = x.reshape(1, -1, groups, inputs // groups)
            made = sum(
                np.einsum("ntgi,goi->ntgo", parts[:, tap * dilation:tap * dilation + rows],
                          weights[..., tap]) for tap in range(kernel))
            return np.maximum(made.reshape(1, rows, outputs) + bias[:, :, 0], 0)
        kind = "Convolution" if groups == 1 else "GroupConvolution"
        y = node(kind, 1, [self.turned(x), weights[0] if groups == 1 else weights], strides=[1],
                 dilations=[dilation], pads_begin=[pads[0]], pads_end=[pads[1]],
                 auto_pad="explicit")
        return self.turned(node("Relu", 1, [node("Add", 1, [y, bias])]))

    def turned(self, x):
        return node("Transpose", 1, [x, i64(0, 2, 1)])

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
        """Normalises over the features, with a factor and a bias per feature."""
        self.layer += 1
        factor = normal(f"stack{self.layer}f", features) + np.float32(1)
        if self.numpy:
            centred = x - x.mean(-1, keepdims=True)
            return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * factor
        made = node("MVN", 6, [x, i64(-1)], normalize_variance=True, eps=1e-5,
                    eps_mode="inside_sqrt")
        return node("Multiply", 1, [made, factor])

    def tanhs(self, x, features):
        """Applies tanh twice, with a reshape to a matrix with one row per time step in between."""
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
    """The network's input is added to a layer's output."""
    y = m.add(m.sequence(m.x, "LSTMSequence", INPUTS, INPUTS), m.x)
    return m.last(m.sequence(y, "GRUSequence", INPUTS, 6))


def _causal(m):
    y = m.window(m.sequence(m.x, "LSTMSequence", INPUTS, 16), 16, 16, 3, (2, 0))
    return m.last(m.sequence(y, "GRUSequence", 16, 5))


def _separable(m):
    """A dilated depthwise convolution, then a dense product of each time step."""
    y = m.window(m.sequence(m.x, "LSTMSequence", INPUTS, 16), 16, 16, 3, (4, 0), 2, 16)
    return m.last(m.sequence(m.window(y, 16, 12, 1, (0, 0)), "LSTMSequence", 12, 5))


def _same(m):
    """All steps of the output sequence are read."""
    y = m.window(m.sequence(m.x, "GRUSequence", INPUTS, 16), 16, 16, 3, (1, 1))
    return m.sequence(y, "GRUSequence", 16, 5)


def _valid(m):
    y = m.window(m.sequence(m.x, "GRUSequence", INPUTS, 16), 16, 16, 4, (0, 0))
    return m.last(m.sequence(y, "RNNSequence", 16, 5))


def _windows(m):
    """Windows before, between and after the layers, with look-ahead and a longer past; a residual."""
    y = m.window(m.x, INPUTS, 16, 3, (1, 1))
    y = m.sequence(y, "GRUSequence", 16, 16)
    y = m.add(m.window(m.window(y, 16, 16, 2, (1, 0)), 16, 16, 3, (2, 2), 2, 4), y)
    return m.last(m.window(m.sequence(y, "LSTMSequence", 16, 8), 8, 6, 3, (1, 1)))


def _far(m):
    """A window that sees more steps than there are."""
    y = m.window(m.sequence(m.x, "GRUSequence", INPUTS, 16), 16, 16, 5, (16, 0), 4)
    return m.last(m.sequence(y, "GRUSequence", 16, 5))


def _windows_both_ways(m):
    y = m.sequence(m.x, "GRUSequence", INPUTS, 8, "bidirectional")
    return m.last(m.sequence(m.window(y, 16, 16, 3, (2, 0)), "GRUSequence", 16, 5))


# Models, and scratch budgets in bytes that only plans with one fused loop meet.
MODELS = ((_dense, 1200), (_normalised, 1200), (_residual, 1400), (_flat, None), (_reverse, 830),
          (_input_again, 1000), (_causal, 1100), (_separable, 1500), (_same, 1300), (_valid, 1250),
          (_windows, 1800), (_far, None), (_windows_both_ways, None))


def cases():
    for build, budget in MODELS:
        name = build.__name__[1:]
        plans = {"": []} | ({"_fused": ["--arena-budget", str(budget)]} if budget else {})
        for plan, convert in plans.items():
            yield recurrent(f"stack/{name}{plan}", [normal("stackx" + name, 1, STEPS, INPUTS)],
                            lambda x, build=build: build(_Model(x, False)),
                            lambda x, build=build: build(_Model(x, True)), convert=convert)
    yield recurrent("stack/causal_of_one_step", [normal("stackxone", 1, 1, INPUTS)],
                    lambda x: _causal(_Model(x, False)), lambda x: _causal(_Model(x, True)))
