# SPDX-License-Identifier: Apache-2.0
"""Branches, loops and the recurrent layers that Keras 3 writes as loops."""
import numpy as np
from casebook import Case, normal
from flatbuffers import flexbuffers
from writer import Model

STEPS, BATCH = 5, 1


class _Part:
    """A graph with short names for its operators."""

    def __init__(self, model):
        self.graph = model.graph()

    def port(self, shape, kind="f32", name=None):
        """A tensor without a value yet."""
        return self.graph.tensor(kind, list(shape), name=name)

    def const(self, values, kind="f32"):
        """A constant."""
        return self.graph.tensor(kind, data=np.array(values))

    def op(self, name, inputs, shape, kind="f32", **options):
        """An operator with one output."""
        made = self.port(shape, kind)
        self.graph.op(name, inputs, [made], **options)
        return made

    def part(self, inputs, units):
        """A SLICE of some steps of the outputs; the file states their number as unknown."""
        made = self.graph.tensor("f32", [1, BATCH, units], signature=[-1, BATCH, units])
        self.graph.op("SLICE", inputs, [made])
        return made

    def close(self, inputs, outputs):
        """Sets the ports."""
        self.graph.inputs, self.graph.outputs = inputs, outputs


def _branch(path, computed):
    """y = x > 0 on average ? 2 x + w : x - w, with a captured weight; a condition that is an input or
    computed."""
    model = Model()
    main, then, other = (_Part(model) for _ in range(3))
    x = main.port([2, 3], name="x0")
    weight = main.const(normal("branch", 3))
    ports = [x]
    if computed:
        mean = main.op("MEAN", [x, main.const([0, 1], "i32")], [], keep_dims=False)
        condition = main.op("GREATER", [mean, main.const(0.0)], [], "bool")
    else:
        condition = main.port([], "bool", name="x1")
        ports.append(condition)
    y = main.port([2, 3], name="y0")
    main.graph.op("IF", [condition, x, weight], [y], then_subgraph_index=1, else_subgraph_index=2)
    main.close(ports, [y])
    for part, factor, name in ((then, 2.0, "ADD"), (other, 1.0, "SUB")):
        a, b = part.port([2, 3]), part.port([3])
        scaled = part.op("MUL", [a, part.const(factor)], [2, 3])
        part.close([a, b], [part.op(name, [scaled, b], [2, 3])])
    for index, sign in enumerate((1, -1)):
        arrays = [sign * np.abs(normal("branch_x", 2, 3))]
        if not computed:
            arrays.append(np.array(sign > 0))
        yield Case(f"{path}_{index}", model, arrays)


def _returns_input():
    """The else branch is an empty graph that returns its input, as openWakeWord writes it."""
    model = Model()
    main, then, other = (_Part(model) for _ in range(3))
    x, y = main.port([1, 4], name="x0"), main.port([1, 4], name="y0")
    mean = main.op("REDUCE_MAX", [x, main.const([1], "i32")], [1], keep_dims=False)
    condition = main.op("GREATER_EQUAL", [mean, main.const([0.5])], [1], "bool")
    main.graph.op("IF", [condition, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    main.close([x], [y])
    a = then.port([1, 4])
    then.close([a], [then.op("LOGISTIC", [a], [1, 4])])
    a = other.port([1, 4])
    other.close([a], [a])
    for index, values in enumerate(([0.1, 0.9, 0, -1], [0.1, 0.2, -3, -1])):
        yield Case(f"if_identity_{index}", model, [np.float32([values])])


def _counted(path, limit):
    """x' = x / 2 + 1 while i < limit; `limit` None: while the sum is at most 100."""
    model = Model()
    main, test, body = (_Part(model) for _ in range(3))
    x, y = main.port([1, 3], name="x0"), main.port([1, 3], name="y0")
    count = main.port([], "i32", name="y1")
    main.graph.op("WHILE", [main.const(0, "i32"), x], [count, y], cond_subgraph_index=1,
                  body_subgraph_index=2)
    main.close([x], [y, count])
    i, v = test.port([], "i32"), test.port([1, 3])
    if limit is None:
        total = test.op("SUM", [v, test.const([0, 1], "i32")], [], keep_dims=False)
        done = test.op("LESS_EQUAL", [total, test.const(100.0)], [], "bool")
        few = test.op("LESS", [i, test.const(40, "i32")], [], "bool")
        test.close([i, v], [test.op("LOGICAL_AND", [done, few], [], "bool")])
    else:
        test.close([i, v], [test.op("LESS", [i, test.const(limit, "i32")], [], "bool")])
    i, v = body.port([], "i32"), body.port([1, 3])
    factor = 1.5 if limit is None else 0.5
    scaled = body.op("ADD", [body.op("MUL", [v, body.const(factor)], [1, 3]), body.const(1.0)],
                     [1, 3])
    body.close([i, v], [body.op("ADD", [i, body.const(1, "i32")], [], "i32"), scaled])
    return Case(path, model, [normal(path, 1, 3)])


def _keras_main(model, states, inputs, units):
    """The graph around the loop of a recurrent layer: time first, the last state is the output. The
    loop values are two counters, the outputs of all steps, the states and the inputs."""
    main = _Part(model)
    x = main.port([BATCH, STEPS, inputs], name="x0")
    by_time = main.op("TRANSPOSE", [x, main.const([1, 0, 2], "i32")], [STEPS, BATCH, inputs])
    whole = [STEPS, BATCH, units]
    filled = main.op("FILL", [main.const(whole, "i32"), main.const(0.0)], whole)
    zero = main.op("FILL", [main.const([BATCH, units], "i32"), main.const(0.0)], [BATCH, units])
    before = [main.const(0, "i32"), main.const(0, "i32"), filled, *[zero] * states, by_time]
    after = [main.port(value.shape, value.kind) for value in before]
    main.graph.op("WHILE", before, after, cond_subgraph_index=1, body_subgraph_index=2)
    y = main.op("TRANSPOSE", [after[2], main.const([1, 0, 2], "i32")], [BATCH, STEPS, units])
    main.close([x], [y, after[3]])
    test = _Part(model)
    values = [test.port(value.shape, value.kind) for value in before]
    steps = test.const(STEPS, "i32")
    first, second = (test.op("LESS", [counter, steps], [], "bool") for counter in values[:2])
    test.close(values, [test.op("LOGICAL_AND", [second, first], [], "bool")])
    body = _Part(model)
    return body, [body.port(value.shape, value.kind) for value in before]


def _put(body, outputs, i, h):
    """The outputs with h at step i: SLICE before, h, SLICE after."""
    units = h.shape[-1]
    one = body.op("EXPAND_DIMS", [i, body.const(0, "i32")], [1], "i32")
    rest = body.const([0, 0], "i32")
    none = body.const([0, 0, 0], "i32")
    size = body.op("CONCATENATION", [one, body.const([-1, -1], "i32")], [3], "i32", axis=0)
    before = body.part([outputs, none, size], units)
    after = body.op("ADD", [i, body.const(1, "i32")], [], "i32")
    begin = body.op("CONCATENATION",
                    [body.op("EXPAND_DIMS", [after, body.const(0, "i32")], [1], "i32"), rest], [3],
                    "i32", axis=0)
    behind = body.part([outputs, begin, body.const([-1, -1, -1], "i32")], units)
    middle = body.op("EXPAND_DIMS", [h, body.const(0, "i32")], [1, BATCH, units])
    joined = body.op("CONCATENATION", [before, middle, behind], [STEPS, BATCH, units], axis=0)
    return joined, after


def _dense(body, x, weights, outputs, bias=None):
    return body.op("FULLY_CONNECTED",
                   [x, body.const(weights), None if bias is None else body.const(bias)],
                   [BATCH, outputs])


def _gru(inputs, units):
    """z r h, reset after the product."""
    model = Model()
    body, values = _keras_main(model, 1, inputs, units)
    i, j, outputs, h, x = values
    step = body.op("GATHER", [x, j], [BATCH, inputs], axis=0)
    parts = []
    for source, size, label in ((step, inputs, "gw"), (h, units, "gr")):
        product = _dense(body, source, normal(label, 3 * units, size, scale=0.4), 3 * units,
                         normal(label + "b", 3 * units))
        split = [body.port([BATCH, units]) for _ in range(3)]
        body.graph.op("SPLIT", [body.const(1, "i32"), product], split, num_splits=3)
        parts.append(split)
    z, r = (body.op("LOGISTIC", [body.op("ADD", [parts[0][k], parts[1][k]], [BATCH, units])],
                    [BATCH, units]) for k in range(2))
    gated = body.op("MUL", [r, parts[1][2]], [BATCH, units])
    n = body.op("TANH", [body.op("ADD", [parts[0][2], gated], [BATCH, units])], [BATCH, units])
    left = body.op("MUL", [z, h], [BATCH, units])
    right = body.op("MUL", [body.op("SUB", [body.const(1.0), z], [BATCH, units]), n],
                    [BATCH, units])
    new = body.op("ADD", [left, right], [BATCH, units])
    joined, after = _put(body, outputs, i, new)
    body.close(values, [after, body.op("ADD", [j, body.const(1, "i32")], [], "i32"), joined, new,
                        x])
    return Case("keras_gru", model, [normal("gru", BATCH, STEPS, inputs)])


def _lstm(inputs, units):
    """i f c o; the recurrent product is a vector."""
    model = Model()
    body, values = _keras_main(model, 2, inputs, units)
    i, j, outputs, h, c, x = values
    step = body.op("GATHER", [x, j], [BATCH, inputs], axis=0)
    product = _dense(body, step, normal("lw", 4 * units, inputs, scale=0.4), 4 * units)
    recurrent = _dense(body, h, normal("lr", 4 * units, units, scale=0.4), 4 * units)
    flat = body.op("RESHAPE", [recurrent, body.const([4 * units], "i32")], [4 * units])
    summed = body.op("ADD", [product, flat], [BATCH, 4 * units])
    summed = body.op("ADD", [summed, body.const(normal("lb", 4 * units))], [BATCH, 4 * units])
    gates = [body.port([BATCH, units]) for _ in range(4)]
    body.graph.op("SPLIT", [body.const(1, "i32"), summed], gates, num_splits=4)
    i_gate, f_gate, o_gate = (body.op("LOGISTIC", [gates[k]], [BATCH, units]) for k in (0, 1, 3))
    kept = body.op("MUL", [f_gate, c], [BATCH, units])
    added = body.op("MUL", [i_gate, body.op("TANH", [gates[2]], [BATCH, units])], [BATCH, units])
    cell = body.op("ADD", [kept, added], [BATCH, units])
    new = body.op("MUL", [o_gate, body.op("TANH", [cell], [BATCH, units])], [BATCH, units])
    joined, after = _put(body, outputs, i, new)
    body.close(values, [after, body.op("ADD", [j, body.const(1, "i32")], [], "i32"), joined, new,
                        cell, x])
    return Case("keras_lstm", model, [normal("lstm", BATCH, STEPS, inputs)])


def _rnn(inputs, units):
    """SimpleRNN."""
    model = Model()
    body, values = _keras_main(model, 1, inputs, units)
    i, j, outputs, h, x = values
    step = body.op("GATHER", [x, j], [BATCH, inputs], axis=0)
    left = _dense(body, step, normal("rw", units, inputs, scale=0.4), units, normal("rb", units))
    right = _dense(body, h, normal("rr", units, units, scale=0.4), units)
    new = body.op("TANH", [body.op("ADD", [left, right], [BATCH, units])], [BATCH, units])
    joined, after = _put(body, outputs, i, new)
    body.close(values, [after, body.op("ADD", [j, body.const(1, "i32")], [], "i32"), joined, new,
                        x])
    return Case("keras_rnn", model, [normal("rnn", BATCH, STEPS, inputs)])


def _composite():
    """A composite of StableHLO: a subgraph with a name."""
    model = Model()
    main, part = _Part(model), _Part(model)
    x, y = main.port([1, 4], name="x0"), main.port([1, 4], name="y0")
    main.graph.op("STABLEHLO_COMPOSITE", [x], [y], name="odml.twice",
                  decomposition_subgraph_index=1, composite_attributes=flexbuffers.Dumps({}))
    main.close([x], [y])
    a = part.port([1, 4])
    part.close([a], [part.op("ADD", [a, a], [1, 4])])
    return Case("composite", model, [normal("composite", 1, 4)])


def cases():
    yield from _branch("if_input", False)
    yield from _branch("if_computed", True)
    yield from _returns_input()
    yield _counted("while_counted", 4)
    yield _counted("while_data", None)
    yield _gru(4, 6)
    yield _lstm(4, 6)
    yield _rnn(4, 6)
    yield _composite()
