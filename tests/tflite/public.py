#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts public .tflite models and compares their outputs with tflite-micro or LiteRT.

    public.py WEFT FOLDER [NAME...] [--calls N] [--seed N]

public.txt lists the models and how each is compared. FOLDER keeps the files: a missing one is
downloaded, and each must have the SHA-256 of the table. N random inputs (1,000 by default) are one
sequence, because many of the models have states. Exit code 1 if a model fails. requirements.txt has
the packages. `scripts/bench.sh --peers --tflite FOLDER` measures the times of these files.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import litert
import micro

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/models"))
from common import download, wheels  # noqa: E402  pylint: disable=wrong-import-position

TABLE = pathlib.Path(__file__).with_name("public.txt")
TOLERANCE = 1e-5


def listed(names):
    """Returns the rows of the table with these names, or all."""
    lines = [line.split() for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    rows = {line[0]: line[1:] for line in lines}
    if unknown := [name for name in names if name not in rows]:
        sys.exit(f"public.py: {unknown[0]} is no model of {TABLE.name}; it has {', '.join(rows)}")
    return [(name, *rows[name]) for name in names or rows]


def call(*words):
    run = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if run.returncode:
        raise wheels.Failure(run.stderr.strip().splitlines()[0])
    return run.stdout


def random_inputs(ports, calls, seed):
    """Returns an array of each input, with a leading axis of calls: any codes, or normal floats."""
    generator = np.random.default_rng(seed)
    arrays = []
    for port in ports:
        shape = (calls, *port["shape"])
        if port["type"] == "f32":
            arrays.append(generator.standard_normal(shape).astype(np.float32))
        else:
            limits = np.iinfo({"i": "int", "u": "uint"}[port["type"][0]] + port["type"][1:])
            arrays.append(generator.integers(limits.min, limits.max, shape, limits.dtype,
                                             endpoint=True))
    return arrays


def outputs_of_weft(weft, model, inputs):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words = []
        for port, array in enumerate(inputs):
            np.save(folder / f"{port}.npy", array)
            words += ["--input", f"{port}={folder / f'{port}.npy'}"]
        written = json.loads(call(weft, "run", model, *words, "--output-dir", folder / "out",
                                  "--json"))
        return [np.load(output["file"]) for output in written["outputs"]]


def difference(check, actual, expected):
    """Returns (what is printed, whether the outputs agree)."""
    if check == "codes":
        wrong = sum(int((a.reshape(-1) != e.reshape(-1)).sum()) for a, e in zip(actual, expected))
        return f"{wrong:,} of {sum(e.size for e in expected):,} codes differ", wrong == 0
    largest = max(float(np.abs(a.reshape(e.shape) - e).max() / max(1e-30, np.abs(e).max()))
                  for a, e in zip(actual, expected))
    return f"largest difference {largest:.1e}", largest <= TOLERANCE


def compared(weft, file, check, calls, seed):
    """Converts and runs the model. Returns (what is printed, whether all is well)."""
    with tempfile.TemporaryDirectory() as name:
        model = pathlib.Path(name) / "model.weft"
        begin = time.monotonic()
        call(weft, "convert", file, "-o", model, "--quiet")
        text = f"converted in {1000 * (time.monotonic() - begin):.0f} ms"
        if check == "converts":
            return text, True
        ports = json.loads(call(weft, "inspect", model, "--json"))["inputs"]
        inputs = random_inputs(ports, calls, seed)
        actual = outputs_of_weft(weft, model, inputs)
    if check == "codes":
        expected = micro.run(file.read_bytes(), inputs, calls, len(actual))
    else:
        expected = litert.run(file.read_bytes(), inputs, calls, litert.OPTIMISED)
    result, agrees = difference(check, actual, expected)
    return f"{text}; {calls:,} calls: {result}", agrees


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft", type=pathlib.Path, help="the weft command")
    parser.add_argument("folder", type=pathlib.Path, help="folder of the files")
    parser.add_argument("names", nargs="*", help="models of public.txt; all without names")
    parser.add_argument("--calls", type=int, default=1000, help="random inputs of each model")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random inputs")
    arguments = parser.parse_args()
    if not shutil.which(arguments.weft):
        parser.error(f"{arguments.weft}: no such command")
    rows = listed(arguments.names)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    failures = 0
    for name, check, *origin in rows:
        try:
            file = download.stored(arguments.folder / f"{name}.tflite", *origin)
            text, well = compared(arguments.weft, file, check, arguments.calls, arguments.seed)
        except (wheels.Failure, litert.Refused) as error:
            text, well = str(error), False
        failures += not well
        print(f"{name}: {'' if well else 'FAILED: '}{text}", flush=True)
    print(f"{len(rows)} models, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
