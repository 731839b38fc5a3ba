#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the keypad decoder on synthesised audio and saves its weights for export.py.

The net, for one frame x of 80 samples (10 ms):

    p = x F                       32 learned filters over the raw frame, in pairs
    e = p[0:16]^2 + p[16:32]^2    power in each pair, independent of phase
    g = log([e, mean x^2] + floor)
    h = GRU(g, h)                 24 values, the only state between frames
    keys = softmax(h W + b)       16 keys and "none"

The filters are initialised as windowed sines at the eight tones and at eight other frequencies, and are
trained like all weights. Noisy streams are more frequent than clean ones. The target of a frame is
delayed by one frame, so the net can use 20 ms of sound. Frames in which a tone begins or ends have no
target and weight 0.
"""

import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
import synthesize
from hearing import FRAME_SAMPLES, NONE_INDEX

BAND_COUNT = 16
STATE_COUNT = 24
KEY_COUNT = len(synthesize.KEYS)
DELAY_FRAMES = 1
POWER_FLOOR = 1e-7  # about the quantisation noise of quiet telephone audio
FRAMES_PER_STREAM = 256
DISTRACTOR_SHARE = 0.3
OTHER_CENTRES_HZ = (350.0, 500.0, 600.0, 1070.0, 1900.0, 2300.0, 2800.0, 3400.0)


def initial_filters():
    """[samples, 2 * bands]: cosines, then sines."""
    centres_hz = np.array(synthesize.ROWS_HZ + synthesize.COLUMNS_HZ + OTHER_CENTRES_HZ)
    assert len(centres_hz) == BAND_COUNT
    time_s = (np.arange(FRAME_SAMPLES) - 0.5 * (FRAME_SAMPLES - 1)) / synthesize.SAMPLE_RATE_HZ
    window = np.hamming(FRAME_SAMPLES)
    window *= np.sqrt(2.0) / np.sum(window)
    angle = 2.0 * np.pi * time_s[:, None] * centres_hz[None, :]
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=1) * window[:, None]


def initial_weights(rng):
    """GRU gates in the order z, r, h; bias_r is the part of the h gate that the reset gate scales."""
    feature_count = BAND_COUNT + 1

    def uniform(rows, columns):
        limit = np.sqrt(6.0 / (rows + columns))
        return rng.uniform(-limit, limit, (rows, columns))

    orthogonal = [np.linalg.qr(rng.standard_normal((STATE_COUNT,) * 2))[0] for _ in range(3)]
    gates = np.concatenate([uniform(STATE_COUNT, feature_count) for _ in range(3)])
    return {
        "filters": initial_filters(),
        "w": 0.3 * gates,  # the log powers span ten units; gates must not start saturated
        "r": np.concatenate(orthogonal),
        "bias": np.zeros(4 * STATE_COUNT),
        "out": uniform(STATE_COUNT, KEY_COUNT + 1),
        "out_bias": np.zeros(KEY_COUNT + 1),
    }


def features(weights, frames):
    pairs = jnp.square(frames @ weights["filters"])
    bands = pairs[..., :BAND_COUNT] + pairs[..., BAND_COUNT:]
    total = jnp.mean(jnp.square(frames), axis=-1, keepdims=True)
    return jnp.log(jnp.concatenate([bands, total], axis=-1) + POWER_FLOOR)


def forward(weights, frames):
    """Frames [batch, time, samples] -> logits [batch, time, keys + 1]."""
    size = STATE_COUNT
    bias = weights["bias"]
    gates_x = features(weights, frames) @ weights["w"].T + bias[: 3 * size]

    def step(state, gate_x):
        gate_r = state @ weights["r"].T
        z = jax.nn.sigmoid(gate_x[:, :size] + gate_r[:, :size])
        r = jax.nn.sigmoid(gate_x[:, size : 2 * size] + gate_r[:, size : 2 * size])
        h = jnp.tanh(gate_x[:, 2 * size :] + r * (gate_r[:, 2 * size :] + bias[3 * size :]))
        state = z * state + (1.0 - z) * h
        return state, state

    start = jnp.zeros((frames.shape[0], size))
    _, states = jax.lax.scan(step, start, jnp.swapaxes(gates_x, 0, 1))
    return jnp.swapaxes(states, 0, 1) @ weights["out"] + weights["out_bias"]


def loss(weights, frames, labels, frame_weights):
    logits = forward(weights, frames)
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    return jnp.sum(losses * frame_weights) / jnp.sum(frame_weights)


def frame_labels(frame_count, spans):
    """Target class and weight of each frame, delayed by DELAY_FRAMES."""
    labels = np.full(frame_count, NONE_INDEX, np.int32)
    weights = np.ones(frame_count, np.float32)
    for span in spans:
        first = -(-span.begin // FRAME_SAMPLES) + DELAY_FRAMES
        end = span.end // FRAME_SAMPLES + DELAY_FRAMES
        labels[first:end] = synthesize.KEYS.index(span.key)
        if span.begin % FRAME_SAMPLES:
            weights[first - 1 : first] = 0.0
        if span.end % FRAME_SAMPLES:
            weights[end : end + 1] = 0.0
    return labels, weights


def batch(rng, stream_count):
    seconds = FRAMES_PER_STREAM * FRAME_SAMPLES / synthesize.SAMPLE_RATE_HZ
    parts = []
    for _ in range(stream_count):
        low_db, high_db = synthesize.SNR_DB
        snr_db = low_db + (high_db - low_db) * rng.random() ** 2
        audio, spans = synthesize.key_stream(
            rng, seconds, snr_db, distractor_share=DISTRACTOR_SHARE
        )
        frames = audio.reshape(FRAMES_PER_STREAM, FRAME_SAMPLES)
        parts.append((frames, *frame_labels(FRAMES_PER_STREAM, spans)))
    return [np.stack(part) for part in zip(*parts)]


def train(seed, step_count, stream_count):
    rng = np.random.default_rng(seed)
    weights = {name: jnp.asarray(w, jnp.float32) for name, w in initial_weights(rng).items()}
    schedule = optax.warmup_cosine_decay_schedule(0.0, 4e-3, 100, step_count, 1e-5)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))

    @jax.jit
    def update(weights, state, frames, labels, frame_weights):
        value, gradient = jax.value_and_grad(loss)(weights, frames, labels, frame_weights)
        change, state = optimizer.update(gradient, state)
        return optax.apply_updates(weights, change), state, value

    state = optimizer.init(weights)
    begin = time.monotonic()
    recent = []
    for step in range(1, step_count + 1):
        weights, state, value = update(weights, state, *batch(rng, stream_count))
        recent.append(value)  # not read yet, so the next batch is generated while this step runs
        if step % 100 == 0:
            elapsed = time.monotonic() - begin
            print(f"step {step} loss {np.mean(recent):.4f} {elapsed:.0f} s", flush=True)
            recent.clear()
    return weights


def main():
    parser = argparse.ArgumentParser(description="Train the keypad decoder.")
    parser.add_argument("-o", "--output", required=True, help="weights as .npz, for export.py")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--streams", type=int, default=32, help="2.56 s streams per step")
    arguments = parser.parse_args()
    weights = train(arguments.seed, arguments.steps, arguments.streams)
    np.savez(arguments.output, **{name: np.asarray(w) for name, w in weights.items()})


if __name__ == "__main__":
    main()
