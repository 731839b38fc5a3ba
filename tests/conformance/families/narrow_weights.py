# SPDX-License-Identifier: Apache-2.0
"""Products with 8-bit or 4-bit weights and 16-bit or 8-bit data (--precision i8, i8x8 and i4:32): the
expected outputs are those of the integer arithmetic. Also products by several f16 matrices."""

import numpy as np

from build import node
from casebook import EXACT, Case, by_numpy, normal, recurrent
from families.sequences import DEFAULT, DIRECTIONS, GATES, REFERENCES
from reference import integers

def _as(kind):
    return dict(convert=["--precision", kind],
                **by_numpy(f"OpenVINO multiplies floats; --precision {kind} rounds them to integers."))


I8 = _as("i8")
I8X8 = _as("i8x8")


def _dense(name, x, w, graph=None, reference=None, tolerance=EXACT):
    graph = graph or (lambda x: node("MatMul", 1, [x, w]))
    reference = reference or (lambda x: integers.product(x, w.T))
    return Case(f"narrow_weights/{name}", [x], graph, reference=reference, rtol=tolerance,
                atol=tolerance, **I8)


def _products():
    for rows, inputs, outputs in ((1, 16, 16), (3, 37, 45), (4, 64, 32), (9, 33, 17),
                                  (2, 513, 20), (5, 1500, 16)):
        name = f"dense_{rows}x{inputs}x{outputs}"
        yield _dense(name, normal("n" + name, rows, inputs),
                     normal("w" + name, inputs, outputs, scale=inputs**-0.5))
    w, b = normal("nwm", 37, 45, scale=0.2), normal("nwb", 45)
    second = normal("nw2", 45, 33, scale=0.2)

    def product(x):
        return node("MatMul", 1, [x, w])

    yield _dense("bias_relu", normal("nwr", 3, 37), w,
                 lambda x: node("Relu", 1, [node("Add", 1, [product(x), b])]),
                 lambda x: np.maximum(integers.product(x, w.T) + b, 0))
    yield _dense("two_layers", normal("nwl", 5, 37), w,
                 lambda x: node("MatMul", 1, [node("Relu", 1, [product(x)]), second]),
                 lambda x: integers.product(np.maximum(integers.product(x, w.T), 0), second.T))
    yield _dense("float_left", normal("nwf", 37, 1), w,
                 lambda x: node("MatMul", 1, [w.T.copy(), x]),
                 lambda x: integers.product(x.T, w.T).T)
    yield _dense("too_few_outputs", normal("nwt", 3, 37), w,
                 lambda x: node("MatMul", 1, [x, w[:, :15]]),
                 lambda x: x.astype(np.float64) @ w[:, :15], tolerance=1e-5)
    zeros = w * (np.arange(45) % 7 != 3)
    yield _dense("output_of_zeros", normal("nwz", 3, 37), zeros.astype(np.float32))
    mixed = normal("nwx", 6, 37)
    mixed[0], mixed[1, 5], mixed[2, 6] = 0, np.inf, np.nan
    mixed[3] *= np.float32(2.0**-105)
    mixed[4] *= np.float32(2.0**100)
    yield _dense("extreme_rows", mixed, w)


def _bytes():
    """8-bit data (i8x8)."""
    product = integers.product_of_bytes
    for rows, inputs, outputs in ((1, 16, 16), (3, 37, 45), (9, 33, 17), (5, 1500, 16)):
        w = normal(f"b8w{inputs}", inputs, outputs, scale=inputs**-0.5)
        yield Case(f"narrow_weights/i8x8_{rows}x{inputs}x{outputs}",
                   [normal(f"b8x{inputs}", rows, inputs)],
                   lambda x, w=w: node("MatMul", 1, [x, w]),
                   reference=lambda x, w=w: product(x, w.T), rtol=EXACT, atol=EXACT, **I8X8)
    w, b = normal("b8wm", 37, 45, scale=0.2), normal("b8wb", 45)
    mixed = normal("b8wx", 6, 37)
    mixed[0], mixed[1, 5], mixed[2, 6] = 0, np.inf, np.nan
    mixed[3] *= np.float32(2.0**-105)
    mixed[4] *= np.float32(2.0**100)
    yield Case("narrow_weights/i8x8_bias_relu_extreme_rows", [mixed],
               lambda x: node("Relu", 1, [node("Add", 1, [node("MatMul", 1, [x, w]), b])]),
               reference=lambda x: np.maximum(product(x, w.T) + b, 0), rtol=EXACT, atol=EXACT,
               **I8X8)
    for name, data, kernel, pads in (("conv", (2, 5, 7, 9), (1, 17, 5, 3, 4), [1, 2]),
                                     ("conv_groups", (2, 18, 8, 5), (3, 17, 6, 3, 3), [1, 1]),
                                     ("conv_whole", (2, 4, 4, 4), (1, 17, 4, 4, 4), [0, 0]),
                                     ("pointwise", (1, 17, 6, 3), (1, 18, 17, 1, 1), [0, 0])):
        filters = normal("b8f" + name, *kernel, scale=1 / np.sqrt(np.prod(kernel[2:])))

        def graph(x, w=filters, pads=pads):
            kind = "Convolution" if len(w) == 1 else "GroupConvolution"
            return node(kind, 1, [x, w[0] if len(w) == 1 else w], strides=[1, 1],
                        dilations=[1, 1], pads_begin=pads, pads_end=pads, auto_pad="explicit")

        yield Case(f"narrow_weights/i8x8_{name}", [normal("b8y" + name, *data)], graph,
                   reference=lambda x, w=filters, pads=pads: integers.convolution(
                       x, w, [1, 1], [1, 1], pads, product), rtol=EXACT, atol=EXACT, **I8X8)


def _groups():
    """4-bit weights with a scale per group of inputs."""
    for group, rows, inputs, outputs in ((32, 1, 16, 16), (32, 3, 37, 45), (32, 5, 160, 17),
                                         (64, 2, 200, 20), (128, 4, 300, 33), (128, 1, 128, 16)):
        w = normal(f"g{group}w{inputs}", inputs, outputs, scale=inputs**-0.5)
        product = integers.product_in_groups(group)
        yield Case(f"narrow_weights/i4_{group}_{rows}x{inputs}x{outputs}",
                   [normal(f"g{group}x{inputs}", rows, inputs)],
                   lambda x, w=w: node("MatMul", 1, [x, w]),
                   reference=lambda x, w=w, product=product: product(x, w.T), rtol=EXACT,
                   atol=EXACT, **_as(f"i4:{group}"))
    w, b = normal("gwm", 37, 45, scale=0.2), normal("gwb", 45)
    product = integers.product_in_groups(32)
    yield Case("narrow_weights/i4_bias_relu", [normal("gwr", 3, 37)],
               lambda x: node("Relu", 1, [node("Add", 1, [node("MatMul", 1, [x, w]), b])]),
               reference=lambda x: np.maximum(product(x, w.T) + b, 0), rtol=EXACT, atol=EXACT,
               **_as("i4:32"))
    filters = normal("gwp", 33, 37, 1, 1, scale=0.2)
    yield Case("narrow_weights/i4_pointwise", [normal("gwpx", 2, 37, 5, 4)],
               lambda x: node("Convolution", 1, [x, filters], strides=[1, 1], dilations=[1, 1],
                              pads_begin=[0, 0], pads_end=[0, 0], auto_pad="explicit"),
               reference=lambda x: np.moveaxis(
                   product(np.moveaxis(x, 1, -1), filters.reshape(33, 37)), -1, 1), rtol=EXACT,
               atol=EXACT, **_as("i4:32"))


def _sequences(prefix, product, asked):
    for kind, direction, linear, inputs, hidden in (
        ("LSTMSequence", "forward", False, 19, 17), ("LSTMSequence", "bidirectional", False, 9, 33),
        ("GRUSequence", "forward", True, 16, 32), ("GRUSequence", "reverse", False, 20, 33),
        ("RNNSequence", "bidirectional", False, 17, 31)):
        count, gates = DIRECTIONS[direction], GATES[kind]
        name = f"{prefix}{kind[:-8].lower()}{'_linear' if linear else ''}_{direction}"
        scale = 1 / np.sqrt(inputs + hidden)
        w = normal(name + "nw", count, gates * hidden, inputs, scale=scale)
        r = normal(name + "nr", count, gates * hidden, hidden, scale=scale)
        b = normal(name + "nb", count, (4 if linear else gates) * hidden, scale=0.3)
        arrays = [normal(name + "n", 2, 6, inputs)]
        for part in range(2 if kind == "LSTMSequence" else 1):
            arrays.append(normal(f"{name}n{part}", 2, count, hidden, scale=0.5))
        steps = np.array([6, 6], np.int32)
        how = {"linear_before_reset": linear} if kind == "GRUSequence" else {}

        def graph(*ports, given=(steps, w, r, b), kind=kind, hidden=hidden, direction=direction,
                  how=how):
            return node(kind, 5, [*ports, *given], hidden_size=hidden, direction=direction,
                        activations=DEFAULT[kind], **how)

        yield recurrent(
            f"narrow_weights/{name}", arrays, graph,
            lambda *ports, given=(steps, w, r, b), kind=kind, direction=direction, how=how:
            REFERENCES[kind](*ports, *given, direction=direction, product=product, **how),
            **asked)


def _convolutions():
    """Channels-last: windows are contiguous rows; with one tap, any strides."""
    for name, data, kernel, stride, padding in (
        ("pointwise", (2, 4, 5, 37), (33, 37, 1, 1), [1, 1], 0),
        ("pointwise_stride", (1, 1, 9, 20), (17, 20, 1, 1), [1, 2], 0),
        ("pointwise_strides", (2, 5, 7, 18), (16, 18, 1, 1), [2, 3], 0),
        ("pointwise_planes", (2, 6, 5, 17), (35, 17, 1, 1), [1, 1], 0),
        ("pointwise_planes_strides", (2, 6, 5, 17), (19, 17, 1, 1), [3, 2], 0),
        ("pointwise_planes_1d", (3, 7, 16), (18, 16, 1), [1], 0),
        ("conv", (1, 11, 19), (21, 19, 3), [1], 0),
        ("conv_stride", (1, 12, 16), (16, 16, 4), [2], 0),
        ("conv_whole_rows", (1, 9, 4, 5), (18, 5, 3, 4), [2, 1], 0),
        ("conv_whole", (2, 4, 16), (17, 16, 4), [1], 0),
        ("conv_padding", (1, 11, 19), (21, 19, 3), [1], 1)):
        w = normal("nw" + name, *kernel, scale=1 / np.sqrt(np.prod(kernel[1:])))
        b = normal("nwb" + name, kernel[0])
        rank, is_last = len(stride), "planes" not in name
        first = np.array([0, rank + 1, *range(1, rank + 1)], np.int64)
        last = np.array([0, *range(2, rank + 2), 1], np.int64)

        def graph(x, w=w, b=b, first=first, last=last, rank=rank, stride=stride, padding=padding,
                  is_last=is_last):
            x = node("Transpose", 1, [x, first]) if is_last else x
            y = node("Convolution", 1, [x, w], strides=stride,
                     dilations=[1] * rank, pads_begin=[padding] * rank,
                     pads_end=[padding] * rank, auto_pad="explicit")
            y = node("Add", 1, [y, b.reshape(1, -1, *[1] * rank)])
            y = node("Relu", 1, [y])
            return node("Transpose", 1, [y, last]) if is_last else y

        def reference(x, w=w, b=b, rank=rank, stride=stride, padding=padding, name=name,
                      is_last=is_last):
            axes = tuple(range(1, rank + 1))
            x = x if is_last else np.moveaxis(x, 1, -1)
            x = np.pad(x, [(0, 0)] + [(padding, padding)] * rank + [(0, 0)])
            rows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axes)
            rows = rows[(slice(None), *(slice(None, None, step) for step in stride))]
            rows, filters = rows.reshape(*rows.shape[:rank + 1], -1), w.reshape(len(w), -1)
            y = np.maximum(integers.product(rows, filters) + b, 0)
            return y if is_last else np.moveaxis(y, -1, 1)

        x = normal("nwx" + name, *data)
        yield Case(f"narrow_weights/{name}", [x if is_last else np.moveaxis(x, -1, 1).copy()], graph,
                   reference=reference, rtol=EXACT, atol=EXACT, **I8)


def _windows():
    """Convolutions in planes; kernels are [groups, outputs, inputs, taps...]."""
    for name, data, kernel, strides, dilations, pads in (
        ("conv_dilated", (1, 9, 23), (1, 18, 9, 3), [2], [3], [4]),
        ("conv_2d", (2, 5, 7, 9), (1, 17, 5, 3, 4), [2, 1], [1, 2], [1, 3]),
        ("conv_2d_column", (1, 6, 11, 1), (1, 20, 6, 5, 1), [1, 1], [1, 1], [2, 0]),
        ("conv_2d_pads_beyond", (1, 4, 2, 3), (1, 16, 4, 2, 2), [1, 1], [1, 1], [3, 2]),
        ("conv_3d", (1, 4, 5, 4, 3), (1, 19, 4, 2, 3, 2), [1, 1, 1], [1, 1, 1], [1, 0, 1]),
        ("conv_long", (1, 67, 20), (1, 16, 67, 9), [1], [1], [4]),
        ("conv_groups", (2, 18, 8, 5), (3, 17, 6, 3, 3), [1, 1], [1, 1], [1, 1]),
        ("conv_groups_pointwise", (1, 36, 11), (2, 16, 18, 1), [1], [1], [0]),
        ("conv_pointwise_padding", (1, 17, 6), (1, 18, 17, 1), [1], [1], [2]),
        ("conv_few_outputs", (1, 9, 12), (1, 15, 9, 3), [1], [1], [1]),
        ("conv_few_inputs", (1, 3, 12), (1, 18, 3, 5), [1], [1], [2]),
        ("depthwise", (2, 35, 6, 7), (35, 1, 1, 3, 3), [1, 1], [1, 1], [1, 1]),
        ("depthwise_strides", (1, 20, 9, 8), (20, 1, 1, 3, 2), [2, 3], [2, 1], [2, 1]),
        ("depthwise_1d", (1, 70, 40), (70, 1, 1, 9), [1], [1], [4]),
        ("depthwise_multiplier", (1, 6, 5, 6), (6, 7, 1, 3, 3), [1, 1], [1, 1], [0, 1]),
        ("conv_one_channel", (1, 1, 30), (1, 33, 1, 17), [1], [1], [3]),
        ("depthwise_3d", (1, 5, 4, 4, 4), (5, 1, 1, 2, 2, 2), [1, 1, 1], [1, 1, 1], [0, 1, 0]),
        ("depthwise_two_taps", (1, 18, 12), (18, 1, 1, 2), [1], [1], [0])):
        w = normal("nww" + name, *kernel, scale=1 / np.sqrt(np.prod(kernel[2:])))
        x = normal("nwy" + name, *data)
        if name == "conv_2d":
            x[0, :, :2], x[0, 1, 4, 1], x[0, 0, 4, 7], x[1, 2, 3, 8] = 0, np.inf, np.nan, 2.0**20
        how = dict(strides=strides, dilations=dilations, pads_begin=pads, pads_end=pads,
                   auto_pad="explicit")

        def graph(x, w=w, how=how):
            if len(w) == 1:
                return node("Convolution", 1, [x, w[0]], **how)
            return node("GroupConvolution", 1, [x, w], **how)

        def reference(x, w=w, strides=strides, dilations=dilations, pads=pads):
            return integers.convolution(x, w, strides, dilations, pads)

        is_float = "depthwise" in name or "few" in name
        tolerance = 1e-5 if is_float else EXACT
        yield Case(f"narrow_weights/{name}", [x], graph, reference=reference, rtol=tolerance,
                   atol=tolerance, **I8)


def _layers():
    """Consecutive convolutions. The inexact operation comes last, because a difference before a
    quantisation could round to the next integer."""
    first = normal("nwl1", 1, 20, 1, 10, 4, scale=0.2)
    point = normal("nwl3", 1, 18, 20, 1, 1, scale=0.2)
    dense = normal("nwl4", 1, 16, 18, 3, 1, scale=0.2)
    deep = normal("nwl2", 16, 1, 1, 3, 3, scale=0.3)
    layers = ((first, [2, 2], [4, 1]), (point, [1, 1], [0, 0]), (dense, [1, 1], [1, 0]),
              (deep, [1, 1], [1, 1]))
    biases = [normal(f"nwlb{i}", w.shape[0] * w.shape[1], scale=0.3).reshape(1, -1, 1, 1)
              for i, (w, _, _) in enumerate(layers)]

    def graph(x):
        for (w, strides, pads), b in zip(layers, biases):
            kind = "Convolution" if len(w) == 1 else "GroupConvolution"
            x = node(kind, 1, [x, w[0] if len(w) == 1 else w], strides=strides, dilations=[1, 1],
                     pads_begin=pads, pads_end=pads, auto_pad="explicit")
            x = node("Relu", 1, [node("Add", 1, [x, b])])
        return x

    def reference(x):
        for (w, strides, pads), b in zip(layers, biases):
            y = integers.convolution(x, w, strides, [1, 1], pads)
            x = np.maximum((y + b).astype(np.float32), 0)
        return x

    yield Case("narrow_weights/layers_of_windows", [normal("nwlx", 1, 1, 25, 11)], graph,
               reference=reference, rtol=1e-5, atol=1e-5, **I8)


def _by_matrix(product, x, w, is_left):
    """x times each matrix of w [..., inputs, outputs], or w [..., outputs, inputs] times x."""
    batch = np.broadcast_shapes(x.shape[:-2], w.shape[:-2])
    x, w = (np.broadcast_to(a, (*batch, *a.shape[-2:])) for a in (x, w))
    if is_left:
        x = np.swapaxes(x, -1, -2)
    else:
        w = np.swapaxes(w, -1, -2)
    y = np.stack([product(rows, matrix) for rows, matrix in
                  zip(x.reshape(-1, *x.shape[-2:]), w.reshape(-1, *w.shape[-2:]))])
    y = np.swapaxes(y, -1, -2) if is_left else y
    return y.reshape(*batch, *y.shape[-2:])


# Shapes of x and of the constant w, and which factor w is.
MATRICES = {
    "matrices": ((3, 5, 20), (3, 20, 30), "right"),
    "matrices_of_rows": ((2, 4, 3, 1, 20), (3, 20, 30), "right"),
    "matrices_batch": ((2, 3, 5, 20), (3, 20, 30), "right"),
    "matrices_broadcast_x": ((1, 5, 20), (3, 20, 30), "right"),
    "matrices_transposed": ((2, 3, 1, 20), (3, 30, 20), "transposed"),
    "matrices_two_axes": ((2, 4, 1, 3, 20), (2, 1, 3, 20, 30), "right"),
    "matrices_left": ((3, 20, 5), (3, 30, 20), "left"),
    "matrix_left": ((2, 20, 5), (30, 20), "left"),
}


def _matrices(prefix, product, names, asked):
    """Products by a constant of several matrices, and by a constant left factor."""
    for name in names:
        data, kernel, where = MATRICES[name]
        w = normal("nwg" + name, *kernel, scale=0.2)

        def graph(x, w=w, where=where):
            if where == "left":
                return node("MatMul", 1, [w, x])
            return node("MatMul", 1, [x, w], transpose_b=where == "transposed")

        def reference(x, w=w, where=where):
            matrices = np.swapaxes(w, -1, -2) if where == "transposed" else w
            return _by_matrix(product, x, matrices, where == "left")

        yield Case(f"narrow_weights/{prefix}{name}", [normal("nwgx" + name, *data)], graph,
                   reference=reference, **asked)


def _equations(prefix, product, names, asked):
    """Einsum with a constant: group labels, inputs in two axes, permuted labels."""
    for name, equation, data, kernel, forms in (
        ("einsum_groups", "btgi,gio->btgo", (1, 4, 3, 20), (3, 20, 30),
         ("btgi->gbti", lambda w: w, "gbto->btgo")),
        ("einsum_left", "goi,bgi->bgo", (4, 3, 20), (3, 30, 20),
         ("bgi->gbi", lambda w: np.moveaxis(w, 1, 2), "gbo->bgo")),
        ("einsum_order", "bgij,gjoi->bgo", (4, 3, 5, 4), (3, 4, 30, 5),
         ("bgij->gbij", lambda w: np.einsum("gjoi->gijo", w).reshape(3, 20, 30), "gbo->bgo"))):
        if name not in names:
            continue
        w = normal("nwe" + name, *kernel, scale=0.2)

        def graph(x, w=w, equation=equation):
            return node("Einsum", 7, [w, x] if equation.startswith("goi") else [x, w],
                        equation=equation)

        def reference(x, w=w, forms=forms):
            to_groups, in_matrices, from_groups = forms
            x, matrices = np.einsum(to_groups, x), in_matrices(w)
            if x.shape[-1] != matrices.shape[1]:
                x = x.reshape(*x.shape[:-2], matrices.shape[1])
            y = np.stack([product(rows, matrix.T) for rows, matrix in zip(x, matrices)])
            return np.einsum(from_groups, y)

        yield Case(f"narrow_weights/{prefix}{name}", [normal("nwex" + name, *data)], graph,
                   reference=reference, **asked)


def _of_halves(x, w):
    return np.asarray(x, np.float64) @ w.astype(np.float16).astype(np.float64).T


def _groups_of_matrices():
    every = (*MATRICES, "einsum_groups", "einsum_left", "einsum_order")
    few = ("matrices", "matrix_left", "einsum_groups")
    exact = dict(rtol=EXACT, atol=EXACT)
    for prefix, product, names, asked in (
        ("f16_", _of_halves, every, dict(_as("f16"), rtol=1e-5, atol=1e-5)),
        ("", integers.product, every, dict(I8, **exact)),
        ("i8x8_", integers.product_of_bytes, few, dict(I8X8, **exact)),
        ("i4_", integers.product_in_groups(32), few, dict(_as("i4:32"), **exact))):
        yield from _matrices(prefix, product, [name for name in names if name in MATRICES], asked)
        yield from _equations(prefix, product, names, asked)


def cases():
    yield from _products()
    yield from _groups_of_matrices()
    yield from _convolutions()
    yield from _windows()
    yield from _layers()
    yield from _bytes()
    yield from _groups()
    yield from _sequences("", integers.product, I8)
    yield from _sequences("i8x8_", integers.product_of_bytes, I8X8)
    yield from _sequences("i4_", integers.product_in_groups(32), _as("i4:32"))
