#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The arrays of a conformance case: arrays.npy holds its inputs, then its expected outputs, each as
np.save appends it to an open file.

    arrays.py CASE_DIR OUT_DIR

writes them as OUT_DIR/inputs/<port>.npy and OUT_DIR/expected/<port>.npy, which `weft run` and
`weft compare` read. Reading and writing need NumPy, splitting does not.
"""

import ast
import json
import math
import pathlib
import sys

NAME = "arrays.npy"


def write(folder, inputs, expected):
    """Saves one array per port in little-endian row-major order."""
    import numpy as np

    with open(folder / NAME, "wb") as file:
        for array in (*inputs, *expected):
            np.save(file, np.array(array, order="C"))


def read(folder):
    """Loads what write saved: (inputs, expected)."""
    import numpy as np

    counts = _counts(folder)
    with open(folder / NAME, "rb") as file:
        arrays = [np.load(file) for _ in range(sum(counts))]
        if file.read(1):
            raise ValueError(f"{folder / NAME}: holds more than {sum(counts)} arrays")
    return arrays[:counts[0]], arrays[counts[0]:]


def _counts(folder):
    """The number of inputs and outputs that case.json lists."""
    facts = json.loads((folder / "case.json").read_text())
    return len(facts["inputs"]), len(facts["outputs"])


def _end_of_first(data):
    """The end offset of the first array; its format version must be 1, which np.save writes."""
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError("an array does not begin with the bytes \\x93NUMPY of format version 1")
    begin = 10 + int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10:begin].decode("latin1"))
    end = begin + int(header["descr"][2:]) * math.prod(header["shape"])
    if end > len(data):
        raise ValueError(f"an array ends at byte {len(data)}; must end at {end}")
    return end


def split(folder, target):
    """Writes each array to a separate file."""
    data = (folder / NAME).read_bytes()
    for kind, count in zip(("inputs", "expected"), _counts(folder)):
        (target / kind).mkdir(parents=True, exist_ok=True)
        for port in range(count):
            end = _end_of_first(data)
            (target / kind / f"{port}.npy").write_bytes(data[:end])
            data = data[end:]
    if data:
        raise ValueError(f"{len(data)} bytes follow the last array")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: arrays.py CASE_DIR OUT_DIR")
    folder = pathlib.Path(sys.argv[1])
    try:
        split(folder, pathlib.Path(sys.argv[2]))
    except ValueError as error:
        sys.exit(f"{folder / NAME}: {error}")


if __name__ == "__main__":
    main()
