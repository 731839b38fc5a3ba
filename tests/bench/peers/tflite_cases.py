# SPDX-License-Identifier: Apache-2.0
"""The .tflite cases: stored models of Keras (tests/tflite/keras.zip) and the files of a folder."""
import dataclasses
import pathlib
import zipfile

import numpy as np
import openvino as ov
from ai_edge_litert.interpreter import Interpreter
from openvino.frontend import GeneralFailure, OpConversionFailure

import graphs

KERAS = pathlib.Path(__file__).resolve().parents[2] / "tflite/keras.zip"


@dataclasses.dataclass
class TfliteCase:
    """A .tflite file. It has no weights for engines without a graph format, and no known cost."""
    title: str
    data: bytes
    graph: graphs.Graph
    shapes: list  # of the inputs
    types: list
    convert: tuple
    cell = ()
    arrays = {}
    zero_inputs = ()
    is_calibrated = False
    has_int8_weights = False
    cost = None
    source = "model.tflite"  # of weft

    @property
    def is_integer(self):
        return any(np.issubdtype(kind, np.integer) for kind in self.types)

    def write_models(self, folder):
        """Also as OpenVINO's IR, if all inputs are f32 and OpenVINO supports the operators."""
        (folder / self.source).write_bytes(self.data)
        (folder / "model.xml").unlink(missing_ok=True)
        if self.is_integer:
            return
        try:
            model = ov.convert_model(folder / self.source)
            model.reshape({port: ov.PartialShape([int(dim) for dim in shape])
                           for port, shape in zip(model.inputs, self.shapes)})
            ov.save_model(model, folder / "model.xml", compress_to_fp16=False)
        except (RuntimeError, GeneralFailure, OpConversionFailure) as error:
            print(f"{self.graph.name}: OpenVINO: {str(error).strip().splitlines()[-1][:100]}")

    def input_arrays(self):
        """Any codes, or floats in [-1, 1)."""
        random = np.random.default_rng(1)
        for shape, kind in zip(self.shapes, self.types):
            if np.issubdtype(kind, np.integer):
                limits = np.iinfo(kind)
                yield random.integers(limits.min, limits.max, shape, kind, endpoint=True)
            else:
                yield random.uniform(-1, 1, shape).astype(kind)


def _case(name, title, data):
    ports = Interpreter(model_content=data, num_threads=1).get_input_details()
    case = TfliteCase(title, data, graphs.Graph(name), [port["shape"] for port in ports],
                      [port["dtype"] for port in ports], ())
    # Integers as LiteRT computes them on desktops; boards have tflite-micro's rounding.
    case.convert = ("--arithmetic", "xnnpack") if case.is_integer else ()
    return case


def _stored():
    with zipfile.ZipFile(KERAS) as archive:
        for path in map(pathlib.PurePath, archive.namelist()):
            if path.suffix == ".tflite":
                name = path.parent.name
                yield f"keras_{name}", f"Keras: {name}", archive.read(str(path))


def _files(folder):
    for path in sorted(pathlib.Path(folder).glob("*.tflite")) if folder else ():
        yield path.stem, path.stem, path.read_bytes()


def tflite_cases(folder):
    """The cases by name; `folder` may be empty."""
    cases = {}
    for name, title, data in [*_stored(), *_files(folder)]:
        try:
            cases[name] = _case(name, title, data)
        except (RuntimeError, ValueError) as error:
            print(f"{name}: LiteRT: {str(error).strip()[:100]}; the tables omit this file")
    return cases
