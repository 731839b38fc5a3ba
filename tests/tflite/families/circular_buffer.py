# SPDX-License-Identifier: Apache-2.0
"""CIRCULAR_BUFFER of tflite-micro: streaming convolutions. A run that ends early keeps the outputs that later
operators compute; they are the zero point at first."""
import micro
import numpy as np
from casebook import Case, source
from writer import VALID, Model

CALLS, DEPTH, ZERO = 9, 3, -3
Q = {"scale": np.float32(0.05), "zero": ZERO}


class _Stream:
    """A model whose input is one step."""

    def __init__(self, path, width=1):
        self.path, self.random, self.model = path, source(path), Model()
        self.graph = self.model.graph()
        self.graph.inputs = [self.graph.tensor("i8", [1, 1, width, DEPTH], name="x", **Q)]

    def tensor(self, shape, name=None, **more):
        """A tensor of codes."""
        return self.graph.tensor("i8", shape, name=name, **Q, **more)

    def buffer(self, x, slots, cycles=None):
        """The last inputs; without cycles_max if `cycles` is None."""
        y = self.tensor([1, slots, *x.shape[2:]], variable=True)
        options = {} if cycles is None else {"cycles_max": cycles}
        self.graph.op("CUSTOM", [x], [y], custom="CIRCULAR_BUFFER", **options)
        return y

    def conv(self, x, name=None):
        """A depthwise convolution over all slots."""
        rows, width = x.shape[1:3]
        weights = self.random.integers(-90, 90, (1, rows, width, DEPTH)).astype(np.int8)
        scales = np.float32([0.01, 0.013, 0.008])
        w = self.graph.tensor("i8", data=weights, scale=scales, axis=3)
        b = self.graph.tensor("i32", data=self.random.integers(-300, 300, DEPTH).astype(np.int32),
                              scale=scales * Q["scale"])
        y = self.tensor([1, 1, 1, DEPTH], name)
        self.graph.op("DEPTHWISE_CONV_2D", [x, w, b], [y], version=3, padding=VALID, stride_w=1,
                      stride_h=1, depth_multiplier=1)
        return y

    def case(self, *outputs, before=()):
        """The case with tflite-micro's answers. Every run computes the outputs `before`."""
        self.graph.outputs = list(outputs)
        x = self.random.integers(-128, 128, (CALLS, *self.graph.inputs[0].shape)).astype(np.int8)
        first = [None if y in before else np.full(y.shape, ZERO, np.int8) for y in outputs]
        answers = micro.run(self.model.bytes(), [x], CALLS, len(outputs), first)
        return Case(self.path, self.model, [x], rtol=0, atol=0, calls=CALLS, answers=answers)


def _one(path, slots, cycles, width=1):
    stream = _Stream(path, width)
    return stream.case(stream.conv(stream.buffer(stream.graph.inputs[0], slots, cycles), "y"))


def _several():
    stream = _Stream("nested")
    first = stream.conv(stream.buffer(stream.graph.inputs[0], 4, 2))
    yield stream.case(stream.conv(stream.buffer(first, 3, 2), "y"))
    stream = _Stream("nested_outputs")
    before = stream.conv(stream.graph.inputs[0], "before")
    between = stream.conv(stream.buffer(before, 4, 2))
    after = stream.conv(stream.buffer(between, 3, 2))
    sums = stream.tensor([1, 1, 1, DEPTH], "sums")
    stream.graph.op("ADD", [after, before], [sums], version=2)
    yield stream.case(before, sums, before=(before,))
    stream = _Stream("last")
    past = stream.buffer(stream.graph.inputs[0], 4, 3)
    yield stream.case(past, before=(past,))


def cases():
    """All cases."""
    for slots, cycles in ((1, 1), (4, 1), (4, 2), (3, 3), (5, None), (5, 0), (4, 0), (4, None)):
        yield _one(f"slots_{slots}_cycles_{cycles}".lower(), slots, cycles)
    yield _one("wide", 4, 1, width=2)
    yield from _several()
