# SPDX-License-Identifier: Apache-2.0
"""An OpenVINO IR file as Python objects, with resolved edges and nested bodies.

Layers that no Result and no Assign depends on are omitted, except Parameters. Raises Refused if the
file refers to a layer that does not exist. The semantics of operations are not checked here.
"""

import dataclasses
import pathlib
import xml.etree.ElementTree as ElementTree

import numpy as np

TYPES = {
    "f32": np.float32, "i32": np.int32, "i64": np.int64, "boolean": np.bool_,
    "FP32": np.float32, "I32": np.int32, "I64": np.int64, "BOOL": np.bool_,
}  # yapf: disable


class Refused(Exception):
    """The model is invalid, or does not fit fixed memory."""


@dataclasses.dataclass
class Port:
    """An output port as declared; an extent of -1 is undeclared."""
    dtype: type
    dims: list


@dataclasses.dataclass
class Entry:
    """One entry of a port map; absent slicing attributes are None."""
    external: int
    internal: int
    axis: int
    start: int
    end: int
    stride: int
    part_size: int
    purpose: str


@dataclasses.dataclass
class Body:
    """A nested network with its port map: TensorIterator and Loop have one, If has two."""
    graph: object
    inputs: list
    outputs: list
    back_edges: list  # (id of a Result, id of a Parameter)


@dataclasses.dataclass(eq=False)
class Layer:
    """sources: (layer, index of its output) per input. constant: the array of a Const."""
    id: int
    name: str
    kind: str
    data: dict
    outputs: list
    sources: list = dataclasses.field(default_factory=list)
    bodies: list = dataclasses.field(default_factory=list)
    constant: object = None

    def port(self, index):
        """The declared output port that is connected to input `index`."""
        layer, output = self.sources[index]
        return layer.outputs[output]


class Graph:
    """The layers of a <net> or <body> in topological order."""
    def __init__(self, element, weights):
        layers, ports = {}, {}
        for item in element.find("layers"):
            layer = _layer(item, weights)
            layers[layer.id] = layer
            ports[layer.id] = (_port_ids(item, "input"), _port_ids(item, "output"))
            layer.sources = [None] * len(ports[layer.id][0])
        for edge in _children(element, "edges"):
            source, at, target, to = (int(edge.get(key)) for key in ("from-layer", "from-port",
                                                                     "to-layer", "to-port"))
            found = layers[source], ports[source][1].index(at)
            layers[target].sources[ports[target][0].index(to)] = found
        self.parameters = [layer for layer in layers.values() if layer.kind == "Parameter"]
        self.results = [layer for layer in layers.values() if layer.kind == "Result"]
        self.assigns = [layer for layer in layers.values() if layer.kind == "Assign"]
        self.layers = []
        for layer in self.parameters + self.assigns + self.results:
            self._visit(layer)

    def _visit(self, layer):
        if layer in self.layers:
            return
        for source, _ in layer.sources:
            self._visit(source)
        self.layers.append(layer)

    def index(self, layers, layer_id, what):
        """The index of an id in `parameters` or `results`."""
        for place, layer in enumerate(layers):
            if layer.id == layer_id:
                return place
        raise Refused(f"body has no {what} with id {layer_id}")

    def reads(self, parameter):
        """Returns true if a layer uses this Parameter."""
        return any(source is parameter for layer in self.layers for source, _ in layer.sources)


def read(path):
    """The Graph of model.xml, with constants from model.bin in the same folder."""
    path = pathlib.Path(path)
    return Graph(ElementTree.parse(path).getroot(), path.with_suffix(".bin").read_bytes())


def _children(item, tag):
    found = item.find(tag)
    return [] if found is None else list(found)


def _port_ids(item, side):
    return [int(port.get("id")) for port in _children(item, side)]


def _layer(item, weights):
    found = item.find("data")
    data = {} if found is None else dict(found.attrib)
    outputs = [
        Port(TYPES[port.get("precision")], [int(dim.text) for dim in port.iter("dim")])
        for port in _children(item, "output")
    ]
    layer = Layer(int(item.get("id")), item.get("name"), item.get("type"), data, outputs)
    if layer.kind == "Const":
        at, size = int(data["offset"]), int(data["size"])
        layer.constant = np.frombuffer(weights[at:at + size],
                                       outputs[0].dtype).reshape(outputs[0].dims)
    if layer.kind in ("TensorIterator", "Loop"):
        layer.bodies = [_body(item, "body", "port_map", weights)]
    if layer.kind == "If":
        layer.bodies = [
            _body(item, f"{branch}_body", f"{branch}_port_map", weights)
            for branch in ("then", "else")
        ]
    return layer


def _body(item, body, port_map, weights):
    entries = item.find(port_map)
    return Body(
        Graph(item.find(body), weights), [_entry(entry) for entry in entries.findall("input")],
        sorted((_entry(entry) for entry in entries.findall("output")),
               key=lambda entry: entry.external),
        [(int(edge.get("from-layer")), int(edge.get("to-layer"))) for edge in _children(item, "back_edges")])


def _entry(item):
    def number(key):
        return None if item.get(key) is None else int(item.get(key))

    return Entry(number("external_port_id"), number("internal_layer_id"), number("axis"),
                 number("start"), number("end"), number("stride"), number("part_size"),
                 item.get("purpose", ""))
