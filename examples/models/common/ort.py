# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime as the original runtime."""
import numpy as np
import onnxruntime


class Session:
    """One thread. `states`: input -> output whose value it gets in the next call, zeros at first;
    `constants`: inputs that stay the same."""

    def __init__(self, path, states, constants=None):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(path, options)
        shapes = {port.name: port.shape for port in self.session.get_inputs()}
        self.states = states
        self.feed = dict(constants or {})
        for name in states:
            dims = [dim if isinstance(dim, int) else 1 for dim in shapes[name]]
            self.feed[name] = np.zeros(dims, np.float32)
        self.input = next(name for name in shapes if name not in self.feed)
        outputs = [port.name for port in self.session.get_outputs()]
        self.outputs = [next(name for name in outputs if name not in states.values()), *states.values()]

    def __call__(self, array):
        result, *values = self.session.run(self.outputs, {self.input: array, **self.feed})
        self.feed.update(zip(self.states, values))
        return result
