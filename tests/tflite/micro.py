# SPDX-License-Identifier: Apache-2.0
"""Runs .tflite files with tflite-micro, whose bits boards compute."""
import numpy as np
from tflite_micro.python.tflite_micro import runtime


def run(data, inputs, calls=0, outputs=1):
    """The outputs. With `calls`, each array has a leading axis of calls, which run in sequence."""
    interpreter = runtime.Interpreter.from_bytes(data, arena_size=1 << 24)
    rows = []
    for call in range(calls or 1):
        for port, array in enumerate(inputs):
            interpreter.set_input(array[call] if calls else array, port)
        interpreter.invoke()
        rows.append([np.array(interpreter.get_output(port)) for port in range(outputs)])
    return [np.stack(row) for row in zip(*rows)] if calls else rows[0]
