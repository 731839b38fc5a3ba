#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the keypad decoder with narrow weights, on synthetic audio from a fixed seed.

Converts dtmf.xml with each --precision, and the calibrated IR of examples/quantise. Runs the streams of
each signal-to-noise ratio with `weft run`, and prints a table: file size, keys found, keys invented.
Requires NumPy and the weft command. Exit code 1: a row finds fewer keys than f32 by more than 0.2 %.
"""

import argparse
import pathlib
import subprocess
import tempfile

import numpy as np
from hearing import FRAME_SAMPLES, measure_keys

SNRS_DB = (10, 0)
MOST_LOST = 0.002
FIRST_SEED = 900000  # different from all seeds of train.py
EXAMPLES = pathlib.Path(__file__).resolve().parents[1]
MODEL = EXAMPLES / "dtmf" / "model" / "dtmf.xml"
CALIBRATED = EXAMPLES / "quantise" / "model" / "keypad_int8.xml"
# Name of a row, its IR, and --precision.
ROWS = (("f32", MODEL, "f32"), ("f16", MODEL, "f16"), ("i8", MODEL, "i8"), ("i8x8", MODEL, "i8x8"),
        ("NNCF's integers", CALIBRATED, "auto"), ("NNCF's integers, else i8", CALIBRATED, "i8"))


class Net:
    """One model file; each stream starts from zero state."""

    def __init__(self, weft, model, precision, folder):
        self._weft, self._folder = weft, folder
        self.file = folder / "model.weft"
        subprocess.run([weft, "convert", model, "-o", self.file, "--precision", precision],
                       check=True, stdout=subprocess.DEVNULL)

    def keys(self, audio):
        """Probabilities [frames, keys + 1] of one stream."""
        count = len(audio) // FRAME_SAMPLES
        frames = audio[:count * FRAME_SAMPLES].reshape(count, 1, FRAME_SAMPLES)
        np.save(self._folder / "audio.npy", frames.astype(np.float32))
        subprocess.run([self._weft, "run", self.file, "--input",
                        f"audio={self._folder / 'audio.npy'}", "--output-dir", self._folder],
                       check=True, stdout=subprocess.DEVNULL)
        return np.load(self._folder / "keys.npy")[:, 0]


def measure(weft, keys, rows, seed=FIRST_SEED):
    """Prints the table. Returns its lines, and for each row whether it finds nearly as many keys as
    the first row."""
    heads = [f"{text} at {snr} dB" for snr in SNRS_DB for text in ("found", "invented per 1000")]
    lines = ["| weights | bytes | " + " | ".join(heads) + " |",
             "| --- | " + " | ".join(["---:"] * (len(heads) + 1)) + " |"]
    print(*lines, sep="\n")
    least = {}
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        for name, model, precision in rows:
            net = Net(weft, model, precision, pathlib.Path(folder))
            cells, is_near = [name, f"{net.file.stat().st_size:,}"], True
            for snr_db in SNRS_DB:
                tally = measure_keys(net, float(snr_db), keys, seed + snr_db)
                share = tally.found / tally.sent
                is_near &= share >= least.setdefault(snr_db, share - MOST_LOST)
                cells += [f"{share:.2%}", f"{1000.0 * tally.invented / tally.sent:.1f}"]
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
            answers.append(is_near)
    return lines, answers


def main():
    parser = argparse.ArgumentParser(description="Measure the keypad decoder by precision.")
    parser.add_argument("--weft", default="weft", help="the weft command")
    parser.add_argument("--keys", type=int, default=2000, help="minimum number of keys per SNR")
    parser.add_argument("--seed", type=int, default=FIRST_SEED)
    arguments = parser.parse_args()
    _, answers = measure(arguments.weft, arguments.keys, ROWS, arguments.seed)
    raise SystemExit(0 if all(answers) else 1)


if __name__ == "__main__":
    main()
