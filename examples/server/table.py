#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the README's table: time of a frame and memory of a stream, by the number of streams per run.

    table.py WEFT MODEL.xml [option of weft convert]...
"""
import json
import pathlib
import subprocess
import sys
import tempfile

STREAMS = (1, 2, 4, 8, 16, 32, 64)
ROUNDS = 5  # the minimum counts, because other programs only add time


def main():
    weft, model, *options = sys.argv[1:]
    print("| streams per run | us a frame | bytes of state a stream | bytes of scratch a stream |")
    print("| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "model.weft"
        for count in STREAMS:
            streams = ["--streams", str(count)] if count > 1 else []
            converted = subprocess.run([weft, "convert", model, "-o", file, "--json", *streams, *options],
                                       check=True, capture_output=True, text=True).stdout
            sizes = json.loads(converted)
            times = []
            for _ in range(ROUNDS):
                bench = subprocess.run([weft, "bench", file, "--json", "--iterations", "5000"],
                                       check=True, capture_output=True, text=True).stdout
                times.append(json.loads(bench)["microseconds"]["min"])
            print(f"| {count} | {min(times) / count:.3f} | {sizes['state_bytes'] // count} | "
                  f"{sizes['scratch_bytes'] // count} |")


if __name__ == "__main__":
    main()
