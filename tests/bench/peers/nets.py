# SPDX-License-Identifier: Apache-2.0
"""Small published nets at their published widths, with folded batch normalisation; tests/zoo has
miniatures of them. Each returns the name and shape of its output; its first line is its title."""
import numpy as np


def takes(*shape):
    """Sets the input shape of a net."""
    def mark(build):
        build.input = list(shape)
        return build

    return mark


def _classified(graph, x, channels, classes):
    flat = graph.add("Flatten", [graph.add("GlobalAveragePool", [x])])
    return graph.add("Softmax", [graph.dense(flat, channels, classes)], axis=-1), [1, classes]


@takes(1, 40, 98)
def conv_gru(graph):
    """Keyword net: convolution and GRU 128, 98 frames"""
    y = graph.conv("x", 40, 64, [5], 98, pads=[2, 2])
    y = graph.add("Transpose", [y], perm=[2, 0, 1])
    graph.cell("GRU", y, 64, 128, 98, outputs=["", "last"])
    y = graph.add("Squeeze", ["last", graph.constant(np.array([0]))])
    return graph.add("Softmax", [graph.dense(y, 128, 12)], axis=-1), [1, 12]


@takes(1, 1, 49, 10)
def ds_cnn(graph):
    """DS-CNN-S, 49 frames of 10"""
    y = graph.conv("x", 1, 64, [10, 4], 125, pads=[4, 1, 5, 1], strides=[2, 2])
    for _ in range(4):
        y = graph.separable(y, 64, 64, [3, 3], 125)
    return _classified(graph, y, 64, 12)


@takes(1, 40, 98)
def tc_resnet8(graph):
    """TC-ResNet8, 98 frames"""
    y, channels, places = graph.conv("x", 40, 16, [3], 98, pads=[1, 1]), 16, 98
    for wide in (24, 32, 48):
        places = (places + 1) // 2
        left = graph.conv(y, channels, wide, [9], places, pads=[4, 4], strides=[2])
        left = graph.conv(left, wide, wide, [9], places, "", pads=[4, 4])
        right = graph.conv(y, channels, wide, [1], places, strides=[2])
        y, channels = graph.add("Relu", [graph.add("Add", [left, right])]), wide
    return _classified(graph, y, channels, 12)


@takes(1, 64, 128)
def matchboxnet(graph):
    """MatchboxNet 3x1x64, 128 frames"""
    y = graph.separable("x", 64, 128, [11], 64, strides=[2])
    channels = 128
    for kernel in (13, 15, 17):
        left = graph.separable(y, channels, 64, [kernel], 64, "")
        right = graph.conv(y, channels, 64, [1], 64, "")
        y, channels = graph.add("Relu", [graph.add("Add", [left, right])]), 64
    y = graph.separable(y, 64, 128, [29], 64, pads=[28, 28], dilations=[2])
    y = graph.conv(y, 128, 128, [1], 64)
    return _classified(graph, y, 128, 35)


@takes(1, 64, 200)
def quartznet(graph):
    """QuartzNet 5x1, 256 wide, 200 frames"""
    y = graph.separable("x", 64, 256, [33], 100, strides=[2])
    for kernel in (33, 39, 51, 63, 75):
        left = graph.separable(y, 256, 256, [kernel], 100, "")
        y = graph.add("Relu", [graph.add("Add", [left, graph.conv(y, 256, 256, [1], 100, "")])])
    y = graph.conv(y, 256, 29, [1], 100, "")
    return graph.add("LogSoftmax", [y], axis=1), [1, 29, 100]


def _broadcast_parts(graph, y, channels, height, width, stride, dilation):
    """Parts of BC-ResNet's block: frequency as a map, and time on its mean over frequency."""
    over = graph.conv(y, channels, channels, [3, 1], height * width, "", channels,
                      pads=[1, 0, 1, 0], strides=[stride, 1])
    mean = graph.add("ReduceMean", [over], axes=[2], keepdims=1)
    time = graph.conv(mean, channels, channels, [1, 3], width, "", channels,
                      pads=[0, dilation, 0, dilation], dilations=[1, dilation])
    time = graph.add("Mul", [time, graph.add("Sigmoid", [time])])
    return over, graph.conv(time, channels, channels, [1, 1], width, "")


@takes(1, 1, 40, 101)
def bc_resnet(graph):
    """BC-ResNet-1, 101 frames of 40"""
    width = 101
    y = graph.conv("x", 1, 16, [5, 5], 20 * width, pads=[2, 2, 2, 2], strides=[2, 1])
    channels, height = 16, 20
    for wide, blocks, stride, dilation in ((8, 2, 1, 1), (12, 2, 2, 2), (16, 4, 2, 4),
                                           (20, 4, 1, 8)):
        y = graph.conv(y, channels, wide, [1, 1], height * width)
        height = height // stride
        over, time = _broadcast_parts(graph, y, wide, height, width, stride, dilation)
        y, channels = graph.add("Relu", [graph.add("Add", [over, time])]), wide
        for _ in range(blocks - 1):
            over, time = _broadcast_parts(graph, y, wide, height, width, 1, dilation)
            y = graph.add("Relu", [graph.add("Add", [graph.add("Add", [y, over]), time])])
    y = graph.conv(y, 20, 20, [5, 5], (height - 4) * width, "", 20, pads=[0, 2, 0, 2])
    y = graph.conv(y, 20, 32, [1, 1], (height - 4) * width)
    return _classified(graph, y, 32, 12)


@takes(1, 3, 96, 96)
def mobilenet_v1(graph):
    """MobileNetV1 0.25, 96 by 96"""
    side = 48
    y, channels = graph.conv("x", 3, 8, [3, 3], side * side, pads=[0, 0, 1, 1], strides=[2, 2]), 8
    for wide, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (128, 1),
                         (128, 1), (128, 1), (128, 1), (256, 2), (256, 1)):
        side //= stride
        pads = [1, 1, 1, 1] if stride == 1 else [0, 0, 1, 1]
        y = graph.separable(y, channels, wide, [3, 3], side * side, pads=pads,
                            strides=[stride, stride])
        channels = wide
    return _classified(graph, y, 256, 2)


@takes(1, 3, 32, 32)
def resnet8(graph):
    """ResNet-8, 32 by 32"""
    y, channels, side = graph.conv("x", 3, 16, [3, 3], 1024, pads=[1, 1, 1, 1]), 16, 32
    for wide in (16, 32, 64):
        stride = 1 if wide == channels else 2
        side //= stride
        pads = [1, 1, 1, 1] if stride == 1 else [0, 0, 1, 1]
        left = graph.conv(y, channels, wide, [3, 3], side * side, pads=pads,
                          strides=[stride, stride])
        left = graph.conv(left, wide, wide, [3, 3], side * side, "", pads=[1, 1, 1, 1])
        if stride == 2:
            y = graph.conv(y, channels, wide, [1, 1], side * side, "", strides=[2, 2])
        y, channels = graph.add("Relu", [graph.add("Add", [left, y])]), wide
    return _classified(graph, y, 64, 10)


@takes(1, 640)
def dense_autoencoder(graph):
    """Autoencoder for sounds of machines, 640 to 8 to 640"""
    sizes, y = [640, 128, 128, 128, 128, 8, 128, 128, 128, 128, 640], "x"
    for k, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        y = graph.dense(y, inputs, outputs, "Relu" if k < 9 else "")
    return y, [1, 640]


@takes(20, 1, 257)
def nsnet2(graph):
    """NSNet2, 20 frames"""
    y = graph.dense("x", 257, 400, "", 20)
    for name in ("first", "second"):
        graph.cell("GRU", y, 400, 400, 20, outputs=[name])
        y = graph.add("Squeeze", [name, graph.constant(np.array([1]))])
    y = graph.dense(y, 400, 600, "Relu", 20)
    y = graph.dense(y, 600, 600, "Relu", 20)
    return graph.dense(y, 600, 257, "Sigmoid", 20), [20, 1, 257]


@takes(1, 1, 512)
def micro_tcn(graph):
    """TCN of an amplifier, 32 channels, 512 samples"""
    y = graph.conv("x", 1, 32, [5], 512, "Tanh", pads=[4, 0])
    for dilation in (4, 16, 64):
        left = graph.conv(y, 32, 32, [5], 512, "Tanh", pads=[4 * dilation, 0],
                          dilations=[dilation])
        y = graph.add("Add", [left, graph.conv(y, 32, 32, [1], 512, "")])
    return graph.conv(y, 32, 1, [1], 512, "Tanh"), [1, 1, 512]


@takes(1, 1, 1024)
def crepe(graph):
    """CREPE tiny, a frame of 1024 samples"""
    y = graph.conv("x", 1, 128, [512], 256, pads=[254, 254], strides=[4])
    channels, places = 128, 256
    for wide in (16, 16, 16, 32, 64):
        places //= 2
        y = graph.add("MaxPool", [y], kernel_shape=[2], strides=[2])
        y = graph.conv(y, channels, wide, [64], places, pads=[31, 32])
        channels = wide
    y = graph.add("Flatten", [graph.add("MaxPool", [y], kernel_shape=[2], strides=[2])])
    return graph.add("Sigmoid", [graph.dense(y, 256, 360)]), [1, 360]


def _attended(graph, y, places, size):
    """One attention head over all time steps."""
    q, k, v = (graph.dense(y, size, size, rows=places) for _ in range(3))
    scores = graph.add("MatMul", [q, graph.add("Transpose", [k], perm=[0, 2, 1])])
    shares = graph.add("Mul", [scores, graph.constant(np.float32(size**-0.5))])
    y = graph.add("MatMul", [graph.add("Softmax", [shares], axis=-1), v])
    graph.cost.once_multiply_adds += 2 * places * places * size
    return graph.dense(y, size, size, rows=places)


def _normed(graph, y, size):
    ones, zeros = np.ones(size, np.float32), np.zeros(size, np.float32)
    return graph.add("LayerNormalization", [y, graph.constant(ones), graph.constant(zeros)],
                     axis=-1)


@takes(1, 98, 40)
def kwt(graph):
    """KWT-1, 98 frames, 12 layers of attention"""
    places, size = 98, 64
    y = graph.dense("x", 40, size, rows=places)
    y = graph.add("Add", [y, graph.weights(1, places, size, scale=0.1)])
    for _ in range(12):
        y = _normed(graph, graph.add("Add", [y, _attended(graph, y, places, size)]), size)
        wide = graph.dense(y, size, 256, "Relu", places)
        y = _normed(graph, graph.add("Add", [y, graph.dense(wide, 256, size, rows=places)]), size)
    y = graph.add("ReduceMean", [y], axes=[1], keepdims=0)
    return graph.add("Softmax", [graph.dense(y, size, 35)], axis=-1), [1, 35]


ALL = (conv_gru, ds_cnn, tc_resnet8, matchboxnet, quartznet, bc_resnet, mobilenet_v1, resnet8,
       dense_autoencoder, nsnet2, micro_tcn, crepe, kwt)
