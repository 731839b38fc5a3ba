# SPDX-License-Identifier: Apache-2.0
"""Keras models that TensorFlow's converter wrote (../keras_models.py), as files. The answers are
LiteRT's, those of quantised models tflite-micro's."""
import types

import archives
import micro
import numpy as np
from ai_edge_litert.interpreter import Interpreter
from casebook import Case, normal, source

CALLS = 4
FOLDER = archives.FIXTURES / "tflite/keras"


class Stored:
    """A stored file, with the attributes of writer.Model that a case reads."""

    def __init__(self, name):
        self.data = (FOLDER / name / "model.tflite").read_bytes()
        self.interpreter = Interpreter(model_content=self.data)
        names = [types.SimpleNamespace(name=port["name"]) for port in self.inputs]
        ends = [types.SimpleNamespace(name=port["name"])
                for port in self.interpreter.get_output_details()]
        rows = [(row["op_name"], None, None, None, None)
                for row in self.interpreter._get_ops_details()  # pylint: disable=protected-access
                if row["op_name"] != "DELEGATE"]
        self.graphs = [types.SimpleNamespace(inputs=names, outputs=ends, operators=rows)]

    @property
    def inputs(self):
        """The interpreter's description of the inputs."""
        return self.interpreter.get_input_details()

    def bytes(self):
        """The file."""
        return self.data


def _values(name, port):
    """For each call any codes, or of normal floats."""
    shape = (CALLS, *port["shape"])
    if port["dtype"] == np.float32:
        return normal(name, *shape)
    limits = np.iinfo(port["dtype"])
    return source(name).integers(limits.min, limits.max, shape, port["dtype"], endpoint=True)


def cases():
    """One for each stored file."""
    for path in sorted(FOLDER.glob("*/model.tflite")):
        name = path.parent.name
        model = Stored(name)
        values = [_values(name, port) for port in model.inputs]
        is_float = values[0].dtype == np.float32
        answers = None if is_float else micro.run(model.data, values, CALLS)
        yield Case(name, model, values, calls=CALLS, answers=answers,
                   note="" if is_float else "tflite-micro's codes")
