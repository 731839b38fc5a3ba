#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the three models of the example as OpenVINO IR, and the output that OpenVINO gives.

front.xml       audio f32[1,80], 10 ms at 8 kHz -> features f32[1,8], the logarithm of the power in 8 bands
vad.xml         features f32[1,8] -> speech f32[1,1]; a smoothed level in a variable
classifier.xml  features f32[1,16,8], the last 16 frames -> tones f32[1,4], the probability of each tone
expected.txt    the lines that pipeline.c prints, computed by OpenVINO

The weights are formulas, not trained. Needs openvino and numpy.
"""

import argparse
import pathlib

import numpy as np
import openvino as ov
import openvino.opset8 as op8
import openvino.opset13 as op
from openvino.op.util import Variable, VariableInfo

FOLDER = pathlib.Path(__file__).resolve().parent / "model"
FRAME_SAMPLES, BANDS, HISTORY, TONES = 80, 8, 16, 4
RATE_HZ = 8000
BAND_HZ = 500.0 * np.arange(BANDS) + 250.0  # centres
# The recording of pipeline.c: a tone in Hz, or 0, for each 300 ms.
TONES_HZ = (0, 750, 0, 1750, 0, 2750, 0, 3750, 0)
PART_FRAMES, AMPLITUDE, EVERY = 30, 0.25, 8
EXACT = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}


def constant(value, kind=np.float32):
    return op.constant(np.array(value, kind, order="C"))


def parameter(shape, name):
    port = op.parameter(shape, np.float32)
    port.set_friendly_name(name)
    port.output(0).set_names({name})
    return port


def result(node, name):
    node.output(0).set_names({name})
    return op.result(node)


def front():
    audio = parameter([1, FRAME_SAMPLES], "audio")
    times = np.arange(FRAME_SAMPLES)[:, None] / RATE_HZ
    window = np.hanning(FRAME_SAMPLES + 1)[:-1, None] / FRAME_SAMPLES
    angles = 2 * np.pi * times * BAND_HZ
    filters = np.concatenate([window * np.cos(angles), window * np.sin(angles)], 1)
    projection = op.matmul(audio, constant(filters), False, False)
    pairs = op.split(op.multiply(projection, projection), constant(-1, np.int64), 2)
    power = op.add(op.add(pairs.output(0), pairs.output(1)), constant([[1e-6]]))
    return ov.Model([result(op.log(power), "features")], [audio], "front")


def vad():
    features = parameter([1, BANDS], "features")
    info = VariableInfo()
    info.data_shape, info.data_type, info.variable_id = ov.PartialShape([1, 1]), ov.Type.f32, "level"
    variable = Variable(info)
    old = op.read_value(constant([[-14.0]]), variable)
    loudest = op.reduce_max(features, constant([-1], np.int64), True)
    new = op.add(op.multiply(old, constant([[0.75]])), op.multiply(loudest, constant([[0.25]])))
    keep = op.assign(new, variable)
    speech = op.sigmoid(op.add(op.multiply(new, constant([[2.0]])), constant([[18.0]])))
    return ov.Model([result(speech, "speech")], [keep], [features], "vad")


def classifier():
    features = parameter([1, HISTORY, BANDS], "features")
    contrast = np.eye(BANDS) - 1.0 / BANDS
    hidden = op.relu(op.matmul(features, constant(np.concatenate([contrast, -contrast], 1)), False, False))
    mean = op.reduce_mean(hidden, constant([1], np.int64), False)
    groups = np.repeat(np.eye(TONES), BANDS // TONES, 0)
    logits = op.matmul(mean, constant(np.concatenate([groups, np.zeros_like(groups)])), False, False)
    return ov.Model([result(op8.softmax(logits, axis=-1), "tones")], [features], "classifier")


def recording():
    """The samples of pipeline.c: a rotation in f32 for each tone."""
    samples = []
    for tone in TONES_HZ:
        phase = 2 * np.pi * tone / RATE_HZ * np.arange(PART_FRAMES * FRAME_SAMPLES)
        samples.append(AMPLITUDE * np.sin(phase) if tone else np.zeros_like(phase))
    return np.concatenate(samples).astype(np.float32).reshape(-1, 1, FRAME_SAMPLES)


def expected_lines(models):
    requests = []
    for model in models:
        requests.append(ov.Core().compile_model(model, "CPU", EXACT).create_infer_request())
    run_front, run_vad, run_classifier = requests
    run_vad.reset_state()
    names = ("low", "middle", "high", "top")
    history = np.zeros((1, HISTORY, BANDS), np.float32)
    lines, active, counts = [], 0, [0, 0, 0]
    for frame, audio in enumerate(recording()):
        features = run_front.infer({"audio": audio})["features"].copy()
        history = np.concatenate([history[:, 1:], features[:, None]], 1)
        speech = float(run_vad.infer({"features": features})["speech"][0, 0])
        counts[0] += 1
        counts[1] += 1
        active = active + 1 if speech > 0.5 else 0
        if active < HISTORY or (active - HISTORY) % EVERY:
            continue
        tones = run_classifier.infer({"features": history})["tones"][0]
        counts[2] += 1
        lines.append(f"frame {frame}: {names[int(np.argmax(tones))]}\n")
    return "".join(lines) + "runs: front {}, vad {}, classifier {}\n".format(*counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=FOLDER)
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    models = [front(), vad(), classifier()]
    for model, name in zip(models, ("front", "vad", "classifier")):
        ov.save_model(model, folder / f"{name}.xml", compress_to_fp16=False)
    lines = expected_lines(models)
    (folder / "expected.txt").write_text(lines)
    print(lines, end="")


if __name__ == "__main__":
    main()
