# SPDX-License-Identifier: Apache-2.0
"""Neural Amp Modeler: a .nam file of a guitar amplifier (WaveNet or LSTM), 64 samples per run."""
import json

import numpy as np
import openvino
from openvino import opset13 as ops

from common import sound
from common.task import Task, snr

FOLDER = None  # optional: a .nam file; without it, the two usual networks with random weights
RATE, BLOCK, SECONDS = 48000, 64, 0.4
DILATIONS = [1 << i for i in range(10)]
STANDARD = {"condition_size": 1, "kernel_size": 3, "dilations": DILATIONS, "activation": "Tanh",
            "gated": False}
WAVENET = {"head": None, "head_scale": 0.02, "layers": [
    {**STANDARD, "input_size": 1, "channels": 16, "head_size": 8, "head_bias": False},
    {**STANDARD, "input_size": 16, "channels": 8, "head_size": 1, "head_bias": True}]}
LSTM = {"input_size": 1, "hidden_size": 16, "num_layers": 1}


class Weights:
    """Reads the array of weights in order; without a file it is random."""

    def __init__(self, values=None):
        self.values, self.at, self.random = values, 0, np.random.default_rng(5)
        self.taken = []

    def take(self, *shape):
        count = int(np.prod(shape))
        if self.values is None:
            part = self.random.standard_normal(count) * 0.7 / np.sqrt(np.prod(shape[1:]))
        else:
            part = np.asarray(self.values[self.at:self.at + count], np.float64)
        self.at += count
        return part.astype(np.float32).reshape(shape)


def layers_of(config, weights):
    """Yields each array of layers: its config, and its weights in the order of the format."""
    for array in config["layers"]:
        if array["activation"] != "Tanh" or array["gated"]:
            raise SystemExit("nam: an activation other than Tanh, or a gate; must be the standard form")
        channels, kernel = array["channels"], array["kernel_size"]
        entry = weights.take(channels, array["input_size"], 1)
        layers = [(dilation, weights.take(channels, channels, kernel), weights.take(channels),
                   weights.take(channels, array["condition_size"], 1),
                   weights.take(channels, channels, 1), weights.take(channels))
                  for dilation in array["dilations"]]
        head = weights.take(array["head_size"], channels, 1)
        bias = weights.take(array["head_size"]) if array["head_bias"] else None
        yield entry, layers, head, bias


def wavenet(arrays, scale, convolve, add, tanh, audio):
    """The network in the operations of the caller: convolve(x, weights, bias, dilation)."""
    x, head = audio, None
    for entry, layers, rechannel, rechannel_bias in arrays:
        x = convolve(x, entry, None, 1)
        for dilation, weights, bias, mixer, out, out_bias in layers:
            z = tanh(add(convolve(x, weights, bias, dilation), convolve(audio, mixer, None, 1)))
            head = z if head is None else add(head, z)
            x = add(x, convolve(z, out, out_bias, 1))
        head = convolve(head, rechannel, rechannel_bias, 1)
    return head, scale


def numpy_convolve(x, weights, bias, dilation):
    result = np.zeros((weights.shape[0], x.shape[1]))
    for k in range(weights.shape[2]):
        shift = dilation * (weights.shape[2] - 1 - k)
        result[:, shift:] += weights[:, :, k].astype(np.float64) @ x[:, :x.shape[1] - shift]
    return result if bias is None else result + bias[:, None]


def ir_convolve(x, weights, bias, dilation):
    past = dilation * (weights.shape[2] - 1)
    result = ops.convolution(x, ops.constant(weights), [1], [past], [0], [dilation])
    return result if bias is None else ops.add(result, ops.constant(bias[None, :, None]))


def lstm_model(cells, head, bias):
    """Cells are (weights over input and state, bias, h, c), gates in the order i, f, g, o."""
    audio = ops.parameter([1, -1, 1], np.float32, name="audio")
    x, size = audio, cells[0][2].size

    def gates(array):  # to f, i, c, o
        i, f, g, o = np.split(array, 4)
        return np.concatenate([f, i, g, o])[None]

    for weights, offset, h, c in cells:
        inputs = weights.shape[1] - size
        sequence = ops.lstm_sequence(
            x, ops.constant(h[None, None]), ops.constant(c[None, None]),
            ops.gather(ops.shape_of(x, "i32"), ops.constant(np.array([1])), ops.constant(np.int64(0))),
            ops.constant(gates(weights[:, :inputs])), ops.constant(gates(weights[:, inputs:])),
            ops.constant(gates(offset)), size, "forward")
        x = ops.squeeze(sequence.output(0), ops.constant(np.array([1])))
    y = ops.add(ops.matmul(x, ops.constant(head), False, True), ops.constant(bias[None, None]))
    return openvino.Model([ops.result(y, name="amplified")], [audio], "lstm")


def numpy_lstm(cells, head, bias, audio):
    rows = audio[:, None].astype(np.float64)
    for weights, offset, h, c in cells:
        results = []
        for row in rows:
            i, f, g, o = np.split(weights.astype(np.float64) @ np.concatenate([row, h]) + offset, 4)
            c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
            h = np.tanh(c) / (1 + np.exp(-o))
            results.append(h)
        rows = np.stack(results)
    return rows @ head[0].astype(np.float64) + bias[0]


def guitar():
    """A plucked string (Karplus-Strong), two notes."""
    notes = []
    for frequency, seed in ((110, 1), (164.8, 2)):
        string = np.random.default_rng(seed).uniform(-0.8, 0.8, round(RATE / frequency))
        samples = np.empty(round(RATE * SECONDS / 2))
        for i in range(len(samples)):
            j = i % len(string)
            samples[i] = string[j]
            string[j] = 0.498 * (string[j] + string[(j + 1) % len(string)])
        notes.append(samples)
    samples = np.concatenate(notes)
    return samples[:len(samples) // BLOCK * BLOCK].astype(np.float32)


def built(architecture, config, weights, audio):
    """Returns the IR of the network, and its output in double precision."""
    if architecture == "WaveNet":
        arrays = list(layers_of(config, weights))
        scale = config["head_scale"]
        expected, _ = wavenet(arrays, scale, numpy_convolve, np.add, np.tanh, audio[None].astype(float))
        port = ops.parameter([1, 1, -1], np.float32, name="audio")
        head, _ = wavenet(arrays, scale, ir_convolve, ops.add, ops.tanh, port)
        result = ops.multiply(head, ops.constant(np.float32(scale)))
        return (openvino.Model([ops.result(result, name="amplified")], [port], "wavenet"),
                expected[0] * scale)
    size = config["hidden_size"]
    cells = [(weights.take(4 * size, size + (size if layer else config["input_size"])),
              weights.take(4 * size), weights.take(size), weights.take(size))
             for layer in range(config["num_layers"])]
    head, bias = weights.take(1, size), weights.take(1)
    return lstm_model(cells, head, bias), numpy_lstm(cells, head, bias, audio)


def task_of(architecture, config, weights, work):
    audio = guitar()
    network, expected = built(architecture, config, weights, audio)
    path = work / f"{architecture.lower()}.xml"
    openvino.save_model(network, path, compress_to_fp16=False)
    last = architecture == "WaveNet"  # the axis of time
    shape = (1, 1, BLOCK) if last else (1, BLOCK, 1)
    inputs = audio.reshape(-1, *shape)
    network.reshape(list(shape))  # for the time of OpenVINO, which keeps no past
    settings = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    request = openvino.Core().compile_model(network, "CPU", settings).create_infer_request()

    def show(outputs):
        samples = outputs["amplified"].reshape(-1)
        sound.write_wav(work / f"{architecture.lower()}.wav", samples / np.abs(samples).max(), RATE)
        step = RATE // 40
        return "\n".join(
            f"{at / RATE:5.3f}s  {sound.envelope(audio[at:at + step])}  "
            f"{sound.envelope(samples[at:at + step])}" for at in range(0, len(audio) - step, step))

    dims = "1,1,?" if last else "1,?,1"
    return Task(model=path, options=["--shape", f"audio={dims}", f"--streaming={BLOCK}"],
                inputs={"audio": inputs}, reference={"amplified": expected}, peer="OpenVINO",
                run_peer=lambda: request.infer({"audio": inputs[20]}), part=architecture,
                measures=["SNR to double precision"], show=show, board_runs=2,
                measure=lambda outputs: [snr(expected, outputs["amplified"].reshape(-1))])


def prepare(path, work):
    if path:
        model = json.loads(path.read_text(encoding="utf-8"))
        weights = Weights(model["weights"])
        return [task_of(model["architecture"], model["config"], weights, work)]
    return [task_of("WaveNet", WAVENET, Weights(), work), task_of("LSTM", LSTM, Weights(), work)]
