#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the keypad decoder on new synthetic audio, with dtmf.xml in OpenVINO.

Prints two tables: keys found and keys invented per signal-to-noise ratio, and keys invented per minute
of sound without keys. The rule of debounce.h, implemented again here, converts frames to keys. Exit
code 1: fewer than 99 % of the keys at 10 dB are found.
"""

import argparse

import numpy as np
import openvino as ov
import synthesize
from export import EXACT, MODEL_FOLDER
from hearing import FRAME_SAMPLES, debounce, measure_keys
from train import KEY_COUNT

SNRS_DB = (0, 3, 5, 10, 15, 20, 30)
REQUIRED_SNR_DB = 10
REQUIRED_SHARE = 0.99
FIRST_SEED = 900000  # different from all seeds of train.py


class Net:
    """dtmf.xml, one frame per call."""

    def __init__(self, path):
        self._request = ov.Core().compile_model(path, "CPU", EXACT).create_infer_request()

    def keys(self, audio):
        """Probabilities [frames, keys + 1] of one stream, from zero state."""
        self._request.reset_state()
        frame_count = len(audio) // FRAME_SAMPLES
        keys = np.empty((frame_count, KEY_COUNT + 1), np.float32)
        for index in range(frame_count):
            frame = audio[None, index * FRAME_SAMPLES : (index + 1) * FRAME_SAMPLES]
            keys[index] = self._request.infer({"audio": frame}, share_outputs=True)["keys"][0]
        return keys


def measure_other(net, kind, minutes, seed):
    """Keys invented per minute of sound without keys, in streams of one minute."""
    rng = np.random.default_rng(seed)
    invented = 0
    for _ in range(minutes):
        audio = synthesize.distractor_stream(rng, 60.0, kind)
        invented += len(debounce(net.keys(audio)))
    return invented / minutes


def main():
    parser = argparse.ArgumentParser(description="Measure the keypad decoder.")
    parser.add_argument("--model", default=MODEL_FOLDER / "dtmf.xml")
    parser.add_argument("--keys", type=int, default=5000, help="minimum number of keys per SNR")
    parser.add_argument("--minutes", type=int, default=10, help="minutes per kind of sound without keys")
    parser.add_argument("--seed", type=int, default=FIRST_SEED)
    arguments = parser.parse_args()
    net = Net(arguments.model)

    share_required_at = 0.0
    print("| SNR | keys sent | found | invented per 1000 |")
    print("| ---: | ---: | ---: | ---: |")
    for snr_db in SNRS_DB:
        tally = measure_keys(net, float(snr_db), arguments.keys, arguments.seed + snr_db)
        share = tally.found / tally.sent
        rate = 1000.0 * tally.invented / tally.sent
        print(f"| {snr_db} dB | {tally.sent} | {share:.2%} | {rate:.1f} |", flush=True)
        if snr_db == REQUIRED_SNR_DB:
            share_required_at = share

    print("\n| sound without keys | invented keys per minute |")
    print("| --- | ---: |")
    for place, kind in enumerate(("noise",) + synthesize.DISTRACTORS):
        rate = measure_other(net, kind, arguments.minutes, arguments.seed + 1000 + place)
        print(f"| {kind} | {rate:.2f} |", flush=True)

    passed = share_required_at >= REQUIRED_SHARE
    print(
        f"\n{REQUIRED_SNR_DB} dB: {share_required_at:.2%} of keys found; "
        f"at least {REQUIRED_SHARE:.0%} required: {'passed' if passed else 'FAILED'}"
    )
    raise SystemExit(0 if passed else 1)


if __name__ == "__main__":
    main()
