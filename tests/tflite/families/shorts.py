# SPDX-License-Identifier: Apache-2.0
"""Operators on int16 codes, with the extreme codes and odd shapes. The answers are those of
tflite-micro, which computes them by integers."""
import micro
import numpy as np
from casebook import Case, i32, many, source
from writer import RELU, RELU6, RELU_N1_TO_1, SAME, VALID, Model

EXTREMES = np.array([-32768, 32767, -32767, 0, 1, -1], np.int16)
GATE = 1 / 32768


class _Graph:
    """A model of int16 tensors; scales are floats, zero points 0."""

    def __init__(self, path):
        self.path, self.random, self.model = path, source(path), Model()
        self.graph, self.arrays = self.model.graph(), []

    def codes(self, *shape):
        """Random codes, with the extreme ones."""
        made = self.random.integers(-32768, 32768, shape).astype(np.int16)
        flat = made.reshape(-1)
        flat[: len(EXTREMES)] = EXTREMES[: flat.size]
        self.random.shuffle(flat)
        return made

    def port(self, array, scale=None, zero=0):
        """An input that holds the array."""
        kind = {"int8": "i8", "int16": "i16", "int32": "i32", "float32": "f32"}[array.dtype.name]
        more = {"scale": np.float32(scale), "zero": zero} if scale else {}
        tensor = self.graph.tensor(kind, array.shape, name=f"x{len(self.arrays)}", **more)
        self.graph.inputs.append(tensor)
        self.arrays.append(array)
        return tensor

    def constant(self, array, scale=None, axis=None):
        """A constant."""
        kind = {"int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64"}[array.dtype.name]
        more = {} if scale is None else {"scale": scale}
        if axis is not None:
            more["axis"] = axis
        return self.graph.tensor(kind, data=array, **more)

    def tensor(self, shape, scale, kind="i16", zero=0):
        """A computed tensor."""
        return self.graph.tensor(kind, shape, scale=np.float32(scale), zero=zero)

    def case(self, y):
        """The case, whose output is y."""
        y.name, self.graph.outputs = "y0", [y]
        return Case(self.path, self.model, self.arrays, rtol=0, atol=0,
                    answers=micro.run(self.model.bytes(), self.arrays))


def _pairs():
    shapes = (((3, 7, 5), (3, 7, 5)), ((2, 5, 9), (9,)), ((4, 1, 3), (1, 5, 1)))
    for name in ("ADD", "SUB", "MUL", "SQUARED_DIFFERENCE"):
        scales = (1.3e-4, 0.9e-4, 4e-4 if name == "SQUARED_DIFFERENCE" else 1.7e-4)
        for number, (left, right) in enumerate(shapes):
            graph = _Graph(f"{name.lower()}_{number}")
            x = [graph.port(graph.codes(*shape), scale) for shape, scale in zip((left, right), scales)]
            y = graph.tensor(np.broadcast_shapes(left, right), scales[2])
            graph.graph.op(name, x, [y])
            yield graph.case(y)
        graph = _Graph(f"{name.lower()}_constant")
        x = [graph.port(graph.codes(1, 6, 11), scales[0]),
             graph.constant(graph.codes(11), np.float32(scales[1]))]
        y = graph.tensor((1, 6, 11), scales[2])
        graph.graph.op(name, x, [y])
        yield graph.case(y)
        if name == "SQUARED_DIFFERENCE":
            continue
        for act, text in ((RELU, "relu"), (RELU6, "relu6"), (RELU_N1_TO_1, "relu1")):
            graph = _Graph(f"{name.lower()}_{text}")
            x = [graph.port(graph.codes(5, 13), 3e-4), graph.port(graph.codes(5, 13), 4e-4)]
            y = graph.tensor((5, 13), 2.5e-4)
            graph.graph.op(name, x, [y], act=act)
            yield graph.case(y)
    graph = _Graph("sub_ratio")  # in float, the ratios of these scales round to other numbers
    x = [graph.port(graph.codes(64, 1), 1.3e-4), graph.port(graph.codes(1, 64), 0.4e-4)]
    y = graph.tensor((64, 64), 1.04e-4)
    graph.graph.op("SUB", x, [y])
    yield graph.case(y)
    for power in (-15, -11):  # with scales of powers of two
        graph = _Graph(f"add_power{-power}")
        x = [graph.port(graph.codes(4, 9), 2.0**power), graph.port(graph.codes(4, 9), 2.0**-13)]
        y = graph.tensor((4, 9), 2.0**-12)
        graph.graph.op("ADD", x, [y], pot_scale_int16=True)
        yield graph.case(y)
    graph = _Graph("prelu")
    slope = graph.random.integers(-128, 128, 4).astype(np.int8)
    x = [graph.port(graph.codes(1, 3, 5, 4), 1e-4), graph.constant(slope, np.float32(0.01))]
    y = graph.tensor((1, 3, 5, 4), 1.2e-4)
    graph.graph.op("PRELU", x, [y])
    yield graph.case(y)


def _function(path, name, before, after, **options):
    graph = _Graph(path)
    all_codes = np.concatenate([np.arange(-32768, 32768, 37), EXTREMES]).astype(np.int16)
    x = graph.port(all_codes.reshape(1, -1), before)
    y = graph.tensor((1, all_codes.size), after)
    graph.graph.op(name, [x], [y], **options)
    return graph.case(y)


def _functions():
    for before in (2.0**-12, 2.0**-11, 2.0**-15, 3.3e-4, 1e-5, 0.013):
        text = f"{before:.1e}"
        if before != 0.013:
            yield _function(f"logistic_{text}", "LOGISTIC", before, GATE)
            yield _function(f"tanh_{text}", "TANH", before, GATE)
        yield _function(f"leaky_relu_{text}", "LEAKY_RELU", before, before * 0.8, alpha=0.17)
    for alpha, text in ((-0.5, "negative"), (1.7, "steep")):
        yield _function(f"leaky_relu_{text}", "LEAKY_RELU", 2e-4, 3e-4, alpha=alpha)
    yield _function("relu", "RELU", 3e-4, 3e-4)
    yield _function("relu_scale", "RELU", 3e-4, 2.3e-4)
    yield _function("relu6", "RELU6", 3e-4, 3e-4)


def _quantisation():
    graph = _Graph("quantize_f32")
    floats = np.concatenate([np.arange(-40, 40) * 0.5, [3.3e4, -3.4e4, 1e9, -1e9]]) * 2.13e-4
    x = graph.port(floats.astype(np.float32).reshape(1, -1))
    y = graph.tensor(floats.reshape(1, -1).shape, 2.13e-4)
    graph.graph.op("QUANTIZE", [x], [y])
    yield graph.case(y)
    graph = _Graph("dequantize")
    x = graph.port(graph.codes(3, 50), 2.13e-4)
    y = graph.graph.tensor("f32", (3, 50))
    graph.graph.op("DEQUANTIZE", [x], [y], version=3)
    yield graph.case(y)
    types = {"i8": (0.0213, 3), "i16": (1.3e-4, 0), "i32": (7.7e-7, 0)}
    for before in ("i8", "i16", "i32"):
        for after in ("i8", "i16", "i32"):
            if before == after != "i16" or (before, after) == ("i8", "i32"):
                continue
            graph = _Graph(f"requantize_{before}_{after}")
            x = {"i8": graph.random.integers(-128, 128, (4, 41)).astype(np.int8),
                 "i16": graph.codes(4, 41),
                 "i32": graph.random.integers(-2**22, 2**22, (4, 41)).astype(np.int32)}[before]
            port = graph.port(x, *types[before])
            scale, zero = types[after]
            y = graph.tensor(x.shape, scale * (0.7 if before == after else 1), after, zero)
            graph.graph.op("QUANTIZE", [port], [y], version=2)
            yield graph.case(y)
    graph = _Graph("sums_of_both")  # of int8, then of int16
    x = graph.random.integers(-128, 128, (3, 37)).astype(np.int8)
    ports = [graph.port(x, 0.02, 3), graph.port(x[::-1].copy(), 0.013, -5)]
    narrow, wide = graph.tensor(x.shape, 0.03, "i8", 7), graph.tensor(x.shape, 1.3e-4)
    y = graph.tensor(x.shape, 2.1e-4)
    graph.graph.op("ADD", ports, [narrow])
    graph.graph.op("QUANTIZE", [narrow], [wide], version=2)
    graph.graph.op("ADD", [wide, wide], [y])
    yield graph.case(y)
    graph = _Graph("sum_of_floats")  # QUANTIZE, ADD, DEQUANTIZE
    floats = graph.random.uniform(-5, 5, (2, 33)).astype(np.float32)
    codes = [graph.tensor(floats.shape, scale) for scale in (1.6e-4, 2e-4)]
    graph.graph.op("QUANTIZE", [graph.port(floats)], codes[:1])
    graph.graph.op("QUANTIZE", [graph.port(floats[::-1].copy())], codes[1:])
    total, y = graph.tensor(floats.shape, 3e-4), graph.graph.tensor("f32", floats.shape)
    graph.graph.op("ADD", codes, [total])
    graph.graph.op("DEQUANTIZE", [total], [y], version=3)
    yield graph.case(y)


def _product(path, name, x, w, axis, shape, low=0.002, act=0, bias=True, large=False, sums="i64",
             **options):
    """A product with a scale per output channel. `large`: a bias beyond 32 bits. `sums`: the type of
    the bias and of the sums."""
    graph = _Graph(path)
    outputs = w[axis]
    weights = graph.random.integers(-128, 128, w).astype(np.int8)
    scales = graph.random.uniform(low, 3 * low, outputs).astype(np.float32)
    tensors = [graph.port(graph.codes(*x), 1.5e-4), graph.constant(weights, scales, axis)]
    if bias:
        most = 2**34 if large else 2**21
        numbers = graph.random.integers(-most, most, outputs).astype(
            {"i64": np.int64, "i32": np.int32}[sums])
        tensors.append(graph.constant(numbers, scales * np.float32(1.5e-4), 0))
    else:
        tensors.append(None)
    if "output" in options:
        tensors = [graph.constant(options.pop("output")), tensors[1], tensors[0], tensors[2]]
    count = int(np.prod(w)) // outputs
    y = graph.tensor(shape, 1.5e-4 * low * 128 * np.sqrt(count) * (1000 if large else 1))
    graph.graph.op(name, tensors, [y], act=act, **options)
    return graph.case(y)


def _wrapping():
    """Sums beyond 32 bits, which wrap around."""
    graph = _Graph("conv_sums32_wrap")
    x = np.where(graph.random.random((1, 4, 4, 64)) < 0.95, 32767, -32768).astype(np.int16)
    weights = graph.constant(np.full((3, 3, 3, 64), 127, np.int8), np.full(3, 0.004, np.float32), 0)
    bias = graph.constant(np.array([2**31 - 1, 0, -(2**31)], np.int32),
                          np.full(3, 0.004 * 1.5e-4, np.float32), 0)
    y = graph.tensor((1, 2, 2, 3), 0.05)
    graph.graph.op("CONV_2D", [graph.port(x, 1.5e-4), weights, bias], [y], version=3, padding=VALID,
                   stride_w=1, stride_h=1, dilation_w=1, dilation_h=1)
    return graph.case(y)


def _products():
    for rows, inputs, outputs in ((3, 12, 5), (1, 61, 33), (2, 497, 17), (1, 1100, 4)):
        yield _product(f"dense_{rows}_{inputs}_{outputs}", "FULLY_CONNECTED", (rows, inputs),
                       (outputs, inputs), 0, (rows, outputs), version=7)
    yield _product("dense_relu", "FULLY_CONNECTED", (2, 20), (9, 20), 0, (2, 9), act=RELU, version=7)
    yield _product("dense_plain", "FULLY_CONNECTED", (2, 20), (9, 20), 0, (2, 9), bias=False,
                   version=7)
    for c, act in ((4, 0), (19, RELU6)):
        yield _product(f"conv_sums32_{c}", "CONV_2D", (1, 6, 5, c), (7, 3, 3, c), 0, (1, 6, 5, 7),
                       act=act, sums="i32", version=3, padding=SAME, stride_w=1, stride_h=1,
                       dilation_w=1, dilation_h=1)
    yield _product("conv_sums32_plain", "CONV_2D", (1, 6, 5, 4), (7, 3, 3, 4), 0, (1, 6, 5, 7),
                   bias=False, version=8, padding=SAME, stride_w=1, stride_h=1, dilation_w=1,
                   dilation_h=1, quantized_bias_type=2)
    yield _wrapping()
    for rows, inputs, outputs in ((3, 61, 5), (1, 497, 17)):
        yield _product(f"dense_sums32_{inputs}", "FULLY_CONNECTED", (rows, inputs),
                       (outputs, inputs), 0, (rows, outputs), sums="i32", version=7)
    yield _product("dense_large_bias", "FULLY_CONNECTED", (2, 20), (9, 20), 0, (2, 9), large=True,
                   version=7)
    for c, o, kernel, stride, dilation, padding in (
            (1, 3, (3, 3), 1, 1, SAME), (3, 5, (2, 3), 2, 1, SAME), (5, 4, (1, 1), 1, 1, VALID),
            (3, 2, (3, 2), 1, 2, VALID), (17, 18, (3, 3), 1, 2, SAME), (4, 6, (1, 1), 2, 1, SAME),
            (64, 5, (3, 3), 1, 1, VALID)):
        taps = [(extent - 1) * dilation + 1 for extent in kernel]
        size = [-(-extent // stride) if padding == SAME else (extent - tap) // stride + 1
                for extent, tap in zip((7, 8), taps)]
        text = f"c{c}_o{o}_k{kernel[0]}{kernel[1]}_s{stride}_d{dilation}_{'sv'[padding]}"
        more = {"padding": padding, "stride_w": stride, "stride_h": stride, "dilation_w": dilation,
                "dilation_h": dilation}
        for act, name in ((0, ""), (RELU6, "_relu6")) if c == 3 else ((0, ""),):
            yield _product(f"conv_{text}{name}", "CONV_2D", (2, 7, 8, c), (o, *kernel, c), 0,
                           (2, *size, o), act=act, version=3, **more)
        if dilation == 1 or stride == 1:
            times = 2 if c == 3 else 1
            yield _product(f"depthwise_{text}", "DEPTHWISE_CONV_2D", (2, 7, 8, c),
                           (1, *kernel, c * times), 3, (2, *size, c * times), act=RELU,
                           depth_multiplier=times, version=5, **more)
    yield _product("depthwise_wide", "DEPTHWISE_CONV_2D", (1, 23, 23, 3), (1, 23, 23, 3), 3,
                   (1, 1, 1, 3), depth_multiplier=1, version=5, padding=VALID, stride_w=1, stride_h=1)
    for kernel, stride, padding in (((3, 3), (2, 2), SAME), ((4, 4), (2, 2), SAME),
                                    ((2, 2), (2, 2), VALID), ((1, 5), (1, 3), SAME)):
        size = [extent * step if padding == SAME else (extent - 1) * step + max(taps, step)
                for extent, step, taps in zip((5, 6), stride, kernel)]
        yield _product(f"transpose_conv_{kernel[0]}{kernel[1]}_s{stride[0]}{stride[1]}_{'sv'[padding]}",
                       "TRANSPOSE_CONV", (2, 5, 6, 8), (4, *kernel, 8), 0, (2, *size, 4), version=3,
                       output=i32(2, *size, 4), padding=padding, stride_h=stride[0],
                       stride_w=stride[1])


def _matrices():
    """Products of two computed values, of a batch of constants, and attention."""
    for number, (left, right, adj_x, adj_y) in enumerate((
            ((23, 40), (40, 31), False, False), ((2, 17, 40), (2, 29, 40), False, True),
            ((3, 40, 13), (3, 40, 19), True, False), ((2, 1, 9, 33), (3, 33, 17), False, False),
            ((4, 7, 900), (900, 9), False, False))):
        for is_constant in (False, True) if number in (1, 4) else (False,):
            graph = _Graph(f"batch_matmul_{number}{'_constant' * is_constant}")
            x, codes, scale = graph.port(graph.codes(*left), 1.5e-4), graph.codes(*right), 1.1e-4
            w = graph.constant(codes, np.float32(scale)) if is_constant else graph.port(codes, scale)
            inner = left[-2] if adj_x else left[-1]
            batch = np.broadcast_shapes(left[:-2], right[:-2])
            shape = (*batch, left[-1] if adj_x else left[-2], right[-2] if adj_y else right[-1])
            y = graph.tensor(shape, 1.5e-4 * scale * 15000 * np.sqrt(inner))
            graph.graph.op("BATCH_MATMUL", [x, w], [y], version=3, adj_x=adj_x, adj_y=adj_y)
            yield graph.case(y)
    graph = _Graph("attention")
    x = graph.port(graph.codes(1, 12, 16), 1.5e-4)
    keys, scores, shares = (graph.tensor(shape, scale) for shape, scale in (
        ((1, 12, 16), 1.7e-4), ((1, 12, 12), 9e-4), ((1, 12, 12), GATE)))
    graph.graph.op("LEAKY_RELU", [x], [keys], alpha=0.3)
    graph.graph.op("BATCH_MATMUL", [x, keys], [scores], version=3, adj_x=False, adj_y=True)
    graph.graph.op("SOFTMAX", [scores], [shares], beta=1.0)
    y = graph.tensor((1, 12, 16), 1.2e-4)
    graph.graph.op("BATCH_MATMUL", [shares, x], [y], version=3, adj_x=False, adj_y=False)
    yield graph.case(y)


def _windows(graph, value, steps, channels, layers, padding):
    """Layers over time, each (outputs, taps, dilation); depthwise if `outputs` is 0."""
    scale = float(value.scale)
    for outputs, taps, dilation in layers:
        name = "CONV_2D" if outputs else "DEPTHWISE_CONV_2D"
        shape = (outputs, taps, 1, channels) if outputs else (1, taps, 1, channels)
        count = outputs or channels
        weights = graph.random.integers(-128, 128, shape).astype(np.int8)
        scales = graph.random.uniform(0.002, 0.006, count).astype(np.float32)
        bias = graph.random.integers(-10**6, 10**6, count).astype(np.int64)
        tensors = [value, graph.constant(weights, scales, 0 if outputs else 3),
                   graph.constant(bias, scales * np.float32(scale), 0)]
        steps -= (taps - 1) * dilation if padding == VALID else 0
        scale *= 0.004 * 128 * np.sqrt(taps * (channels if outputs else 1))
        value = graph.tensor((1, steps, 1, count), scale)
        more = {} if outputs else {"depth_multiplier": 1}
        graph.graph.op(name, tensors, [value], version=3 if outputs else 5, padding=padding,
                       stride_w=1, stride_h=1, dilation_w=1, dilation_h=dilation, act=RELU, **more)
        channels = count
    return value


def _streams():
    """Layers over 20 time steps, which tests/device also runs step by step."""
    layers = ((12, 3, 1), (0, 3, 2), (6, 2, 1))
    for padding, text in ((VALID, "valid"), (SAME, "same")):
        graph = _Graph(f"stream_{text}")
        x = graph.port(graph.codes(1, 20, 1, 8), 2e-4)
        yield graph.case(_windows(graph, x, 20, 8, layers, padding))
    graph = _Graph("stream_residual")
    x = graph.port(graph.codes(1, 20, 1, 8), 2e-4)
    leaky, y = graph.tensor((1, 20, 1, 8), 2.3e-4), graph.tensor((1, 20, 1, 8), 7e-4)
    graph.graph.op("LEAKY_RELU", [x], [leaky], alpha=0.3)
    inner = _windows(graph, leaky, 20, 8, ((5, 1, 1), (8, 3, 1)), SAME)
    graph.graph.op("ADD", [inner, x], [y])
    yield graph.case(y)


def _reductions():
    for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        low = name.lower().removesuffix("_2d")
        for padding, act, channels in ((SAME, 0, 3), (VALID, 0, 19), (SAME, RELU, 2)):
            size = (4, 6) if padding == SAME else (3, 5)
            graph = _Graph(f"{low}_{'sv'[padding]}_{channels}")
            x = graph.port(graph.codes(1, 7, 6, channels), 2e-4)
            y = graph.tensor((1, *size, channels), 2e-4)
            graph.graph.op(name, [x], [y], padding=padding, stride_w=1, stride_h=2, filter_width=2,
                           filter_height=3, act=act)
            yield graph.case(y)
    for name in ("MEAN", "SUM"):
        for axes in ((1, 2), (3,), (0, 3)):
            graph = _Graph(f"{name.lower()}_{''.join(map(str, axes))}")
            x = graph.codes(2, 7, 6, 5)
            port = graph.port(x, 2e-4)
            shape = [extent for at, extent in enumerate(x.shape) if at not in axes]
            y = graph.tensor(shape, 1.3e-4 if name == "MEAN" else 2e-3)
            graph.graph.op(name, [port, graph.constant(i32(*axes))], [y])
            yield graph.case(y)


def _moves():
    """A movement between two layers."""
    for name, shape, outputs, options in (
            ("PAD", (1, 6, 7, 2), (), {}), ("TRANSPOSE", (1, 7, 5, 2), (), {}),
            ("CONCATENATION", (1, 5, 7, 4), (), {"axis": 3}), ("STRIDED_SLICE", (1, 3, 4, 2), (), {})):
        graph = _Graph(f"moves_{name.lower()}")
        x = graph.port(graph.codes(1, 5, 7, 2), 2e-4)
        before = graph.tensor((1, 5, 7, 2), 3e-4)
        graph.graph.op("LEAKY_RELU", [x], [before], alpha=0.3)
        inputs = [before]
        if name == "PAD":
            inputs.append(graph.constant(np.array([[0, 0], [1, 0], [0, 0], [0, 0]], np.int32)))
        elif name == "TRANSPOSE":
            inputs.append(graph.constant(i32(0, 2, 1, 3)))
        elif name == "CONCATENATION":
            inputs.append(before)
        else:
            inputs += [graph.constant(i32(*numbers))
                       for numbers in ((0, 1, 0, 0), (1, 4, 7, 2), (1, 1, 2, 1))]
        moved, y = graph.tensor(shape, 3e-4), graph.tensor(shape, 4e-4)
        graph.graph.op(name, inputs, [moved], **options)
        graph.graph.op("LEAKY_RELU", [moved], [y], alpha=0.6)
        yield graph.case(y)


def cases():
    return many(_pairs(), _functions(), _quantisation(), _products(), _matrices(), _streams(),
                _reductions(), _moves())
