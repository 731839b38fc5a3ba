# SPDX-License-Identifier: Apache-2.0
"""Compares a model's results with expected ones, or every layer with OpenVINO's."""
from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from weft._arguments import arrays_by_port
from weft._errors import Error
from weft._ir import InMemory
from weft._model import Model, Port, Source, _find

# Layers that compute nothing, and writes of variables, which have no output.
_NOT_COMPUTED = ("Parameter", "Constant", "Result", "Assign", "ReadValue")


@dataclasses.dataclass(frozen=True)
class Difference:
    """The difference of an array from its expected value. ``largest`` is the largest |is - must|, at
    ``index``. If they are None, shapes or types differ, and ``text`` describes this."""

    name: str
    type: str  # type of the layer; empty for an output of the model
    equal: bool
    largest: float
    index: tuple[int, ...] | None
    text: str


@dataclasses.dataclass(frozen=True)
class Comparison:
    """All compared arrays, in the order of execution; true if all of them agree."""

    compared: tuple[Difference, ...]

    @property
    def first(self) -> Difference | None:
        """The first array that differs, or None."""
        return next((one for one in self.compared if not one.equal), None)

    def __bool__(self) -> bool:
        return self.first is None

    def __repr__(self) -> str:
        first = self.first
        if first is None:
            return f"<weft.Comparison {len(self.compared)} arrays: equal>"
        layer = f" ({first.type})" if first.type else ""
        differ = sum(not one.equal for one in self.compared)
        return (f"<weft.Comparison {differ} of {len(self.compared)} arrays differ; the first is "
                f'"{first.name}"{layer}: {first.text}>')


def compare(model: Model, inputs: Mapping[str | int, npt.ArrayLike],
            reference: Mapping[str | int, npt.ArrayLike] | None = None, *, rtol: float = 1e-5,
            atol: float = 1e-5) -> Comparison:
    """Runs from the beginning of a sequence and compares results; the model's state does not change.

    inputs: arrays as for ``Model.run``.
    reference: expected arrays by name or index of outputs. Without it, this program must have
      converted the model, without streaming. OpenVINO then computes every layer of the IR outside of
      loops, and the model is converted again with all layers as outputs.
    rtol, atol: floats agree when |is - must| <= max(atol, rtol * |must|), NaN with NaN; integers
      and booleans agree exactly.
    """
    if reference is None:
        return _by_layers(model, inputs, rtol, atol)
    stream = model.streams(1)[0]
    results = stream._run(stream._arranged(inputs))
    compared = []
    for name, must in arrays_by_port("reference", reference, model.outputs).items():
        at = _find(model.outputs, "output", name)
        compared.append(_difference(model.outputs[at].name, "", results[at], np.asarray(must), rtol,
                                    atol))
    return Comparison(tuple(compared))


def _by_layers(model: Model, inputs: Mapping[str | int, npt.ArrayLike], rtol: float,
               atol: float) -> Comparison:
    source = model._source
    if source is None or source.other_ports:
        raise Error("weft: compare: the model is " +
                    ("not converted by weft.convert" if source is None else
                     "converted with streaming, values or states") +
                    "; must be converted in this program without streaming, values or states, or have a "
                    "reference")
    try:
        import openvino
    except ImportError as error:
        raise Error("weft: compare: OpenVINO is not installed; install it or pass a reference"
                    ) from error
    whole, xml = _read(openvino, source)
    ids = _layer_ids(xml)
    places = [(node, port) for node in whole.get_ordered_ops()
              if node.get_type_name() not in _NOT_COMPUTED and node.get_friendly_name() in ids
              for port in range(node.get_output_size())]
    stream = source.rerun([(ids[node.get_friendly_name()], port) for node, port in places])
    own = len(model.outputs)
    if len(stream.outputs) != own + len(places):
        raise Error(f"weft: compare: {len(stream.outputs) - own} of {len(places)} layers were "
                    "found; must be all; otherwise pass a reference")
    arrays = stream._arranged(inputs)
    results = stream._run(arrays)[own:]
    musts = _by_openvino(openvino, whole, places, model.inputs, arrays)
    return Comparison(tuple(
        _difference(node.get_friendly_name(), node.get_type_name(), is_, must, rtol, atol)
        for (node, _), is_, must in zip(places, results, musts)))


def _read(openvino: Any, source: Source) -> tuple[Any, bytes]:
    """Returns OpenVINO's model of the same IR, and the XML."""
    core = openvino.Core()
    if isinstance(source.ir, InMemory):
        xml = source.ir.xml
        whole = core.read_model(xml, source.ir.weights)
    else:
        path = source.ir.model
        xml = path.read_bytes()
        whole = core.read_model(path, source.ir.weights or path.with_suffix(".bin"))
    if source.shapes:
        whole.reshape({int(name) if name.isdecimal() else name: list(shape)
                       for name, shape in source.shapes.items()})
    return whole, xml


def _layer_ids(xml: bytes) -> dict[str, int]:
    """Returns the ids of layers outside of bodies, by unique names."""
    ids: dict[str, int] = {}
    names: dict[str, int] = {}
    for layer in ElementTree.fromstring(xml).findall("./layers/layer"):
        name = layer.get("name", "")
        names[name] = names.get(name, 0) + 1
        ids[name] = int(layer.get("id", "-1"))
    return {name: number for name, number in ids.items() if names[name] == 1}


def _by_openvino(openvino: Any, whole: Any, places: list[tuple[Any, int]],
                 ports: tuple[Port, ...], arrays: list[npt.ArrayLike]) -> list[npt.NDArray[Any]]:
    # An existing output of the model keeps its index.
    added = whole.add_outputs([node.output(port) for node, port in places])
    at = [whole.outputs.index(output) for output in added]
    # Otherwise OpenVINO could use lower precision and be less exact than weft.
    request = openvino.Core().compile_model(
        whole, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()
    request.infer({i: np.asarray(array).astype(request.get_input_tensor(i).data.dtype)
                   for i, array in enumerate(arrays)})
    return [np.array(request.get_output_tensor(i).data) for i in at]


def _difference(name: str, kind: str, is_: npt.NDArray[Any], must: npt.NDArray[Any], rtol: float,
                atol: float) -> Difference:
    def unlike(text: str) -> Difference:
        return Difference(name, kind, False, float("inf"), None, text)
    if is_.shape != must.shape:
        return unlike(f"is of shape {list(is_.shape)}; must be {list(must.shape)}")
    if is_.dtype.kind != must.dtype.kind:
        return unlike(f"is {is_.dtype}; must be {must.dtype}")
    if is_.size == 0:
        return Difference(name, kind, True, 0.0, None, "equal, no elements")
    real = is_.dtype.kind == "f"
    left, right = is_.astype(np.float64), must.astype(np.float64)
    same = (is_ == must) | (np.isnan(left) & np.isnan(right))
    with np.errstate(invalid="ignore"):
        distance = np.where(same, 0.0, np.abs(left - right))
    distance = np.where(np.isnan(distance), np.inf, distance)
    bound = np.maximum(atol, rtol * np.abs(right)) if real else np.zeros_like(right)
    finite = np.isfinite(left) & np.isfinite(right)
    agrees = same | (finite & (distance <= bound)) if real else same
    index = tuple(int(i) for i in np.unravel_index(np.argmax(distance), distance.shape))
    largest = float(distance[index])
    if agrees.all():
        return Difference(name, kind, True, largest, index,
                          f"equal, {is_.size} elements, largest difference {largest:.3g}")
    at = tuple(int(i) for i in np.argwhere(~agrees)[0]) if is_.ndim else ()
    text = (f"{int((~agrees).sum())} of {is_.size} elements differ; first at {list(at)}: is "
            f"{is_[at]}; must be {must[at]}")
    return Difference(name, kind, False, largest, index, text)
