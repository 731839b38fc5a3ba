#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calibrates the keypad decoder of examples/dtmf with quantise.py, on synthetic sound from a fixed
seed, with four settings; converts and measures each result.

    keypad.py [--weft COMMAND] [--keys COUNT] [--keep]

Prints a table: file size, keys found and keys invented in noise. --keep writes the IR of the best
setting to model/. Exit code 1: it finds fewer keys than f32 by more than 0.2 %.
"""

import argparse
import pathlib
import sys
import tempfile

import nncf
import numpy as np
from nncf.quantization.advanced_parameters import AdvancedQuantizationParameters
from quantise import FOR_WEFT, quantise, save

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "dtmf"))
import precisions  # noqa: E402  in the folder added above
import synthesize  # noqa: E402

STREAM_SECONDS = 2.0
STREAM_COUNT = 40
CALIBRATION_SEED = 700000  # not used for training or measurement
# Layer types between the filters and Log: their values are powers, which span seven decades.
POWERS = ("Multiply", "Split", "Add", "ReduceMean", "Concat")
KEPT = HERE / "model" / "keypad_int8.xml"


def calibration():
    """(arrays, frames of one stream): all signal levels and SNRs; a third of the sounds are not keys."""
    rng = np.random.default_rng(CALIBRATION_SEED)
    streams = []
    for _ in range(STREAM_COUNT):
        audio, _ = synthesize.key_stream(rng, STREAM_SECONDS, distractor_share=0.3)
        streams.append(audio[:synthesize.sample_count(STREAM_SECONDS)])
    frames = np.concatenate(streams).reshape(-1, 1, precisions.FRAME_SAMPLES)
    return {"audio": frames}, len(frames) // STREAM_COUNT


def keep(model, table):
    for kind in (".xml", ".bin"):
        KEPT.with_suffix(kind).write_bytes(model.with_suffix(kind).read_bytes())
    readme = HERE / "README.md"
    begin, end = "<!-- keypad -->\n", "<!-- end -->"
    before, rest = readme.read_text().split(begin)
    after = rest.split(end)[1]
    readme.write_text(before + begin + "\n".join(table) + "\n" + end + after)


def main():
    parser = argparse.ArgumentParser(description="Quantise the keypad decoder and measure it.")
    parser.add_argument("--weft", default="weft", help="the weft command")
    parser.add_argument("--keys", type=int, default=5000, help="minimum number of keys per SNR")
    parser.add_argument("--keep", action="store_true", help="rewrite model/ and the table")
    arguments = parser.parse_args()
    nncf.set_log_level("ERROR")
    arrays, stream = calibration()
    model = precisions.MODEL
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def made(name, *settings):
            path = folder / f"{name}.xml"
            save(quantise(model, arrays, *settings), path)
            return path

        plain = made("plain", 0, (), AdvancedQuantizationParameters())
        whole = made("whole", stream)
        floats = made("floats", 0, POWERS, AdvancedQuantizationParameters())
        both = made("both", stream, POWERS)
        table, near = precisions.measure(arguments.weft, arguments.keys, (
            ("f32", model, "f32"),
            ("NNCF defaults", plain, "auto"),
            ("state kept, full ranges, 8 bits", whole, "auto"),
            ("NNCF defaults, powers in f32", floats, "auto"),
            ("all of these", both, "auto"),
            ("all of these, `--precision i8`", both, "i8"),
        ))
        if arguments.keep:
            keep(both, table)
    raise SystemExit(0 if all(near[4:]) else 1)


if __name__ == "__main__":
    main()
