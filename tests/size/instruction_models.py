#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts models of one or two layers with random shapes, for instructions.py.

    instruction_models.py --weft COMMAND FOLDER [COUNT]

Writes COUNT models of each entry of LAYERS, of those with many terms MANY times as many, converted
with each of its options, and list.txt with their paths. The shapes depend on the seeds only.
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import zlib

import numpy as np
import openvino as ov
from openvino import opset13 as op

import tflite_models
from export import in_integers
from tflite_models import pick

ACTIVATIONS = {
    "relu": op.relu, "tanh": op.tanh, "sigmoid": op.sigmoid,
    "clamp": lambda y: op.clamp(y, 0.0, 6.0), "hswish": op.hswish
}
UNARY = {
    "relu": op.relu, "tanh": op.tanh, "sigmoid": op.sigmoid, "exp": op.exp, "log": op.log,
    "sqrt": op.sqrt, "abs": op.absolute, "negative": op.negative, "floor": op.floor,
    "elu": lambda x: op.elu(x, 1.0), "hswish": op.hswish, "hsigmoid": op.hsigmoid, "mish": op.mish,
    "gelu_erf": lambda x: op.gelu(x, "erf"), "gelu_tanh": lambda x: op.gelu(x, "tanh"),
    "softplus": op.softplus, "swish": op.swish, "sin": op.sin, "cos": op.cos, "erf": op.erf,
    "clamp": lambda x: op.clamp(x, -1.0, 1.0)
}
BINARY = {
    "add": op.add, "subtract": op.subtract, "multiply": op.multiply, "divide": op.divide,
    "maximum": op.maximum, "minimum": op.minimum, "squared_difference": op.squared_difference
}
OF_INTEGERS = {
    "add": op.add, "subtract": op.subtract, "multiply": op.multiply, "divide": op.divide,
    "maximum": op.maximum, "minimum": op.minimum, "floor_mod": op.floor_mod
}
COMPARE = {
    "equal": op.equal, "not_equal": op.not_equal, "less": op.less, "less_equal": op.less_equal,
    "greater": op.greater, "greater_equal": op.greater_equal
}


def weights(random, *shape):
    return op.constant((random.standard_normal(shape) * 0.2).astype(np.float32))


def parameter(*shape, of=np.float32):
    return op.parameter([int(extent) for extent in shape], of)


def size(random, largest):
    """Returns a size of which small ones and multiples of 16 are frequent."""
    kind = random.integers(3)
    if kind == 0:
        return int(random.integers(1, min(largest, 20) + 1))
    if kind == 1:
        return 16 * int(random.integers(1, max(largest // 16, 1) + 1))
    return int(random.integers(1, largest + 1))


def activation(random, y):
    """Mostly none or a frequent one, else any function."""
    kind = random.integers(5)
    frequent = {"": lambda y: y, "relu": op.relu}
    functions = UNARY if kind == 0 else ACTIVATIONS if kind == 1 else frequent
    return functions[pick(random, *functions)](y)


def quantised(x):
    ends = [op.constant(np.float32(end)) for end in (-2.0, 2.0 * 127 / 128)]
    return op.fake_quantize(x, *ends, *ends, 256)


def dense(random, quantise=False):
    inputs, outputs = size(random, 200), size(random, 160)
    x = parameter(pick(random, 1, 1, 1, 2, 3, 4, 5, 7, 8, 12), inputs)
    y, w = x, weights(random, outputs, inputs)
    if quantise:
        y, w = quantised(y), in_integers(w, 0)
    y = op.matmul(y, w, False, True)
    if pick(random, True, True, False):
        y = op.add(y, weights(random, 1, outputs))
    y = activation(random, y)
    return [quantised(y) if quantise else y], [x]


def window(random, axes, mixes):
    """`mixes`: also windows of 1 and of any size."""
    kernel = [pick(random, 3, 3, *([1] if mixes else []), 5)] * axes
    if mixes and pick(random, True, False):
        kernel = [int(random.integers(1, 6)) for _ in range(axes)]
    stride = [pick(random, 1, 1, 2)] * axes
    dilation = [pick(random, 1, 1, 1, 2)] * axes
    pads = [int(random.integers(0, k // 2 + 1)) for k in kernel]
    return kernel, (stride, pads, pads, dilation)


def is_long(y, axes):
    """Returns True if a convolution may need more than 8 million instructions, which the board's
    counter of 24 bits cannot count."""
    shape, kernel = y.output(0).shape, y.input_value(1).shape
    return shape[0] * np.prod(shape[2:]) * -(-shape[1] // 16) * 16 * np.prod(kernel[-axes - 1:]) > 2e6


def conv(random, quantise=False, axes=2, depthwise=False, pointwise=False, batches=False,
         floats=False, multiplies=False):
    """`floats`: the results of all layers are results of the model, so that they are not codes.
    `multiplies`: depthwise layers have two or three outputs for each channel."""
    channels = size(random, 8 if multiplies else 48)
    extent = int(random.integers(12, 16 if axes == 2 else 60))
    x = parameter(pick(random, 2, 3, 8) if batches else 1, channels, *[extent] * axes)
    y, results = x, []
    for _ in range(3):
        if quantise:
            y = quantised(y)
        kernel, options = window(random, axes, not depthwise)
        if pointwise:
            kernel, options = [1] * axes, (options[0], [0] * axes, [0] * axes, [1] * axes)
        if any(k * d > e for k, d, e in zip(kernel, options[3], y.output(0).shape[2:])):
            break
        multiplier = pick(random, 2, 3) if multiplies else 1
        outputs = channels * multiplier if depthwise else size(random, 48)
        shape = (channels, multiplier, 1, *kernel) if depthwise else (outputs, channels, *kernel)
        w = weights(random, *shape)
        if quantise:
            w = in_integers(w, 0)
        summed = (op.group_convolution if depthwise else op.convolution)(y, w, *options)
        if is_long(summed, axes):
            break
        y = summed
        if pick(random, True, True, False):
            y = op.add(y, weights(random, 1, outputs, *[1] * axes))
        y = y if floats else activation(random, y)
        channels = outputs
        results.append(y)
    return results if floats and results else [quantised(y) if quantise else y], [x]


def recurrent(random, kind, quantise=False):
    inputs, hidden, steps = size(random, 64), size(random, 72), pick(random, 3, 10)
    x = parameter(1, steps, inputs)
    gates = 4 if kind == "lstm" else 3
    initial = op.constant(np.zeros((1, 1, hidden), np.float32))
    lengths = op.constant(np.array([steps], np.int64))
    reset_after = kind == "gru_after"
    cell = [weights(random, 1, gates * hidden, inputs), weights(random, 1, gates * hidden, hidden)]
    data = x
    if quantise:
        data, cell = quantised(x), [in_integers(w, 1) for w in cell]
    cell.append(weights(random, 1, (gates + reset_after) * hidden))
    if kind == "lstm":
        y = op.lstm_sequence(data, initial, initial, lengths, *cell, hidden, "forward")
    else:
        y = op.gru_sequence(data, initial, lengths, *cell, hidden, "forward",
                            linear_before_reset=reset_after)
    return [y.output(0)], [x]


def matmul(random, of=np.float32):
    batch = pick(random, (), (), (2,), (3,))
    rows, inner, columns = size(random, 20), size(random, 64), size(random, 64)
    flip_a, flip_b = pick(random, True, False, False), pick(random, True, False)
    a = parameter(*batch, *((inner, rows) if flip_a else (rows, inner)), of=of)
    b = parameter(*batch, *((columns, inner) if flip_b else (inner, columns)), of=of)
    return [op.matmul(a, b, flip_a, flip_b)], [a, b]


def extents(random, rank, largest):
    """A shape of at most `largest` elements."""
    shape = [int(random.integers(1, 7)) for _ in range(rank - 1)] + [size(random, 40)]
    while np.prod(shape) > largest:
        shape[int(random.integers(rank))] = 1
    return shape


def broadcast(random):
    """Two shapes of rank 1 to 5, of which one may be repeated along axes of the other."""
    full = extents(random, int(random.integers(1, 6)), 1200)
    other = [pick(random, extent, extent, extent, 1) for extent in full]
    return (full, other) if pick(random, True, False) else (other, full)


def binary_of(random, of):
    first, second = broadcast(random)
    a, b = parameter(*first, of=of), parameter(*second, of=of)
    layers = BINARY if of == np.float32 else OF_INTEGERS
    return [layers[pick(random, *layers)](a, b)], [a, b]


def compare(random, of):
    first, second = broadcast(random)
    a, b = parameter(*first, of=of), parameter(*second, of=of)
    return [COMPARE[pick(random, *COMPARE)](a, b)], [a, b]


def select(random):
    first, second = broadcast(random)
    of = pick(random, np.float32, np.int32, np.int64)
    chooses = parameter(*pick(random, first, second), of=bool)
    a, b = parameter(*first, of=of), parameter(*second, of=of)
    return [op.select(chooses, a, b)], [chooses, a, b]


def convert(random):
    types = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
             "i8": np.int8, "i16": np.int16, "boolean": bool}  # yapf: disable
    x = parameter(size(random, 200), of=pick(random, *types.values()))
    return [op.convert(x, pick(random, *types))], [x]


def transposed(random):
    """Moves of which inner axes are not contiguous, of elements of 1, 4 and 8 bytes."""
    rank = int(random.integers(2, 6))
    x = parameter(*extents(random, rank, 2000), of=pick(random, np.float32, np.int64, np.int8))
    order = [int(axis) for axis in random.permutation(rank)]
    y = op.transpose(x, op.constant(np.array(order, np.int64)))
    shape = y.output(0).shape
    begin = [int(random.integers(0, extent)) for extent in shape]
    end = [int(random.integers(first + 1, extent + 1)) for first, extent in zip(begin, shape)]
    step = [pick(random, 1, 1, 2) for _ in shape]
    return [op.slice(y, *(np.array(ends, np.int64) for ends in (begin, end, step)))], [x]


def top(random):
    rows, extent = int(random.integers(1, 6)), size(random, 60)
    x = parameter(rows, extent)
    count = op.constant(np.int64(random.integers(1, extent + 1)))
    layer = op.topk(x, count, 1, pick(random, "max", "min"), pick(random, "value", "index"))
    return [layer.output(0), layer.output(1)], [x]


def fourier(random):
    """A transform of the last axis: of complex numbers, or of real ones, with or without a window."""
    factors = [pick(random, 2, 2, 2, 2, 3, 5, 7, 11, 13) for _ in range(int(random.integers(1, 7)))]
    extent = 2
    for factor in factors:
        extent *= factor if extent * factor <= 600 else 1
    extent = pick(random, extent, extent // 2)
    lines = int(random.integers(1, 4))
    axes = op.constant(np.array([1], np.int64))
    if pick(random, True, True, False):
        kind, last = pick(random, (op.rdft, ()), (op.irdft, (2,))), extent
        x = parameter(lines, extent if kind[0] is op.rdft else extent // 2 + 1, *kind[1])
        if kind[0] is op.irdft:
            return [op.irdft(x, axes, op.constant(np.array([last], np.int64)))], [x]
        y = x if pick(random, True, False) else op.multiply(x, weights(random, extent))
        return [op.rdft(y, axes)], [x]
    x = parameter(lines, extent, 2)
    return [pick(random, op.dft, op.idft)(x, axes)], [x]


def gather(random):
    x = parameter(*extents(random, 3, 1200), of=pick(random, np.float32, np.int64))
    index = parameter(size(random, 20), of=pick(random, np.int32, np.int64))
    return [op.gather(x, index, np.int64(random.integers(3)))], [x, index]


def unary(random):
    shape = [size(random, 300)]
    xs = [parameter(*shape) for _ in range(3)]
    return [UNARY[pick(random, *UNARY)](x) for x in xs], xs


def binary(random):
    full = [int(random.integers(1, 7)) for _ in range(2)] + [size(random, 60)]
    other = [pick(random, extent, extent, extent, 1) for extent in full]
    a, b = parameter(*full), parameter(*other)
    if pick(random, True, False):
        a, b = b, a
    return [BINARY[pick(random, *BINARY)](a, b)], [a, b]


def chain(random):
    full = [int(random.integers(1, 7)), size(random, 120)]
    xs = [parameter(*full), parameter(*pick(random, full, [1, full[1]], [full[0], 1]))]
    y = xs[0]
    for _ in range(int(random.integers(2, 6))):
        if pick(random, True, False):
            y = UNARY[pick(random, *UNARY)](y)
        else:
            y = BINARY[pick(random, *BINARY)](y, xs[1])
    y = op.add(y, xs[1])
    return [y], xs


def softmax(random):
    shape = [int(random.integers(1, 9)), size(random, 100)]
    x = parameter(*shape)
    layer = pick(random, op.softmax, op.log_softmax)
    return [layer(x, pick(random, 1, 1, 0))], [x]


def normalize(random):
    x = parameter(1, int(random.integers(1, 9)), size(random, 100))
    axis = op.constant(np.array([pick(random, 2, 2, 1)], np.int64))
    if pick(random, True, False):
        return [op.mvn(x, axis, True, 1e-5, pick(random, "inside_sqrt", "outside_sqrt"))], [x]
    return [op.normalize_l2(x, axis, 1e-5, pick(random, "add", "max"))], [x]


def reduce(random, of=np.float32):
    x = parameter(int(random.integers(1, 9)), int(random.integers(1, 9)), size(random, 60), of=of)
    axes = pick(random, [0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2])
    layer = pick(random, op.reduce_sum, op.reduce_mean, op.reduce_max, op.reduce_min)
    return [layer(x, op.constant(np.array(axes, np.int64)), False)], [x]


def pool(random):
    x = parameter(1, size(random, 40), 12, 12)
    kernel = [pick(random, 2, 3)] * 2
    stride, pads = [pick(random, 1, 2)] * 2, [pick(random, 0, 1)] * 2
    if pick(random, True, False):
        return [op.avg_pool(x, stride, pads, pads, kernel, pick(random, True, False))], [x]
    return [op.max_pool(x, stride, [1, 1], pads, pads, kernel).output(0)], [x]


def movement(random):
    shape = [int(random.integers(1, 7)), int(random.integers(1, 9)), size(random, 40)]
    x, y = parameter(*shape), parameter(*shape)
    order = [int(axis) for axis in random.permutation(3)]
    moved = op.transpose(x, op.constant(np.array(order, np.int64)))
    return [moved, op.concat([x, y], pick(random, 0, 1, 2))], [x, y]


# Name -> (function, arguments, options of weft convert).
PRECISIONS = (["f32"], ["f16"], ["i8"])
LAYERS = {
    "dense": (dense, {}, (*PRECISIONS, ["i8x8"], ["i4:32"])),
    "dense_int8": (dense, {"quantise": True}, ([],)),
    "conv_2d": (conv, {}, PRECISIONS),
    "conv_1d": (conv, {"axes": 1}, PRECISIONS),
    "conv_2d_int8": (conv, {"quantise": True}, ([],)),
    "pointwise_2d_int8": (conv, {"quantise": True, "pointwise": True}, ([],)),
    "depthwise_2d": (conv, {"depthwise": True}, PRECISIONS),
    "depthwise_1d": (conv, {"depthwise": True, "axes": 1}, (["f32"],)),
    "conv_batch": (conv, {"axes": 1, "batches": True}, PRECISIONS),
    "depthwise_batch": (conv, {"depthwise": True, "axes": 1, "batches": True}, PRECISIONS),
    "depthwise_2d_int8": (conv, {"depthwise": True, "quantise": True}, ([],)),
    "depthwise_multiplier": (conv, {"depthwise": True, "multiplies": True, "axes": 1}, PRECISIONS),
    "depthwise_2d_float": (conv, {"depthwise": True, "quantise": True, "floats": True}, ([],)),
    "lstm": (recurrent, {"kind": "lstm"}, PRECISIONS),
    "gru_after": (recurrent, {"kind": "gru_after"}, PRECISIONS),
    "gru_before": (recurrent, {"kind": "gru_before"}, PRECISIONS),
    "lstm_int8": (recurrent, {"kind": "lstm", "quantise": True}, ([],)),
    "matmul": (matmul, {}, ([],)),
    "matmul_i32": (matmul, {"of": np.int32}, ([],)),
    "matmul_i64": (matmul, {"of": np.int64}, ([],)),
    "unary": (unary, {}, ([],)),
    "binary": (binary, {}, ([],)),
    "chain": (chain, {}, ([],)),
    "softmax": (softmax, {}, ([],)),
    "normalize": (normalize, {}, ([],)),
    "reduce": (reduce, {}, ([],)),
    "pool": (pool, {}, ([],)),
    "movement": (movement, {}, ([],)),
    "transposed": (transposed, {}, ([],)),
    "binary_f32": (binary_of, {"of": np.float32}, ([],)),
    "binary_i32": (binary_of, {"of": np.int32}, ([],)),
    "binary_i64": (binary_of, {"of": np.int64}, ([],)),
    "compare_f32": (compare, {"of": np.float32}, ([],)),
    "compare_i32": (compare, {"of": np.int32}, ([],)),
    "compare_i64": (compare, {"of": np.int64}, ([],)),
    "reduce_i32": (reduce, {"of": np.int32}, ([],)),
    "select": (select, {}, ([],)),
    "convert": (convert, {}, ([],)),
    "top": (top, {}, ([],)),
    "fourier": (fourier, {}, ([],)),
    "gather": (gather, {}, ([],)),
    "network_f32": (tflite_models.network, {"of": "f32"}, ([],)),
    "network_i8": (tflite_models.network, {"of": "i8"}, ([],)),
    "narrow_i8": (tflite_models.narrow, {"of": "i8"}, ([],)),
    "autoencoder_i8": (tflite_models.autoencoder, {"of": "i8"}, ([],))
}
# Layers whose steps have 30 to 90 terms, or many variants.
MANY = 4
HAVE_MANY_TERMS = ("dense", "dense_int8", "conv_2d", "conv_1d", "conv_2d_int8", "depthwise_2d",
                   "depthwise_1d", "depthwise_2d_int8", "matmul", "lstm", "gru_after", "gru_before",
                   "binary_f32", "binary_i32", "binary_i64", "compare_f32", "compare_i32",
                   "compare_i64", "reduce", "convert", "transposed", "unary", "chain", "fourier",
                   "network_f32", "network_i8")


def write(weft, folder, name, index):
    """Writes one model with each of its options; returns the paths."""
    layer, arguments, conversions = LAYERS[name]
    random = np.random.default_rng([zlib.crc32(name.encode()), index])
    made = layer(random, **arguments)
    if isinstance(made, bytes):
        source = folder / f"{name}_{index}.tflite"
        source.write_bytes(made)
    else:
        source = folder / f"{name}_{index}.xml"
        ov.save_model(ov.Model(*made, name), source, compress_to_fp16=False)
    paths = []
    for precision in conversions:
        parts = [name, str(index), *precision]
        path = folder / ("_".join(parts).replace(":", "_") + ".weft")
        options = ["--precision", *precision] if precision else []
        subprocess.run([weft, "convert", source, "-o", path, "--quiet", *options], check=True)
        paths.append(path)
    for file in (source, source.with_suffix(".bin")):
        file.unlink(missing_ok=True)
    return paths


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", required=True, type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("count", nargs="?", type=int, default=100)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool_of_threads:
        jobs = [
            pool_of_threads.submit(write, args.weft, args.folder, name, index) for name in LAYERS
            for index in range(args.count * (MANY if name in HAVE_MANY_TERMS else 1))
        ]
        for job in jobs:
            paths += job.result()
    (args.folder / "list.txt").write_text("".join(f"{path.resolve()}\n" for path in paths))


if __name__ == "__main__":
    main()
