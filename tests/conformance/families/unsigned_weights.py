# SPDX-License-Identifier: Apache-2.0
"""Quantised models with u8 weights and a zero point, so that some differences exceed int8, as ONNX QDQ
allows. weft and the NumPy reference compute them in integers."""

import numpy as np

from build import node
from casebook import Case, integers, normal
from families.quantised import GROUPS, TOLERANCE, Weights, bias, convolve, fake, matmul, relu
from reference import levels as q8
from reference.levels import levels_of

F = np.float32


class Unsigned(Weights):
    """u8 integers minus a zero point; some differences exceed int8."""

    def __init__(self, label, zero, *shape, axis=0):
        super().__init__(label, *shape, axis=axis)
        self.bytes = integers(label + "u", 0, 256, *shape, dtype=np.uint8)
        self.zero = zero
        self.bytes.flat[0], self.bytes.flat[-1] = 0, 255
        self.integers = self.bytes.astype(np.int64) - zero

    def node(self):
        wide = node("Convert", 1, [self.bytes], destination_type="f32")
        above = node("Convert", 1, [np.array(self.zero, np.uint8)], destination_type="f32")
        centred = node("Subtract", 1, [wide, above])
        return node("Multiply", 1, [centred, self.scales.reshape(self.along)])


def cases():
    """u8 weights: the sum of each window is an additional output, multiplied by the weights' offsets."""
    for name, zero, data, window, pad, group, outputs in (
        ("conv", 101, (2, 3, 7, 6), (3, 3), 1, 0, 17),
        ("pointwise", 140, (1, 19, 3, 4), (1, 1), 0, 0, 16),
        ("groups", 120, (1, 6, 7, 5), (3, 3), 1, 3, 18),
        ("depthwise", 90, (2, 17, 6, 7), (3, 3), 1, 17, 17)):
        shape = (outputs, data[1], *window)
        if group:
            shape = (group, outputs // group, data[1] // group, *window)
        w = Unsigned("qu" + name, zero, *shape)
        if group:
            w.along = [group, *[1] * (len(shape) - 1)]
        last = Unsigned("qul" + name, 77, 7, outputs)
        b = bias("qub" + name, outputs)
        ends, hidden = (-100 * 0.025, 155 * 0.025), (0, 255 * 0.012)

        def graph(x, w=w, last=last, b=b, pad=pad, group=group):
            y = fake(relu(convolve(fake(x, *ends), w, b, 1, pad, bool(group))), *hidden)
            y = node("Transpose", 1, [y, np.array([0, 2, 3, 1])])
            return matmul(fake(y, *hidden), last)

        def reference(x, w=w, last=last, b=b, pad=pad, group=group):
            grouped = w.integers if group else w.integers[None]
            scales = np.broadcast_to(w.scales.reshape(grouped.shape[0], -1, 1), (*grouped.shape[:2], 1))
            y = q8.convolution(q8.quantised(x, levels_of(*ends)), grouped, scales.ravel(), [1, 1],
                               [(pad, pad)] * 2)
            y = q8.quantised(np.maximum(y + b.reshape(1, -1, 1, 1), F(0)), levels_of(*hidden))
            return q8.product(y.moved(lambda y: np.moveaxis(y, 1, -1)), last.integers, last.scales)

        yield Case(f"unsigned_weights/{name}", [normal("qux" + name, *data)], graph,
                   reference=reference, **{**TOLERANCE, **(GROUPS if group and outputs > group else {})})
