# SPDX-License-Identifier: Apache-2.0
"""Random networks as .tflite files, for instruction_models.py: layers as in image and keyword
classifiers, in f32, or in int8 and requantised by integers."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tflite"))
# pylint: disable=wrong-import-position
from writer import RELU, RELU6, SAME, VALID, Model


def pick(random, *options):
    return options[random.integers(len(options))]


class Network:
    """A network that grows by layers. `y` is its last tensor, [1, height, width, channels]."""

    def __init__(self, random, of, height, width, channels):
        self.random, self.of, self.model = random, of, Model()
        self.graph = self.model.graph()
        self.x = self.y = self._tensor(1, height, width, channels)

    def _tensor(self, *shape):
        if self.of == "f32":
            return self.graph.tensor("f32", list(shape))
        scale = float(self.random.uniform(0.02, 0.08))
        return self.graph.tensor("i8", list(shape), scale=scale, zero=int(self.random.integers(-20, 21)))

    def _weights(self, axis, *shape):
        """Weights and biases; those of int8 have a scale for each output."""
        if self.of == "f32":
            w = self.graph.tensor("f32", data=0.2 * self.random.standard_normal(shape))
            return w, self.graph.tensor("f32", data=self.random.standard_normal(shape[axis]))
        data = self.random.integers(-127, 128, shape)
        scales = self.random.uniform(0.002, 0.01, shape[axis])
        w = self.graph.tensor("i8", data=data, scale=scales, axis=axis)
        bias = self.random.integers(-2000, 2001, shape[axis])
        return w, self.graph.tensor("i32", data=bias, scale=scales * self.y.scale)

    def _act(self):
        return pick(self.random, 0, RELU, RELU, RELU6)

    def _window(self, kernel, strides):
        """Options of a layer with a window, and the extents of its output."""
        _, height, width, _ = self.y.shape
        padding, stride = pick(self.random, SAME, SAME, VALID), pick(self.random, *strides)
        if padding == VALID and (kernel[0] > height or kernel[1] > width):
            padding = SAME
        extents = [-(-(extent if padding == SAME else extent - k + 1) // stride)
                   for extent, k in zip((height, width), kernel)]
        return {"padding": padding, "stride_h": stride, "stride_w": stride}, extents

    def conv(self, outputs):
        kernel = pick(self.random, (1, 1), (1, 1), (3, 3), (3, 3), (5, 3))
        options, extents = self._window(kernel, (1, 1, 2))
        w, b = self._weights(0, outputs, *kernel, self.y.shape[3])
        y = self._tensor(1, *extents, outputs)
        self.graph.op("CONV_2D", [self.y, w, b], [y], version=3, act=self._act(), **options)
        self.y = y

    def depthwise(self):
        kernel = pick(self.random, (3, 3), (3, 3), (3, 3), (5, 5), (6, 1), (3, 1), (5, 1))
        options, extents = self._window(kernel, (1, 1, 2))
        channels = self.y.shape[3]
        w, b = self._weights(3, 1, *kernel, channels)
        y = self._tensor(1, *extents, channels)
        self.graph.op("DEPTHWISE_CONV_2D", [self.y, w, b], [y], version=3, act=self._act(),
                      depth_multiplier=1, **options)
        self.y = y

    def pool(self):
        kernel = pick(self.random, (2, 2), (3, 3), (3, 2))
        options, extents = self._window(kernel, (1, 2, 2))
        y = self.graph.tensor(self.of, [1, *extents, self.y.shape[3]], scale=self.y.scale,
                              zero=self.y.zero)
        self.graph.op(pick(self.random, "AVERAGE_POOL_2D", "MAX_POOL_2D"), [self.y], [y], version=2,
                      filter_height=kernel[0], filter_width=kernel[1], **options)
        self.y = y

    def residual(self):
        before = self.y
        w, b = self._weights(0, before.shape[3], 1, 1, before.shape[3])
        inner, y = self._tensor(*before.shape), self._tensor(*before.shape)
        self.graph.op("CONV_2D", [before, w, b], [inner], version=3, padding=SAME, stride_w=1,
                      stride_h=1)
        self.graph.op("ADD", [inner, before], [y], version=2, act=self._act())
        self.y = y

    def dense(self, outputs):
        inputs = int(np.prod(self.y.shape))
        w, b = self._weights(0, outputs, inputs)
        y = self._tensor(1, outputs)
        self.graph.op("FULLY_CONNECTED", [self.y, w, b], [y], version=4, act=self._act())
        self.y = y

    def classify(self):
        y = self.graph.tensor(self.of, list(self.y.shape), scale=1 / 256 if self.of == "i8" else None,
                              zero=-128)
        self.graph.op("SOFTMAX", [self.y], [y], version=2, beta=1.0)
        self.y = y

    def bytes(self):
        self.graph.inputs, self.graph.outputs = [self.x], [self.y]
        return self.model.bytes()


def size(random, largest):
    """A number of channels; multiples of 4 and 16 are frequent."""
    step = pick(random, 1, 4, 16)
    return step * int(random.integers(1, largest // step + 1))


def network(random, of):
    """A .tflite file of one to six layers."""
    net = Network(random, of, int(random.integers(1, 13)), int(random.integers(1, 13)),
                  size(random, 48))
    for _ in range(int(random.integers(1, 6))):
        layer = pick(random, "conv", "conv", "depthwise", "depthwise", "pool", "residual")
        if layer == "conv":
            net.conv(size(random, 48))
        else:
            getattr(net, layer)()
    if pick(random, True, False):
        net.dense(size(random, 96))
        net.classify()
    return net.bytes()


def narrow(random, of):
    """A .tflite file of depthwise layers with few channels."""
    net = Network(random, of, *random.integers(1, 13, 2).tolist(), int(random.integers(1, 12)))
    for _ in range(3):
        net.depthwise()
    return net.bytes()


def autoencoder(random, of):
    """A .tflite file of dense layers."""
    net = Network(random, of, 1, 1, size(random, 200))
    for _ in range(4):
        net.dense(size(random, 160))
    return net.bytes()
