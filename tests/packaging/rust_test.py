#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the desktop build, and builds and tests a copy of examples/rust with it, without a network.

    rust_test.py SOURCE BUILD FOLDER

The model is that of taps.py, as a stream of 16 samples per run. The crate's tests must pass, and the
outputs of its program are compared with the formula in double precision. Prints "skipped:" without
cargo 1.81.
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import taps
from command import run

FRAMES = 16
SAMPLES = 100 * FRAMES
MIN_CARGO = (1, 81)  # core::error::Error


def cargo_version():
    if not shutil.which("cargo"):
        return (0, 0)
    text = subprocess.run(["cargo", "--version"], capture_output=True, text=True, check=False).stdout
    match = re.match(r"cargo (\d+)\.(\d+)", text)
    return tuple(map(int, match.groups())) if match else (0, 0)


def main():
    source, binary, folder = map(pathlib.Path, sys.argv[1:])
    if cargo_version() < MIN_CARGO:
        print("skipped: no cargo 1.81 or newer")
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(["cmake", "--install", binary, "--prefix", folder / "prefix"])
    crate = folder / "rust"
    shutil.copytree(source / "examples/rust", crate, ignore=shutil.ignore_patterns("target"))
    model = folder / "taps.xml"
    taps.write(model)
    env = {**os.environ, "WEFT_PREFIX": str(folder / "prefix"), "WEFT_MODEL": str(model),
           "WEFT_OPTIONS": f"--streaming={FRAMES}", "CARGO_TARGET_DIR": str(folder / "target")}
    for name in ("CC", "AR", "WEFT_COMMAND"):
        env.pop(name, None)
    cargo = {"cwd": crate, "env": env}
    out = run(["cargo", "test", "--offline"], **cargo)
    if "test result: ok. 3 passed" not in out:
        sys.exit(f"cargo test: must pass 3 tests of interface.rs:\n{out}")
    run(["cargo", "build", "--offline", "--release"], **cargo)
    signal = taps.signal(SAMPLES)
    data = run([folder / "target/release/stream"], binary=True,
               input=struct.pack(f"<{SAMPLES}f", *signal))
    taps.compare("rust", taps.floats(data), signal, 0)
    env["WEFT_MODEL"] = str(folder / "absent.xml")
    run(["cargo", "build", "--offline"], must_fail="absent.xml", **cargo)
    del env["WEFT_MODEL"]
    run(["cargo", "build", "--offline"], must_fail="build.rs: WEFT_MODEL is not set", **cargo)


if __name__ == "__main__":
    main()
