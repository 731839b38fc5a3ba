# SPDX-License-Identifier: Apache-2.0
"""Cases of TFLite models: a file, its inputs, and the answers of LiteRT's reference kernels.

A module of families/ defines `cases()`, which yields Case values. Most cases are one operator, made
by `single` for several types from the same floats.
"""
import dataclasses
import itertools
import zlib

import litert
import micro
import numpy as np
from writer import DTYPES, Model, kind_of

NARROW = {"i8": (-128, 127, 256), "u8": (0, 255, 256), "i16": (-32768, 32767, 65536),
          "i32": (-2**31, 2**31 - 1, 2**32)}


@dataclasses.dataclass
class Case:
    """`path`: "family/name". `inputs`: an array a port; with `calls` one row a call. `answers`: outputs
    if LiteRT's are not the expected ones; `note` then has the reason."""

    path: str
    model: Model
    inputs: list
    rtol: float = 1e-5
    atol: float = 1e-5
    calls: int = 0
    answers: list = None
    note: str = ""
    convert: tuple = ()

    def __post_init__(self):
        self.data = self.model.bytes()
        self.operators = sorted({operator[4] or operator[0] for graph in self.model.graphs
                                 for operator in graph.operators})


@dataclasses.dataclass
class Const:
    """A constant input. Floats are quantised with the other inputs if `weight`; with `axis`, with a
    scale per channel and zero point 0. `scale`: of integers, which LiteRT ignores."""

    array: np.ndarray
    weight: bool = False
    axis: int = None
    scale: float = None


@dataclasses.dataclass
class Port:
    """An input of a type of its own: never quantised."""

    array: np.ndarray


def source(label):
    """A generator seeded by a label."""
    return np.random.Generator(np.random.PCG64(zlib.crc32(label.encode())))


def normal(label, *shape, scale=1.0):
    """Normal f32 values."""
    return (source(label).standard_normal(shape) * scale).astype(np.float32)


def uniform(label, low, high, *shape):
    """f32 values in [low, high)."""
    return source(label).uniform(low, high, shape).astype(np.float32)


def i32(*values):
    """A vector of i32."""
    return np.array(values, np.int32)


def range_of(values, kind):
    """Scale and zero point that hold the values and 0; int16 is symmetric."""
    low, high, count = NARROW[kind]
    if kind == "i16":
        return np.float32(max(1e-6, np.abs(values).max()) / high), 0
    least, most = min(0.0, float(values.min())), max(0.0, float(values.max()))
    scale = np.float32(max(most - least, 1e-6) / (count - 1))
    return scale, int(np.clip(round(low - least / float(scale)), low, high))


def codes(values, kind, quantisation):
    """Floats as codes."""
    scale, zero = quantisation
    low, high, _ = NARROW[kind]
    return np.asarray(np.clip(np.rint(values / scale) + zero, low, high), DTYPES[kind])


def add_input(graph, item, kind, ports):
    """A tensor for one entry of `single`; returns it. Appends to `ports` the tensor and its array."""
    if item is None:
        return None
    if isinstance(item, Const):
        array = np.asarray(item.array)
        if not item.weight or kind == "f32" or array.dtype != np.float32:
            return graph.tensor(kind_of(array), data=array, scale=item.scale)
        if item.axis is None:
            q = range_of(array, kind)
            return graph.tensor(kind, data=codes(array, kind, q), scale=q[0], zero=q[1])
        others = tuple(axis for axis in range(array.ndim) if axis != item.axis)
        scale = np.maximum(np.abs(array).max(axis=others), 1e-6) / 127
        shaped = np.expand_dims(scale, others)
        return graph.tensor("i8", data=np.rint(array / shaped), scale=scale, axis=item.axis)
    array = item.array if isinstance(item, Port) else item
    if isinstance(item, Port) or kind == "f32" or array.dtype != np.float32:
        tensor = graph.tensor(kind_of(array), list(array.shape), name=f"x{len(ports)}")
    else:
        q = range_of(array, kind)
        array = codes(array, kind, q)
        tensor = graph.tensor(kind, list(array.shape), name=f"x{len(ports)}", scale=q[0], zero=q[1])
    ports.append((tensor, array))
    return tensor


def _model(name, items, kind, outputs, version, options):
    """A model of one operator; `outputs`: (kind, shape, quantisation) each."""
    model = Model()
    graph, ports = model.graph(), []
    tensors = [add_input(graph, item, kind, ports) for item in items]
    bias = _bias(name, graph, items, tensors, kind)
    if bias:
        tensors[bias[0]] = bias[1]
    made = [graph.tensor(out, list(shape), name=f"y{index}",
                         **(dict(scale=q[0], zero=q[1]) if q else {}))
            for index, (out, shape, q) in enumerate(outputs)]
    graph.op(name, tensors, made, version, **options)
    graph.inputs, graph.outputs = [tensor for tensor, _ in ports], made
    return model, [array for _, array in ports]


_BIASED = {"FULLY_CONNECTED": (0, 1, 2), "CONV_2D": (0, 1, 2), "DEPTHWISE_CONV_2D": (0, 1, 2),
           "TRANSPOSE_CONV": (2, 1, 3)}


def _bias(name, graph, items, tensors, kind):
    """The bias of a product of codes: i32 (i64 for int16), scale x scale * weight scale."""
    x, w, b = _BIASED.get(name, (0, 0, len(items)))
    if kind == "f32" or b >= len(items) or items[b] is None:
        return None
    scale = np.float32(tensors[x].scale) * np.atleast_1d(np.float32(tensors[w].scale))
    wide = "i64" if kind == "i16" else "i32"
    return b, graph.tensor(wide, data=np.rint(items[b].array / scale), scale=scale)


def first_data(items):
    """The first input of floats, else the first one."""
    arrays = [np.asarray(item.array if isinstance(item, (Const, Port)) else item)
              for item in items if item is not None]
    return next((array for array in arrays if array.dtype == np.float32), arrays[0])


def single(path, name, items, kinds=("f32", "i8"), outs=("same",), quantised=None, version=1,
           **options):
    """Cases of one operator, one for each type. int16 codes are those of tflite-micro if it has the
    operator for them: LiteRT's reference kernels form some factors in other precisions. `outs`: types of the outputs; "same" is that of the
    inputs. `quantised`: scale and zero of the outputs of codes, or "x" for those of the first input;
    else computed from the outputs in f32."""
    more = {key: options.pop(key) for key in ("rtol", "atol", "note", "answers") if key in options}
    first = first_data(items)
    plain = [(kind_of(first) if out == "same" else out, (), None) for out in outs]
    floats = None
    for kind in kinds:
        if kind == "f32" or floats is None:
            model, arrays = _model(name, items, "f32", plain, version, options)
            floats = litert.run(model.bytes(), arrays)
        outputs = []
        for out, answer in zip(outs, floats):
            q = None
            if out == "same" and kind in NARROW and answer.dtype == np.float32:
                if quantised == "x":
                    q = range_of(first, kind)
                else:
                    q = quantised[kind] if quantised else range_of(answer, kind)
            outputs.append((kind if out == "same" else out, answer.shape, q))
        model, arrays = _model(name, items, kind, outputs, version, options)
        own = dict(more)
        if kind == "i16":
            own.setdefault("answers", _micro_answers(model.bytes(), arrays, len(outs)))
        yield Case(f"{path}_{kind}", model, arrays, **own)


def _micro_answers(data, arrays, outputs):
    """The outputs of tflite-micro; None if it cannot run the file."""
    try:
        return micro.run(data, arrays, outputs=outputs)
    except RuntimeError:
        return None


def many(*lists):
    """One list of cases."""
    return list(itertools.chain(*lists))
