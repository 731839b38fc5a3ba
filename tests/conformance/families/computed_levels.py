# SPDX-License-Identifier: Apache-2.0
"""Products of bytes whose scale and zero each run computes from its data, as ONNX Runtime's quantize_dynamic
exports them and frontends leave them: they run in integers, and so does the NumPy that the numbers come from."""

import numpy as np
from onnx import helper

from casebook import Case, integers, normal
from families.from_onnx import converted

F = np.float32
TOLERANCE = {"oracle": "numpy", "rtol": 2e-6, "atol": 2e-6}


def cases():
    """Two of them behind one another, with scales of all kinds and data of some ranks."""
    for name, dims, per_channel, kind, zero in (
            ("channels", (5, 24), True, np.int8, None),
            ("unsigned", (4, 24), False, np.uint8, 128),
            ("beyond_bytes", (4, 24), False, np.uint8, 100),  # stays a product of i32
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
            least = min(x.min(), F(0))
            step = (max(x.max(), F(0)) - least) * F(1 / 255)
            middle = np.rint(np.clip((F(0) - least) / step, 0, 255))
            span = max(x.max(), F(0)) - least
            levels = np.clip(np.rint(x * F(255) / span) + middle, 0, 255)
            sums = (levels - middle).astype(np.int64) @ (w.astype(np.int64) - (zero or 0))
            return sums.astype(F) * (step * np.asarray(scale, F))

        def reference(x, weights=weights, scales=scales, b=b, zero=zero, layer=layer):
            y = np.maximum(layer(x, weights[0], scales[0], zero) + b, F(0))
            return layer(y, weights[1], scales[1], zero)

        yield Case(f"computed_levels/{name}", [x], model=exported, reference=reference, **TOLERANCE)
