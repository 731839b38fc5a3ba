# SPDX-License-Identifier: Apache-2.0
"""Runs .tflite files with LiteRT's reference kernels: the default resolver would use XNNPACK."""
import importlib.metadata

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType


class Refused(Exception):
    """LiteRT cannot open or run the file."""


def release():
    """The name of the oracle."""
    return f"ai-edge-litert {importlib.metadata.version('ai-edge-litert')}"


_REFERENCE = OpResolverType.BUILTIN_REF
OPTIMISED = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES


def run(data, inputs, calls=0, resolver=_REFERENCE):
    """The outputs. With `calls`, each array has a leading axis of calls, which run in sequence. A few
    operators have no reference kernel; these run with the optimised ones."""
    try:
        interpreter = Interpreter(model_content=data, experimental_op_resolver_type=resolver,
                                  num_threads=1)
        interpreter.allocate_tensors()
        rows = []
        for call in range(calls or 1):
            for port, array in zip(interpreter.get_input_details(), inputs):
                interpreter.set_tensor(port["index"], array[call] if calls else array)
            interpreter.invoke()
            rows.append([np.array(interpreter.get_tensor(port["index"]))
                         for port in interpreter.get_output_details()])
    except (RuntimeError, ValueError) as error:
        if "Didn't find op" in str(error) and resolver == _REFERENCE:
            return run(data, inputs, calls, OPTIMISED)
        if "unresolved custom op" in str(error) and resolver == _REFERENCE:
            return run(data, inputs, calls, OpResolverType.AUTO)  # XNNPACK has MediaPipe's
        raise Refused(str(error).strip().splitlines()[0]) from error
    return [np.stack(row) for row in zip(*rows)] if calls else rows[0]
