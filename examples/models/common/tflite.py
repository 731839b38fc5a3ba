# SPDX-License-Identifier: Apache-2.0
"""LiteRT and TensorFlow Lite Micro (TFLM) as the original runtimes of a .tflite file."""
import numpy as np
from ai_edge_litert.interpreter import Interpreter
from tflite_micro.python.tflite_micro import runtime


class LiteRT:
    """One thread. `shape`: of the input, if the file leaves it open."""

    def __init__(self, path, shape=None):
        self.interpreter = Interpreter(str(path), num_threads=1)
        self.input = self.interpreter.get_input_details()[0]
        if shape:
            self.interpreter.resize_tensor_input(self.input["index"], shape)
        self.interpreter.allocate_tensors()
        self.output = self.interpreter.get_output_details()[0]

    def codes(self, values):
        """Quantises values for the input."""
        scale, zero = self.input["quantization"]
        return np.clip(np.round(values / scale + zero), -128, 127).astype(np.int8)

    def __call__(self, values):
        self.interpreter.set_tensor(self.input["index"], values)
        self.interpreter.invoke()
        return self.interpreter.get_tensor(self.output["index"])


def micro_outputs(path, inputs):
    """Outputs of TFLM for all runs."""
    interpreter = runtime.Interpreter.from_file(str(path))
    outputs = []
    for values in inputs:
        interpreter.set_input(values, 0)
        interpreter.invoke()
        outputs.append(interpreter.get_output(0))
    return np.stack(outputs)


def differences(codes, others):
    difference = np.abs(codes.astype(int) - others)
    return f"{np.sum(difference > 0)} of {codes.size}, at most {difference.max()}"
