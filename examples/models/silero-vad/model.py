# SPDX-License-Identifier: Apache-2.0
"""Silero VAD 6.2 at 16 kHz: the probability of speech for every 32 ms."""
import numpy as np
import onnxruntime
import openvino

from common import sound
from common.task import Task, snr

WHEELS = """
silero-vad==6.2.3 --hash=sha256:7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8
"""
FRAME, CONTEXT = 512, 64
PER_LINE = 8  # frames of a printed line: 256 ms
SCENE = [0.8, "The quick brown fox jumps over the lazy dog.", 1.2,
         "Please turn on the light in the kitchen.", 0.6, "Thank you.", 1.0]


def frames_of(samples):
    """Each run has a frame, preceded by the last samples of the frame before."""
    count = len(samples) // FRAME
    padded = np.concatenate([np.zeros(CONTEXT, np.float32), samples[:count * FRAME]])
    return np.stack([padded[None, i * FRAME:(i + 1) * FRAME + CONTEXT] for i in range(count)])


class Peer:
    """The ONNX file in ONNX Runtime, on one thread."""

    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(path, options)
        self.feed = {"sr": np.array(16000, np.int64), "state": np.zeros((2, 1, 128), np.float32)}

    def __call__(self, frame):
        output, self.feed["state"] = self.session.run(["output", "stateN"], {"input": frame, **self.feed})
        return output


def show(samples, probability):
    lines = ["  time  level                 speech"]
    for i in range(0, len(probability) - PER_LINE + 1, PER_LINE):
        part = samples[i * FRAME:(i + PER_LINE) * FRAME]
        mean = float(np.mean(probability[i:i + PER_LINE]))
        text = f"speech {mean:4.2f}" if mean > 0.5 else ""
        lines.append(f"{i * FRAME / sound.RATE:5.2f}s  {sound.envelope(part)}  {text}".rstrip())
    return "\n".join(lines)


def prepare(wheels, work):
    onnx = wheels / "silero_vad/silero_vad/data/silero_vad_op18_ifless.onnx"
    model = work / "silero_vad.xml"
    openvino.save_model(openvino.convert_model(onnx), model, compress_to_fp16=False)
    samples, _ = sound.scene(SCENE)
    sound.write_wav(work / "speech.wav", samples)
    inputs = frames_of(samples)
    peer = Peer(onnx)
    reference = np.stack([peer(frame) for frame in inputs])

    def measure(outputs):
        flips = np.sum((outputs["output"] > 0.5) != (reference > 0.5))
        return [f"{flips} of {len(reference)}", f"{np.abs(outputs['output'] - reference).max():.1e}",
                snr(reference, outputs["output"])]

    return Task(model=model, options=["--value", "sr=16000", "--shape", "input=1,576", "state=2,1,128",
                                      "--state", "state=stateN"],
                inputs={"input": inputs}, reference={"output": reference}, peer="ONNX Runtime",
                run_peer=lambda: peer(inputs[40]), step="32 ms",
                measures=["decisions that differ", "largest difference", "SNR"], measure=measure,
                show=lambda outputs: show(samples, outputs["output"].reshape(-1)))
