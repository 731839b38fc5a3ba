# SPDX-License-Identifier: Apache-2.0
"""Operators that move codes, between two dense layers of int8. The answers are tflite-micro's: a layer
that weft computed in f32 would have other codes. tflite-micro lacks some operators; LiteRT moves their
codes."""
import litert
import numpy as np
from casebook import Case, i32, source
from tflite_micro.python.tflite_micro import runtime
from writer import Model

CALLS, CHANNELS = 200, 4
X, CODES, Y = (0.05, -7), (0.08, -20), (0.07, 3)  # scale and zero point
FIRST, MOVE, SECOND = range(3)


def _micro(data, inputs):
    """The first output of each call in tflite-micro."""
    interpreter = runtime.Interpreter.from_bytes(data, arena_size=1 << 18)
    rows = []
    for call in range(CALLS):
        for port, array in enumerate(inputs):
            interpreter.set_input(array[call], port)
        interpreter.invoke()
        rows.append(np.array(interpreter.get_output(0)))
    return np.stack(rows)


class _Chain:
    """x -> dense -> `name` -> dense -> y. `more(add, codes)`: the inputs of the operator from its data;
    `add(array)` adds a constant, `add(array, "codes")` one of the data's scale, and
    `add(kind, shape, high)` an input of random integers below `high`. `unread`: the type of a second
    output. `is_litert`: LiteRT moves the codes."""

    def __init__(self, name, shape, moved, more, version=1, unread=None, is_litert=False, **options):
        self.name, self.shape, self.moved, self.more = name, list(shape), list(moved), more
        self.version, self.unread, self.options = version, unread, options
        self.is_litert = is_litert

    def dense(self, graph, x, y, label):
        """A dense layer along the last axis."""
        random = source(label)
        count, inputs = y.shape[-1], x.shape[-1]
        codes = random.integers(-127, 128, (count, inputs))
        w = graph.tensor("i8", data=codes, scale=np.float32(y.scale / x.scale / 60 / inputs ** 0.5))
        bias = graph.tensor("i32", data=random.integers(-900, 900, count),
                            scale=np.float32(x.scale * w.scale))
        graph.op("FULLY_CONNECTED", [x, w, bias], [y], keep_num_dims=True)

    def move(self, graph, x, y):
        """The operator; returns its inputs of random integers and their limits."""
        ports = []

        def add(first, *rest):
            if isinstance(first, str):
                ports.append((graph.tensor(first, list(rest[0])), rest[1]))
                return ports[-1][0]
            if rest:
                return graph.tensor("i8", data=first, scale=np.float32(CODES[0]), zero=CODES[1])
            return graph.tensor("bool" if first.dtype == bool else "i32", data=first)

        outputs = [y]
        if self.unread:
            more = {} if self.unread == "i32" else {"scale": y.scale, "zero": y.zero}
            outputs.append(graph.tensor(self.unread, y.shape, **more))
        graph.op(self.name, self.more(add, x), outputs, self.version, **self.options)
        return ports

    def build(self, parts):
        """The model of some of the three operators, and the random inputs of the movement."""
        model = Model()
        graph = model.graph()

        def tensor(shape, quantisation):
            return graph.tensor("i8", list(shape), scale=np.float32(quantisation[0]),
                                zero=quantisation[1])

        ports = []
        is_moved = FIRST not in parts and MOVE not in parts
        value = first = tensor(self.moved if is_moved else self.shape,
                               X if FIRST in parts else CODES)
        if FIRST in parts:
            y = tensor(self.shape, CODES)
            self.dense(graph, value, y, "first")
            value = y
        if MOVE in parts:
            y = tensor(self.moved, CODES)
            ports = self.move(graph, value, y)
            value = y
        if SECOND in parts:
            y = tensor([*self.moved[:-1], 3], Y)
            self.dense(graph, value, y, "second")
            value = y
        first.name, value.name = "x0", "y0"
        for number, (port, _) in enumerate(ports):
            port.name = f"x{number + 1}"
        graph.inputs, graph.outputs = [first, *(port for port, _ in ports)], [value]
        return model, ports

    def case(self, path):
        """The case."""
        model, ports = self.build((FIRST, MOVE, SECOND))
        random = source(path)
        inputs = [random.integers(-128, 128, [CALLS, *self.shape]).astype(np.int8)]
        for port, high in ports:
            dtype = {"bool": np.bool_, "i32": np.int32}[port.kind]
            inputs.append(random.integers(0, high, [CALLS, *port.shape]).astype(dtype))
        try:
            answers = None if self.is_litert else _micro(model.bytes(), inputs)
        except RuntimeError:
            answers = None
        if answers is None:
            codes = _micro(self.build((FIRST,))[0].bytes(), inputs[:1])
            moved = litert.run(self.build((MOVE,))[0].bytes(), [codes, *inputs[1:]], CALLS)[0]
            answers = _micro(self.build((SECOND,))[0].bytes(), [moved])
        return Case(path, model, inputs, rtol=0, atol=0, calls=CALLS, answers=[answers])


def _row(values):
    return lambda add, x: [x, *(add(np.array(value, np.int32)) for value in values)]


def _constant(*shape):
    """Codes of the data's scale."""
    return source(f"constant {shape}").integers(-128, 128, shape)


def _axes(name, shape, moved, *lists, **more):
    return _Chain(name, shape, moved, _row(lists), **more)


def _chains():
    """The chains by path."""
    flat, image, batches = (4, CHANNELS), (1, 2, 2, CHANNELS), (4, 1, 1, CHANNELS)
    pads = [[1, 0], [0, 2]]
    yield "pad", _axes("PAD", flat, (5, 6), pads)
    yield "padv2", _Chain("PADV2", flat, (5, 6), lambda add, x: [
        x, add(np.array(pads, np.int32)), add(np.array(33), "codes")])
    yield "mirror_pad", _axes("MIRROR_PAD", flat, (6, 5), [[1, 1], [0, 1]], mode=0)
    yield "transpose", _axes("TRANSPOSE", flat, flat, [1, 0])
    yield "reshape", _axes("RESHAPE", flat, (2, 8), [2, 8])
    yield "gather", _axes("GATHER", flat, (3, CHANNELS), [2, 0, 2], axis=0)
    yield "gather_computed", _Chain("GATHER", flat, (3, CHANNELS), lambda add, x: [
        x, add("i32", [3], 4)], axis=0)
    yield "gather_table", _Chain("GATHER", flat, (4, CHANNELS), lambda add, x: [
        add(_constant(5, CHANNELS), "codes"), add("i32", [4], 5)], axis=0)
    yield "gather_nd", _axes("GATHER_ND", flat, (2, CHANNELS), [[3], [1]])
    yield "gather_nd_computed", _Chain("GATHER_ND", flat, (2, CHANNELS), lambda add, x: [
        x, add("i32", [2, 1], 4)])
    yield "tile", _axes("TILE", (2, CHANNELS), (4, CHANNELS), [2, 1])
    yield "reverse", _axes("REVERSE_V2", flat, flat, [0])
    yield "concatenation", _Chain("CONCATENATION", flat, (4, 6), lambda add, x: [
        x, add(_constant(4, 2), "codes")], axis=-1)
    yield "pack", _Chain("PACK", flat, (4, 2, CHANNELS), lambda add, x: [
        x, add(_constant(*flat), "codes")], values_count=2, axis=1)
    yield "slice", _axes("SLICE", flat, (3, 2), [1, 1], [-1, 2])
    yield "strided_slice", _axes("STRIDED_SLICE", flat, (2, CHANNELS), [-1, 0], [-5, 4], [-2, 1])
    yield "expand_dims", _axes("EXPAND_DIMS", flat, (4, 1, CHANNELS), 1)
    yield "squeeze", _Chain("SQUEEZE", (4, 1, CHANNELS), flat, lambda add, x: [x], squeeze_dims=[1])
    yield "broadcast_to", _axes("BROADCAST_TO", (1, CHANNELS), flat, [4, CHANNELS], version=2)
    yield "select", _Chain("SELECT_V2", flat, flat, lambda add, x: [
        add("bool", flat, 2), x, add(_constant(*flat), "codes")])
    yield "maximum", _Chain("MAXIMUM", flat, flat, lambda add, x: [
        x, add(_constant(CHANNELS), "codes")])
    yield "maximum_scalar", _Chain("MAXIMUM", flat, flat, lambda add, x: [
        x, add(np.array(11), "codes")])
    yield "minimum", _Chain("MINIMUM", flat, flat, lambda add, x: [
        add(_constant(1, CHANNELS), "codes"), x])
    yield "reduce_max", _axes("REDUCE_MAX", (3, 2, CHANNELS), (3, CHANNELS), [1], keep_dims=False)
    yield "reduce_max_first", _axes("REDUCE_MAX", image, (1, CHANNELS), [1, 2], keep_dims=False)
    yield "reduce_min", _axes("REDUCE_MIN", (3, 2, CHANNELS), (3, 1, CHANNELS), [1], keep_dims=True)
    yield "space_to_depth", _Chain("SPACE_TO_DEPTH", image, (1, 1, 1, 16), lambda add, x: [x],
                                   block_size=2)
    yield "depth_to_space", _Chain("DEPTH_TO_SPACE", image, (1, 4, 4, 1), lambda add, x: [x],
                                   block_size=2)
    yield "space_to_batch", _axes("SPACE_TO_BATCH_ND", image, (4, 1, 1, CHANNELS), [2, 2],
                                  [[0, 0], [0, 0]])
    # With pads tflite-micro fills code 0, which is not the number 0; LiteRT fills the zero point.
    yield "space_to_batch_pads", _axes("SPACE_TO_BATCH_ND", image, (4, 2, 1, CHANNELS), [2, 2],
                                       [[1, 1], [0, 0]], is_litert=True)
    yield "batch_to_space", _axes("BATCH_TO_SPACE_ND", batches, (1, 2, 1, CHANNELS), [2, 2],
                                  [[0, 0], [1, 0]])
    yield "resize_nearest", _axes("RESIZE_NEAREST_NEIGHBOR", image, (1, 3, 3, CHANNELS), [3, 3])
    yield "max_pool", _Chain("MAX_POOL_2D", image, (1, 1, 1, CHANNELS), lambda add, x: [x],
                             stride_w=2, stride_h=2, filter_width=2, filter_height=2)
    yield "dynamic_update_slice", _Chain("DYNAMIC_UPDATE_SLICE", flat, flat, lambda add, x: [
        x, add(_constant(2, CHANNELS), "codes"), add(i32(1, 0))])
    yield "dynamic_update_slice_computed", _Chain("DYNAMIC_UPDATE_SLICE", flat, flat,
                                                  lambda add, x: [
        x, add(_constant(1, CHANNELS), "codes"), add("i32", [2], 4)])
    yield "split", _Chain("SPLIT", flat, (4, 2), lambda add, x: [add(np.array(1, np.int32)), x],
                          unread="i8", num_splits=2)
    yield "topk", _Chain("TOPK_V2", flat, (4, 2), lambda add, x: [x, add(np.array(2, np.int32))],
                         unread="i32")


def cases():
    """All cases."""
    for path, chain in _chains():
        yield chain.case(path)
