# SPDX-License-Identifier: Apache-2.0
"""LSTMSequence, GRUSequence and RNNSequence: directions, lengths shorter than the time axis, clip,
activations."""

import numpy as np

from build import node
from casebook import by_numpy, i64, normal, recurrent
from families.cells import PEEPHOLES, named_peepholes, weights, with_peepholes
from reference import cells

DIRECTIONS = {"forward": 1, "reverse": 1, "bidirectional": 2}
GATES = {"LSTMSequence": 4, "GRUSequence": 3, "RNNSequence": 1}
# OpenVINO's operation API leaves the list empty, and then its CPU device fails.
DEFAULT = {
    "LSTMSequence": ["sigmoid", "tanh", "tanh"], "GRUSequence": ["sigmoid", "tanh"],
    "RNNSequence": ["tanh"]
}
REFERENCES = {
    "LSTMSequence": cells.lstm_sequence, "GRUSequence": cells.gru_sequence,
    "RNNSequence": cells.rnn_sequence
}


def stacked(label, directions, gates, inputs, hidden, bias_parts=None):
    """Weights with the leading num_directions axis."""
    parts = [
        weights(f"{label}d{index}", gates, inputs, hidden, bias_parts)
        for index in range(directions)
    ]
    return [np.stack(part) for part in zip(*parts)]


def sequence_case(path, kind, batch, time, inputs, hidden, direction="forward", lengths=None,
                  runtime_lengths=False, weights_are_inputs=False, more=None, **how):
    """One sequence. `lengths` defaults to the full time axis; `how` is passed to the operation and
    to the reference."""
    directions, label = DIRECTIONS[direction], path
    linear = bool(how.get("linear_before_reset"))
    w, r, b = stacked(label, directions, GATES[kind], inputs, hidden, 4 if linear else None)
    arrays = [normal(label + "x", batch, time, inputs)]
    for part in range(2 if kind == "LSTMSequence" else 1):
        arrays.append(normal(f"{label}s{part}", batch, directions, hidden, scale=0.5))
    states = len(arrays) - 1
    steps = np.array(lengths or [time] * batch, np.int32)
    if runtime_lengths:
        arrays.append(steps)
    if weights_are_inputs:
        arrays += [w, r, b]
    attributes = {{"alphas": "activations_alpha", "betas": "activations_beta"}.get(key, key): value
                  for key, value in how.items()}
    attributes.setdefault("activations", DEFAULT[kind])

    def graph(*ports):
        given = list(ports[:1 + states])
        given.append(ports[1 + states] if runtime_lengths else steps)
        given += ports[-3:] if weights_are_inputs else [w, r, b]
        return node(kind, 5, given, hidden_size=hidden, direction=direction, **attributes)

    def reference(*ports):
        return REFERENCES[kind](*ports[:1 + states], steps, w, r, b, direction=direction, **how)

    return recurrent(path, arrays, graph, reference, **(more or {}))


def _directions():
    shapes = [(1, 7, 5, 16), (2, 5, 16, 15), (1, 4, 17, 33), (2, 1, 3, 1), (3, 9, 1, 17)]
    turn = 0
    for kind in GATES:
        for direction in DIRECTIONS:
            for linear in (False, True) if kind == "GRUSequence" else (False,):
                for step in range(2):
                    batch, time, inputs, hidden = shapes[(turn + step) % len(shapes)]
                    name = kind[:-8].lower() + ("_linear" if linear else "")
                    how = {"linear_before_reset": linear} if kind == "GRUSequence" else {}
                    yield sequence_case(
                        f"sequence/{name}_{direction}_b{batch}_t{time}_i{inputs}_h{hidden}", kind,
                        batch, time, inputs, hidden, direction, **how)
                turn += 2


def _lengths():
    for kind in GATES:
        name = kind[:-8].lower()
        for direction in DIRECTIONS:
            yield sequence_case(f"sequence/{name}_{direction}_shorter", kind, 3, 6, 5, 8, direction,
                                lengths=[6, 2, 4])
        yield sequence_case(f"sequence/{name}_bidirectional_runtime_lengths", kind, 3, 6, 5, 7,
                            "bidirectional", lengths=[3, 6, 1], runtime_lengths=True)
        yield sequence_case(f"sequence/{name}_forward_runtime_lengths", kind, 1, 9, 3, 16,
                            "forward", lengths=[5], runtime_lengths=True)
        yield sequence_case(f"sequence/{name}_bidirectional_runtime_length_zero", kind, 2, 4, 3, 5,
                            "bidirectional", lengths=[0, 3], runtime_lengths=True)


def _whole_blocks():
    """One row and a multiple of 16 units: fused cells whose weights fit L1 partly or completely."""
    for kind, linear in (("LSTMSequence", False), ("GRUSequence", True)):
        how = {"linear_before_reset": True} if linear else {}
        for direction in DIRECTIONS:
            large = 64 if direction == "forward" else 32
            for time, inputs, hidden in ((1, 3, 16), (2, 3, 16), (7, 9, large)):
                name = f"{kind[:-8].lower()}_blocks_{direction}_t{time}_i{inputs}_h{hidden}"
                yield sequence_case(f"sequence/{name}", kind, 1, time, inputs, hidden, direction,
                                    **how)


def _settings():
    yield sequence_case("sequence/lstm_clip", "LSTMSequence", 2, 5, 9, 16, clip=0.4)
    yield sequence_case("sequence/gru_clip", "GRUSequence", 1, 5, 9, 16, "reverse", clip=0.4,
                        linear_before_reset=True)
    yield sequence_case("sequence/rnn_relu", "RNNSequence", 1, 6, 9, 15, activations=["relu"])
    yield sequence_case("sequence/rnn_sigmoid_clip", "RNNSequence", 1, 6, 9, 15, "bidirectional",
                        activations=["sigmoid"], clip=0.5)
    yield sequence_case("sequence/lstm_relu", "LSTMSequence", 1, 4, 6, 17, "bidirectional",
                        activations=["sigmoid", "relu", "tanh"])
    yield sequence_case("sequence/gru_relu", "GRUSequence", 2, 4, 6, 17,
                        activations=["sigmoid", "relu"])
    yield sequence_case("sequence/lstm_weights_are_inputs", "LSTMSequence", 1, 4, 5, 6,
                        weights_are_inputs=True)
    yield sequence_case("sequence/gru_weights_are_inputs", "GRUSequence", 2, 4, 5, 6,
                        "bidirectional", weights_are_inputs=True)
    yield sequence_case("sequence/rnn_weights_are_inputs", "RNNSequence", 1, 4, 5, 6, "reverse",
                        weights_are_inputs=True)


def _activations_of_each_direction():
    """Two lists of activations, alphas and betas, one after the other."""
    rows = [  # name, kind, activations, alphas, betas
        ("lstm_equal", "LSTMSequence", ["sigmoid", "tanh", "relu"] * 2, [], []),
        ("gru_equal", "GRUSequence", ["sigmoid", "relu"] * 2, [], []),
        ("rnn_equal", "RNNSequence", ["relu"] * 2, [], []),
        ("lstm_two_kinds", "LSTMSequence",
         ["sigmoid", "relu", "tanh", "hardsigmoid", "tanh", "relu"], [0, 0, 0, 0.3, 0, 0],
         [0, 0, 0, 0.4, 0, 0]),
        ("gru_two_kinds", "GRUSequence", ["sigmoid", "tanh", "hardsigmoid", "relu"],
         [0, 0, 0.3, 0], [0, 0, 0.4, 0]),
        ("rnn_two_kinds", "RNNSequence", ["tanh", "relu"], [], []),
    ]
    why = by_numpy("OpenVINO computes both directions with the activations of the first.")
    for name, kind, activations, alphas, betas in rows:
        label = f"activations_{name}"
        states, time, inputs, hidden = len(DEFAULT[kind]) // 3 + 1, 5, 3, 4
        w, r, b = stacked(label, 2, GATES[kind], inputs, hidden)
        arrays = [normal(label + "x", 2, time, inputs)]
        arrays += [normal(f"{label}s{part}", 2, 2, hidden, scale=0.5) for part in range(states)]
        arrays.append(np.array([time, 3], np.int32))
        attributes = {"activations": activations, "clip": 0.8}
        if alphas:
            attributes.update(activations_alpha=alphas, activations_beta=betas)

        def graph(*ports, kind=kind, own=(w, r, b), attributes=attributes):
            return node(kind, 5, [*ports, *own], hidden_size=4, direction="bidirectional",
                        **attributes)

        def reference(x, *rest, kind=kind, own=(w, r, b), lists=(activations, alphas, betas)):
            halves = []
            for index, direction in enumerate(("forward", "reverse")):
                count = len(lists[0]) // 2
                names, alphas, betas = (part[index * count:][:count] for part in lists)
                given = [part[:, [index]] for part in rest[:-1]] + [rest[-1]]
                given += [part[[index]] for part in own]
                halves.append(REFERENCES[kind](x, *given, direction=direction, activations=names,
                                               alphas=alphas, betas=betas, clip=0.8))
            return [np.concatenate(pair, 1) for pair in zip(*halves)]

        yield recurrent(f"sequence/{label}", arrays, graph, reference,
                        **(why if "two_kinds" in name else {}))


def _peepholes():
    """LSTMSequence-1, written as version 5 and edited to add its peephole input."""
    batch, time, inputs, hidden = 2, 5, 4, 6
    for direction, count in DIRECTIONS.items():
        label = f"peepholes_{direction}"
        w, r, b = stacked(label, count, 4, inputs, hidden)
        p = normal(label + "p", count, 3 * hidden, scale=0.7)
        arrays = [normal(label + "x", batch, time, inputs)] + [
            normal(label + part, batch, count, hidden, scale=0.5) for part in "hc"
        ]

        def graph(x, h, c, direction=direction, own=(w, r, b), p=p):
            made = node("LSTMSequence", 5, [x, h, c, np.array([time, 3], np.int32), *own],
                        hidden_size=hidden, direction=direction,
                        activations=DEFAULT["LSTMSequence"])
            return made, named_peepholes(p)

        def reference(x, h, c, direction=direction, own=(w, r, b), p=p):
            def cell(x, states, w, r, b, p):
                return list(cells.lstm_cell(x, *states, w, r, b, peepholes=p))

            return [*cells.sequence(cell, x, [h, c], [time, 3], [*own, p], direction), -p]

        yield recurrent(f"sequence/lstm1_{label}", arrays, graph, reference,
                        edit=with_peepholes("LSTMSequence", 20), **PEEPHOLES)


def _stack():
    """Two layers: Y of the first, with its directions concatenated, is the second's input."""
    w1, r1, b1 = stacked("stack1", 2, 4, 8, 16)
    w2, r2, b2 = stacked("stack2", 1, 3, 32, 15)
    zeros1, zeros2 = np.zeros((1, 2, 16), np.float32), np.zeros((1, 1, 15), np.float32)
    x = normal("stackx", 1, 12, 8)

    def graph(source):
        first = node(
            "LSTMSequence", 5,
            [source, zeros1, zeros1, np.array([12], np.int32), w1, r1, b1], hidden_size=16,
            direction="bidirectional", activations=["sigmoid", "tanh", "tanh"])
        sides = node("Reshape", 1,
                     [node("Transpose", 1, [first.output(0), i64(0, 2, 1, 3)]),
                      i64(0, 0, -1)], special_zero=True)
        second = node("GRUSequence", 5,
                      [sides, zeros2, np.array([12], np.int32), w2, r2, b2], hidden_size=15,
                      direction="forward", activations=DEFAULT["GRUSequence"])
        return node("Squeeze", 1, [second.output(0), i64(1)])

    def reference(source):
        first = cells.lstm_sequence(source, zeros1, zeros1, [12], w1, r1, b1, "bidirectional")[0]
        sides = first.transpose(0, 2, 1, 3).reshape(1, 12, 32)
        return cells.gru_sequence(sides, zeros2, [12], w2, r2, b2)[0][:, 0]

    yield recurrent("sequence/stack_bidirectional_lstm_then_gru", [x], graph, reference)


def cases():
    yield from _directions()
    yield from _lengths()
    yield from _whole_blocks()
    yield from _settings()
    yield from _activations_of_each_direction()
    yield from _stack()
    yield from _peepholes()
