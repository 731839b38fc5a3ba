# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs written layer by layer, with weights from a fixed seed, and the minimum work of a
run.

Cost counts multiply-adds and bytes of weights. `once` is the work outside of recurrences, which
reads its weights once. `step` is the work of each of the `steps` steps of a recurrence. It reads
its weights in every step, because the next step needs its result.
"""
import dataclasses
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSETS = [helper.make_opsetid("", 17)]
IR_VERSION = 8


@dataclasses.dataclass
class Cost:
    once_multiply_adds: int = 0
    once_bytes: int = 0
    step_multiply_adds: int = 0
    step_bytes: int = 0
    steps: int = 0


def port(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


class Graph:
    """Nodes, constants and cost of one model, or of a loop's body."""
    def __init__(self, name):
        self.name = name
        self.nodes, self.constants, self.cost = [], [], Cost()
        self.random = np.random.default_rng(zlib.crc32(name.encode()))

    def weights(self, *shape, fan_in=None, scale=None):
        """A constant with values that keep a layer's outputs about as large as its inputs."""
        if scale is None:
            scale = np.sqrt(3 / (fan_in or shape[-1]))
        return self.constant(self.random.uniform(-scale, scale, shape).astype(np.float32))

    def constant(self, values):
        name = f"{self.name}_c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, order="C"), name))
        return name

    def array(self, name):
        return next(numpy_helper.to_array(c) for c in self.constants if c.name == name)

    def add(self, kind, inputs, outputs=None, **attributes):
        """Adds a node. Without `outputs`, its only output is named by the node's index."""
        outputs = outputs or [f"{self.name}_{len(self.nodes)}"]
        self.nodes.append(helper.make_node(kind, inputs, outputs, **attributes))
        return outputs[0]

    def _spend(self, places, weights):
        self.cost.once_multiply_adds += places * weights
        self.cost.once_bytes += 4 * weights

    def dense(self, x, inputs, outputs, act="", rows=1):
        weights = self.weights(inputs, outputs, fan_in=inputs)
        y = self.add("Add", [self.add("MatMul", [x, weights]), self.weights(outputs, scale=0.1)])
        self._spend(rows, inputs * outputs)
        return self.add(act, [y]) if act else y

    def conv(self, x, inputs, outputs, kernel, places, act="Relu", groups=1, **attributes):
        """`places` is the number of pixels, or time steps, of the output."""
        inside = inputs // groups * int(np.prod(kernel))
        weights = self.weights(outputs, inputs // groups, *kernel, fan_in=inside)
        y = self.add("Conv", [x, weights, self.weights(outputs, scale=0.1)],
                     kernel_shape=list(kernel), group=groups, **attributes)
        self._spend(places, outputs * inside)
        return self.add(act, [y]) if act else y

    def separable(self, x, inputs, outputs, kernel, places, act="Relu", pads=None, **attributes):
        """A depthwise and a pointwise convolution; in 2-D with an activation between them."""
        pads = pads or [k // 2 for k in kernel] * 2
        y = self.conv(x, inputs, inputs, kernel, places, "" if len(kernel) == 1 else act, inputs,
                      pads=pads, **attributes)
        return self.conv(y, inputs, outputs, [1] * len(kernel), places, act)

    def cell(self, kind, x, inputs, hidden, steps, directions=1, states=(), outputs=None,
             reset_after=1):
        """An LSTM or a GRU in ONNX's layouts; returns the names of its weights."""
        gates = 4 if kind == "LSTM" else 3
        names = [
            self.weights(directions, gates * hidden, inputs),
            self.weights(directions, gates * hidden, hidden),
            self.weights(directions, 2 * gates * hidden, scale=0.1)
        ]
        more = {} if kind == "LSTM" else {"linear_before_reset": reset_after}
        self.add(kind, [x, *names, *(["", *states] if states else [])], outputs,
                 hidden_size=hidden, direction="bidirectional" if directions == 2 else "forward",
                 **more)
        self._spend(steps, directions * gates * hidden * inputs)
        # One recurrence; if a graph has several kinds, the others count as additional steps.
        self.cost.step_multiply_adds = gates * hidden * hidden
        self.cost.step_bytes = 4 * gates * hidden * hidden
        self.cost.steps += steps * directions
        return names

    def proto(self, inputs, outputs):
        return helper.make_graph(self.nodes, self.name, inputs, outputs, self.constants)

    def save(self, path, inputs, outputs):
        model = helper.make_model(self.proto(inputs, outputs), opset_imports=OPSETS,
                                  producer_name="weft-peers")
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, path)
