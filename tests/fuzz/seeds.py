#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes seeds for the fuzzers from the unpacked test cases: one folder per fuzzer below FOLDER.

    seeds.py FIXTURES WEFT FOLDER

FIXTURES is build/fixtures, WEFT is the command, which converts the cases to seeds of `model`. Every seed starts
with the bytes that select options, here derived from the number of the seed."""
import json
import pathlib
import subprocess
import sys
import tempfile

MAX_BYTES = 16_000  # larger inputs are slow to mutate and to convert
OPTION_BYTES = 8  # kOptionBytes of conversion.h


def _options(number):
    """Option bytes: mostly the defaults; every third seed streams, every fifth one has another precision."""
    options = bytearray(OPTION_BYTES)
    options[0] = 3 + number % 3 if number % 3 == 0 else 0
    options[1] = number % 11 if number % 5 == 0 else 0
    options[3] = number % 3
    options[5] = 9 if number % 7 == 0 else 0
    options[7] = number % 30
    return bytes(options)


def _write(folder, number, data):
    if len(data) <= MAX_BYTES:
        (folder / f"{number:05}").write_bytes(data)


def _convert_seeds(fixtures, folders):
    for number, xml in enumerate(sorted(fixtures.glob("**/model.xml"))):
        weights = xml.with_suffix(".bin")
        data = xml.read_bytes() + b"\0" + (weights.read_bytes() if weights.exists() else b"")
        _write(folders["convert_ir"], number, _options(number) + data)
    for number, file in enumerate(sorted(fixtures.glob("**/model.tflite"))):
        _write(folders["convert_tflite"], number, _options(number) + file.read_bytes())


def _model_seeds(fixtures, weft, folders):
    """Converts every fourth case; `readers` uses the same files with the number of a command."""
    models = sorted([*fixtures.glob("**/model.xml"), *fixtures.glob("**/model.tflite")])
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "m.weft"
        for number, model in enumerate(models[::4]):
            call = [weft, "convert", model, "-o", out, "--max-iterations", "20"]
            if number % 3 == 0:
                call += ["--self-test", "1"]
            if number % 4 == 0:
                call += ["--streaming", "2"]
            if subprocess.run(call, capture_output=True, check=False).returncode != 0:
                continue
            file = out.read_bytes()
            _write(folders["model"], number, bytes([number % 30]) + file)
            _write(folders["readers"], number, bytes([number % 14]) + file)


def _text_seeds(fixtures, folder):
    for number, file in enumerate(sorted(fixtures.glob("**/arrays.npy"))[::40]):
        _write(folder, number, b"\0" + file.read_bytes()[:2000])
    pcm = b"RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\x08\0\0\0" + bytes(8)
    floats = b"RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\3\0\1\0\x40\x1f\0\0\0\x7d\0\0\4\0\x20\0data\x08\0\0\0" + bytes(8)
    problem = (b"id,lower,upper,size,alignment,gaps,offset,hint,traffic,near\nh,0,3,64,16,,,,5,\n"
               b"g,3,21,256,16,7-9 12-14,128,,,\nk,1,9,100,4,,,64,2.5,0:0:4\n")
    checksum = "0123456789abcdef"  # of the model of the fuzzer
    times = {"checksum": checksum, "iterations": 3, "microseconds": {"median": 1, "min": 1, "max": 2},
             "steps": [{"step": 0, "kind": "dense", "layer": "a", "microseconds_per_run": 2.5}]}
    output = {"output": "y", "equal": False, "elements": 3, "mismatches": 1, "largest_difference": "inf",
              "signal_to_noise_db": 3.5}
    comparison = {"checksum": checksum, "equal": False, "outputs": [output]}
    board = (b"step  kind   layer  calls  us/run  share\n   0  dense  a          3     2.5   70.0 %\n"
             b"   1  copy   b \"c\"      3     1.0   30.0 %\n")
    texts = [b"\1" + pcm, b"\1" + floats, b"\2" + problem, b"\3" + json.dumps(times).encode(),
             b"\3" + json.dumps({"models": [times]}).encode(), b"\3" + json.dumps(comparison).encode(), b"\3" + board]
    for number, text in enumerate(texts):
        _write(folder, 10000 + number, text)


def main():
    fixtures, weft, target = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    names = ("model", "readers", "convert_ir", "convert_tflite", "texts")
    folders = {name: target / name for name in names}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    _convert_seeds(fixtures, folders)
    _model_seeds(fixtures, weft, folders)
    _text_seeds(fixtures, folders["texts"])
    for name, folder in folders.items():
        print(f"{name}: {len(list(folder.iterdir()))} seeds")


if __name__ == "__main__":
    main()
