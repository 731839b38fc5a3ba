# SPDX-License-Identifier: Apache-2.0
"""Writes IR: nets of layers as XML text, and the weights file that their constants share.

A Value records the facts that the generator needs: type, shape, maximum magnitude, whether its
elements are exact integers, and its array if a converter can also compute it.
"""

import dataclasses

import numpy as np

PRECISIONS = {"f32": "FP32", "i32": "I32", "i64": "I64", "boolean": "BOOL"}
DTYPES = {"f32": np.float32, "i32": np.int32, "i64": np.int64, "boolean": np.bool_}
TYPE_OF = {np.dtype(dtype): name for name, dtype in DTYPES.items()}


@dataclasses.dataclass(eq=False)
class Value:
    """An output of a layer of one net."""
    layer: int
    port: int
    dtype: str
    dims: tuple
    bound: float = 1
    exact: bool = True
    known: object = None
    key: str = ""  # of Choices

    @property
    def count(self):
        return int(np.prod(self.dims, dtype=np.int64))


@dataclasses.dataclass
class Loop:
    """A TensorIterator or Loop before it is written. entries: dicts of port_map attributes."""
    kind: str
    body: object
    inputs: list
    outputs: list  # (dtype, dims)
    entries_in: list
    entries_out: list
    back_edges: list  # (from, to)

    def text(self):
        """The children of the layer that are not ports."""
        lines = ["<port_map>"]
        for tag, entries in (("input", self.entries_in), ("output", self.entries_out)):
            lines += [f"<{tag} {_attributes(entry)}/>" for entry in entries]
        lines += ["</port_map>", "<back_edges>"]
        lines += [f'<edge from-layer="{a}" to-layer="{b}"/>' for a, b in self.back_edges]
        return "\n".join(lines + ["</back_edges>", "<body>", self.body.text(), "</body>"])


def _attributes(pairs):
    return " ".join(f'{key}="{value}"' for key, value in pairs.items() if value is not None)


def _ports(tag, values, first, names=()):
    if not values:
        return []
    lines = [f"<{tag}>"]
    for index, (dtype, dims) in enumerate(values):
        named = f' names="{names[index]}"' if index < len(names) else ""
        inner = "".join(f"<dim>{dim}</dim>" for dim in dims)
        lines.append(f'<port id="{first + index}" precision="{PRECISIONS[dtype]}"{named}>{inner}'
                     "</port>")
    return lines + [f"</{tag}>"]


class Net:
    """Layers and edges of a <net> or <body>. Ids ascend with gaps; layers of bodies are written in
    random order."""
    def __init__(self, rng, weights):
        self.rng, self.weights = rng, weights
        self._layers, self._edges, self._next_id = [], [], int(rng.integers(0, 3))
        self.read = set()  # (layer, port) of the values that layers read

    def add(self, kind, inputs, outputs, data=None, opset=1, inner="", name=""):
        """Adds a layer; returns its outputs as fresh Values of unknown content."""
        layer, first = self._next_id, len(inputs)
        self._next_id += int(self.rng.integers(1, 4))
        ports = _ports("input", [(value.dtype, value.dims) for value in inputs], 0)
        ports += _ports("output", outputs, first, [name] if name and kind == "Parameter" else ())
        lines = [
            f'<layer id="{layer}" name="{name or f"{kind.lower()}{layer}"}" type="{kind}" '
            f'version="opset{opset}">'
        ]
        if data:
            lines.append(f"<data {_attributes(data)}/>")
        # Current OpenVINO writes a loop's other children before its ports, old versions after them.
        lines += [inner] + ports if self.rng.random() < 0.5 else ports + [inner]
        self._layers.append("\n".join(lines + ["</layer>"]))
        self.read.update((value.layer, value.port) for value in inputs)
        for index, value in enumerate(inputs):
            self._edges.append(f'<edge from-layer="{value.layer}" from-port="{value.port}" '
                               f'to-layer="{layer}" to-port="{index}"/>')
        return layer, [
            Value(layer, first + index, dtype, tuple(dims), key=self.rng.key())
            for index, (dtype, dims) in enumerate(outputs)
        ]

    def constant(self, array):
        """A Const of the array's type and shape."""
        array = np.asarray(array)
        dtype, data = TYPE_OF[array.dtype], array.tobytes()
        offset = len(self.weights)
        self.weights += data + bytes(-len(data) % 8)
        attributes = {
            "element_type": dtype, "shape": ",".join(map(str, array.shape)), "offset": offset,
            "size": len(data)
        }  # yapf: disable
        value = self.add("Const", [], [(dtype, array.shape)], attributes)[1][0]
        value.known = array
        value.bound = float(np.abs(array).max()) if array.size else 0.0
        value.exact = bool((array == np.round(array)).all()) if dtype == "f32" else True
        return value

    def parameter(self, dtype, dims, name=""):
        """A Parameter; the caller connects it."""
        data = {"element_type": dtype, "shape": ",".join(map(str, dims))}
        return self.add("Parameter", [], [(dtype, dims)], data, name=name)[1][0]

    def result(self, value, name=""):
        """The id of a new Result."""
        return self.add("Result", [value], [], name=name)[0]

    def shuffle(self):
        """Shuffles the layers of a body. Only ports depend on order, and a body refers to them by id."""
        self.rng.shuffle(self._layers)

    def text(self):
        """<layers> and <edges>."""
        return "\n".join(["<layers>", *self._layers, "</layers>", "<edges>", *self._edges,
                          "</edges>"])


def model_text(net):
    """The complete model.xml."""
    return f'<?xml version="1.0"?>\n<net name="random" version="11">\n{net.text()}\n</net>\n'
