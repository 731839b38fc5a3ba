#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the desktop build, and builds two plug-ins of examples/lv2 with it, in a copy.

    lv2_test.py SOURCE BUILD FOLDER

The model is written here: y[t] = tanh(sum of w[k] x[t - 3 + k]), as OpenVINO IR. projects/lv2/host.c
runs both plug-ins in one process; their outputs, and that of lv2apply, are compared with the formula
in double precision, late by the reported latency. Prints "skipped:" without LV2 or lv2apply.
"""
import math
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys

TAPS = [0.25, -0.5, 0.75, 1.5]
STEPS = 64  # time steps of the model, before --streaming
SAMPLES = 4801
TOLERANCE = 1e-6

LAYER = """<layer id="{id}" name="{name}" type="{type}" version="opset1">{data}{ports}</layer>
"""


def dims(sizes):
    return "".join(f"<dim>{size}</dim>" for size in sizes)


def port(number, sizes, name=""):
    return f'<port id="{number}" precision="FP32"{name}>{dims(sizes)}</port>'


def model_xml():
    """The IR of the model: Parameter, Const, Convolution, Tanh, Result."""
    signal, taps = [1, 1, STEPS], [1, 1, len(TAPS)]
    rows = [
        ("x", "Parameter", f'<data shape="1,1,{STEPS}" element_type="f32"/>', [], signal),
        ("taps", "Const", f'<data element_type="f32" shape="1,1,{len(TAPS)}" offset="0" '
         f'size="{4 * len(TAPS)}"/>', [], taps),
        ("sum", "Convolution", f'<data strides="1" dilations="1" pads_begin="{len(TAPS) - 1}" '
         'pads_end="0" auto_pad="explicit"/>', [signal, taps], signal),
        ("y", "Tanh", "", [signal], signal),
        ("y/result", "Result", "", [signal], None),
    ]
    layers = ""
    for number, (name, kind, data, inputs, output) in enumerate(rows):
        ports = "".join(port(i, sizes) for i, sizes in enumerate(inputs))
        text = f"<input>{ports}</input>" if inputs else ""
        if output:
            text += f"<output>{port(len(inputs), output, f' names=' + chr(34) + name + chr(34))}</output>"
        layers += LAYER.format(id=number, name=name, type=kind, data=data, ports=text)
    edges = [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0), (3, 1, 4, 0)]
    lines = "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>\n'
                    for a, b, c, d in edges)
    return (f'<?xml version="1.0"?>\n<net name="taps" version="11">\n<layers>\n{layers}</layers>\n'
            f"<edges>\n{lines}</edges>\n</net>\n")


def run(command, must_fail=None):
    """Runs a command; with `must_fail`, it must fail and print that text."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            check=False)
    talk = result.stdout + result.stderr
    if (result.returncode != 0) != bool(must_fail) or must_fail and must_fail not in " ".join(
            talk.split()):
        sys.exit(f"{command}: exit {result.returncode}\n{talk}")
    return result.stdout


def expected(signal, latency):
    past = [0.0] * (len(TAPS) - 1)
    padded = past + signal
    values = [math.tanh(sum(w * padded[t + k] for k, w in enumerate(TAPS)))
              for t in range(len(signal))]
    return ([0.0] * latency + values)[:len(signal)]


def compare(what, values, signal, latency):
    must = expected(signal, latency)
    worst = max((abs(a - b) for a, b in zip(values, must)), default=1)
    if len(values) != len(must) or worst > TOLERANCE:
        sys.exit(f"{what}: {len(values)} samples, largest difference {worst}; must be {len(must)} "
                 f"samples and at most {TOLERANCE}")
    print(f"{what}: {len(values)} samples, largest difference {worst:.1e}, latency {latency}")


def floats(data):
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def apply(plugin, uri, folder, channels):
    """Returns the channels of lv2apply's output, which reads and writes WAV files of floats."""
    count = len(channels)
    samples = [sample for frame in zip(*channels) for sample in frame]
    data = struct.pack(f"<{len(samples)}f", *samples)
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 3, count,
                       48000, 192000 * count, 4 * count, 32, b"data", len(data))
    (folder / "in.wav").write_bytes(head + data)
    os.environ["LV2_PATH"] = str(plugin)
    run(["lv2apply", "-i", folder / "in.wav", "-o", folder / "out.wav", uri])
    info = run(["lv2info", uri])
    if "Has latency:       yes" not in info or "hardRTCapable" not in info:
        sys.exit(f"lv2info: has no latency or is not hardRTCapable:\n{info}")
    wav = (folder / "out.wav").read_bytes()
    start = wav.index(b"data") + 8
    values = floats(wav[start:start + len(data)])
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
    (folder / "taps.xml").write_text(model_xml(), encoding="utf-8")
    (folder / "taps.bin").write_bytes(struct.pack(f"<{len(TAPS)}f", *TAPS))
    configure = ["cmake", "-G", "Ninja", "-S", folder / "lv2",
                 f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}"]
    plugins = {"each_sample": 1, "chunks": 32, "stereo": 8}
    for name, frames in plugins.items():
        build = folder / f"build-{name}"
        run([*configure, "-B", build, f"-DMODEL={folder / 'taps.xml'}", f"-DFRAMES={frames}",
             f"-DPLUGIN={name}", f"-DPLUGIN_URI=urn:test:{name}",
             f"-DCHANNELS={2 if name == 'stereo' else 1}"])
        run(["cmake", "--build", build])
        module = build / f"{name}.lv2/{name}.so"
        symbols = [line.split()[-1] for line in run(["nm", "-D", "--defined-only", module]).split("\n")
                   if line]
        if symbols != ["lv2_descriptor"]:
            sys.exit(f"{name}.so exports {symbols}; must export lv2_descriptor only")
    run([*configure, "-B", folder / "none", "-DMODEL=none.xml"], 'none.xml"; must be an .xml or .tflite file')
    source_random = random.Random(1)
    signal = floats(struct.pack(f"<{SAMPLES}f", *(source_random.uniform(-1, 1)
                                                  for _ in range(SAMPLES))))
    (folder / "in.f32").write_bytes(struct.pack(f"<{SAMPLES}f", *signal))
    run(["cc", "-O1", "-Wall", "-Werror", "-D_GNU_SOURCE",
         source / "tests/packaging/projects/lv2/host.c", "-o", folder / "host", "-ldl"])
    mono = ["each_sample", "chunks"]
    words = [word for name in mono
             for word in (folder / f"build-{name}/{name}.lv2/{name}.so", folder / f"{name}.f32")]
    latencies = run([folder / "host", folder / "in.f32", *words])
    if latencies != "0;31;\n":
        sys.exit(f"host: prints {latencies}; must print the latencies 0;31;")
    for name, frames in plugins.items():
        latency = frames - 1
        if name in mono:
            compare(f"{name} in one process with the other",
                    floats((folder / f"{name}.f32").read_bytes()), signal, latency)
        inputs = [signal] if name in mono else [signal, signal[::-1]]
        outputs = apply(folder / f"build-{name}", f"urn:test:{name}", folder, inputs)
        for output, channel in zip(outputs, inputs):
            compare(f"{name} by lv2apply", output, channel, latency)


if __name__ == "__main__":
    main()
