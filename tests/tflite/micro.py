# SPDX-License-Identifier: Apache-2.0
"""Runs .tflite files with tflite-micro, whose bits boards compute."""
import numpy as np
from tflite_micro.python.tflite_micro import runtime

_ARENA_BYTES = 1 << 20


def run(data, inputs, calls, outputs=1):
    """The first outputs of all calls, which run in sequence; arrays have a leading axis of calls."""
    interpreter = runtime.Interpreter.from_bytes(data, arena_size=_ARENA_BYTES)
    rows = []
    for call in range(calls):
        for port, array in enumerate(inputs):
            interpreter.set_input(array[call], port)
        interpreter.invoke()
        rows.append([np.array(interpreter.get_output(port)) for port in range(outputs)])
    return [np.stack(row) for row in zip(*rows)]
