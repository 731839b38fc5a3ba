# SPDX-License-Identifier: Apache-2.0
"""Random causal nets, small enough for boards: convolutions with dilation, stride and groups, pools
and residuals before and after a GRU or an LSTM. The goldens are those of the original models; streamed
with one, two and three steps a run, their results must be bit-identical on every target."""

import numpy as np

from build import node
from casebook import i64, normal, recurrent
from families.sequences import DEFAULT, GATES, stacked

STEPS, INPUTS = 12, 3


class _Net:
    """A chain of layers over [1, channels, time]; a step is `hop` elements of the input's time axis."""
    def __init__(self, seed, x, hop):
        self.seed, self.random = seed, np.random.default_rng(seed)
        self.y, self.channels, self.hop, self.links = x, INPUTS, hop, 0

    def label(self):
        self.links += 1
        return f"net{self.seed}_{self.links}"

    def choose(self, *values):
        return values[self.random.integers(len(values))]

    def convolve(self, stride=1):
        """A causal convolution: padded only at the beginning."""
        kernel, dilation = self.choose(2, 3, 5), self.choose(1, 2, 3)
        outputs = self.choose(4, 5, 7)
        geometry = {"strides": [stride], "dilations": [dilation], "pads_end": [0],
                    "pads_begin": [(kernel - 1) * dilation - (stride - 1)], "auto_pad": "explicit"}
        if geometry["pads_begin"][0] < 0:
            geometry["pads_begin"] = [0]
        if stride == 1 and self.choose(True, False):
            weights = normal(self.label(), self.channels, 1, 1, kernel, scale=0.5)
            self.y = node("GroupConvolution", 1, [self.y, weights], **geometry)
        else:
            weights = normal(self.label(), outputs, self.channels, kernel, scale=0.4)
            self.y = node("Convolution", 1, [self.y, weights], **geometry)
            self.channels = outputs
        bias = normal(self.label(), 1, self.channels, 1)
        self.y = node(self.choose("Relu", "Tanh"), 1, [node("Add", 1, [self.y, bias])])

    def residual(self):
        """A TCN block: two convolutions and a skip connection around them."""
        before, channels = self.y, self.channels
        self.convolve()
        self.convolve()
        weights = normal(self.label(), channels, self.channels, 1, scale=0.5)
        joined = node("Convolution", 1, [self.y, weights], strides=[1], pads_begin=[0],
                      pads_end=[0], dilations=[1], auto_pad="explicit")
        self.y, self.channels = node("Add", 1, [joined, before]), channels

    def remember(self):
        kind, hidden = self.choose("GRUSequence", "LSTMSequence"), self.choose(3, 5)
        w, r, b = stacked(self.label(), 1, GATES[kind], self.channels, hidden)
        states = [np.zeros((1, 1, hidden), np.float32)] * (2 if kind == "LSTMSequence" else 1)
        turned = node("Transpose", 1, [self.y, i64(0, 2, 1)])
        made = node(kind, 5, [turned, *states, np.full(1, STEPS, np.int32), w, r, b],
                    hidden_size=hidden, direction="forward", activations=DEFAULT[kind])
        rows = node("Squeeze", 1, [made, i64(1)])
        self.y, self.channels = node("Transpose", 1, [rows, i64(0, 2, 1)]), hidden


def _net(seed, hop):
    def graph(x):
        net = _Net(seed, x, hop)
        net.convolve()
        if hop > 1:
            net.convolve(stride=hop)
        net.residual()
        net.remember()
        net.choose(net.convolve, net.residual)()
        return net.y

    return graph


def cases():
    for seed, hop in ((1, 1), (2, 2), (3, 1), (4, 3), (5, 2), (6, 1)):
        x = normal(f"nets{seed}", 1, INPUTS, STEPS * hop)
        yield recurrent(f"streaming_nets/seed_{seed}_hop_{hop}", [x], _net(seed, hop))
