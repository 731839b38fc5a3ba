# SPDX-License-Identifier: Apache-2.0
"""8-bit products whose scale and zero point are computed from the data in each run, as exported by ONNX
Runtime's quantize_dynamic. weft and the NumPy reference compute them in integers."""

import numpy as np
from onnx import helper

from casebook import Case, integers, normal
from families.from_onnx import converted
from reference import levels

F = np.float32
TOLERANCE = {"oracle": "numpy", "rtol": 2e-6, "atol": 2e-6}


def quantised(x):
    """DynamicQuantizeLinear: the integers minus their zero point, and the scale."""
    least = min(x.min(), F(0))
    span = max(x.max(), F(0)) - least
    step = span * F(1 / 255)
    middle = np.rint(np.clip((F(0) - least) / step, 0, 255))
    integers_of = np.clip(np.rint(x * F(255) / span) + middle, 0, 255)
    return (integers_of - middle).astype(np.int64), step


def _products():
    """Two consecutive products, with all kinds of scales and data of several ranks."""
    for name, dims, per_channel, kind, zero in (
            ("channels", (5, 24), True, np.int8, None),
            ("unsigned", (4, 24), False, np.uint8, 128),
            ("beyond_bytes", (4, 24), False, np.uint8, 100),  # with a zero point
            ("rank_3", (2, 3, 24), True, np.int8, None), ("row", (1, 24), False, np.int8, 0)):
        low, high = (0, 256) if kind is np.uint8 else (-128, 128)
        weights = [integers(f"{name}w{i}", low, high, *shape, dtype=kind)
                   for i, shape in enumerate(((24, 33), (33, 9)))]
        scales = [np.abs(normal(f"{name}s{i}", w.shape[1], scale=0.002)) + F(0.001)
                  for i, w in enumerate(weights)]
        if not per_channel:
            scales = [each[0] for each in scales]
        b = normal(name + "b", 33)
        x = normal(name, *dims)

        def exported(weights=weights, scales=scales, b=b, x=x, kind=kind, zero=zero):
            nodes, constants, data = [], {"b": b}, "x"
            for i, (w, scale) in enumerate(zip(weights, scales)):
                constants |= {f"w{i}": w, f"ws{i}": scale}
                given = [f"q{i}", f"w{i}", f"z{i}"]
                if zero is not None:
                    constants[f"wz{i}"] = kind(zero)
                    given.append(f"wz{i}")
                nodes += [
                    helper.make_node("DynamicQuantizeLinear", [data], [f"q{i}", f"s{i}", f"z{i}"]),
                    helper.make_node("Mul", [f"s{i}", f"ws{i}"], [f"f{i}"]),
                    helper.make_node("MatMulInteger", given, [f"i{i}"]),
                    helper.make_node("Cast", [f"i{i}"], [f"c{i}"], to=1),
                    helper.make_node("Mul", [f"c{i}", f"f{i}"], [f"y{i}"])]
                data = f"y{i}"
                if i == 0:
                    nodes += [helper.make_node("Add", ["y0", "b"], ["sum"]),
                              helper.make_node("Relu", ["sum"], ["relu"])]
                    data = "relu"
            return converted(nodes, {"x": x}, {"y1": np.zeros((*x.shape[:-1], 9), F)}, constants)

        def layer(x, w, scale, zero):
            integers_of, step = quantised(x)
            sums = integers_of @ (w.astype(np.int64) - (zero or 0))
            return sums.astype(F) * (step * np.asarray(scale, F))

        def reference(x, weights=weights, scales=scales, b=b, zero=zero, layer=layer):
            y = np.maximum(layer(x, weights[0], scales[0], zero) + b, F(0))
            return layer(y, weights[1], scales[1], zero)

        yield Case(f"computed_levels/{name}", [x], model=exported, reference=reference, **TOLERANCE)


def _convolutions():
    """Padding is the computed zero point; u8 weights minus their zero point exceed i8. With a `bias`, it
    is divided by the scale and added to the integers."""
    for name, groups, dims, outputs, window, pad, kind, zero in (
            ("conv_signed", 1, (2, 5, 7, 6), 9, (3, 3), 1, np.int8, None),
            ("conv_unsigned", 1, (1, 5, 7, 6), 9, (3, 3), 1, np.uint8, 128),
            ("conv_beyond_bytes", 1, (1, 5, 7, 6), 9, (3, 3), 1, np.uint8, 97),
            ("conv_pointwise", 1, (1, 19, 4, 5), 17, (1, 1), 0, np.uint8, 140),
            ("conv_line", 1, (1, 8, 11), 16, (3, ), 2, np.uint8, 128),
            ("conv_groups", 2, (1, 6, 7, 6), 8, (3, 3), 1, np.uint8, 128),
            ("conv_groups_beyond_bytes", 2, (1, 6, 7, 6), 8, (3, 3), 1, np.uint8, 150),
            ("conv_depthwise", 18, (1, 18, 7, 6), 18, (3, 3), 1, np.int8, None),
            ("conv_depthwise_beyond_bytes", 18, (1, 18, 7, 6), 18, (3, 3), 1, np.uint8, 120),
            ("conv_zero_255", 1, (1, 5, 7, 6), 9, (3, 3), 1, np.uint8, 255),
            ("conv_bias_signed", 1, (2, 5, 7, 6), 9, (3, 3), 1, np.int8, None),
            ("conv_bias_beyond_bytes", 1, (1, 5, 7, 6), 9, (3, 3), 1, np.uint8, 97),
            ("conv_bias_depthwise_beyond_bytes", 18, (1, 18, 7, 6), 18, (3, 3), 1, np.uint8, 120),
            ("conv_bias_groups", 2, (1, 6, 11), 8, (3, ), 1, np.uint8, 128)):
        is_whole = "bias" in name  # the bias is added to the integers
        low, high = (0, 256) if kind is np.uint8 else (-128, 128)
        inputs = dims[1] // groups
        w = integers(name + "w", low, high, outputs, inputs, *window, dtype=kind)
        w[0, 0], w[1, 0] = low, high - 1
        scale = F(0.003)
        b = normal(name + "b", 1, outputs, *(1 for _ in window))
        x = normal(name, *dims) + F(0.3)

        def exported(groups=groups, window=window, pad=pad, w=w, scale=scale, b=b, x=x, kind=kind,
                     zero=zero, outputs=outputs, is_whole=is_whole):
            given = ["q", "w", "z"] + ([] if zero is None else ["wz"])
            constants = {"w": w, "ws": scale.reshape(1), "b": b}
            if zero is not None:
                constants["wz"] = kind(zero)
            places = [have + 2 * pad - taps + 1 for have, taps in zip(x.shape[2:], window)]
            nodes = [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
                     helper.make_node("ConvInteger", given, ["i"], group=groups,
                                      pads=[pad] * (2 * len(window))),
                     helper.make_node("Mul", ["s", "ws"], ["f"])]
            if is_whole:
                nodes += [helper.make_node("Div", ["b", "f"], ["bf"]),
                          helper.make_node("Floor", ["bf"], ["bw"]),
                          helper.make_node("Cast", ["bw"], ["bi"], to=6),
                          helper.make_node("Add", ["i", "bi"], ["bs"]),
                          helper.make_node("Cast", ["bs"], ["c"], to=1),
                          helper.make_node("Mul", ["c", "f"], ["y"])]
            else:
                nodes += [helper.make_node("Cast", ["i"], ["c"], to=1),
                          helper.make_node("Mul", ["c", "f"], ["p"]),
                          helper.make_node("Add", ["p", "b"], ["y"])]
            return converted(nodes, {"x": x}, {"y": np.zeros((len(x), outputs, *places), F)},
                             constants)

        def reference(x, groups=groups, window=window, pad=pad, w=w, scale=scale, b=b, zero=zero,
                      is_whole=is_whole):
            integers_of, step = quantised(x)
            pads, ones = [(pad, pad)] * len(window), [1] * len(window)
            taken = levels.patches(integers_of, window, ones, pads, 0)
            filters = (w.astype(np.int64) - (zero or 0)).reshape(groups, w.shape[0] // groups, -1)
            taken = taken.reshape(*taken.shape[:1 + len(window)], groups, -1)
            sums = np.einsum("...gk,gok->...go", taken, filters)
            sums = np.moveaxis(sums.reshape(*sums.shape[:-2], -1), -1, 1)
            if is_whole:
                whole = np.floor(b / (step * scale)).astype(np.int64)
                return (sums + whole).astype(F) * (step * scale)
            return sums.astype(F) * (step * scale) + b

        yield Case(f"computed_levels/{name}", [x], model=exported, reference=reference, **TOLERANCE)


def cases():
    yield from _products()
    yield from _convolutions()
