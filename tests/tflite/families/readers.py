# SPDX-License-Identifier: Apache-2.0
"""Codes that a layer reads and that QUANTIZE changes to another scale for a further operator."""
import numpy as np
from casebook import Case, many, source
from writer import Model, RELU, VALID

SCALES = {"i8": (0.05, 0.06, 0.08, 0.02), "i16": (3.5e-4, 3e-4, 4e-4, 3.3e-4)}
LOW = {"i8": -128, "i16": -32768}


class _Graph:
    """A model of codes of one kind: x, a = CONV_2D(x), y0 = reader(a), r = QUANTIZE(a)."""

    def __init__(self, path, kind):
        self.path, self.kind, self.random, self.model = path, kind, source(path), Model()
        self.graph = self.model.graph()
        self.scales = [np.float32(scale) for scale in SCALES[kind]]
        self.x = self.codes(self.scales[0], name="x0")
        self.graph.inputs = [self.x]

    def codes(self, scale, shape=(1, 3, 2, 4), **more):
        """A tensor of codes."""
        return self.graph.tensor(self.kind, shape, scale=scale, zero=3 if self.kind == "i8" else 0, **more)

    def convolved(self, x, scale, name, **more):
        """CONV_2D or DEPTHWISE_CONV_2D of one tap."""
        first = 1 if name == "DEPTHWISE_CONV_2D" else 4
        weights = self.graph.tensor("i8", data=self.random.integers(-127, 128, (first, 1, 1, 4)),
                                    scale=np.full(4, 0.01, np.float32), axis=3 if first == 1 else 0)
        bias = self.graph.tensor("i32" if self.kind == "i8" else "i64",
                                 data=self.random.integers(-900, 900, 4),
                                 scale=np.full(4, np.float32(x.scale) * np.float32(0.01)))
        y = self.codes(scale)
        self.graph.op(name, [x, weights, bias], [y], 3, padding=VALID, stride_w=1, stride_h=1,
                      **({"depth_multiplier": 1} if first == 1 else {}), **more)
        return y

    def case(self, *outputs):
        """The case."""
        for number, output in enumerate(outputs):
            output.name = f"y{number}"
        self.graph.outputs = list(outputs)
        low = LOW[self.kind]
        x = self.random.integers(low, -low, self.x.shape)
        return Case(self.path, self.model, [x.astype(np.int8 if low == -128 else np.int16)], rtol=0, atol=0)


def _readers(kind):
    for reader in ("CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D"):
        for after in ("", "ADD", "MAXIMUM", "CONCATENATION", "AVERAGE_POOL_2D", "CONV_2D", "RELU"):
            made = _Graph(f"{kind}_{reader.lower()}_{after.lower() or 'output'}", kind)
            _, scale, second, third = made.scales
            a = made.convolved(made.x, scale, "CONV_2D")
            if reader.endswith("CONV_2D"):
                y = made.convolved(a, second, reader)
            else:
                y = made.codes(scale, (1, 2, 2, 4))
                made.graph.op(reader, [a], [y], 2, padding=VALID, stride_w=1, stride_h=1, filter_width=1,
                              filter_height=2)
            r = made.codes(third)
            made.graph.op("QUANTIZE", [a], [r], 2)
            z = made.codes(third, (1, 3, 2, 8) if after == "CONCATENATION" else (1, 3, 2, 4))
            if after == "CONV_2D":
                z = made.convolved(r, second, after)
            elif after == "AVERAGE_POOL_2D":
                made.graph.op(after, [r], [z], 2, padding=VALID, stride_w=1, stride_h=1, filter_width=1,
                              filter_height=1)
            elif after:
                more = {"axis": 3} if after == "CONCATENATION" else {}
                made.graph.op(after, [r] if after == "RELU" else [r, r], [z], 2, **more)
            yield made.case(y, z if after else r)


def _without_a_step():
    """FULLY_CONNECTED of rank 1 runs in f32; RELU of the same codes does not."""
    for rank in (1, 2):
        made = _Graph(f"i16_dense_rank{rank}", "i16")
        made.x.shape = (16,) if rank == 1 else (1, 16)
        r, y = made.codes(made.scales[1], made.x.shape), made.codes(made.scales[1], made.x.shape)
        made.graph.op("QUANTIZE", [made.x], [r], 2)
        weights = made.graph.tensor("i8", data=made.random.integers(-127, 128, (3, 16)), scale=np.float32(0.01))
        o = made.codes(made.scales[2], (1, 3))
        made.graph.op("FULLY_CONNECTED", [r, weights, None], [o], 5, act=RELU)
        made.graph.op("RELU", [r], [y], 1)
        yield made.case(o, y)


def _before_floats(reader):
    """QUANTIZE to another scale and MINIMUM, of which only a layer in f32 reads the codes."""
    made = _Graph(f"i8_before_{reader.lower()}", "i8")
    made.graph.inputs = [made.graph.tensor("i8", [1, 256], name="x0", scale=0.025, zero=5)]
    r, v = (made.graph.tensor("i8", [1, 256], scale=0.05, zero=5) for _ in range(2))
    limits = made.graph.tensor("i8", data=np.arange(256) // 4 + 20, scale=0.05, zero=5)
    more = {"scale": 16 / 256, "zero": 127} if reader == "LOG_SOFTMAX" else {}
    y = made.graph.tensor("i8" if more else "f32", [1, 256], name="y0", **more)
    made.graph.op("QUANTIZE", made.graph.inputs, [r], 2)
    made.graph.op("MINIMUM", [r, limits], [v], 2)
    made.graph.op(reader, [v], [y], 2)
    made.graph.outputs = [y]
    return Case(made.path, made.model, [np.arange(-128, 128).astype(np.int8).reshape(1, 256)], rtol=0,
                atol=0)


def cases():
    return many(_readers("i8"), _readers("i16"), _without_a_step(),
                [_before_floats("DEQUANTIZE"), _before_floats("LOG_SOFTMAX")])
