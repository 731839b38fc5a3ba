# SPDX-License-Identifier: Apache-2.0
"""weft converts recurrent and streaming neural networks to files that run in fixed memory.

    model = weft.convert("model.xml")      # an OpenVINO IR, an openvino.Model, an ONNX file
    y = model(x)                           # NumPy arrays in and out; state stays between calls
    model.save("model.weft")
"""
from weft import _core
from weft._bench import Times, bench
from weft._compare import Comparison, Difference, compare
from weft._compose import compose
from weft._convert import convert
from weft._errors import Error
from weft._inspect import Report, inspect
from weft._model import Model, Port, load
from weft._streams import Streams

__version__ = _core.VERSION
__all__ = ["Comparison", "Difference", "Error", "Model", "Port", "Report", "Streams", "Times",
           "bench", "compare", "convert", "inspect", "load"]
