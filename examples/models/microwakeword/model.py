# SPDX-License-Identifier: Apache-2.0
"""microWakeWord's "Okay Nabu": the probability of the wake word for every 30 ms."""
import numpy as np
from pymicro_features import MicroFrontend

from common import sound
from common.task import Task
from common.tflite import LiteRT, differences, micro_outputs

WHEELS = """
pymicro-wakeword==2.5.0 --hash=sha256:3869f536402b1254e3be3549d3a462ecd6ed21ce2c3e77ec8eb501c3c700417c
"""
CUTOFF, WINDOW = 0.85, 5  # of okay_nabu.json
CHUNK = 160  # 10 ms, the step of the features
STRIDE = 3  # rows of features per run
SCENE = [1.0, "Okay Nabu.", 1.0, "Turn on the kitchen light.", 1.0, "Okay Nabu.", 0.8,
         "What time is it?", 1.0, "Okay now.", 0.6, "Hey Jarvis.", 1.0]


def features_of(samples):
    """Rows of 40 values, one for every 10 ms, as pymicro-wakeword computes them."""
    frontend, rows = MicroFrontend(), []
    data = (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()
    for at in range(0, len(data) - 2 * CHUNK + 1, 2 * CHUNK):
        row = frontend.process_samples(data[at:at + 2 * CHUNK]).features
        if row:
            rows.append(row)
    return np.asarray(rows, np.float32)


def means_of(codes):
    """Means of the last WINDOW probabilities, on which the detector decides."""
    padded = np.concatenate([np.zeros(WINDOW - 1), codes.reshape(-1) / 256])
    return np.convolve(padded, np.ones(WINDOW) / WINDOW, "valid")


def detections(codes):
    """Number of times that the mean rises above the cutoff."""
    above = means_of(codes) > CUTOFF
    return int(np.sum(above[1:] & ~above[:-1]))


def show(samples, spans, codes):
    means, per_line = means_of(codes), 8
    lines = ["  time  level                 probability"]
    for i in range(0, len(means) - per_line + 1, per_line):
        begin, end = i * STRIDE * CHUNK, (i + per_line) * STRIDE * CHUNK
        said = [text for text, (first, _) in zip([s for s in SCENE if isinstance(s, str)], spans)
                if begin <= first < end]
        highest = means[i:i + per_line].max()
        lines.append(f"{begin / sound.RATE:5.2f}s  {sound.envelope(samples[begin:end])}  "
                     f"{sound.bar(highest)} {'detected' if highest > CUTOFF else '        '}  "
                     f"{' '.join(said)}".rstrip())
    return "\n".join(lines)


def prepare(wheels, work):
    model = wheels / "pymicro_wakeword-2.5.0/pymicro_wakeword/models/okay_nabu.tflite"
    samples, spans = sound.scene(SCENE)
    sound.write_wav(work / "speech.wav", samples)
    peer = LiteRT(model)
    rows = features_of(samples)
    count = len(rows) // STRIDE
    inputs = peer.codes(rows[:count * STRIDE].reshape(count, 1, STRIDE, -1))
    reference = np.stack([peer(codes) for codes in inputs])
    micro = micro_outputs(model, inputs)
    timer = LiteRT(model)
    name, output = peer.input["name"], peer.output["name"]

    def measure(outputs):
        ours = next(iter(outputs.values()))
        return [f"{detections(ours)}, {detections(reference)}", differences(ours, micro),
                differences(ours, reference)]

    return [Task(model=model, options=[], inputs={name: inputs}, reference={output: reference},
                peer="LiteRT", run_peer=lambda: timer(inputs[40]),
                measures=["detections: weft, LiteRT", "codes that differ from TFLM", "from LiteRT"],
                measure=measure, precisions=(("auto",), ("auto", "--arithmetic", "xnnpack")),
                show=lambda outputs: show(samples, spans, next(iter(outputs.values()))))]
