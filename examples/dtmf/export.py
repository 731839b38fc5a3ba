#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the trained keypad decoder as OpenVINO IR in two forms, and the recording of the demo.

dtmf.xml           one call per frame: audio f32[1,80] -> keys f32[1,17]; state in a variable
dtmf_sequence.xml  fifty frames per call: audio f32[1,50,80] -> keys f32[1,50,17], from zero state
test.wav           a dialled number in noise, 10 dB below the tones; test.txt has its digits
audio_frames.npy   f32[calls,1,80], the recording split into the calls of dtmf.xml
expected.npy       f32[calls,1,17], OpenVINO's outputs of these calls

Both nets have the same weights. Files are written only if OpenVINO's outputs of both nets agree.
"""

import argparse
import pathlib

import numpy as np
import openvino as ov
import openvino.opset8 as op8
import openvino.opset13 as op
import synthesize
from openvino.op.util import Variable, VariableInfo
from train import BAND_COUNT, FRAME_SAMPLES, KEY_COUNT, POWER_FLOOR, STATE_COUNT

MODEL_FOLDER = pathlib.Path(__file__).resolve().parent / "model"
SEQUENCE_FRAMES = 50
TEST_NUMBER = "0170*4825936#A"
TEST_SNR_DB = 10.0
TEST_SEED = 2024
AGREEMENT = 2e-6  # maximum difference of two f32 runs of one net
# On some CPUs OpenVINO computes in bf16 by default. Several threads are slower for such a small net.
EXACT = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}


def named(node, name):
    node.set_friendly_name(name)
    return node


def constant(value, name, kind=np.float32):
    return named(op.constant(np.array(value, kind, order="C")), name)


def features(audio, weights):
    """Filters, power of each pair, power of the frame, log; works along the last axis only."""
    projection = named(op.matmul(audio, constant(weights["filters"], "filters"), False, False), "p")
    squares = named(op.multiply(projection, projection), "squares")
    last = constant(-1, "last_axis", np.int64)
    pairs = named(op.split(squares, last, 2), "pairs")
    bands = named(op.add(pairs.output(0), pairs.output(1)), "bands")
    energy = named(op.multiply(audio, audio), "energy")
    total = named(op.reduce_mean(energy, constant([-1], "sum_axis", np.int64), True), "total")
    powers = named(op.concat([bands, total], -1), "powers")
    floor = constant(np.full([1] * len(audio.shape), POWER_FLOOR), "floor")
    raised = named(op.add(powers, floor), "raised")
    return named(op.log(raised), "features")


def answer(states, weights):
    mixed = named(op.matmul(states, constant(weights["out"], "out"), False, False), "mixed")
    shape = [1] * (len(states.get_output_partial_shape(0)) - 1) + [KEY_COUNT + 1]
    logits = named(op.add(mixed, constant(weights["out_bias"].reshape(shape), "b_out")), "logits")
    keys = named(op8.softmax(logits, axis=-1), "keys")
    keys.output(0).set_names({"keys"})
    return named(op.result(keys), "keys_result")


def parameter(shape):
    audio = named(op.parameter(shape, np.float32), "audio")
    audio.output(0).set_names({"audio"})
    return audio


def frame_model(weights):
    audio = parameter([1, FRAME_SAMPLES])
    form = VariableInfo()
    form.data_shape = ov.PartialShape([1, STATE_COUNT])
    form.data_type = ov.Type.f32
    form.variable_id = "memory"
    variable = Variable(form)
    zero = constant(np.zeros((1, STATE_COUNT)), "zero_state")
    state = named(op.read_value(zero, variable), "state")
    cell = op.gru_cell(
        features(audio, weights),
        state,
        constant(weights["w"], "w"),
        constant(weights["r"], "r"),
        constant(weights["bias"], "b"),
        STATE_COUNT,
        linear_before_reset=True,
    )
    keep = named(op.assign(named(cell, "gru"), variable), "keep")
    return ov.Model([answer(cell, weights)], [keep], [audio], "dtmf")


def sequence_model(weights):
    audio = parameter([1, SEQUENCE_FRAMES, FRAME_SAMPLES])
    sequence = op.gru_sequence(
        features(audio, weights),
        constant(np.zeros((1, 1, STATE_COUNT)), "zero_state"),
        constant([SEQUENCE_FRAMES], "length", np.int64),
        constant(weights["w"][None], "w"),
        constant(weights["r"][None], "r"),
        constant(weights["bias"][None], "b"),
        STATE_COUNT,
        "forward",
        linear_before_reset=True,
    )
    named(sequence, "gru")
    states = op.squeeze(sequence.output(0), constant([1], "direction_axis", np.int64))
    return ov.Model([answer(named(states, "states"), weights)], [audio], "dtmf_sequence")


def run_frames(model, frames):
    """Outputs of the one-frame net for frames [calls, samples], from zero state."""
    request = ov.Core().compile_model(model, "CPU", EXACT).create_infer_request()
    request.reset_state()
    keys = np.empty((len(frames), 1, KEY_COUNT + 1), np.float32)
    for call, frame in enumerate(frames):
        keys[call] = request.infer({"audio": frame[None]}, share_outputs=True)["keys"]
    return keys


def disagreement(one, sequence):
    """The largest difference between both nets over new audio, each segment from zero state."""
    many = ov.Core().compile_model(sequence, "CPU", EXACT)
    rng = np.random.default_rng(7)
    seconds = SEQUENCE_FRAMES * FRAME_SAMPLES / synthesize.SAMPLE_RATE_HZ
    worst = 0.0
    for _ in range(8):
        audio, _ = synthesize.key_stream(rng, seconds, distractor_share=0.3)
        frames = audio.reshape(SEQUENCE_FRAMES, FRAME_SAMPLES)
        expected = many({"audio": frames[None]})["keys"][0]
        worst = max(worst, float(np.max(np.abs(run_frames(one, frames)[:, 0] - expected))))
    return worst


def save(model, path):
    ov.save_model(model, path, compress_to_fp16=False)
    weights_bytes = path.with_suffix(".bin").stat().st_size
    print(f"{path.name}: {weights_bytes} bytes of constants")


def write_recording(folder):
    rng = np.random.default_rng(TEST_SEED)
    audio, _ = synthesize.key_stream(rng, 0.0, TEST_SNR_DB, -18.0, keys=TEST_NUMBER)
    synthesize.write_wav(folder / "test.wav", audio)
    (folder / "test.txt").write_text(TEST_NUMBER + "\n")
    audio = synthesize.read_wav(folder / "test.wav")
    frames = audio[: len(audio) // FRAME_SAMPLES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES)
    keys = run_frames(ov.Core().read_model(folder / "dtmf.xml"), frames)
    np.save(folder / "audio_frames.npy", frames[:, None])
    np.save(folder / "expected.npy", keys)
    print(f"test.wav: {len(audio) / synthesize.SAMPLE_RATE_HZ:.2f} s, {len(frames)} frames")


def main():
    parser = argparse.ArgumentParser(description="Write the trained decoder as OpenVINO IR.")
    parser.add_argument("weights", help=".npz of train.py")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=MODEL_FOLDER)
    arguments = parser.parse_args()
    folder = arguments.output
    folder.mkdir(parents=True, exist_ok=True)
    weights = dict(np.load(arguments.weights))
    one, sequence = frame_model(weights), sequence_model(weights)
    worst = disagreement(one, sequence)
    print(f"frame by frame and as a sequence differ by {worst:.2e}; at most {AGREEMENT:.0e}")
    if worst > AGREEMENT:
        raise SystemExit(1)
    save(one, folder / "dtmf.xml")
    save(sequence, folder / "dtmf_sequence.xml")
    write_recording(folder)


if __name__ == "__main__":
    main()
