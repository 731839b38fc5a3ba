# SPDX-License-Identifier: Apache-2.0
"""The cases that engines are compared on: recurrent cells, loops and small nets."""
import dataclasses

import numpy as np
import openvino as ov
from onnx import TensorProto

import nets
from graphs import Cost, Graph, port


@dataclasses.dataclass
class Case:
    """A graph with its ports. `cell` describes the graph to drivers without a graph format, and
    `arrays` are its weights for them."""
    title: str
    graph: Graph
    inputs: list
    outputs: list
    cell: tuple = ()
    arrays: dict = dataclasses.field(default_factory=dict)
    convert: tuple = ()  # options of weft convert
    zero_inputs: tuple = ()  # indices of inputs that begin at zero
    is_calibrated: bool = False  # int8 everywhere (quantised.py)
    cost: Cost = None
    source = "model.xml"  # of weft

    @property
    def has_int8_weights(self):
        return self.convert[-2:] in (("--precision", "i8"), ("--precision", "i8x8"))

    def __post_init__(self):
        self.cost = self.cost or self.graph.cost

    def write_models(self, folder):
        """As ONNX and as OpenVINO's IR."""
        if self.is_calibrated:
            from quantised import quantise  # imports packages that only these cases need
            self.graph.save(folder / "f32.onnx", self.inputs, self.outputs)
            quantise(self, folder)
            return
        self.graph.save(folder / "model.onnx", self.inputs, self.outputs)
        ov.save_model(ov.convert_model(folder / "model.onnx"), folder / "model.xml",
                      compress_to_fp16=False)

    def input_arrays(self):
        """Floats in [-1, 1), or zeros."""
        random = np.random.default_rng(1)
        for i, each in enumerate(self.inputs):
            shape = [dim.dim_value for dim in each.type.tensor_type.shape.dim]
            values = random.uniform(-1, 1, shape).astype(np.float32)
            yield values * (i not in self.zero_inputs)


def recurrent(name, title, kind, inputs, hidden, steps, directions=1, reset_after=1):
    """A full sequence, from a zero state."""
    graph = Graph(name)
    names = graph.cell(kind, "x", inputs, hidden, steps, directions, outputs=["y"],
                       reset_after=reset_after)
    return Case(title, graph, [port("x", [steps, 1, inputs])],
                [port("y", [steps, directions, 1, hidden])],
                (kind.lower(), inputs, hidden, steps, directions, reset_after),
                dict(zip("WRB", map(graph.array, names))))


def stepped(name, title, kind, inputs, hidden):
    """One step of a stream. Engines without a state pass it through inputs and outputs; weft and
    RTNeural keep it."""
    graph = Graph(name)
    states = [port("h", [1, 1, hidden])]
    ends = [port("y", [1, 1, 1, hidden]), port("h_out", [1, 1, hidden])]
    if kind == "LSTM":
        states.append(port("c", [1, 1, hidden]))
        ends.append(port("c_out", [1, 1, hidden]))
    names = graph.cell(kind, "x", inputs, hidden, 1, states=[s.name for s in states],
                       outputs=[e.name for e in ends])
    kept = [f"{s.name}={s.name}_out" for s in states]
    return Case(title, graph, [port("x", [1, 1, inputs]), *states], ends,
                (kind.lower(), inputs, hidden, 1, 1, 1),
                dict(zip("WRB", map(graph.array, names))), ("--state", *kept),
                tuple(range(1, 1 + len(states))))


def spelled_lstm_loop(name, title, inputs, hidden, steps):
    """The LSTM as a Loop over plain operators, as written by script exporters."""
    body, outer = Graph("body"), Graph(name)
    w, r = body.weights(inputs, 4 * hidden, fan_in=inputs), body.weights(hidden, 4 * hidden)
    x = body.add("Gather", ["x", "t"], axis=0)
    product = body.add("Add", [body.add("MatMul", [x, w]), body.add("MatMul", ["h", r])])
    body.add("Split", [body.add("Add", [product, body.weights(1, 4 * hidden, scale=0.1)])],
             ["gate_i", "gate_f", "gate_c", "gate_o"], axis=1)
    i, f, o = (body.add("Sigmoid", [gate]) for gate in ("gate_i", "gate_f", "gate_o"))
    new = body.add("Mul", [i, body.add("Tanh", ["gate_c"])])
    body.add("Add", [body.add("Mul", [f, "c"]), new], ["c_out"])
    body.add("Mul", [o, body.add("Tanh", ["c_out"])], ["h_out"])
    body.add("Identity", ["h_out"], ["row"])
    body.add("Identity", ["go"], ["go_out"])
    row = [1, hidden]
    proto = body.proto([port("t", [], TensorProto.INT64), port("go", [], TensorProto.BOOL),
                        port("h", row), port("c", row)],
                       [port("go_out", [], TensorProto.BOOL), port("h_out", row),
                        port("c_out", row), port("row", row)])
    zeros = outer.constant(np.zeros(row, np.float32))
    outer.add("Loop", [outer.constant(np.array(steps)), outer.constant(np.array(True)), zeros,
                       zeros], ["h_last", "c_last", "y"], body=proto)
    cost = Cost(4 * hidden * inputs * steps, 16 * hidden * inputs, 4 * hidden * hidden,
                16 * hidden * hidden, steps)
    return Case(title, outer, [port("x", [steps, 1, inputs])], [port("y", [steps, 1, hidden])],
                cost=cost)


def contracting_loop(name, title, size=64):
    """x := x Q until its length is a twentieth: Q shrinks all vectors by 0.85, so 19 iterations."""
    body, outer = Graph("body"), Graph(name)
    q = np.linalg.qr(outer.random.standard_normal((size, size)))[0] * 0.85
    body.add("MatMul", ["v", body.constant(q.astype(np.float32))], ["v_out"])
    length = body.add("ReduceL2", ["v_out"], keepdims=0)
    body.add("Greater", [length, "least"], ["go_out"])
    proto = body.proto([port("t", [], TensorProto.INT64), port("go", [], TensorProto.BOOL),
                        port("v", [1, size])],
                       [port("go_out", [], TensorProto.BOOL), port("v_out", [1, size])])
    length = outer.add("ReduceL2", ["x"], keepdims=0)
    outer.add("Mul", [length, outer.constant(np.float32(0.05))], ["least"])
    outer.add("Loop", [outer.constant(np.array(100)), outer.constant(np.array(True)), "x"], ["y"],
              body=proto)
    return Case(title, outer, [port("x", [1, size])], [port("y", [1, size])],
                cost=Cost(0, 0, size * size, 4 * size * size, 19))


def scalar_loop(name, title):
    """v := 0.9 v until it is a hundredth, 44 iterations: measures the cost of an iteration."""
    body, outer = Graph("body"), Graph(name)
    body.add("Mul", ["v", body.constant(np.float32(0.9))], ["v_out"])
    body.add("Greater", ["v_out", "least"], ["go_out"])
    proto = body.proto([port("t", [], TensorProto.INT64), port("go", [], TensorProto.BOOL),
                        port("v", [])],
                       [port("go_out", [], TensorProto.BOOL), port("v_out", [])])
    first = outer.add("Abs", ["x"])
    outer.add("Mul", [first, outer.constant(np.float32(0.01))], ["least"])
    outer.add("Loop", [outer.constant(np.array(100)), outer.constant(np.array(True)), first],
              ["y"], body=proto)
    return Case(title, outer, [port("x", [])], [port("y", [])], cost=Cost(0, 0, 1, 0, 44))


def mlp(title):
    graph = Graph("mlp_64_64_64_10")
    sizes, y, arrays = [64, 64, 64, 10], "x", {}
    for k, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        at = len(graph.constants)
        y = graph.dense(y, inputs, outputs, "Relu" if k < 2 else "")
        for letter, constant in zip("WB", graph.constants[at:at + 2]):
            arrays[f"{letter}{k}"] = graph.array(constant.name)
    graph.add("Identity", [y], ["y"])
    return Case(title, graph, [port("x", [1, 64])], [port("y", [1, 10])], ("mlp",), arrays)


def net(build):
    graph = Graph(build.__name__)
    x, shape = build(graph)
    graph.add("Identity", [x], ["y"])
    return Case(build.__doc__.splitlines()[0], graph, [port("x", build.input)],
                [port("y", shape)])


def all_cases():
    """By name, in the order of the report."""
    cases = [
        recurrent("lstm_512_256_t25", "LSTM 512 to 256, 25 steps", "LSTM", 512, 256, 25),
        stepped("lstm_64_64_step", "LSTM 64 to 64, one step", "LSTM", 64, 64),
        stepped("lstm_1_40_step", "LSTM 1 to 40, one step: an amplifier", "LSTM", 1, 40),
        stepped("gru_1_24_step", "GRU 1 to 24, one step", "GRU", 1, 24),
        recurrent("lstm_64_64_t100", "LSTM 64 to 64, 100 steps", "LSTM", 64, 64, 100),
        stepped("gru_40_128_step", "GRU 40 to 128, one step", "GRU", 40, 128),
        recurrent("gru_40_128_t100", "GRU 40 to 128, 100 steps", "GRU", 40, 128, 100),
        recurrent("gru_40_128_t100_before", "the same, reset before the product", "GRU", 40, 128,
                  100, reset_after=0),
        recurrent("bilstm_40_128_t100", "LSTM 40 to 128, both ways, 100 steps", "LSTM", 40, 128,
                  100, 2),
        spelled_lstm_loop("lstm_loop_512_256_t25", "LSTM 512 to 256, 25 steps, as a Loop of plain"
                          " operators", 512, 256, 25),
        contracting_loop("loop_product_64", "Loop until a condition, 19 products of 64 by 64"),
        scalar_loop("loop_scalar", "Loop until a condition, 44 trips of one multiply"),
        mlp("MLP 64-64-64-10"),
    ]
    cases += [net(build) for build in nets.ALL]
    return {case.graph.name: case for case in cases}


def calibrated(case):
    """The case in int8; not available for engines without a graph format."""
    return dataclasses.replace(case, cell=(), arrays={}, is_calibrated=True)


def narrow(case, precision):
    """Weights of `precision` in weft; engines compute in f32 unless their name says int8."""
    return dataclasses.replace(case, title=f"{case.title}: {precision} in weft",
                               convert=(*case.convert, "--precision", precision))


def int8_cases():
    """By name, in the order of the report."""
    nets_in_int8 = [mlp("MLP 64-64-64-10"), *map(net, (nets.ds_cnn, nets.tc_resnet8,
                                                       nets.mobilenet_v1, nets.resnet8,
                                                       nets.dense_autoencoder))]
    cases = {f"{case.graph.name}_int8": calibrated(case) for case in nets_in_int8}
    f32 = all_cases()
    for name in ("lstm_64_64_step", "lstm_512_256_t25", "gru_40_128_t100"):
        for precision in ("f16", "i8", "i8x8"):
            cases[f"{name}_{precision}"] = narrow(f32[name], precision)
    return cases
