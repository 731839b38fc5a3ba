#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes example 2 of the TensorIterator specification as a conformance case, at any size.

document_lstm.py OUT_DIR [--form document|typed|today] [--input 512] [--hidden 256] [--steps 25]

The full example is an LSTM of 512 -> 256 over 25 steps with 3 MB of weights, too large to commit.
Tests create it here from a fixed seed at run time, so this file requires only Python's standard
library. Forms:
  document  as printed in the specification: one merged weight matrix [4H, I+H], five inputs to
            LSTMCell; Const and the body's Parameters are described only by their ports
  typed     the same, with element_type and shape on Const and Parameter
  today     separate W [4H, I] and R [4H, H], six inputs, as current OpenVINO requires
"""

import argparse
import array
import itertools
import json
import math
import operator
import pathlib
import random
import struct
import sys

FORMS = ("document", "typed", "today")
SEED = 20240601


def _row(values):
    return array.array("f", values)


class Weights:
    """Fixed-seed weights and inputs, all rounded to f32. Gate order f, i, c, o."""
    def __init__(self, inputs, hidden, steps):
        numbers = random.Random(SEED)
        scale = math.sqrt(3 / (inputs + hidden))

        def drawn(count, size):
            return _row((2 * numbers.random() - 1) * size for _ in range(count))

        self.inputs, self.hidden, self.steps = inputs, hidden, steps
        self.rows = [drawn(inputs + hidden, scale) for _ in range(4 * hidden)]
        self.bias = drawn(4 * hidden, 0.3)
        self.x = [drawn(inputs, 1.5) for _ in range(steps)]
        self.first_hidden, self.first_cell = drawn(hidden, 0.5), drawn(hidden, 0.5)

    def expected(self):
        """The hidden state of every step, computed in double precision."""
        size, hidden, cell = self.hidden, list(self.first_hidden), list(self.first_cell)
        answer = []
        for x in self.x:
            joined = list(x) + hidden
            gates = [
                sum(map(operator.mul, row, joined)) + bias
                for row, bias in zip(self.rows, self.bias)
            ]
            forget, update, output = ([
                1 / (1 + math.exp(-value)) for value in gates[at * size:(at + 1) * size]
            ] for at in (0, 1, 3))
            candidate = map(math.tanh, gates[2 * size:3 * size])
            cell = [f * c + i * g for f, c, i, g in zip(forget, cell, update, candidate)]
            hidden = [o * math.tanh(c) for o, c in zip(output, cell)]
            answer.append(_row(hidden))
        return answer

    def binary(self, form):
        """model.bin and the byte range of each blob in it."""
        if form == "today":
            kernels = [
                b"".join(row[:self.inputs].tobytes() for row in self.rows),
                b"".join(row[self.inputs:].tobytes() for row in self.rows)
            ]
        else:
            kernels = [b"".join(row.tobytes() for row in self.rows)]
        blobs = [
            struct.pack("<2q", 1, self.inputs), *kernels,
            self.bias.tobytes(),
            struct.pack("<3q", 1, 1, self.hidden)
        ]
        starts = itertools.accumulate([0] + [len(blob) for blob in blobs])
        return b"".join(blobs), [(start, len(blob)) for start, blob in zip(starts, blobs)]


def _ports(tag, ports):
    """An <input> or <output> element with (id, precision or None, dims) ports."""
    lines = [f"<{tag}>"]
    for number, precision, dims in ports:
        kind = f' precision="{precision}"' if precision else ""
        lines += [f'<port id="{number}"{kind}>', *(f"<dim>{dim}</dim>" for dim in dims), "</port>"]
    return lines + [f"</{tag}>"]


def _layer(number, kind, name, data="", inputs=(), outputs=(), version="opset1", more=()):
    lines = [f'<layer id="{number}" name="{name}" type="{kind}" version="{version}">']
    lines += [f"<data {data}/>"] if data else []
    lines += _ports("input", inputs) if inputs else []
    lines += _ports("output", outputs) if outputs else []
    return lines + list(more) + ["</layer>"]


def _edges(pairs):
    return ["<edges>"] + [
        f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>'
        for a, b, c, d in pairs
    ] + ["</edges>"]


def _body(weights, form, ranges):
    """The body's layers and edges with the specification's ids; in the form `today` the second
    weight matrix is layer 13."""
    size, inputs, typed = weights.hidden, weights.inputs, form != "document"
    state = [1, size]

    def parameter(number, name, dims):
        data = f'shape="{",".join(map(str, dims))}" element_type="f32"' if typed else ""
        return _layer(number, "Parameter", name, data, outputs=[(0, "FP32", dims)])

    def const(number, name, blob, kind, dims):
        start, length = ranges[blob]
        data = f'offset="{start}" size="{length}"'
        if typed:
            data = f'element_type="{kind}" shape="{",".join(map(str, dims))}" {data}'
        return _layer(number, "Const", name, data, outputs=[(1, {"f32": "FP32",
                                                                 "i64": "I64"}[kind], dims)])

    today = form == "today"
    kernels = [(3, None, [4 * size, inputs]),
               (4, None, [4 * size, size])] if today else [(3, None, [4 * size, inputs + size])]
    next_port = 3 + len(kernels)
    layers = parameter(0, "x", [1, 1, inputs]) + const(1, "squeezed", 0, "i64", [2])
    layers += _layer(2, "Reshape", "row", 'special_zero="false"', [(0, None, [1, 1, inputs]),
                                                                   (1, None, [2])],
                     [(2, "FP32", [1, inputs])])
    layers += parameter(3, "hidden", state) + parameter(4, "cell", state)
    layers += const(5, "W" if today else "WR", 1, "f32", kernels[0][2]) + const(
        6, "B", -2, "f32", [4 * size])
    layers += _layer(7, "LSTMCell", "lstm", f'hidden_size="{size}"',
                     [(0, None, [1, inputs]), (1, None, state), (2, None, state), *kernels,
                      (next_port, None, [4 * size])], [(next_port + 1, "FP32", state),
                                                       (next_port + 2, "FP32", state)],
                     "opset4" if today else "opset1")
    layers += _layer(8, "Result", "next_cell", inputs=[(0, None, state)]) + _layer(
        9, "Result", "next_hidden", inputs=[(0, None, state)])
    layers += const(10, "unsqueezed", -1, "i64", [3])
    layers += _layer(11, "Reshape", "plane", 'special_zero="false"', [(0, None, state),
                                                                      (1, None, [3])],
                     [(2, "FP32", [1, 1, size])])
    layers += _layer(12, "Result", "step", inputs=[(0, None, [1, 1, size])])
    edges = [(0, 0, 2, 0), (1, 1, 2, 1), (2, 2, 7, 0), (3, 0, 7, 1), (4, 0, 7, 2), (5, 1, 7, 3),
             (6, 1, 7, next_port), (7, next_port + 2, 8, 0), (7, next_port + 1, 9, 0),
             (7, next_port + 1, 11, 0), (10, 1, 11, 1), (11, 2, 12, 0)]
    if today:
        layers += const(13, "R", 2, "f32", kernels[1][2])
        edges.append((13, 1, 7, 4))
    return ["<body>", "<layers>", *layers, "</layers>", *_edges(edges), "</body>"]


def _indented(lines):
    """Indents the lines by tabs according to their depth."""
    depth, answer = 0, []
    for line in lines:
        depth -= line.startswith("</")
        answer.append("\t" * depth + line)
        depth += not line.startswith(("</", "<?")) and not line.endswith("/>") and "</" not in line
    return "\n".join(answer) + "\n"


def xml(weights, form, ranges):
    """model.xml: the TensorIterator with its three inputs and its output."""
    sequence, state, answer = [1, weights.steps, weights.inputs
                              ], [1, weights.hidden], [1, weights.steps, weights.hidden]
    port_map = [
        "<port_map>", '<input axis="1" external_port_id="0" internal_layer_id="0" start="0"/>',
        '<input external_port_id="1" internal_layer_id="3"/>',
        '<input external_port_id="2" internal_layer_id="4"/>',
        '<output axis="1" external_port_id="3" internal_layer_id="12"/>', "</port_map>",
        "<back_edges>", '<edge from-layer="8" to-layer="4"/>',
        '<edge from-layer="9" to-layer="3"/>', "</back_edges>"
    ]
    layers = []
    for number, (name, dims) in enumerate(
        (("sequence", sequence), ("first_hidden", state), ("first_cell", state))):
        layers += _layer(number, "Parameter", name,
                         f'shape="{",".join(map(str, dims))}" element_type="f32"',
                         outputs=[(0, "FP32", dims)])
    layers += _layer(3, "TensorIterator", "answer", inputs=[(0, None, sequence), (1, None, state),
                                                            (2, None, state)],
                     outputs=[(3, "FP32", answer)], more=port_map + _body(weights, form, ranges))
    layers += _layer(4, "Result", "answer/sink", inputs=[(0, None, answer)])
    edges = _edges([(0, 0, 3, 0), (1, 0, 3, 1), (2, 0, 3, 2), (3, 3, 4, 0)])
    return _indented([
        '<?xml version="1.0"?>', '<net name="document_lstm" version="10">', "<layers>", *layers,
        "</layers>", *edges, "</net>"
    ])


def files(weights, form):
    """(model.xml text, model.bin bytes)."""
    binary, ranges = weights.binary(form)
    return xml(weights, form, ranges), binary


def _npy(rows, shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = b"".join(row.tobytes() for row in rows)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="OUT_DIR")
    parser.add_argument("--form", choices=FORMS, default="document")
    for name, size in (("input", 512), ("hidden", 256), ("steps", 25)):
        parser.add_argument(f"--{name}", type=int, default=size)
    options = parser.parse_args()
    if sys.byteorder != "little":
        parser.error("model.bin is little-endian; this machine is not")
    weights = Weights(options.input, options.hidden, options.steps)
    options.folder.mkdir(parents=True, exist_ok=True)
    text, binary = files(weights, options.form)
    (options.folder / "model.xml").write_text(text)
    (options.folder / "model.bin").write_bytes(binary)
    arrays = ((weights.x, (1, options.steps, options.input)),
              ([weights.first_hidden], (1, options.hidden)),
              ([weights.first_cell], (1, options.hidden)),
              (weights.expected(), (1, options.steps, options.hidden)))
    (options.folder / "arrays.npy").write_bytes(b"".join(_npy(*array) for array in arrays))
    facts = {
        "oracle": "python", "rtol": 1e-4, "atol": 1e-4,
        "inputs": ["sequence", "first_hidden", "first_cell"], "outputs": ["answer/sink"], "convert": [],
        "note": f"The TensorIterator document's example 2 in the form: {options.form}."
    }
    (options.folder / "case.json").write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
