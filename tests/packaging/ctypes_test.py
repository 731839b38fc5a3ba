#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the C file, the commands and the Python program that docs/embedding.md shows for other languages.

    ctypes_test.py SOURCE BUILD FOLDER

The model is that of taps.py; the outputs of `step` are compared with the formula in double precision.
"""
import os
import pathlib
import re
import shutil
import sys

import taps
from command import run

FRAMES = 16
CHUNKS = 20


def blocks_of(page):
    """Returns the first C file, the commands and the Python program of the section."""
    section = page.read_text(encoding="utf-8").split("## Other languages")[1]
    found = [re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
             for language in ("c", "sh", "python")]
    return [match.group(1) for match in found]


def main():
    source, binary, folder = map(pathlib.Path, sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(["cmake", "--install", binary, "--prefix", folder / "prefix"])
    wrapper, commands, program = blocks_of(source / "docs/embedding.md")
    (folder / "step.c").write_text(wrapper, encoding="utf-8")
    taps.write(folder / "model.xml")
    path = f"{folder / 'prefix/bin'}:{os.environ['PATH']}"
    run(["sh", "-e", "-c", commands], cwd=folder,
        env={**os.environ, "PREFIX": str(folder / "prefix"), "PATH": path})
    os.chdir(folder)
    names = {}
    exec(program, names)  # pylint: disable=exec-used
    signal = taps.signal(CHUNKS * FRAMES)
    values = [value for start in range(0, len(signal), FRAMES)
              for value in names["step"](signal[start:start + FRAMES])]
    taps.compare("ctypes", values, signal, 0)


if __name__ == "__main__":
    main()
