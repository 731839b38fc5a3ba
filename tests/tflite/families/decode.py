# SPDX-License-Identifier: Apache-2.0
"""TFLM_DECODE of tflite-micro: constants that are compressed by tables of values, by pruning or by Huffman
codes."""
import heapq

import micro
import numpy as np
from casebook import Case, source
from writer import DTYPES, VALID, Model

BY_TABLE, BY_HUFFMAN, BY_PRUNING = 0, 1, 2


def _packed(bits):
    """A string of 0 and 1 as bytes, the first bit highest; in words of 4 bytes."""
    bits += "0" * (-len(bits) % 32)
    return np.array([int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)], np.uint8)


def _head(kind, *more):
    """The first 16 bytes of ancillary data."""
    return bytes([kind, 1, 0, 0, 1, *more]).ljust(16, b"\0")


class _Decoded:
    """A model whose tensors are decoded."""

    def __init__(self, path):
        self.path, self.random, self.model = path, source(path), Model()
        self.graph = self.model.graph()
        self.operands, self.outputs = [], []

    def add(self, data, head, values, kind, shape, **more):
        """A tensor of these bytes."""
        self.operands += [self.graph.tensor("u8", data=data),
                          self.graph.tensor("u8", data=np.frombuffer(head + values, np.uint8))]
        self.outputs.append(self.graph.tensor(kind, shape, **more))
        return self.outputs[-1]

    def table(self, kind, shape, width, axis=None, **more):
        """Values of a table for the tensor, or for each channel of the axis."""
        channels = 1 if axis is None else shape[axis]
        count = int(self.random.integers(max(1, 2**width - 2), 2**width)) if width > 1 else 2
        values = self.random.integers(0, 2 if kind == "bool" else 100, (channels, count)).astype(DTYPES[kind])
        indices = self.random.integers(0, count, shape)
        bits = "".join(f"{index:0{width}b}" for index in indices.ravel())
        if axis is not None:
            more = {"axis": axis, "scale": self.random.uniform(0.01, 0.02, channels), **more}
        return self.add(_packed(bits), _head(BY_TABLE, width, count), values.tobytes(), kind, shape, **more)

    def pruned(self, kind, shape, **more):
        """A third of the elements are stored."""
        stored = self.random.integers(0, 3, shape) == 0
        values = self.random.integers(1, 100, int(stored.sum())).astype(DTYPES[kind])
        bits = "".join("1" if one else "0" for one in stored.ravel())
        return self.add(_packed(bits), _head(BY_PRUNING), values.tobytes(), kind, shape, **more)

    def huffman(self, kind, shape, wide, first, symbols=40):
        """Elements of a skewed distribution; the first table has 2**first entries."""
        elements = np.minimum(self.random.geometric(0.12, shape), symbols) - symbols // 2
        if kind == "i16":
            elements = elements * 700
        codes = _huffman_codes(elements)
        bits = "".join(codes[int(element)] for element in elements.ravel())
        tables = _Tables(codes, wide)
        tables.fill("", first)
        return self.add(_packed(bits), _head(BY_HUFFMAN, (first - 1) << 4 | wide), tables.bytes(), kind, shape,
                        scale=0.01)

    def decode(self):
        """Adds the operator."""
        self.graph.op("CUSTOM", self.operands, list(self.outputs), custom="TFLM_DECODE")

    def case(self, inputs, outputs):
        """The case with tflite-micro's answers."""
        self.graph.outputs = outputs
        answers = micro.run(self.model.bytes(), inputs, 0, len(outputs))
        return Case(self.path, self.model, inputs, rtol=0, atol=0, answers=answers)

    def as_outputs(self):
        """The decoded tensors are outputs of the model, beside its input's absolute value."""
        self.decode()
        x, y = self.graph.tensor("f32", [1, 4], name="x"), self.graph.tensor("f32", [1, 4], name="y")
        self.graph.op("ABS", [x], [y])
        self.graph.inputs = [x]
        return self.case([np.float32([[1, -2, 3, -4]])], [y, *self.outputs])


def _huffman_codes(elements):
    values, counts = np.unique(elements, return_counts=True)
    heap = [(int(count), index, {int(value): ""}) for index, (value, count) in enumerate(zip(values, counts))]
    heapq.heapify(heap)
    while len(heap) > 1:
        (a, _, left), (b, index, right) = heapq.heappop(heap), heapq.heappop(heap)
        joined = {value: "0" + code for value, code in left.items()}
        joined.update({value: "1" + code for value, code in right.items()})
        heapq.heappush(heap, (a + b, index + len(values), joined))
    return heap[0][2]


class _Tables:
    """The tables of a tree of codes; each is indexed by the next bits."""

    SIZE = 3  # bits of all tables but the first

    def __init__(self, codes, wide):
        self.codes, self.wide, self.entries = codes, wide, []
        self.shift = 27 if wide else 11

    def fill(self, prefix, size):
        """Appends the table of codes that begin with the prefix."""
        start = len(self.entries)
        self.entries += [0] * 2**size
        for index in range(2**size):
            path = prefix + f"{index:0{size}b}"
            found = next((value for value, code in self.codes.items() if path.startswith(code)), None)
            if found is not None:
                length = len(self.codes[found]) - len(prefix)
                low = found & ((1 << 16) - 1 if self.wide else 255)
                self.entries[start + index] = 1 << (self.shift + 4) | length << self.shift | low
            elif any(code.startswith(path) for code in self.codes.values()):
                deeper = max(len(code) - len(path) for code in self.codes.values() if code.startswith(path))
                bits = min(self.SIZE, deeper)
                distance = len(self.entries) - (start + index)
                self.entries[start + index] = (bits - 1) << self.shift | distance
                self.fill(path, bits)

    def bytes(self):
        """The entries."""
        return np.array(self.entries, np.uint32 if self.wide else np.uint16).tobytes()


def _tables():
    model = _Decoded("table_types")
    for kind, width in (("i8", 7), ("i16", 5), ("i32", 6), ("i64", 1), ("f32", 4), ("bool", 1)):
        model.table(kind, [3, 7], width)
    yield model.as_outputs()
    for axis in (0, 3):
        model = _Decoded(f"table_axis_{axis}")
        for width in range(1, 8):
            model.table("i8", [5, 2, 3, 4], width, axis)
        yield model.as_outputs()


def _prunings():
    model = _Decoded("pruned_types")
    for kind in ("i8", "i16", "i32", "i64", "f32"):
        model.pruned(kind, [3, 7])
    model.pruned("i8", [4, 5], scale=0.1, zero=-7)
    yield model.as_outputs()


def _huffman():
    model = _Decoded("huffman")
    for kind, wide, first in (("i8", 0, 2), ("i8", 1, 5), ("i16", 1, 4), ("i8", 0, 8), ("i16", 1, 1)):
        model.huffman(kind, [9, 50], wide, first)
    model.huffman("i8", [4], 0, 1, 2)
    yield model.as_outputs()


def _layers():
    """Weights of two layers, and the sums that one begins with."""
    model = _Decoded("layers")
    graph = model.graph
    x = graph.tensor("i8", [1, 6, 5, 4], name="x", scale=0.02, zero=3)
    filters = model.table("i8", [8, 3, 3, 4], 4, 0)
    sums = model.table("i32", [8], 3, 0, scale=np.float32(0.02) * filters.scale)
    model.decode()
    between = graph.tensor("i8", [1, 4, 3, 8], scale=0.4, zero=-5)
    graph.op("CONV_2D", [x, filters, sums], [between], version=3, padding=VALID, stride_w=1, stride_h=1)
    model.operands, model.outputs = [], []
    weights = model.pruned("i8", [7, 96], scale=0.01)
    model.decode()
    y = graph.tensor("i8", [1, 7], name="y", scale=0.9, zero=11)
    graph.op("FULLY_CONNECTED", [between, weights, None], [y], version=4)
    graph.inputs = [x]
    yield model.case([model.random.integers(-128, 128, (1, 6, 5, 4)).astype(np.int8)], [y])


def cases():
    """All cases."""
    for family in (_tables, _prunings, _huffman, _layers):
        yield from family()
