#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links the C program of tests/c_api with the libraries of the presets macos-arm64 and macos-x86-64, in the build
folders that exist. Programs for macOS cannot run here: the program and the weft command must have the header of an
executable for the preset's processor.

    macos_test.py SOURCE BUILD FOLDER
"""
import pathlib
import re
import struct
import sys

from command import run

CASE = "state/streaming_gru"
OPTIONS = ["--self-test", "2", "--region", "fast=64"]
PROCESSORS = {"macos-arm64": ("aarch64-macos", 0x0100000C), "macos-x86-64": ("x86_64-macos", 0x01000007)}
MAGIC = 0xFEEDFACF  # Mach-O of 64 bits
EXECUTABLE = 2


def check(program, processor):
    magic, is_for, _, kind = struct.unpack("<4I", program.read_bytes()[:16])
    if (magic, is_for, kind) != (MAGIC, processor, EXECUTABLE):
        sys.exit(f"{program}: the header has {magic:#x}, {is_for:#x} and {kind}; must have {MAGIC:#x}, "
                 f"{processor:#x} and {EXECUTABLE}")
    print(f"{program}: {program.stat().st_size} bytes")


def main():
    source, build, folder = (pathlib.Path(word).absolute() for word in sys.argv[1:4])
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for preset, (target, processor) in PROCESSORS.items():
        cross = build.parent / preset
        libraries = [cross / f"{room}/libweft_{room}.a" for room in ("runtime", "kernels")]
        if not all(library.exists() for library in libraries):
            continue
        zig = re.search("^WEFT_ZIG:[A-Z]*=(.*)$", (cross / "CMakeCache.txt").read_text(), re.MULTILINE)[1]
        run([build / "weft", "convert", source / f"build/fixtures/cases/{CASE}/model.xml", "-o", folder / "model.weft",
             "--c-source", folder / "model.c", *OPTIONS])
        highway = [library for library in [cross / "libweft_highway_targets.a"] if library.exists()]
        program = folder / preset
        run([zig, "cc", "-target", target, "-std=c99", f"-I{source}", f"-I{folder}",
             source / "tests/c_api/program.c", folder / "model.c", *libraries, *highway, "-o", program])
        for executable in (program, cross / "weft"):
            if executable.exists():
                check(executable, processor)
                count += 1
    if count == 0:
        print("skipped: neither build/macos-arm64 nor build/macos-x86-64 has libraries; docs/targets.md builds them")


if __name__ == "__main__":
    main()
