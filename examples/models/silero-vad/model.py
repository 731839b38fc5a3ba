# SPDX-License-Identifier: Apache-2.0
"""Silero VAD 6.2, 5.1 and 4 at 16 kHz: the probability of speech for every 32 ms."""
import numpy as np
import onnx
import onnxscript.optimizer
import openvino

from common import sound
from common.ort import Session
from common.task import Task, snr

WHEELS = """
silero-vad==6.2.3 --hash=sha256:7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8
silero-vad==5.1.2 --hash=sha256:93b41953d7774b165407fda6b533c119c5803864e367d5034dc626c82cfdf661
faster-whisper==1.0.2 --hash=sha256:d968c289222e766a49ed97eecec24e934bdef405183f57d6d434a364bb3569c1
"""
FRAME, CONTEXT = 512, 64
PER_LINE = 8  # frames of a printed line: 256 ms
SCENE = [0.8, "The quick brown fox jumps over the lazy dog.", 1.2,
         "Please turn on the light in the kitchen.", 0.6, "Thank you.", 1.0]


def frames_of(samples, context):
    """Each run has a frame, preceded by the last samples (`context`) of the frame before."""
    count = len(samples) // FRAME
    padded = np.concatenate([np.zeros(context, np.float32), samples[:count * FRAME]])
    return np.stack([padded[None, i * FRAME:(i + 1) * FRAME + context] for i in range(count)])


def show(samples, probability):
    lines = ["  time  level                 speech"]
    for i in range(0, len(probability) - PER_LINE + 1, PER_LINE):
        part = samples[i * FRAME:(i + PER_LINE) * FRAME]
        mean = float(np.mean(probability[i:i + PER_LINE]))
        text = f"speech {mean:4.2f}" if mean > 0.5 else ""
        lines.append(f"{i * FRAME / sound.RATE:5.2f}s  {sound.envelope(part)}  {text}".rstrip())
    return "\n".join(lines)


def without_branches(path, work):
    """Fixes the sampling rate and the batch, and folds the branches, which OpenVINO cannot read."""
    model = onnx.load(path)
    graph = model.graph
    graph.input.remove(next(port for port in graph.input if port.name == "sr"))
    graph.initializer.append(onnx.numpy_helper.from_array(np.array(16000, np.int64), "sr"))
    for port in graph.input:
        dims = (1, FRAME + CONTEXT) if port.name == "input" else (2, 1, 128)
        for dim, value in zip(port.type.tensor_type.shape.dim, dims):
            dim.dim_value = value
    folded = work / "folded.onnx"
    onnx.save(onnxscript.optimizer.optimize(model), folded)
    return folded


def task_of(part, path, onnx_path, options, states, inputs):
    model = path.with_suffix(".xml")
    openvino.save_model(openvino.convert_model(path), model, compress_to_fp16=False)
    peer = Session(onnx_path, states, {"sr": np.array(16000, np.int64)})
    reference = np.stack([peer(frame) for frame in inputs])

    def measure(outputs):
        flips = np.sum((outputs["output"] > 0.5) != (reference > 0.5))
        return [f"{flips} of {len(reference)}", f"{np.abs(outputs['output'] - reference).max():.1e}",
                snr(reference, outputs["output"])]

    return Task(model=model,
                options=[*options, "--state", *(f"{a}={b}" for a, b in states.items())],
                inputs={"input": inputs}, reference={"output": reference}, peer="ONNX Runtime",
                run_peer=lambda: peer(inputs[40]), part=part, measure=measure,
                measures=["decisions that differ", "largest difference", "SNR"],
                show=lambda outputs: show(inputs[:, 0, -FRAME:].reshape(-1),
                                          outputs["output"].reshape(-1)))


def prepare(wheels, work):
    samples, _ = sound.scene(SCENE)
    sound.write_wav(work / "speech.wav", samples)
    six = wheels / "silero_vad-6.2.3/silero_vad/data/silero_vad_op18_ifless.onnx"
    five = wheels / "silero_vad-5.1.2/silero_vad/data/silero_vad.onnx"
    four = wheels / "faster_whisper-1.0.2/faster_whisper/assets/silero_vad.onnx"
    rate = ["--value", "sr=16000", "--shape"]
    state, inputs = {"state": "stateN"}, frames_of(samples, CONTEXT)
    return [task_of("6.2", six, six, [*rate, "input=1,576", "state=2,1,128"], state, inputs),
            task_of("5.1", without_branches(five, work), five, [], state, inputs),
            task_of("4", four, four, [*rate, "input=1,512", "h=2,1,64", "c=2,1,64"],
                    {"h": "hn", "c": "cn"}, frames_of(samples, 0))]
