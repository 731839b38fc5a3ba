# SPDX-License-Identifier: Apache-2.0
"""Dense layers and convolutions."""
import numpy as np
from casebook import Case, Const, codes, i32, many, normal, range_of, single, source
from writer import RELU, RELU6, SAME, VALID, Model

TYPES = ("f32", "i8", "i16")


def _weights(label, *shape, axis=0, scale=0.4):
    return Const(normal(label, *shape, scale=scale), True, axis)


def _bias(label, count):
    return Const(normal(label, count, scale=0.3), True)


def _dense():
    w, b = _weights("fw", 5, 12), _bias("fb", 5)
    yield from single("dense", "FULLY_CONNECTED", [normal("fx", 3, 12), w, b], TYPES, version=4)
    yield from single("dense_one_scale", "FULLY_CONNECTED",
                      [normal("fx", 1, 12), Const(normal("fw", 5, 12), True), None], ("f32",))
    yield from single("dense_relu", "FULLY_CONNECTED", [normal("fx", 1, 12), w, b], ("f32", "i8"),
                      version=4, act=RELU)
    yield from single("dense_relu6", "FULLY_CONNECTED", [normal("fx", 1, 12), w, None],
                      ("f32", "i8"), version=6, act=RELU6)
    yield from single("dense_flattened", "FULLY_CONNECTED", [normal("ff", 2, 3, 12), w, b],
                      ("f32", "i8"), version=4)
    yield from single("dense_regrouped", "FULLY_CONNECTED", [normal("fg", 4, 3), w, b], ("f32",))
    yield from single("dense_kept", "FULLY_CONNECTED", [normal("ff", 2, 3, 12), w, b],
                      ("f32", "i8"), version=5, keep_num_dims=True)
    yield from single("dense_computed", "FULLY_CONNECTED",
                      [normal("fx", 3, 12), normal("fcw", 5, 12), None], ("f32",))
    for adj_x in (False, True):
        for adj_y in (False, True):
            left = normal("bx", *((2, 4, 3) if adj_x else (2, 3, 4)))
            right = normal("by", *((2, 5, 4) if adj_y else (2, 4, 5)))
            yield from single(f"batch_matmul_{adj_x:d}{adj_y:d}", "BATCH_MATMUL", [left, right],
                              ("f32", "i8"), version=2, adj_x=adj_x, adj_y=adj_y)
    yield from single("batch_matmul_broadcast", "BATCH_MATMUL",
                      [normal("bx", 2, 1, 3, 4), Const(normal("by", 3, 4, 5))], ("f32",))


def _convolutions():
    for c, o, kernel, stride, dilation, padding in (
            (1, 3, (3, 3), 1, 1, SAME), (3, 5, (2, 3), 2, 1, SAME), (5, 4, (1, 1), 1, 1, VALID),
            (3, 2, (3, 2), 1, 2, VALID), (2, 3, (3, 3), 1, 2, SAME), (4, 6, (1, 1), 2, 1, SAME)):
        text = f"c{c}_o{o}_k{kernel[0]}{kernel[1]}_s{stride}_d{dilation}_{'sv'[padding]}"
        x, w = normal("cx", 2, 7, 8, c), _weights("cw", o, *kernel, c)
        yield from single(f"conv_{text}", "CONV_2D", [x, w, _bias("cb", o)], TYPES, version=3,
                          padding=padding, stride_w=stride, stride_h=stride, dilation_w=dilation,
                          dilation_h=dilation)
        if dilation == 1 or stride == 1:
            times = 2 if c == 3 else 1
            w = _weights("dw", 1, *kernel, c * times, axis=3)
            yield from single(f"depthwise_{text}", "DEPTHWISE_CONV_2D",
                              [x, w, _bias("db", c * times)], TYPES, version=3, padding=padding,
                              stride_w=stride, stride_h=stride, depth_multiplier=times,
                              dilation_w=dilation, dilation_h=dilation, act=RELU6)
    yield from single("conv_groups", "CONV_2D",
                      [normal("gx", 1, 5, 5, 6), _weights("gw", 4, 3, 3, 3), _bias("gb", 4)],
                      ("f32",), version=6, padding=SAME, stride_w=1, stride_h=1)
    for stride, padding in ((2, SAME), (2, VALID), (1, SAME)):
        size = 8 if padding == SAME else 9
        size = (size if stride == 2 else 4)
        yield from single(f"transpose_conv_s{stride}_{'sv'[padding]}", "TRANSPOSE_CONV",
                          [Const(i32(1, size, size, 3)), _weights("tw", 3, 3, 3, 2),
                           normal("tx", 1, 4, 4, 2), _bias("tb", 3)], ("f32", "i8"), version=3,
                          padding=padding, stride_w=stride, stride_h=stride)
    for stride, padding, kernel in ((2, SAME, (2, 2)), (2, SAME, (3, 3)), (2, VALID, (3, 4)),
                                    (3, SAME, (4, 5)), (1, SAME, (3, 3))):
        yield _transpose_bias(stride, padding, kernel)
    yield from single("conv_3d", "CONV_3D",
                      [normal("vx", 1, 4, 5, 4, 2), Const(normal("vw", 2, 3, 2, 2, 3)),
                       Const(normal("vb", 3))], ("f32",), padding=SAME, stride_d=1, stride_w=2,
                      stride_h=1)


def _transpose_bias(stride, padding, kernel):
    """MediaPipe's operator, whose options are a C struct of three int."""
    model = Model()
    graph = model.graph()
    x, w = normal("tx", 1, 4, 5, 2), normal("tw", 3, *kernel, 2)
    port = graph.tensor("f32", x.shape, name="x0")
    pads = [max(taps - (size - 1) % stride - 1, 0) if padding == SAME else 0
            for taps, size in zip(kernel, x.shape[1:])]
    sizes = [(size - 1) * stride + taps - pad
             for size, taps, pad in zip(x.shape[1:], kernel, pads)]
    made = graph.tensor("f32", [1, *sizes, 3], name="y0")
    graph.op("CUSTOM", [port, graph.tensor("f32", data=w), graph.tensor("f32", data=normal("tb", 3))],
             [made], custom="Convolution2DTransposeBias",
             raw=np.array([padding + 1, stride, stride], "<i4").tobytes())
    graph.inputs, graph.outputs = [port], [made]
    name = f"transpose_bias_s{stride}_{'sv'[padding]}_{kernel[0]}x{kernel[1]}"
    return Case(name, model, [x])


def _compressed():
    """Float weights as codes behind DEQUANTIZE, as f16, and products of floats with codes."""
    w = normal("compressed", 4, 6)
    x = normal("cx", 2, 6)
    scale, zero = range_of(w, "i8")
    stored = codes(w, "i8", (scale, zero))
    for kind in ("f16", "i8"):
        model = Model()
        graph = model.graph()
        port, made = graph.tensor("f32", x.shape, name="x0"), graph.tensor("f32", (2, 4), name="y0")
        weights = graph.tensor("f32", w.shape)
        data = w if kind == "f16" else stored
        more = {} if kind == "f16" else {"scale": scale, "zero": zero}
        graph.op("DEQUANTIZE", [graph.tensor(kind, data=data, **more)], [weights], version=2)
        graph.op("FULLY_CONNECTED", [port, weights, None], [made])
        graph.inputs, graph.outputs = [port], [made]
        yield Case(f"weights_{kind}", model, [x])


def _sparse():
    """Rows of weights with few elements, expanded by DENSIFY."""
    model = Model()
    graph = model.graph()
    x, y = graph.tensor("f32", [2, 6], name="x0"), graph.tensor("f32", [2, 3], name="y0")
    stored = graph.tensor("f32", [3, 6], normal("sparse", 4),
                          sparse=[3, ([0, 1, 1, 4], [2, 0, 3, 5])])
    weights = graph.tensor("f32", [3, 6])
    graph.op("DENSIFY", [stored], [weights])
    graph.op("FULLY_CONNECTED", [x, weights, None], [y])
    graph.inputs, graph.outputs = [x], [y]
    yield Case("weights_sparse", model, [normal("sx", 2, 6)])


def _computed_bias(name, shape, axis, **options):
    """An int8 layer whose bias is an input of i32 codes. Weights of a convolution have a scale each."""
    random = source(f"computed bias of {name}")
    model = Model()
    graph = model.graph()
    image = name != "FULLY_CONNECTED"
    x = graph.tensor("i8", [1, 4, 5, 3] if image else [7, 3], name="x0", scale=0.05, zero=3)
    scale = np.float32([0.01, 0.02, 0.005, 0.015]) if image else np.float32(0.01)
    weights = graph.tensor("i8", data=random.integers(-127, 128, shape), scale=scale, axis=axis)
    bias = graph.tensor("i32", [4], name="x1", scale=np.float32(0.05) * scale)
    y = graph.tensor("i8", [1, 4, 5, 4] if image else [7, 4], name="y0", scale=0.1, zero=-7)
    graph.op(name, [x, weights, bias], [y], 4 if not image else 3, **options)
    graph.inputs, graph.outputs = [x, bias], [y]
    arrays = [random.integers(-128, 128, x.shape).astype(np.int8),
              random.integers(-3000, 3000, 4).astype(np.int32)]
    return Case(f"computed_bias_{name.lower()}", model, arrays)


def _computed_biases():
    strides = {"stride_w": 1, "stride_h": 1, "padding": SAME}
    yield _computed_bias("FULLY_CONNECTED", (4, 3), 0)
    yield _computed_bias("CONV_2D", (4, 2, 3, 3), 0, **strides)


def cases():
    return many(_dense(), _convolutions(), _compressed(), _sparse(), _computed_biases())
