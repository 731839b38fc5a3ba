# SPDX-License-Identifier: Apache-2.0
"""A model of samples for tests of plug-ins and bindings, and its outputs in double precision:
y[t] = tanh(sum of w[k] x[t - 3 + k])."""
import math
import random
import struct
import sys

TAPS = [0.25, -0.5, 0.75, 1.5]
STEPS = 64  # time steps of the model, before --streaming
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


def write(path):
    """Writes the model as OpenVINO IR: an .xml file and its .bin file."""
    path.write_text(model_xml(), encoding="utf-8")
    path.with_suffix(".bin").write_bytes(struct.pack(f"<{len(TAPS)}f", *TAPS))


def signal(count):
    """Random f32 samples."""
    source = random.Random(1)
    return floats(struct.pack(f"<{count}f", *(source.uniform(-1, 1) for _ in range(count))))


def expected(inputs, latency):
    padded = [0.0] * (len(TAPS) - 1) + inputs
    values = [math.tanh(sum(w * padded[t + k] for k, w in enumerate(TAPS)))
              for t in range(len(inputs))]
    return ([0.0] * latency + values)[:len(inputs)]


def compare(what, values, inputs, latency):
    """Compares values with the formula, late by `latency` samples."""
    must = expected(inputs, latency)
    worst = max((abs(a - b) for a, b in zip(values, must)), default=1)
    if len(values) != len(must) or worst > TOLERANCE:
        sys.exit(f"{what}: {len(values)} samples, largest difference {worst}; must be {len(must)} "
                 f"samples and at most {TOLERANCE}")
    print(f"{what}: {len(values)} samples, largest difference {worst:.1e}, latency {latency}")


def floats(data):
    return list(struct.unpack(f"<{len(data) // 4}f", data))
