#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a GRU in Keras or PyTorch to C source for a board: gru_to_c.py [--framework torch] [FOLDER].

The cells (# %%) are those of a notebook. They require weft, openvino, and either keras with scipy or
torch.
"""
# %% The framework, and the folder of the C source
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


# %% The network; yours is trained. weft must compute the same outputs for x
def from_keras():
    os.environ.setdefault("KERAS_BACKEND", "openvino")  # any other backend exports as well
    import keras
    network = keras.Sequential([keras.Input((STEPS, FEATURES), batch_size=1),
                                keras.layers.GRU(UNITS, return_sequences=True),
                                keras.layers.Dense(CLASSES, activation="softmax")])
    with tempfile.TemporaryDirectory() as folder:
        network.export(f"{folder}/gru.xml", format="openvino", verbose=False)
        exported = openvino.Core().read_model(f"{folder}/gru.xml")
    # Keras uses OpenVINO here, which computes in bf16 on processors that support it.
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

# %% Convert for the full sequence: every layer agrees with OpenVINO, and the output with the framework
whole = weft.convert(exported, shapes={0: x.shape})
print(whole)
print(weft.compare(whole, {0: x}))
whole_y = whole(x)
np.testing.assert_allclose(whole_y, expected, rtol=tolerance, atol=tolerance)

# %% One time step per call, as on a board; the hidden state is kept between calls
step = weft.convert(exported, shapes={0: x.shape}, streaming=True)
for t in range(STEPS):
    np.testing.assert_array_equal(step(x[:, t:t + 1]), whole_y[:, t:t + 1])  # bit for bit
needs = weft.inspect(step)["needs"]
print(f"state {needs['state_bytes']} bytes, scratch {needs['scratch_bytes']} bytes")
print(weft.bench(step, seconds=0.1))

# %% C source for a board, whose firmware calls gru_step_open and weft_run (see examples/cortex-m)
step.save(call.folder / "gru_step.weft")
step.save_c(call.folder / "gru_step.c")
