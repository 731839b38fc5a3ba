#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the keypad decoder on fresh synthetic audio, running dtmf.xml in OpenVINO.

Two tables: keys found and keys invented per signal-to-noise ratio, and keys invented per minute
of sound that has none. Frames become keys by the rule of debounce.h, written again here.
Exits 1 when fewer than 99 % of the keys at 10 dB are found.
"""

import argparse
import dataclasses

import numpy as np
import openvino as ov
import synthesize
from export import EXACT, MODEL_FOLDER
from train import FRAME_SAMPLES, KEY_COUNT, NONE_INDEX

SNRS_DB = (0, 3, 5, 10, 15, 20, 30)
STREAM_SECONDS = 20.0
HOLD_FRAMES = 2
LATE_SECONDS = 0.050  # a key reported later than this after its end is no longer that key
REQUIRED_SNR_DB = 10
REQUIRED_SHARE = 0.99
FIRST_SEED = 900000  # far from every seed train.py is run with


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


def debounce(keys):
    """[(key, frame it was counted at)] of probabilities [frames, keys + 1]."""
    events = []
    previous, run, armed = -1, 0, True
    for frame, row in enumerate(keys):
        best = int(np.argmax(row))
        answer = best if row[best] > 0.5 else -1
        run = run + 1 if answer == previous else 1
        previous = answer
        if run != HOLD_FRAMES or answer < 0:
            continue
        if answer == NONE_INDEX:
            armed = True
        elif armed:
            events.append((synthesize.KEYS[answer], frame))
            armed = False
    return events


@dataclasses.dataclass
class Tally:
    sent: int = 0
    found: int = 0
    invented: int = 0  # wrong, counted twice, or where no key is

    def add(self, events, spans):
        open_spans = list(spans)
        for key, frame in events:
            heard = (frame + 1) * FRAME_SAMPLES
            late = synthesize.sample_count(LATE_SECONDS)
            match = [s for s in open_spans if s.key == key and s.begin < heard <= s.end + late]
            if match:
                open_spans.remove(match[0])
            else:
                self.invented += 1
        self.sent += len(spans)
        self.found += len(spans) - len(open_spans)


def measure_keys(net, snr_db, key_count, seed):
    """Keys and pauses only, every level and twist, until `key_count` were sent."""
    rng = np.random.default_rng(seed)
    tally = Tally()
    while tally.sent < key_count:
        audio, spans = synthesize.key_stream(rng, STREAM_SECONDS, snr_db)
        tally.add(debounce(net.keys(audio)), spans)
    return tally


def measure_other(net, kind, minutes, seed):
    """Keys invented per minute of sound that has none, in streams of one minute."""
    rng = np.random.default_rng(seed)
    invented = 0
    for _ in range(minutes):
        audio = synthesize.distractor_stream(rng, 60.0, kind)
        invented += len(debounce(net.keys(audio)))
    return invented / minutes


def main():
    parser = argparse.ArgumentParser(description="Measure the keypad decoder.")
    parser.add_argument("--model", default=MODEL_FOLDER / "dtmf.xml")
    parser.add_argument("--keys", type=int, default=5000, help="at least this many per SNR")
    parser.add_argument("--minutes", type=int, default=10, help="per kind of sound without keys")
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
