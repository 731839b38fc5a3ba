# SPDX-License-Identifier: Apache-2.0
"""LSTMCell, GRUCell and RNNCell: sizes, clip, activations, weights that are inputs."""

import functools
import re

import numpy as np

from build import constant, node
from casebook import Case, by_numpy, normal
from reference import cells

# batch, input size, hidden size
SIZES = [(1, 1, 1), (1, 16, 15), (3, 5, 16), (1, 33, 17), (3, 17, 33), (1, 7, 64),
         (1, 5, 16), (1, 9, 48), (2, 6, 19), (5, 9, 24), (8, 4, 40)]


def weights(label, gates, inputs, hidden, bias_parts=None):
    """W, R and B with values that keep the gates out of saturation."""
    scale = 1 / np.sqrt(inputs + hidden)
    return (normal(label + "w", gates * hidden, inputs,
                   scale=scale), normal(label + "r", gates * hidden, hidden, scale=scale),
            normal(label + "b", (bias_parts or gates) * hidden, scale=0.3))


def lstm(opset, hidden, w, r, b, **attributes):
    """A graph X, H, C -> H, C."""
    def graph(x, state, cell):
        attributes.setdefault("activations", ["sigmoid", "tanh", "tanh"])
        if opset == 1:
            # LSTMCell-1 has peepholes, which its specification omits; they are zero.
            return node(
                "LSTMCell", 1,
                [x, state, cell, w, r, b, np.zeros(3 * hidden, np.float32)], hidden_size=hidden,
                weights_format="fico", input_forget=False, **attributes)
        return node("LSTMCell", opset, [x, state, cell, w, r, b], hidden_size=hidden, **attributes)

    return graph


def _sizes():
    for batch, inputs, hidden in SIZES:
        label = f"b{batch}_i{inputs}_h{hidden}"
        x, state = normal("x" + label, batch, inputs), normal("h" + label, batch, hidden, scale=0.5)
        cell = normal("c" + label, batch, hidden, scale=0.5)
        w, r, b = weights("lstm" + label, 4, inputs, hidden)
        for opset in (1, 4) if hidden in (15, 16) else (4,):
            yield Case(f"cell/lstm{opset}_{label}", [x, state, cell], lstm(opset, hidden, w, r, b),
                       reference=functools.partial(cells.lstm_cell, w=w, r=r, b=b))
        for linear in (False, True):
            w, r, b = weights("gru" + label, 3, inputs, hidden, 4 if linear else 3)
            yield Case(
                f"cell/gru_{'linear_' if linear else ''}{label}", [x, state],
                functools.partial(_gru, hidden, w, r, b, linear_before_reset=linear),
                reference=functools.partial(cells.gru_cell, w=w, r=r, b=b,
                                            linear_before_reset=linear))
        w, r, b = weights("rnn" + label, 1, inputs, hidden)
        yield Case(f"cell/rnn_{label}", [x, state], functools.partial(_rnn, hidden, w, r, b),
                   reference=functools.partial(cells.rnn_cell, w=w, r=r, b=b))


def _gru(hidden, w, r, b, x, state, **attributes):
    return node("GRUCell", 3, [x, state, w, r, b], hidden_size=hidden, **attributes)


def _rnn(hidden, w, r, b, x, state, **attributes):
    return node("RNNCell", 1, [x, state, w, r, b], hidden_size=hidden, **attributes)


VARIANTS = {
    "clip": {"clip": 0.4},
    "relu": {
        "activations": {
            "lstm": ["sigmoid", "relu", "tanh"], "gru": ["sigmoid", "relu"], "rnn": ["relu"]
        }
    },
    "sigmoid": {
        "activations": {
            "lstm": ["sigmoid", "sigmoid", "sigmoid"], "gru": ["tanh", "sigmoid"],
            "rnn": ["sigmoid"]
        }
    },
    "relu_clip": {
        "clip": 0.3,
        "activations": {"lstm": ["tanh", "relu", "relu"], "gru": ["relu", "tanh"], "rnn": ["relu"]}
    },
    "hardsigmoid": {
        "activations": {
            "lstm": ["hardsigmoid", "tanh", "tanh"], "gru": ["hardsigmoid", "tanh"],
            "rnn": ["hardsigmoid"]
        }, "alphas": {"lstm": [0.2, 0.0, 0.0], "gru": [0.2, 0.0], "rnn": [0.25]},
        "betas": {"lstm": [0.5, 0.0, 0.0], "gru": [0.5, 0.0], "rnn": [0.4]}
    },
}

UNSUPPORTED = by_numpy("OpenVINO's CPU device does not run this activation.")


def _settings(variant, kind):
    """The variant as attributes of the operation and as arguments of the reference."""
    chosen = {
        key: value[kind] if isinstance(value, dict) else value
        for key, value in VARIANTS[variant].items()
    }
    renamed = {"alphas": "activations_alpha", "betas": "activations_beta"}
    return {renamed.get(key, key): value for key, value in chosen.items()}, chosen


def _variants():
    for index, variant in enumerate(VARIANTS):
        batch, inputs, hidden = [(1, 9, 17), (3, 16, 15)][index % 2]
        x, state = normal("vx" + variant, batch, inputs,
                          scale=2), normal("vh" + variant, batch, hidden, scale=0.5)
        cell = normal("vc" + variant, batch, hidden)
        w, r, b = weights("vl" + variant, 4, inputs, hidden)
        answers = UNSUPPORTED if variant == "hardsigmoid" else {}
        attributes, how = _settings(variant, "lstm")
        yield Case(f"cell/lstm_{variant}", [x, state, cell], lstm(4, hidden, w, r, b, **attributes),
                   reference=functools.partial(cells.lstm_cell, w=w, r=r, b=b, **how), **answers)
        for linear in (False, True):
            w, r, b = weights("vg" + variant, 3, inputs, hidden, 4 if linear else 3)
            attributes, how = _settings(variant, "gru")
            yield Case(
                f"cell/gru_{'linear_' if linear else ''}{variant}", [x, state],
                functools.partial(_gru, hidden, w, r, b, linear_before_reset=linear, **attributes),
                reference=functools.partial(cells.gru_cell, w=w, r=r, b=b,
                                            linear_before_reset=linear, **how), **answers)
        w, r, b = weights("vr" + variant, 1, inputs, hidden)
        attributes, how = _settings(variant, "rnn")
        yield Case(f"cell/rnn_{variant}", [x, state],
                   functools.partial(_rnn, hidden, w, r, b, **attributes),
                   reference=functools.partial(cells.rnn_cell, w=w, r=r, b=b, **how), **answers)


def _runtime_weights():
    x, state, cell = normal("rx", 2, 5), normal("rh", 2, 6), normal("rc", 2, 6)
    w, r, b = weights("rl", 4, 5, 6)
    yield Case("cell/lstm_weights_are_inputs", [x, state, cell, w, r, b],
               lambda *inputs: node("LSTMCell", 4, inputs, hidden_size=6),
               reference=cells.lstm_cell)
    w, r, b = weights("rg", 3, 5, 6)
    yield Case("cell/gru_weights_are_inputs", [x, state, w, r, b],
               lambda *inputs: node("GRUCell", 3, inputs, hidden_size=6), reference=cells.gru_cell)
    w, r, b = weights("rr", 1, 5, 6)
    yield Case("cell/rnn_weights_are_inputs", [x, state, w, r, b],
               lambda *inputs: node("RNNCell", 1, inputs, hidden_size=6), reference=cells.rnn_cell)


PEEPHOLES = by_numpy("OpenVINO drops peepholes when it saves a model and when it runs one.")


def with_peepholes(kind, port):
    """An XML edit that connects the layer "peepholes" as an additional input of that layer."""
    def edit(xml):
        source = re.search(r'<layer id="(\d+)" name="peepholes"', xml).group(1)
        dims = re.search(r'name="peepholes".*?<output>.*?(<dim>.*?)\s*</port>', xml, re.S).group(1)
        layer = re.search(
            rf'<layer id="(\d+)" name="[^"]*" type="{kind}" version="opset\d".*?</input>', xml,
            re.S)
        text = re.sub(r'version="opset\d"', 'version="opset1"', layer.group(0), count=1).replace(
            "</input>", f'<port id="{port}" precision="FP32">{dims}</port></input>')
        edge = (f'<edge from-layer="{source}" from-port="0" to-layer="{layer.group(1)}" '
                f'to-port="{port}" />')
        return xml.replace(layer.group(0), text).replace("</edges>", edge + "</edges>")

    return edit


def named_peepholes(p):
    """The given constant or Parameter, and an output that keeps it in the file."""
    p = constant(p) if isinstance(p, np.ndarray) else p
    p.set_friendly_name("peepholes")
    return node("Negative", 1, [p])


def _peepholes():
    for batch, inputs, hidden, how in ((1, 5, 16, {}), (3, 7, 9, {"clip": 0.4}),
                                       (2, 3, 5, {"activations": ["sigmoid", "relu", "sigmoid"]})):
        label = f"peepholes_b{batch}_h{hidden}"
        w, r, b = weights(label, 4, inputs, hidden)
        p = normal(label + "p", 3 * hidden, scale=0.7)
        arrays = [normal(label + "x", batch, inputs), normal(label + "h", batch, hidden, scale=0.5),
                  normal(label + "c", batch, hidden)]
        known = batch != 2

        def graph(x, h, c, given=p, own=(w, r, b), hidden=hidden, how=how):
            return lstm(1, hidden, *own, **how)(x, h, c), named_peepholes(given)

        def reference(x, h, c, given=p, own=(w, r, b), how=how):
            return [*cells.lstm_cell(x, h, c, *own, peepholes=given, **how), -given]

        yield Case(f"cell/lstm1_{label}", arrays if known else [*arrays, p], graph,
                   reference=reference, edit=with_peepholes("LSTMCell", 6), **PEEPHOLES)


def cases():
    yield from _peepholes()
    yield from _sizes()
    yield from _variants()
    yield from _runtime_weights()
