# SPDX-License-Identifier: Apache-2.0
"""Products whose weights become integers of 8 bits and whose data integers of 16, as --precision i8
asks: the answers are those of the integers."""

import numpy as np

from build import node
from casebook import EXACT, Case, by_numpy, normal, recurrent
from families.sequences import DEFAULT, DIRECTIONS, GATES, REFERENCES
from reference import integers

I8 = dict(convert=["--precision", "i8"],
          **by_numpy("OpenVINO multiplies floats; --precision i8 rounds them to integers."))


def _dense(name, x, w, graph=None, reference=None, tolerance=EXACT):
    graph = graph or (lambda x: node("MatMul", 1, [x, w]))
    reference = reference or (lambda x: integers.product(x, w.T))
    return Case(f"narrow_weights/{name}", [x], graph, reference=reference, rtol=tolerance,
                atol=tolerance, **I8)


def _products():
    for rows, inputs, outputs in ((1, 16, 16), (3, 37, 45), (4, 64, 32), (9, 33, 17),
                                  (2, 513, 20), (5, 1500, 16)):
        name = f"dense_{rows}x{inputs}x{outputs}"
        yield _dense(name, normal("n" + name, rows, inputs),
                     normal("w" + name, inputs, outputs, scale=inputs**-0.5))
    w, b = normal("nwm", 37, 45, scale=0.2), normal("nwb", 45)
    second = normal("nw2", 45, 33, scale=0.2)

    def product(x):
        return node("MatMul", 1, [x, w])

    yield _dense("bias_relu", normal("nwr", 3, 37), w,
                 lambda x: node("Relu", 1, [node("Add", 1, [product(x), b])]),
                 lambda x: np.maximum(integers.product(x, w.T) + b, 0))
    yield _dense("two_layers", normal("nwl", 5, 37), w,
                 lambda x: node("MatMul", 1, [node("Relu", 1, [product(x)]), second]),
                 lambda x: integers.product(np.maximum(integers.product(x, w.T), 0), second.T))
    yield _dense("left", normal("nwf", 37, 1), w,
                 lambda x: node("MatMul", 1, [w.T.copy(), x]),
                 lambda x: integers.product(x.T, w.T).T)
    yield _dense("too_few_outputs", normal("nwt", 3, 37), w,
                 lambda x: node("MatMul", 1, [x, w[:, :15]]),
                 lambda x: x.astype(np.float64) @ w[:, :15], tolerance=1e-5)
    zeros = w * (np.arange(45) % 7 != 3)
    yield _dense("output_of_zeros", normal("nwz", 3, 37), zeros.astype(np.float32))
    mixed = normal("nwx", 6, 37)
    mixed[0], mixed[1, 5], mixed[2, 6] = 0, np.inf, np.nan
    mixed[3] *= np.float32(2.0**-105)
    mixed[4] *= np.float32(2.0**100)
    yield _dense("extreme_rows", mixed, w)


def _sequences():
    for kind, direction, linear, inputs, hidden in (
        ("LSTMSequence", "forward", False, 19, 17), ("LSTMSequence", "bidirectional", False, 9, 33),
        ("GRUSequence", "forward", True, 16, 32), ("GRUSequence", "reverse", False, 20, 33),
        ("RNNSequence", "bidirectional", False, 17, 31)):
        count, gates = DIRECTIONS[direction], GATES[kind]
        name = f"{kind[:-8].lower()}{'_linear' if linear else ''}_{direction}"
        scale = 1 / np.sqrt(inputs + hidden)
        w = normal(name + "nw", count, gates * hidden, inputs, scale=scale)
        r = normal(name + "nr", count, gates * hidden, hidden, scale=scale)
        b = normal(name + "nb", count, (4 if linear else gates) * hidden, scale=0.3)
        arrays = [normal(name + "n", 2, 6, inputs)]
        for part in range(2 if kind == "LSTMSequence" else 1):
            arrays.append(normal(f"{name}n{part}", 2, count, hidden, scale=0.5))
        steps = np.array([6, 6], np.int32)
        how = {"linear_before_reset": linear} if kind == "GRUSequence" else {}

        def graph(*ports, given=(steps, w, r, b), kind=kind, hidden=hidden, direction=direction,
                  how=how):
            return node(kind, 5, [*ports, *given], hidden_size=hidden, direction=direction,
                        activations=DEFAULT[kind], **how)

        yield recurrent(
            f"narrow_weights/{name}", arrays, graph,
            lambda *ports, given=(steps, w, r, b), kind=kind, direction=direction, how=how:
            REFERENCES[kind](*ports, *given, direction=direction, product=integers.product, **how),
            **I8)


def cases():
    yield from _products()
    yield from _sequences()
