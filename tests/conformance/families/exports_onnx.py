# SPDX-License-Identifier: Apache-2.0
"""ONNX Loop and Scan whose bodies are decomposed LSTM, GRU or RNN cells, as exporters without a
matching operation write them, converted by OpenVINO.

The reference is the sequence of tests/reference/cells.py, with its gate order: LSTM f, i, c, o; GRU
z, r, h with linear_before_reset.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from casebook import RECURRENT, Case, normal
from families.from_onnx import converted
from reference import cells

GATES = {"lstm": 4, "gru": 3, "rnn": 1}


class Spelled:
    """The decomposed nodes of one step, from row, h (and c) to next_h (and next_c)."""
    def __init__(self, label, kind, inputs, hidden):
        self.kind, self.inputs, self.hidden = kind, inputs, hidden
        size = GATES[kind] * hidden
        self.states = ["h", "c"] if kind == "lstm" else ["h"]
        self.weights = {
            "W": normal(label + "w", size, inputs, scale=0.4),
            "R": normal(label + "r", size, hidden, scale=0.4),
            "Wb": normal(label + "b", size, scale=0.3), "Rb": normal(label + "c", size, scale=0.3)
        }

    def nodes(self):
        make = helper.make_node
        common = [
            make("Gemm", ["row", "W", "Wb"], ["of_x"], transB=1),
            make("Gemm", ["h", "R", "Rb"], ["of_h"], transB=1)
        ]
        if self.kind == "rnn":
            return common + [make("Add", ["of_x", "of_h"], ["s"]), make("Tanh", ["s"], ["next_h"])]
        if self.kind == "lstm":
            return common + [
                make("Add", ["of_x", "of_h"], ["s"]),
                make("Split", ["s"], ["sf", "si", "sg", "so"], axis=1),
                make("Sigmoid", ["sf"], ["f"]),
                make("Sigmoid", ["si"], ["i"]),
                make("Tanh", ["sg"], ["g"]),
                make("Sigmoid", ["so"], ["o"]),
                make("Mul", ["f", "c"], ["kept"]),
                make("Mul", ["i", "g"], ["new"]),
                make("Add", ["kept", "new"], ["next_c"]),
                make("Tanh", ["next_c"], ["t"]),
                make("Mul", ["o", "t"], ["next_h"])
            ]
        return common + [
            make("Split", ["of_x"], ["xz", "xr", "xn"], axis=1),
            make("Split", ["of_h"], ["hz", "hr", "hn"], axis=1),
            make("Add", ["xz", "hz"], ["sz"]),
            make("Add", ["xr", "hr"], ["sr"]),
            make("Sigmoid", ["sz"], ["z"]),
            make("Sigmoid", ["sr"], ["r"]),
            make("Mul", ["r", "hn"], ["reset"]),
            make("Add", ["xn", "reset"], ["sn"]),
            make("Tanh", ["sn"], ["n"]),
            make("Sub", ["one", "z"], ["rest"]),
            make("Mul", ["rest", "n"], ["new"]),
            make("Mul", ["z", "h"], ["kept"]),
            make("Add", ["new", "kept"], ["next_h"])
        ]

    def initializers(self):
        return {**self.weights, "one": np.array(1, np.float32)}

    def run(self, x, *states, backward=False):
        """x [time, batch, inputs] -> all hidden states, last states"""
        w, r, wb, rb = (self.weights[name] for name in ("W", "R", "Wb", "Rb"))
        rows, every = (x[::-1] if backward else x), []
        for row in rows:
            if self.kind == "lstm":
                states = cells.lstm_cell(row, *states, w, r, wb + rb)
            elif self.kind == "rnn":
                states = (cells.rnn_cell(row, *states, w, r, wb + rb), )
            else:
                keep = 2 * self.hidden
                bias = np.concatenate([wb[:keep] + rb[:keep], wb[keep:], rb[keep:]])
                states = (cells.gru_cell(row, *states, w, r, bias, True), )
            every.append(states[0])
        return [np.stack(every[::-1] if backward else every), *states]


def _body(cell, nodes, extra_inputs, extra_outputs, batch, row_given):
    info, real = helper.make_tensor_value_info, TensorProto.FLOAT
    state = [batch, cell.hidden]
    inputs = extra_inputs + [info(name, real, state) for name in cell.states]
    if row_given:
        inputs.append(info("row", real, [batch, cell.inputs]))
    outputs = extra_outputs + [info(f"next_{name}", real, state) for name in cell.states]
    outputs.append(info("y", real, state))
    return helper.make_graph(
        nodes + [helper.make_node("Identity", ["next_h"], ["y"])], "body", inputs, outputs,
        [numpy_helper.from_array(array, name) for name, array in cell.initializers().items()])


def _ports(cell, name, time, batch):
    x = normal(name, time, batch, cell.inputs)
    firsts = [normal(name + state, batch, cell.hidden, scale=0.5) for state in cell.states]
    inputs = {"X": x, **{f"first_{state}": a for state, a in zip(cell.states, firsts)}}
    outputs = {
        "Y": np.zeros((time, batch, cell.hidden), np.float32),
        **{f"last_{state}": a for state, a in zip(cell.states, firsts)}
    }
    return inputs, outputs


def _scan(name, kind, time, batch, inputs, hidden, backward=False):
    cell = Spelled(name, kind, inputs, hidden)
    body = _body(cell, cell.nodes(), [], [], batch, row_given=True)
    firsts, lasts = ([f"{when}_{state}" for state in cell.states] for when in ("first", "last"))
    scan = helper.make_node("Scan", firsts + ["X"], lasts + ["Y"], name="scan", body=body,
                            num_scan_inputs=1, scan_input_directions=[int(backward)],
                            scan_output_directions=[int(backward)])
    given, made = _ports(cell, name, time, batch)
    return Case(f"exports/{name}", list(given.values()),
                model=lambda: converted([scan], given, made),
                reference=lambda x, *states: cell.run(x, *states, backward=backward),
                rtol=RECURRENT, atol=RECURRENT)


def _loop(name, kind, time, batch, inputs, hidden, backward=False, counts_itself=False):
    """Each row is Gather(X, number). counts_itself: the condition ends the loop, not the trip count."""
    cell = Spelled(name, kind, inputs, hidden)
    info, make = helper.make_tensor_value_info, helper.make_node
    before = [make("Sub", ["top", "number"], ["at"]) if backward else make("Identity", ["number"], ["at"])]
    before.append(make("Gather", ["X", "at"], ["row"], axis=0))
    if counts_itself:
        before += [make("Add", ["number", "step"], ["next"]), make("Less", ["next", "T"], ["go_on"])]
    else:
        before.append(make("Identity", ["condition"], ["go_on"]))
    body = _body(cell, before + cell.nodes(),
                 [info("number", TensorProto.INT64, []), info("condition", TensorProto.BOOL, [])],
                 [info("go_on", TensorProto.BOOL, [])], batch, row_given=False)
    firsts, lasts = ([f"{when}_{state}" for state in cell.states] for when in ("first", "last"))
    loop = make("Loop", ["trips", "start"] + firsts, lasts + ["Y"], name="loop", body=body)
    given, made = _ports(cell, name, time, batch)
    trips = np.iinfo(np.int64).max if counts_itself else time
    constants = {
        "trips": np.array(trips, np.int64), "start": np.array(True), "T": np.array(time, np.int64),
        "step": np.array(1, np.int64), "top": np.array(time - 1, np.int64)
    }

    def reference(x, *states):
        every, *last = cell.run(x, *states, backward=backward)
        return [every[::-1] if backward else every, *last]

    return Case(f"exports/{name}", list(given.values()),
                model=lambda: converted([loop], given, made, constants), reference=reference,
                rtol=RECURRENT, atol=RECURRENT)


def cases():
    yield _scan("onnx_scan_lstm", "lstm", 6, 1, 5, 12)
    yield _scan("onnx_scan_lstm_reverse", "lstm", 5, 2, 5, 7, backward=True)
    yield _scan("onnx_scan_gru", "gru", 6, 1, 4, 10)
    yield _scan("onnx_scan_rnn", "rnn", 7, 1, 5, 9)
    yield _loop("onnx_loop_lstm", "lstm", 6, 1, 5, 12)
    yield _loop("onnx_loop_lstm_reverse", "lstm", 5, 1, 5, 8, backward=True)
    yield _loop("onnx_loop_lstm_while", "lstm", 6, 1, 5, 10, counts_itself=True)
    yield _loop("onnx_loop_gru", "gru", 6, 2, 4, 10)
    yield _loop("onnx_loop_gru_while", "gru", 5, 1, 4, 9, counts_itself=True)
    yield _loop("onnx_loop_rnn", "rnn", 7, 1, 5, 9)
