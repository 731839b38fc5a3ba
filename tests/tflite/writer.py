# SPDX-License-Identifier: Apache-2.0
"""Writes .tflite files with the package flatbuffers; needs no TensorFlow.

    model = Model()
    graph = model.graph()
    x = graph.tensor("i8", [1, 8], scale=0.05, zero=-3, name="x")
    w = graph.tensor("i8", data=weights, scale=0.01)
    y = graph.tensor("i8", [1, 4], scale=0.1, zero=7)
    graph.op("FULLY_CONNECTED", [x, w, None], [y], act=1)
    graph.inputs, graph.outputs = [x], [y]
    data = model.bytes()
"""
import dataclasses

import flatbuffers
import numpy as np
from flatbuffers import flexbuffers
from operators import NEWER, OPERATORS

TYPES = {"f32": 0, "f16": 1, "i32": 2, "u8": 3, "i64": 4, "string": 5, "bool": 6, "i16": 7, "c64": 8,
         "i8": 9, "f64": 10, "u64": 12, "resource": 13, "u32": 15, "u16": 16, "i4": 17}
DTYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "u8": np.uint8, "i64": np.int64,
          "bool": np.bool_, "i16": np.int16, "i8": np.int8, "f64": np.float64, "u32": np.uint32,
          "u64": np.uint64, "u16": np.uint16}
RELU, RELU_N1_TO_1, RELU6, TANH = 1, 2, 3, 4  # fused activations
SAME, VALID = 0, 1
_PREPENDS = {"i8": "Int8", "u8": "Uint8", "bool": "Bool", "i32": "Int32", "u32": "Uint32",
             "f32": "Float32", "i64": "Int64"}
_DEFAULT_CODE = 127  # deprecated_builtin_code of operators above 127


def kind_of(array):
    """The type name of an array: "f32"."""
    return next(name for name, dtype in DTYPES.items() if dtype == array.dtype)


@dataclasses.dataclass
class Tensor:
    """A tensor of one graph; `index` is its id there."""

    index: int
    kind: str
    shape: list
    name: str
    data: bytes = None
    scale: object = None
    zero: int = 0
    axis: int = 0
    variable: bool = False
    signature: list = None  # shape_signature: -1 is an unknown dimension
    sparse: list = None  # for each axis a dense size, or (segments, indices); data has their values


class Graph:
    """A subgraph; `number` is its index in the model."""

    def __init__(self, number):
        self.number, self.tensors, self.operators = number, [], []
        self.inputs, self.outputs = [], []

    def tensor(self, kind, shape=None, data=None, name=None, **more):
        """Adds a tensor; a constant if it has data, whose shape it has if `shape` is left out."""
        index = len(self.tensors)
        if isinstance(data, np.ndarray):
            data = data.astype(DTYPES[kind])
            shape, data = shape or data.shape, data.tobytes()
        made = Tensor(index, kind, list(shape), name or f"t{index}", data, **more)
        self.tensors.append(made)
        return made

    def op(self, operator, inputs, outputs, version=1, custom=None, intermediates=(), **options):
        """Adds an operator. An input that is left out is None. `custom`: the name of a CUSTOM, whose
        options may have any names; `raw`: bytes that are no FlexBuffers."""
        known = {field for field, _, _ in OPERATORS[operator][2]}
        if not custom and not options.keys() <= known:
            raise ValueError(f"{operator}: has no options {options.keys() - known}")
        self.operators.append((operator, inputs, outputs, version, custom, intermediates, options))


class Model:
    """Graphs; the first one is the entry. `signature`: (names of inputs, names of outputs)."""

    def __init__(self, signature=None):
        self.graphs, self.signature = [], signature

    def graph(self):
        """Adds a graph."""
        self.graphs.append(Graph(len(self.graphs)))
        return self.graphs[-1]

    def bytes(self):
        """The file."""
        return _Writer(self).write()


class _Writer:
    """Turns a model into bytes: a builder of flatbuffers, the buffers and the operator codes."""

    def __init__(self, model):
        self.model, self.builder = model, flatbuffers.Builder(1024)
        self.buffers, self.codes = [b""], []

    def table(self, *fields):
        """A table of (slot, type, value, default) or (slot, "at", offset)."""
        self.builder.StartObject(1 + max((field[0] for field in fields), default=-1))
        for slot, kind, value, *default in fields:
            if kind == "at":
                if value is not None:
                    self.builder.PrependUOffsetTRelativeSlot(slot, value, 0)
            else:
                prepend = getattr(self.builder, f"Prepend{_PREPENDS[kind]}Slot")
                prepend(slot, value, default[0] if default else 0)
        return self.builder.EndObject()

    def vector(self, kind, values):
        """A vector of scalars."""
        dtype = np.bool_ if kind == "bool" else DTYPES[kind]
        return self.builder.CreateNumpyVector(np.array(list(values), dtype))

    def tables(self, offsets):
        """A vector of tables."""
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return self.builder.EndVector()

    def quantisation(self, tensor):
        """The table QuantizationParameters, or None."""
        if tensor.scale is None:
            return None
        scales = np.atleast_1d(np.asarray(tensor.scale, np.float32))
        zeros = np.full(len(scales), tensor.zero)
        return self.table((2, "at", self.vector("f32", scales)),
                          (3, "at", self.vector("i64", zeros)), (6, "i32", tensor.axis))

    def axis(self, values):
        """The table DimensionMetadata: a dense axis, or a sparse one with indices of 32 bits."""
        if isinstance(values, int):
            return self.table((1, "i32", values))
        lists = [self.table((0, "at", self.vector("i32", part))) for part in values]
        return self.table((0, "i8", 1), (2, "u8", 1), (3, "at", lists[0]), (4, "u8", 1),
                          (5, "at", lists[1]))

    def sparsity(self, tensor):
        """The table SparsityParameters, or None."""
        if tensor.sparse is None:
            return None
        axes = self.tables([self.axis(values) for values in tensor.sparse])
        return self.table((0, "at", self.vector("i32", range(len(tensor.sparse)))), (2, "at", axes))

    def tensor(self, tensor):
        """The table Tensor."""
        buffer = 0
        if tensor.data is not None:
            buffer = len(self.buffers)
            self.buffers.append(tensor.data)
        signature = tensor.signature
        return self.table(
            (0, "at", self.vector("i32", tensor.shape)), (1, "i8", TYPES[tensor.kind]),
            (2, "u32", buffer), (3, "at", self.builder.CreateString(tensor.name)),
            (4, "at", self.quantisation(tensor)), (5, "bool", tensor.variable),
            (6, "at", self.sparsity(tensor)),
            (7, "at", self.vector("i32", signature) if signature else None), (8, "bool", True))

    def options(self, name, values):
        """The options of an operator, or None."""
        _, union, fields = OPERATORS[name]
        if not union:
            return None
        slots = []
        for slot, (field, kind, default) in enumerate(fields):
            value = values.get(field)
            if kind == "str":
                slots.append((slot, "at", self.builder.CreateString(value or "")))
            elif kind.startswith("["):
                made = None if value is None else self.vector(kind.strip("[]"), value)
                slots.append((slot, "at", made))
            else:
                slots.append((slot, kind, default if value is None else value, default))
        return self.table(*slots)

    def operator(self, name, inputs, outputs, version, custom, intermediates, options):
        """The table Operator."""
        code = (name, version, custom)
        if code not in self.codes:
            self.codes.append(code)
        made = self.options(name, options)
        flexible = options.get("raw")
        if custom and options and flexible is None:
            flexible = flexbuffers.Dumps(options)
        slot = 11 if name in NEWER else 3
        ids = [self.vector("i32", [-1 if tensor is None else tensor.index for tensor in tensors])
               for tensors in (inputs, outputs, intermediates)]
        return self.table((0, "u32", self.codes.index(code)), (1, "at", ids[0]), (2, "at", ids[1]),
                          (slot, "u8", OPERATORS[name][1] if made else 0),
                          (slot + 1, "at", made),
                          (5, "at", flexible and self.vector("u8", np.frombuffer(flexible, np.uint8))),
                          (8, "at", ids[2] if intermediates else None))

    def graph(self, graph):
        """The table SubGraph."""
        tensors = self.tables([self.tensor(tensor) for tensor in graph.tensors])
        operators = self.tables([self.operator(*operator) for operator in graph.operators])
        inputs, outputs = (self.vector("i32", [tensor.index for tensor in ports])
                           for ports in (graph.inputs, graph.outputs))
        name = self.builder.CreateString("main" if graph.number == 0 else f"graph{graph.number}")
        return self.table((0, "at", tensors), (1, "at", inputs), (2, "at", outputs),
                          (3, "at", operators), (4, "at", name))

    def operator_code(self, name, version, custom):
        """The table OperatorCode."""
        number = OPERATORS[name][0]
        text = self.builder.CreateString(custom) if custom else None
        return self.table((0, "i8", min(number, _DEFAULT_CODE)), (1, "at", text),
                          (2, "i32", version, 1), (3, "i32", number))

    def buffer(self, data):
        """The table Buffer; its bytes are aligned to 16."""
        if not data:
            return self.table()
        self.builder.StartVector(1, len(data), 16)
        self.builder.head -= len(data)
        self.builder.Bytes[self.builder.head:self.builder.head + len(data)] = data
        return self.table((0, "at", self.builder.EndVector()))

    def signature(self):
        """The signature "serving_default" with the names of the ports, or None."""
        if not self.model.signature:
            return None
        entry = self.model.graphs[0]
        maps = []
        for names, ports in zip(self.model.signature, (entry.inputs, entry.outputs)):
            maps.append(self.tables([
                self.table((0, "at", self.builder.CreateString(name)), (1, "u32", tensor.index))
                for name, tensor in zip(names, ports)]))
        key = self.builder.CreateString("serving_default")
        return self.tables([self.table((0, "at", maps[0]), (1, "at", maps[1]), (2, "at", key))])

    def write(self):
        """The bytes of the file."""
        graphs = self.tables([self.graph(graph) for graph in self.model.graphs])
        codes = self.tables([self.operator_code(*code) for code in self.codes])
        buffers = self.tables([self.buffer(data) for data in self.buffers])
        signature = self.signature()
        root = self.table((0, "u32", 3), (1, "at", codes), (2, "at", graphs), (4, "at", buffers),
                          (7, "at", signature))
        self.builder.Finish(root, b"TFL3")
        return bytes(self.builder.Output())
