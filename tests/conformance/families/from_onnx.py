# SPDX-License-Identifier: Apache-2.0
"""Models exported by way of ONNX: LSTM, GRU, RNN, Scan and Loop, built with onnx.helper and
converted by OpenVINO.

ONNX puts time first and orders LSTM gates i, o, f, c; the references reorder for
tests/reference/cells.py.
"""

import tempfile

import numpy as np
import onnx
import openvino as ov
from onnx import TensorProto, helper, numpy_helper

from casebook import RECURRENT, Case, normal
from reference import cells

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
TYPES = {
    np.dtype(np.float32): TensorProto.FLOAT,
    np.dtype(np.int32): TensorProto.INT32,
    np.dtype(np.int64): TensorProto.INT64,
    np.dtype(np.uint8): TensorProto.UINT8
}


def converted(nodes, inputs, outputs, initializers=()):
    """The ov.Model of an ONNX graph. inputs and outputs: name -> array with the port's shape and
    type."""
    def values(arrays):
        return [
            helper.make_tensor_value_info(name, TYPES[array.dtype], list(array.shape))
            for name, array in arrays.items()
        ]

    graph = helper.make_graph(
        nodes, "graph", values(inputs), values(outputs),
        [numpy_helper.from_array(array, name) for name, array in dict(initializers).items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    onnx.checker.check_model(model)
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        return ov.convert_model(file.name)


class Recurrent:
    """One LSTM, GRU or RNN node with fixed-seed weights in ONNX order."""
    def __init__(self, label, kind, inputs, hidden, direction="forward", **attributes):
        self.kind, self.hidden = kind, hidden
        self.direction, self.attributes = direction, attributes
        count, gates = (2 if direction == "bidirectional" else 1), GATES[kind] * hidden
        scale = 1 / np.sqrt(inputs + hidden)
        self.w, self.r = normal(label + "w", count, gates, inputs,
                                scale=scale), normal(label + "r", count, gates, hidden, scale=scale)
        self.b = normal(label + "b", count, 2 * gates, scale=0.3)
        self.directions = count

    def node(self, inputs, outputs):
        return helper.make_node(self.kind, inputs, outputs, name=self.kind.lower(),
                                hidden_size=self.hidden, direction=self.direction,
                                **self.attributes)

    def run(self, x, states, lengths=None):
        """[Y [time, directions, batch, H], last states [directions, batch, H]...]"""
        order = {"LSTM": [2, 0, 3, 1], "GRU": [0, 1, 2], "RNN": [0]}[self.kind]

        def gates(array):
            parts = np.split(array, len(order), axis=1)
            return np.concatenate([parts[place] for place in order], 1)

        wb, rb = (gates(part) for part in np.split(self.b, 2, axis=1))
        linear = bool(self.attributes.get("linear_before_reset"))
        keep = 2 * self.hidden
        bias = np.concatenate([wb[:, :keep] +
                               rb[:, :keep], wb[:, keep:], rb[:, keep:]], 1) if linear else wb + rb
        reference = {
            "LSTM": cells.lstm_sequence, "GRU": cells.gru_sequence, "RNN": cells.rnn_sequence
        }[self.kind]
        how = {"linear_before_reset": True} if linear else {}
        if "clip" in self.attributes:
            how["clip"] = self.attributes["clip"]
        steps = [x.shape[0]] * x.shape[1] if lengths is None else lengths
        answer, *last = reference(x.transpose(1, 0, 2),
                                  *(state.transpose(1, 0, 2) for state in states), steps,
                                  gates(self.w), gates(self.r), bias, self.direction, **how)
        return [answer.transpose(2, 1, 0, 3)] + [state.transpose(1, 0, 2) for state in last]


def _recurrent(path, layer, time, batch, with_states=False, lengths=None, compress=False):
    x = normal(path, time, batch, layer.w.shape[2])
    states = 2 if layer.kind == "LSTM" else 1
    shape = (layer.directions, batch, layer.hidden)
    names = ["Y", "Y_h", "Y_c"][:1 + states]
    initializers = {"W": layer.w, "R": layer.r, "B": layer.b}
    inputs, wanted = {"X": x}, ["X", "W", "R", "B", ""]
    given = []
    if lengths is not None:
        initializers["lengths"], wanted[4] = np.array(lengths, np.int32), "lengths"
    if with_states:
        for name in ("first_h", "first_c")[:states]:
            inputs[name] = normal(path + name, *shape, scale=0.5)
            wanted.append(name)
            given.append(inputs[name])
    outputs = {
        "Y": np.zeros((time, *shape), np.float32),
        **{name: np.zeros(shape, np.float32) for name in names[1:]}
    }

    def reference(x, *firsts):
        return layer.run(x, list(firsts) or [np.zeros(shape)] * states, lengths)

    return Case(
        path, [x] + given,
        model=lambda: converted([layer.node(wanted, names)], inputs, outputs, initializers),
        reference=None if compress else reference, rtol=RECURRENT, atol=RECURRENT,
        compress=compress,
        note="The weights are stored as f16 behind decompression Converts." if compress else "")


def _layers():
    yield _recurrent("onnx/lstm_forward", Recurrent("olf", "LSTM", 9, 16), 7, 1)
    yield _recurrent("onnx/lstm_reverse_states", Recurrent("olr", "LSTM", 5, 15, "reverse"), 6, 2,
                     with_states=True)
    yield _recurrent("onnx/lstm_bidirectional", Recurrent("olb", "LSTM", 9, 17, "bidirectional"), 7,
                     1, with_states=True)
    yield _recurrent("onnx/lstm_lengths", Recurrent("oll", "LSTM", 5, 8, "bidirectional"), 6, 3,
                     lengths=[6, 2, 4])
    yield _recurrent("onnx/lstm_clip", Recurrent("olc", "LSTM", 5, 8, clip=0.5), 6, 1)
    yield _recurrent("onnx/lstm_forward_f16_weights", Recurrent("olf", "LSTM", 9, 16), 7, 1,
                     compress=True)
    yield _recurrent("onnx/gru_forward", Recurrent("ogf", "GRU", 9, 16), 7, 1)
    yield _recurrent("onnx/gru_linear_before_reset",
                     Recurrent("ogl", "GRU", 9, 17, linear_before_reset=1), 7, 2, with_states=True)
    yield _recurrent("onnx/gru_bidirectional_linear",
                     Recurrent("ogb", "GRU", 3, 33, "bidirectional", linear_before_reset=1), 5, 1)
    yield _recurrent("onnx/gru_bidirectional_f16_weights",
                     Recurrent("ogb2", "GRU", 3, 16, "bidirectional"), 5, 1, compress=True)
    yield _recurrent("onnx/rnn_forward", Recurrent("orf", "RNN", 9, 16), 7, 1)
    yield _recurrent("onnx/rnn_bidirectional", Recurrent("orb", "RNN", 4, 15, "bidirectional"), 5,
                     2, with_states=True)


def _scan():
    """A leaky sum with a running maximum, forward and over reversed inputs and outputs."""
    rate = np.array([0.75], np.float32)
    for reverse in (0, 1):
        body = helper.make_graph([
            helper.make_node("Mul", ["state", "rate"], ["kept"]),
            helper.make_node("Add", ["kept", "x"], ["next"]),
            helper.make_node("Max", ["high", "next"], ["next_high"]),
            helper.make_node("Tanh", ["next"], ["y"])
        ], "body", [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [5])
            for name in ("state", "high", "x")
        ], [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [5])
            for name in ("next", "next_high", "y")
        ], [numpy_helper.from_array(rate, "rate")])
        scan = helper.make_node("Scan", ["first", "floor", "xs"], ["last", "peak", "ys"],
                                name="scan", body=body, num_scan_inputs=1,
                                scan_input_directions=[reverse], scan_output_directions=[reverse])
        first, floor, xs = normal("sf", 5), normal("sp", 5), normal("sx", 8, 5)

        def reference(first, floor, xs, reverse=reverse):
            state, high, ys = first.astype(np.float64), floor.astype(np.float64), []
            for x in xs[::-1] if reverse else xs:
                state = state * 0.75 + x
                high = np.maximum(high, state)
                ys.append(np.tanh(state))
            return [state, high, np.stack(ys[::-1] if reverse else ys)]

        yield Case(
            f"onnx/scan_{'reverse' if reverse else 'forward'}", [first, floor, xs],
            model=lambda scan=scan: converted([scan], {"first": first, "floor": floor, "xs": xs},
                                              {"last": first, "peak": first, "ys": xs}),
            reference=reference, rtol=RECURRENT, atol=RECURRENT)


def _loop():
    """A constant trip count and a condition that the body forwards; x -> tanh(x * w + i)."""
    w = normal("low", 1, 5)
    body = helper.make_graph([
        helper.make_node("Identity", ["condition"], ["go_on"]),
        helper.make_node("Cast", ["i"], ["real"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["state", "w"], ["scaled"]),
        helper.make_node("Add", ["scaled", "real"], ["sum"]),
        helper.make_node("Tanh", ["sum"], ["next"]),
        helper.make_node("Identity", ["next"], ["y"])
    ], "body", [
        helper.make_tensor_value_info("i", TensorProto.INT64, []),
        helper.make_tensor_value_info("condition", TensorProto.BOOL, []),
        helper.make_tensor_value_info("state", TensorProto.FLOAT, [1, 5])
    ], [
        helper.make_tensor_value_info("go_on", TensorProto.BOOL, []),
        helper.make_tensor_value_info("next", TensorProto.FLOAT, [1, 5]),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])
    ], [numpy_helper.from_array(w, "w")])
    made = helper.make_node("Loop", ["trips", "start", "first"], ["last", "ys"], name="loop",
                            body=body)
    first = normal("lof", 1, 5)

    def reference(first):
        state, ys = first.astype(np.float64), []
        for i in range(6):
            state = np.tanh(state * w + i)
            ys.append(state)
        return [state, np.stack(ys)]

    yield Case(
        "loop_const/onnx", [first], model=lambda: converted(
            [made], {"first": first}, {"last": first, "ys": np.zeros(
                (6, 1, 5), np.float32)}, {"trips": np.array(6, np.int64), "start": np.array(True)}),
        reference=reference, rtol=RECURRENT, atol=RECURRENT)


def _network():
    """A typical exported keyword spotter: convolution over time, GRU, last frame, dense, softmax."""
    layer = Recurrent("net", "GRU", 12, 16, linear_before_reset=1)
    kernel, bias = normal("netk", 12, 8, 3, scale=0.2), normal("netb", 12, scale=0.2)
    dense, offset = normal("netd", 16, 5, scale=0.4), normal("neto", 5)
    x = normal("netx", 1, 8, 17)
    nodes = [
        helper.make_node("Conv", ["X", "kernel", "bias"], ["c"], pads=[1, 1], strides=[2]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("Transpose", ["r"], ["t"], perm=[2, 0, 1]),
        layer.node(["t", "W", "R", "B"], ["", "Y_h"]),
        helper.make_node("Squeeze", ["Y_h", "zero"], ["h"]),
        helper.make_node("Gemm", ["h", "dense", "offset"], ["g"]),
        helper.make_node("Softmax", ["g"], ["P"], axis=-1)
    ]
    initializers = {
        "kernel": kernel, "bias": bias, "dense": dense, "offset": offset, "W": layer.w,
        "R": layer.r, "B": layer.b, "zero": np.array([0], np.int64)
    }

    def reference(x):
        padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1)))
        frames = np.stack([padded[:, :, at:at + 3] for at in range(0, 17, 2)], 2)
        rows = np.maximum(np.einsum("nclk,ock->nol", frames, kernel) + bias[:, None],
                          0).transpose(2, 0, 1)
        last = layer.run(rows, [np.zeros((1, 1, 16))])[1][0]
        raised = np.exp(last @ dense + offset)
        return raised / raised.sum(-1, keepdims=True)

    for compress in (False, True):
        yield Case(
            f"onnx/keyword_spotter{'_f16_weights' if compress else ''}", [x],
            model=lambda: converted(nodes, {"X": x}, {"P": np.zeros(
                (1, 5), np.float32)}, initializers), reference=None if compress else reference,
            rtol=RECURRENT, atol=RECURRENT, compress=compress)


def cases():
    for part in (_layers, _scan, _loop, _network):
        yield from part()
