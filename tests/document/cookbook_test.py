#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every recipe of docs/cookbook in a folder of its own, with a small model in place of the reader's.

    cookbook_test.py WEFT BUILD_DIR SOURCE_DIR FIXTURES_DIR WORK_DIR

Installs BUILD_DIR first. A ```cpp block is the file that the line before it names. ```sh blocks are commands, in
order. Exit code 1: a command failed, or printed nothing that EXPECTED lists. Exit code 77: no pkg-config.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

from readme_test import commands

ZOO = "zoo/models/"
# The model files of each recipe, and the test models that replace them.
MODELS = {
    "keyword-spotter": {"kws": ZOO + "ds_cnn.dynamo"},
    "streaming-vad": {"vad": ZOO + "keras_gru_steps.keras"},
    "denoiser": {"denoiser": ZOO + "nsnet2.dynamo"},
    "guitar-amplifier": {"amp": ZOO + "lstm_amp.dynamo"},
    "anomaly-detector": {"machine": ZOO + "dense_autoencoder.dynamo"},
    "sensor-gestures": {"gesture": ZOO + "lstm_fcn.dynamo"},
    "policy-net": {"policy": ZOO + "lstm_policy.dynamo"},
    "wake-word": {"wake": "tflite/state/stream_i8_4_1"},
    "over-the-air": {"model": ZOO + "lstm_amp.dynamo"},
    "several-models": {"vad": ZOO + "keras_gru_steps.keras", "kws": ZOO + "ds_cnn.dynamo"},
}
# Lines that a recipe prints, as regular expressions: the program read all of its input.
EXPECTED = {
    "keyword-spotter": r"^768 frames$",
    "streaming-vad": r"^60 frames$",
    "denoiser": r"denoiser.weft",
    "guitar-amplifier": r"amp.weft",
    "anomaly-detector": r"frame \d+: anomaly, error",
    "sensor-gestures": r"^softmax: equal",
    "policy-net": r"^40 steps, 1 not finite$",
    "wake-word": r"^80 runs$",
    "over-the-air": r"^version1.weft: accepted, initial state\n(?:run .*\n){5}cut.weft: model: .*damaged\n"
                    r"(?:run .*\n){5}damaged.weft: model: plan hash .*\n(?:run .*\n){5}"
                    r"version2.weft: accepted, kept state\n(?:run .*\n?){5}$",
    "several-models": r"^60 frames, \d+ with speech$",
}
BLOCK = re.compile(r"(?:^`([\w.]+)`[^\n]*:\n\n)?^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def write_inputs(folder):
    """Writes the inputs that the recipes read: repeatable numbers between -1 and 1."""
    values = [((i * 2654435761) % 2001 - 1000) / 1000 for i in range(240)]
    floats = struct.pack("<240f", *values)
    for name in ("features", "frames", "spectra", "guitar"):
        (folder / f"{name}.f32").write_bytes(floats * 32 if name != "frames" else floats)
    sensors = list(values)
    sensors[30] = float("nan")
    (folder / "sensors.f32").write_bytes(struct.pack("<240f", *sensors))
    (folder / "codes.i8").write_bytes(bytes(int(v * 127) & 255 for v in values))


def lay_out(recipe, source, fixtures, folder):
    """Creates the folder of a recipe: the model files and the inputs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_inputs(folder)
    for name in ("model.xml", "model.bin"):
        shutil.copy(source / "tests/document/readme" / name, folder)
    for name, place in MODELS[recipe].items():
        for file in (fixtures / place).glob("model.*"):
            shutil.copy(file, folder / (name + file.suffix))
    if recipe == "sensor-gestures":
        write_npy(folder / "x.npy", (1, 3, 12))


def write_npy(path, shape):
    """Writes an array of repeatable f32 numbers (format 1.0 of NumPy)."""
    count = 1
    for dim in shape:
        count *= dim
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    values = [((i * 2654435761) % 2001 - 1000) / 1000 for i in range(count)]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header +
                     struct.pack(f"<{count}f", *values))


def run(recipe, text, folder, environment):
    """Writes the files of a recipe and runs its commands; returns what they print."""
    printed = []
    for name, language, block in BLOCK.findall(text):
        if language == "cpp":
            (folder / name).write_text(block)
        elif language == "sh":
            for command in commands(block):
                result = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True,
                                        text=True, errors="replace", check=False)
                if result.returncode != 0:
                    sys.exit(f"{recipe}: {command}\nexit {result.returncode}\n{result.stdout}{result.stderr}")
                printed += [result.stdout.strip(), result.stderr.strip()]
    return "\n".join(line for line in printed if line)


def check_updates(folder, environment):
    """Refused files, and an update to the same file, must not change the outputs of the stream."""
    def outputs(*files):
        result = subprocess.run(["./update", "version1.weft", *files], cwd=folder, env=environment, capture_output=True,
                                text=True, check=True)
        return [line for line in result.stdout.splitlines() if line.startswith("run ")]

    without = outputs("absent.weft", "absent.weft")
    for files in (("damaged.weft", "cut.weft"), ("cut.weft", "damaged.weft"), ("version1.weft", "version1.weft")):
        if outputs(*files) != without:
            sys.exit(f"over-the-air: {files}: must print {without}, and prints {outputs(*files)}")


# Checks of the programs of a recipe, after its commands.
CHECKS = {"over-the-air": check_updates}


def main():
    """Runs all recipes; the first error ends the program."""
    weft, build, source, fixtures, work = (pathlib.Path(argument).absolute() for argument in sys.argv[1:6])
    if not shutil.which("pkg-config"):
        print("skipped: no pkg-config")
        return 77
    pages = {page.stem: page.read_text() for page in (source / "docs/cookbook").glob("*.md") if page.stem != "README"}
    if set(pages) != set(MODELS):
        sys.exit(f"docs/cookbook has {sorted(pages)}, and this test {sorted(MODELS)}")
    prefix = work / "prefix"
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    environment = dict(os.environ)
    environment["PATH"] = os.pathsep.join([str(weft.parent), environment["PATH"]])
    environment["PKG_CONFIG_PATH"] = os.pathsep.join(str(prefix / lib / "pkgconfig") for lib in ("lib", "lib64"))
    for recipe, text in sorted(pages.items()):
        folder = work / recipe
        lay_out(recipe, source, fixtures, folder)
        printed = run(recipe, text, folder, environment)
        if not re.search(EXPECTED[recipe], printed, re.MULTILINE):
            sys.exit(f"{recipe}: must print {EXPECTED[recipe]!r}, and prints\n{printed}")
        if recipe in CHECKS:
            CHECKS[recipe](folder, environment)
        print(f"{recipe}: ran")
    return 0


if __name__ == "__main__":
    sys.exit(main())
