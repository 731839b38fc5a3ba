#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the desktop build, and builds plug-ins of examples/lv2 with it, in a copy.

    lv2_test.py SOURCE BUILD FOLDER

The model is that of taps.py. projects/lv2/host.c runs the mono plug-ins in one process. Their outputs, and
those of lv2apply, are compared with the formula in double precision, late by the reported latency.
Prints "skipped:" without LV2 or lv2apply.
"""
import os
import pathlib
import shutil
import struct
import sys

import taps
from command import run

SAMPLES = 4801


def apply(plugin, uri, folder, channels):
    """Returns the channels of lv2apply's output, which reads and writes WAV files of floats."""
    count = len(channels)
    samples = [sample for frame in zip(*channels) for sample in frame]
    data = struct.pack(f"<{len(samples)}f", *samples)
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 3, count,
                       48000, 192000 * count, 4 * count, 32, b"data", len(data))
    (folder / "in.wav").write_bytes(head + data)
    os.environ["LV2_PATH"] = str(plugin / "lv2")
    talk = run(["sh", "-c", '"$@" 2>&1', "sh", "lv2apply", "-i", folder / "in.wav", "-o", folder / "out.wav", uri])
    if "error:" in talk:
        sys.exit(f"lv2apply reports errors in {plugin}:\n{talk}")
    info = run(["lv2info", uri])
    if "Has latency:       yes" not in info or "hardRTCapable" not in info:
        sys.exit(f"lv2info: has no latency or is not hardRTCapable:\n{info}")
    wav = (folder / "out.wav").read_bytes()
    start = wav.index(b"data") + 8
    values = taps.floats(wav[start:start + len(data)])
    return [values[channel::count] for channel in range(count)]


def main():
    source, binary, folder = map(pathlib.Path, sys.argv[1:])
    include = next((path for path in ("/usr/include", "/usr/local/include")
                    if os.path.exists(f"{path}/lv2/core/lv2.h")), None)
    if include is None or not shutil.which("lv2apply") or not shutil.which("lv2info"):
        print("skipped: no lv2/core/lv2.h, lv2apply or lv2info (Debian: lv2-dev, lilv-utils)")
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(["cmake", "--install", binary, "--prefix", folder / "prefix"])
    shutil.copytree(source / "examples/lv2", folder / "lv2")
    taps.write(folder / "taps.xml")
    configure = ["cmake", "-G", "Ninja", "-S", folder / "lv2",
                 f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}"]
    plugins = {"each_sample": 1, "pairs": 2, "chunks": 32, "stereo": 8}
    for name, frames in plugins.items():
        build = folder / f"build-{name}"
        run([*configure, "-B", build, f"-DMODEL={folder / 'taps.xml'}", f"-DFRAMES={frames}",
             f"-DPLUGIN={name}", f"-DPLUGIN_URI=urn:test:{name}",
             f"-DCHANNELS={2 if name == 'stereo' else 1}"])
        run(["cmake", "--build", build])
        module = build / f"lv2/{name}.lv2/{name}.so"
        symbols = [line.split()[-1] for line in run(["nm", "-D", "--defined-only", module]).split("\n")
                   if line]
        if symbols != ["lv2_descriptor"]:
            sys.exit(f"{name}.so exports {symbols}; must export lv2_descriptor only")
    run([*configure, "-B", folder / "none", "-DMODEL=none.xml"], 'none.xml"; must be an .xml or .tflite file')
    signal = taps.signal(SAMPLES)
    (folder / "in.f32").write_bytes(struct.pack(f"<{SAMPLES}f", *signal))
    run(["cc", "-O1", "-Wall", "-Werror", "-D_GNU_SOURCE",
         source / "tests/packaging/projects/lv2/host.c", "-o", folder / "host", "-ldl"])
    mono = [name for name in plugins if name != "stereo"]
    words = [word for name in mono
             for word in (folder / f"build-{name}/lv2/{name}.lv2/{name}.so", folder / f"{name}.f32")]
    latencies = run([folder / "host", folder / "in.f32", *words])
    if latencies != "0;1;31;\n":
        sys.exit(f"host: prints {latencies}; must print the latencies 0;1;31;")
    for name, frames in plugins.items():
        latency = frames - 1
        if name in mono:
            taps.compare(f"{name} in one process with the others",
                    taps.floats((folder / f"{name}.f32").read_bytes()), signal, latency)
        inputs = [signal] if name in mono else [signal, signal[::-1]]
        outputs = apply(folder / f"build-{name}", f"urn:test:{name}", folder, inputs)
        for output, channel in zip(outputs, inputs):
            taps.compare(f"{name} by lv2apply", output, channel, latency)


if __name__ == "__main__":
    main()
