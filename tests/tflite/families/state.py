# SPDX-License-Identifier: Apache-2.0
"""Resource variables and variable tensors. Each call of a case continues from the call before."""
import numpy as np
from casebook import Case, codes, normal, source
from writer import Model

Q = {"scale": 0.05, "zero": -3}


def _quantised(kind):
    return Q if kind == "i8" else {}


class _Stateful:
    """A model whose state is one resource variable; `initial` None has no CALL_ONCE."""

    def __init__(self, kind, shape, initial, name="state"):
        self.model, self.name, self.kind = Model((["x"], ["y"])), name, kind
        self.graph = self.model.graph()
        self.shape = shape
        if initial is not None:
            self.graph.op("CALL_ONCE", [], [], init_subgraph_index=1)
            init = self.model.graph()
            handle = init.tensor("resource", [])
            init.op("VAR_HANDLE", [], [handle], shared_name=name)
            value = init.tensor(kind, data=np.full(shape, initial), **_quantised(kind))
            init.op("ASSIGN_VARIABLE", [handle, value], [])
        self.handle = self.graph.tensor("resource", [])
        self.graph.op("VAR_HANDLE", [], [self.handle], shared_name=name)

    def tensor(self, shape, kind=None, **more):
        """A tensor of the state's type."""
        return self.graph.tensor(kind or self.kind, shape, **_quantised(kind or self.kind), **more)

    def read(self):
        """READ_VARIABLE."""
        made = self.tensor(self.shape)
        self.graph.op("READ_VARIABLE", [self.handle], [made])
        return made

    def assign(self, value):
        """ASSIGN_VARIABLE."""
        self.graph.op("ASSIGN_VARIABLE", [self.handle, value], [])

    def case(self, path, x, y, calls=4):
        """The case; x and y are the ports."""
        self.graph.inputs, self.graph.outputs = [x], [y]
        values = normal(path, calls, *x.shape)
        if self.kind == "i8":
            values = codes(values, "i8", (Q["scale"], Q["zero"]))
        return Case(path, self.model, [values], calls=calls)


def _counter(kind, initial):
    made = _Stateful(kind, [1, 4], initial)
    x, y = made.tensor([1, 4], name="x"), made.tensor([1, 4], name="y")
    before = made.read()
    made.graph.op("ADD", [before, x], [y], version=2 if kind == "i8" else 1)
    made.assign(y)
    text = "none" if initial is None else f"from{initial}".replace("-", "m")
    return made.case(f"counter_{kind}_{text}", x, y)


def _stream(kind, rows, new):
    """A streaming convolution: the last rows are kept, as microWakeWord does."""
    made = _Stateful(kind, [1, rows, 1, 3], -3 if kind == "i8" else 0)
    graph = made.graph
    x = made.tensor([1, new, 1, 3], name="x")
    joined, kept = made.tensor([1, rows + new, 1, 3]), made.tensor([1, rows, 1, 3])
    graph.op("CONCATENATION", [made.read(), x], [joined], axis=1)
    bounds = [graph.tensor("i32", data=np.array(values))
              for values in ([0, new, 0, 0], [1, rows + new, 1, 3], [1, 1, 1, 1])]
    graph.op("STRIDED_SLICE", [joined, *bounds], [kept], begin_mask=13, end_mask=15)
    made.assign(kept)
    y = made.tensor([1, new, 1, 3], name="y")
    weights = source("stream").integers(-90, 90, (1, rows + 1, 1, 3))
    if kind == "i8":
        w = graph.tensor("i8", data=weights, scale=[0.002, 0.003, 0.004], axis=3)
        b = graph.tensor("i32", data=np.array([100, -20, 7]), scale=np.float32(0.05) * np.float32(
            [0.002, 0.003, 0.004]))
    else:
        w = graph.tensor("f32", data=weights / 100)
        b = graph.tensor("f32", data=np.array([0.1, -0.2, 0.3]))
    graph.op("DEPTHWISE_CONV_2D", [joined, w, b], [y], version=3, padding=1, stride_w=1, stride_h=1,
             depth_multiplier=1)
    return made.case(f"stream_{kind}_{rows}_{new}", x, y)


def _order():
    """Reads before and after an assignment see the old and the new value."""
    made = _Stateful("f32", [1, 3], 2)
    graph = made.graph
    x, y = made.tensor([1, 3], name="x"), made.tensor([1, 3], name="y")
    before = made.read()
    made.assign(x)
    after = made.read()
    graph.op("SUB", [after, before], [y])
    made.assign(y)
    return made.case("order", x, y)


def _two_handles():
    """One variable under two handle tensors."""
    made = _Stateful("f32", [1, 3], 1)
    graph = made.graph
    x, y = made.tensor([1, 3], name="x"), made.tensor([1, 3], name="y")
    before = made.read()
    other = graph.tensor("resource", [])
    graph.op("VAR_HANDLE", [], [other], shared_name=made.name)
    graph.op("MUL", [before, x], [y])
    graph.op("ASSIGN_VARIABLE", [other, y], [])
    return made.case("two_handles", x, y)


def _inner(made, name, kind):
    """A subgraph that reads the state, adds its input and assigns the sum; returns its input and the
    sum."""
    inner = made.model.graph()
    handle = inner.tensor("resource", [])
    inner.op("VAR_HANDLE", [], [handle], shared_name=made.name)
    before, x, y = (inner.tensor(kind, [1, 3], name=f"{name}{index}", **_quantised(kind))
                    for index in range(3))
    inner.op("READ_VARIABLE", [handle], [before])
    inner.op("ADD", [before, x], [y], version=2 if kind == "i8" else 1)
    inner.op("ASSIGN_VARIABLE", [handle, y], [])
    return inner, x, y


def _branch(kind):
    """One branch of IF assigns the state, the other one does not use it."""
    made = _Stateful(kind, [1, 3], 4)
    graph = made.graph
    then, a, b = _inner(made, "then", kind)
    then.inputs, then.outputs = [a], [b]
    other = made.model.graph()
    a = other.tensor(kind, [1, 3], **_quantised(kind))
    other.inputs, other.outputs = [a], [a]
    x, y = made.tensor([1, 3], name="x"), made.tensor([1, 3], name="y")
    condition = graph.tensor("bool", [], name="c")
    chosen = made.tensor([1, 3])
    graph.op("IF", [condition, x], [chosen], then_subgraph_index=then.number,
             else_subgraph_index=other.number)
    graph.op("SUB", [chosen, made.read()], [y], version=2 if kind == "i8" else 1)
    case = made.case(f"branch_{kind}", x, y)
    graph.inputs = [condition, x]
    return Case(case.path, made.model, [np.array([1, 0, 1, 0], bool), *case.inputs], calls=4)


def _loop(kind):
    """The body of WHILE assigns the state three times in a run."""
    made = _Stateful(kind, [1, 3], 4)
    graph = made.graph
    test = made.model.graph()
    count, unused = test.tensor("i32", []), test.tensor(kind, [1, 3], **_quantised(kind))
    goes_on = test.tensor("bool", [])
    test.op("LESS", [count, test.tensor("i32", data=np.array(3))], [goes_on])
    test.inputs, test.outputs = [count, unused], [goes_on]
    body, a, _ = _inner(made, "body", kind)
    count, following = body.tensor("i32", []), body.tensor("i32", [])
    body.op("ADD", [count, body.tensor("i32", data=np.array(1))], [following])
    body.inputs, body.outputs = [count, a], [following, a]
    x, last = made.tensor([1, 3], name="x"), made.tensor([1, 3])
    counted = graph.tensor("i32", [])
    graph.op("WHILE", [graph.tensor("i32", data=np.array(0)), x], [counted, last],
             cond_subgraph_index=test.number, body_subgraph_index=body.number)
    return made.case(f"loop_{kind}", x, made.read())


def _svdf(units, rank, memory, act):
    """A variable tensor that the operator overwrites."""
    model = Model()
    graph = model.graph()
    filters = units * rank
    x, y = graph.tensor("f32", [1, 5], name="x"), graph.tensor("f32", [1, units], name="y")
    feature = graph.tensor("f32", data=normal("feature", filters, 5, scale=0.5))
    time = graph.tensor("f32", data=normal("time", filters, memory, scale=0.5))
    bias = graph.tensor("f32", data=normal("bias", units))
    state = graph.tensor("f32", [1, filters * memory], variable=True)
    graph.op("SVDF", [x, feature, time, bias, state], [y], rank=rank, act=act)
    graph.inputs, graph.outputs = [x], [y]
    path = f"svdf_{units}_{rank}_{memory}_{act}"
    return Case(path, model, [normal(path, 5, 1, 5)], calls=5)


def _same_name():
    """A variable tensor and a resource variable of one name are two states."""
    made = _Stateful("f32", [1, 4], 3, name="state")
    graph = made.graph
    x, y, kept = made.tensor([1, 4], name="x"), made.tensor([1, 4], name="y"), made.tensor([1, 4])
    weights = [graph.tensor("f32", data=normal(name, *shape, scale=0.5))
               for name, shape in (("input", (4, 4)), ("recurrent", (4, 4)), ("bias", (4,)))]
    hidden = graph.tensor("f32", [1, 4], variable=True, name="state")
    graph.op("RNN", [x, *weights, hidden], [kept], act=4)
    graph.op("ADD", [made.read(), kept], [y])
    made.assign(y)
    return made.case("same_name", x, y)


def cases():
    yield _same_name()
    yield _counter("f32", 5)
    yield _counter("i8", 5)
    yield _counter("i8", -3)
    for kind in ("f32", "i8"):
        yield _stream(kind, 2, 3)
        yield _stream(kind, 4, 1)
        yield _branch(kind)
        yield _loop(kind)
    yield _order()
    yield _two_handles()
    for row in ((3, 1, 4, 0), (2, 2, 3, 1)):
        yield _svdf(*row)
