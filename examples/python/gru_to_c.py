#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a GRU in Keras or PyTorch to C source for a board: gru_to_c.py [--framework torch] [FOLDER].

The cells (# %%) are those of a notebook. What they need besides weft: openvino, and keras with scipy,
or torch.
"""
# %% Which framework, and where the C source goes
import argparse
import os
import pathlib
import tempfile

import numpy as np
import openvino

import weft

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", nargs="?", default=".", type=pathlib.Path)
parser.add_argument("--framework", choices=("keras", "torch"), default="keras")
call = parser.parse_args()

STEPS, FEATURES, UNITS, CLASSES = 20, 13, 32, 4
x = np.random.default_rng(1).standard_normal((1, STEPS, FEATURES), dtype=np.float32)


# %% The network; yours is trained. What it gives for x is what weft has to give, too
def from_keras():
    os.environ.setdefault("KERAS_BACKEND", "openvino")  # any other backend exports as well
    import keras
    network = keras.Sequential([keras.Input((STEPS, FEATURES), batch_size=1),
                                keras.layers.GRU(UNITS, return_sequences=True),
                                keras.layers.Dense(CLASSES, activation="softmax")])
    with tempfile.TemporaryDirectory() as folder:
        network.export(f"{folder}/gru.xml", format="openvino", verbose=False)
        exported = openvino.Core().read_model(f"{folder}/gru.xml")
    # Keras computes by OpenVINO here, in bf16 where the processor has it.
    return exported, network.predict(x, verbose=0), 1e-2


def from_torch():
    import torch

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gru = torch.nn.GRU(FEATURES, UNITS, batch_first=True)
            self.dense = torch.nn.Linear(UNITS, CLASSES)

        def forward(self, frames):
            hidden, _ = self.gru(frames)
            return torch.softmax(self.dense(hidden), -1)

    network = Network().eval()
    with torch.no_grad():
        expected = network(torch.from_numpy(x)).numpy()
    return openvino.convert_model(network, example_input=torch.from_numpy(x)), expected, 1e-5


exported, expected, tolerance = from_keras() if call.framework == "keras" else from_torch()

# %% Converted, over the whole sequence: every layer agrees with OpenVINO, and the end with the framework
whole = weft.convert(exported, shapes={0: x.shape})
print(whole)
print(weft.compare(whole, {0: x}))
whole_y = whole(x)
np.testing.assert_allclose(whole_y, expected, rtol=tolerance, atol=tolerance)

# %% One step of time per call, as a board gets its frames; the hidden state stays between the calls
step = weft.convert(exported, shapes={0: x.shape}, streaming=True)
for t in range(STEPS):
    np.testing.assert_array_equal(step(x[:, t:t + 1]), whole_y[:, t:t + 1])  # bit for bit
needs = weft.inspect(step)["needs"]
print(f"state {needs['state_bytes']} bytes, scratch {needs['scratch_bytes']} bytes")
print(weft.bench(step, seconds=0.1))

# %% For the board, whose firmware calls gru_step_open and weft_run (examples/cortex-m has the rest)
step.save(call.folder / "gru_step.weft")
step.save_c(call.folder / "gru_step.c")
