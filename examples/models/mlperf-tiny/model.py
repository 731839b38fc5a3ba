# SPDX-License-Identifier: Apache-2.0
"""The int8 reference models of MLPerf Tiny, from a folder of the user."""
import numpy as np

from common import sound
from common.task import Task
from common.tflite import LiteRT, differences, micro_outputs

FOLDER = "a folder with the .tflite files of mlcommons/tiny"
MODELS = {
    "keyword spotting": "kws_ref_model.tflite",
    "visual wake words": "vww_96_int8.tflite",
    "image classification": "pretrainedResnet_quant.tflite",
    "anomaly detection": "ad01_int8.tflite",
    "streaming wake word": "str_ww_ref_model.tflite",
}
RUNS = 8


def task_of(part, path):
    peer = LiteRT(path)
    shape = peer.input["shape"]
    inputs = np.random.default_rng(7).integers(-128, 128, (RUNS, *shape)).astype(np.int8)
    reference = np.stack([peer(codes) for codes in inputs])
    micro = micro_outputs(path, inputs)

    def measure(outputs):
        codes = next(iter(outputs.values())).reshape(reference.shape)
        return [differences(codes, micro), differences(codes, reference)]

    def show(outputs):
        codes = next(iter(outputs.values())).reshape(RUNS, -1)
        return "\n".join(f"run {i}: largest output {row.argmax():3}  "
                         f"{sound.bar((float(row.max()) + 128) / 255)}" for i, row in enumerate(codes))

    return Task(model=path, options=[], inputs={peer.input["name"]: inputs},
                reference={"output": reference}, peer="LiteRT", run_peer=lambda: peer(inputs[0]),
                part=part, measures=["codes that differ from TFLM", "from LiteRT"], measure=measure,
                show=show, board_runs=1, precisions=(("auto",), ("auto", "--arithmetic", "xnnpack")))


def prepare(folder, work):
    del work
    return [task_of(part, folder / name) for part, name in MODELS.items()]
