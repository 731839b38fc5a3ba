# SPDX-License-Identifier: Apache-2.0
"""Products with f16 weights, as in models saved by default, large enough for the converter to keep
f16."""

import numpy as np

from build import node
from casebook import Case, normal, recurrent
from families.sequences import DEFAULT, DIRECTIONS, GATES, REFERENCES
from reference import windows


def half(label, *shape, scale=1.0):
    return normal(label, *shape, scale=scale).astype(np.float16).astype(np.float32)


def _matmul():
    w, other = half("hm", 37, 45, scale=0.2), normal("hmf", 45, 70, scale=0.2)
    b, small = half("hb", 45), half("hsm", 45, 45, scale=2.0**-16)

    def dense(x):
        return node("Relu", 1, [node("Add", 1, [node("MatMul", 1, [x, w]), b])])

    for rows in (1, 3, 17):
        yield Case(f"half_weights/dense_{rows}_rows", [normal(f"hx{rows}", rows, 37)], dense,
                   reference=lambda x: np.maximum(x @ w + b, 0), compress=True)
    yield Case("half_weights/dense_left", [normal("hl", 37, 1)],
               lambda x: node("MatMul", 1, [w, x], transpose_a=True), reference=lambda x: w.T @ x,
               compress=True)
    yield Case("half_weights/subnormal_halves", [normal("hs", 2, 45, scale=1000)],
               lambda x: node("MatMul", 1, [x, small]), reference=lambda x: x @ small,
               compress=True)

    def mixed(x):
        return node("MatMul", 1, [node("Tanh", 1, [node("MatMul", 1, [x, w])]), other])

    yield Case("half_weights/beside_floats", [normal("hf", 3, 37)], mixed,
               reference=lambda x: np.tanh(x @ w) @ other,
               note="The second matrix is not of halves and stays f32.")


# data, kernel [groups, out, in, ...], strides, dilations, pads_begin, pads_end, auto_pad
WINDOWS = [
    ("conv_1d", (1, 13, 29), (1, 21, 13, 5), [2], [1], [2], [1], "explicit"),
    ("conv_1d_k1", (2, 37, 11), (1, 33, 37, 1), [1], [1], [0], [0], "explicit"),
    ("conv_2d", (1, 9, 7, 6), (1, 17, 9, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1], "explicit"),
    ("conv_2d_groups", (1, 10, 5, 9), (2, 18, 5, 3, 4), [1, 2], [1, 1], [1, 0], [0, 2], "explicit"),
    ("depthwise_1d", (1, 113, 21), (113, 1, 1, 9), [1], [2], [16], [0], "explicit"),
    ("depthwise_2d", (2, 117, 5, 6), (117, 1, 1, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1], "explicit"),
    ("depthwise_2d_multiplier", (1, 35, 6, 5), (35, 3, 1, 4, 3), [2, 1], [1, 1], [1, 1], [1, 1],
     "explicit"),
]


def _windows():
    for name, data, kernel, *geometry in WINDOWS:
        w = half(name, *kernel, scale=1 / np.sqrt(np.prod(kernel[2:])))
        grouped = kernel[0] != 1
        attributes = dict(
            zip(("strides", "dilations", "pads_begin", "pads_end", "auto_pad"), geometry))
        kind = "GroupConvolution" if grouped else "Convolution"
        yield Case(f"half_weights/{name}", [normal("half" + name, *data)],
                   lambda x, w=w, kind=kind, grouped=grouped, attributes=attributes: node(
                       kind, 1, [x, w if grouped else w[0]], **attributes),
                   reference=lambda x, w=w, geometry=geometry: windows.convolution(
                       x, w, *geometry), compress=True)


def _sequences():
    for kind, direction, linear, inputs, hidden in (
        ("LSTMSequence", "forward", False, 9, 17), ("LSTMSequence", "bidirectional", False, 17, 33),
        ("GRUSequence", "forward", True, 16, 32), ("GRUSequence", "reverse", False, 5, 33),
        ("RNNSequence", "bidirectional", False, 7, 31)):
        count = DIRECTIONS[direction]
        name = f"{kind[:-8].lower()}{'_linear' if linear else ''}_{direction}"
        scale = 1 / np.sqrt(inputs + hidden)
        gates = GATES[kind]
        w = half(name + "w", count, gates * hidden, inputs, scale=scale)
        r = half(name + "r", count, gates * hidden, hidden, scale=scale)
        b = half(name + "b", count, (4 if linear else gates) * hidden, scale=0.3)
        arrays = [normal(name, 2, 6, inputs)]
        for part in range(2 if kind == "LSTMSequence" else 1):
            arrays.append(normal(f"{name}{part}", 2, count, hidden, scale=0.5))
        steps = np.array([6, 6], np.int32)
        how = {"linear_before_reset": linear} if kind == "GRUSequence" else {}

        def graph(*ports, given=(steps, w, r, b), kind=kind, hidden=hidden, direction=direction,
                  how=how):
            return node(kind, 5, [*ports, *given], hidden_size=hidden, direction=direction,
                        activations=DEFAULT[kind], **how)

        yield recurrent(
            f"half_weights/{name}", arrays, graph,
            lambda *ports, given=(steps, w, r, b), kind=kind, direction=direction, how=how:
            REFERENCES[kind](*ports, *given, direction=direction, **how), compress=True)


def cases():
    yield from _matmul()
    yield from _windows()
    yield from _sequences()
