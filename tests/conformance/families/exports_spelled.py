# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells decomposed into plain operations in TensorIterator and Loop, with the gate, matrix
and bias layouts of exporters, and cells that only resemble an LSTM or GRU."""

import numpy as np

import either
from build import node
from casebook import normal, recurrent
from families.loop import loop, run
from loops import both
from reference.iterate import backward, forward

ARRAYS = (np.ndarray, np.generic)


def split(a, count):
    if isinstance(a, ARRAYS):
        return np.split(a, count, -1)
    return node("Split", 1, [a, np.int64(-1)], num_splits=count).outputs()


def joined(*parts):
    if isinstance(parts[-1], ARRAYS):
        return np.concatenate(parts, -1)
    return node("Concat", 1, list(parts), axis=-1)


def columns(a, first, count):
    """Elements [first, first + count) of the last axis, as StridedSlice."""
    if isinstance(a, ARRAYS):
        return a[..., first:first + count]
    bounds = [np.array([0, at], np.int64) for at in (first, first + count)]
    return node("StridedSlice", 1, [a, *bounds, np.array([1, 1], np.int64)], begin_mask=[1, 0],
                end_mask=[1, 0], new_axis_mask=[], shrink_axis_mask=[], ellipsis_mask=[])


ONE = np.float32(1)


class Weights:
    """The matrices of one cell, created on first use."""
    def __init__(self, label, inputs, hidden):
        self.label, self.inputs, self.hidden = label, inputs, hidden

    def __call__(self, part, *shape, scale=0.4):
        return normal(self.label + part, *shape, scale=scale)


def product(weights, part, x, h, gates, form):
    """x W + h R + b for `gates` gates at once."""
    size, width = gates * weights.hidden, weights.inputs
    bias = weights(part + "b", size)
    if form == "merged":
        merged = weights(part + "m", width + weights.hidden, size)
        return either.add(either.matmul(joined(x, h), merged), bias)
    if form == "transposed":
        left = either.matmul(x, weights(part + "w", size, width), transpose_b=True)
        right = either.matmul(h, weights(part + "r", size, weights.hidden), transpose_b=True)
        return either.add(either.add(left, bias), either.add(right, weights(part + "c", size)))
    left = either.matmul(x, weights(part + "w", width, size))
    return either.add(either.add(left, either.matmul(h, weights(part + "r", weights.hidden, size))),
                      bias)


def lstm(weights, x, hidden, cell, form, order, forget_bias=0.0):
    """Returns (hidden, cell) and the gates by letter."""
    if form == "per_gate":
        parts = [product(weights, gate, x, hidden, 1, "plain") for gate in order]
    else:
        parts = split(product(weights, "", x, hidden, 4, form), 4)
    sums = dict(zip(order, parts))
    if forget_bias:
        sums["f"] = either.add(sums["f"], np.float32(forget_bias))
    gates = {gate: (either.tanh if gate == "g" else either.sigmoid)(sums[gate]) for gate in order}
    following = either.add(either.mul(gates["f"], cell), either.mul(gates["i"], gates["g"]))
    return either.mul(gates["o"], either.tanh(following)), following, gates


def gru(weights, x, hidden, linear, turned):
    """turned: z and 1 - z are swapped."""
    size = weights.hidden
    of_x = split(either.add(either.matmul(x, weights("w", weights.inputs, 3 * size)),
                            weights("b", 3 * size)), 3)
    of_h = either.matmul(hidden, weights("r", size, (3 if linear else 2) * size))
    if linear:
        of_h = either.add(of_h, weights("c", 3 * size))
    z, r = (either.sigmoid(either.add(of_x[at], columns(of_h, at * size, size)))
            for at in range(2))
    if linear:
        reset = either.mul(r, columns(of_h, 2 * size, size))
    else:
        reset = either.matmul(either.mul(r, hidden), weights("n", size, size))
    candidate = either.tanh(either.add(of_x[2], reset))
    kept, fresh = (candidate, hidden) if turned else (hidden, candidate)
    return either.add(either.mul(either.sub(ONE, z), fresh), either.mul(z, kept))


def gru_merged(weights, x, hidden):
    """TensorFlow's GRUCell: one matrix for both gates, one for the candidate."""
    size, width = weights.hidden, weights.inputs + weights.hidden
    gates = either.sigmoid(
        either.add(either.matmul(joined(x, hidden), weights("g", width, 2 * size)),
                   weights("b", 2 * size)))
    r, z = split(gates, 2)
    candidate = either.tanh(
        either.add(either.matmul(joined(x, either.mul(r, hidden)), weights("m", width, size)),
                   weights("c", size)))
    return either.add(either.mul(z, hidden), either.mul(either.sub(ONE, z), candidate))


def _case(name, step, states, time, batch, inputs, hidden, axis=0, reverse=False, note=""):
    """step(x, *states) -> next states. Outputs: all values of the first state, all last states."""
    def body(slices, carried, _):
        following = step(either.squeeze(slices[0], axis), *carried)
        return list(following), [either.unsqueeze(following[0], axis)]

    slicing = backward(axis) if reverse else forward(axis)
    shape = (batch, time, inputs) if axis else (time, batch, inputs)
    arrays = [normal(name, *shape)
             ] + [normal(f"{name}{part}", batch, hidden, scale=0.5) for part in range(states)]
    outputs = [(states, slicing)] + [(part, None) for part in range(states)]
    return recurrent(f"spelled/{name}", arrays, *both(body, [slicing], states, outputs), note=note)


def _lstm():
    rows = [  # name, form, gate order, forget bias, time, batch, inputs, hidden, axis, backward
        ("lstm_keras", "plain", "ifgo", 0, 7, 1, 9, 16, 0, False),
        ("lstm_keras_batch", "plain", "ifgo", 0, 5, 3, 6, 7, 1, False),
        ("lstm_tensorflow", "merged", "igfo", 1, 6, 1, 5, 16, 0, False),
        ("lstm_onnx_backward", "transposed", "iofg", 0, 6, 2, 9, 15, 0, True),
        ("lstm_per_gate", "per_gate", "figo", 0, 4, 1, 8, 9, 1, False),
        ("lstm_square", "plain", "figo", 0, 4, 1, 8, 8, 0, False),
    ]
    for name, form, order, bias, time, batch, inputs, hidden, axis, reverse in rows:
        weights = Weights(name, inputs, hidden)

        def step(x, h, c, weights=weights, form=form, order=order, bias=bias):
            return lstm(weights, x, h, c, form, order, bias)[:2]

        yield _case(name, step, 2, time, batch, inputs, hidden, axis, reverse)


def _gru():
    for linear in (False, True):
        for turned in (False, True):
            name = f"gru{'_linear' if linear else ''}{'_turned' if turned else ''}"
            weights = Weights(name, 9, 16)
            yield _case(
                name, lambda x, h, weights=weights, linear=linear, turned=turned:
                [gru(weights, x, h, linear, turned)], 1, 7, 1 + turned, 9, 16)
    weights = Weights("gru_merged", 5, 12)
    yield _case("gru_merged", lambda x, h: [gru_merged(weights, x, h)], 1, 6, 2, 5, 12, axis=1)


def _rnn():
    for form in ("merged", "transposed"):
        weights = Weights("rnn" + form, 6, 11)

        def step(x, h, weights=weights, form=form):
            return [either.tanh(product(weights, "", x, h, 1, form))]

        yield _case(f"rnn_{form}", step, 1, 7, 2, 6, 11)
    relu = Weights("rnn_relu", 6, 9)
    yield _case("rnn_relu",
                lambda x, h: [either.relu(product(relu, "", x, h, 1, "plain"))], 1, 5, 1, 6, 9)


def _nearly():
    """Cells that no OpenVINO operation computes."""
    weights = Weights("peephole", 6, 8)

    def peephole(x, h, c):
        sums = split(product(weights, "", x, h, 4, "plain"), 4)
        look = [either.mul(c, weights(f"p{gate}", 8)) for gate in range(2)]
        i, f = (either.sigmoid(either.add(sums[gate], look[gate])) for gate in range(2))
        following = either.add(either.mul(f, c), either.mul(i, either.tanh(sums[2])))
        out = either.sigmoid(either.add(sums[3], either.mul(following, weights("po", 8))))
        return [either.mul(out, either.tanh(following)), following]

    yield _case("nearly_peephole", peephole, 2, 6, 1, 6, 8, note="Gates read the cell state.")
    coupled_weights = Weights("coupled", 6, 8)

    def coupled(x, h, c):
        gates = lstm(coupled_weights, x, h, c, "plain", "ifgo")[2]
        following = either.add(either.mul(either.sub(ONE, gates["i"]), c),
                               either.mul(gates["i"], gates["g"]))
        return [either.mul(gates["o"], either.tanh(following)), following]

    yield _case("nearly_coupled", coupled, 2, 6, 1, 6, 8, note="The forget gate is 1 - i.")
    projected_weights = Weights("projected", 6, 8)

    def projected(x, h, c):
        following, cell, _ = lstm(projected_weights, x, h, c, "plain", "ifgo")
        return [either.matmul(following, projected_weights("p", 8, 8)), cell]

    yield _case("projected", projected, 2, 6, 1, 6, 8,
                note="A cell whose output goes through a matrix before it comes back.")
    read_weights = Weights("read", 6, 8)

    def body(slices, states, _):
        h, c, gates = lstm(read_weights, either.squeeze(slices[0], 0), *states, "plain", "ifgo")
        return [h, c], [either.unsqueeze(gates["f"], 0)]

    yield recurrent(
        "spelled/nearly_gate_is_an_output",
        [normal("grx", 6, 1, 6), normal("grh", 1, 8), normal("grc", 1, 8)],
        *both(body, [forward(0)], 2, [(2, forward(0)), (0, None), (1, None)]))


def _in_loops():
    """The same in Loop, and with weights that are constants outside of the body."""
    weights = Weights("looped", 6, 10)

    def body(number, slices, states, invariants):
        h, c, _ = lstm(weights, either.squeeze(slices[0], 1), *states, "plain", "iofg")
        return [h, c], [either.unsqueeze(h, 1)]

    arrays = [normal("lpx", 2, 6, 6), normal("lph", 2, 10), normal("lpc", 2, 10)]
    yield recurrent(
        "spelled/lstm_in_loop", arrays,
        lambda x, h, c: loop(body, 6, [(x, forward(1))], [h, c], [], [(2, 1), (1, None)]),
        lambda x, h, c: run(body, 6, [(x, forward(1))], [h, c], [], [(2, 1), (1, None)]))
    w, r, b = normal("inw", 6, 30, scale=.4), normal("inr", 10, 30, scale=.4), normal("inb", 30)

    def outside(number, slices, states, invariants):
        of_x = split(either.add(either.matmul(slices[0], invariants[0]), invariants[2]), 3)
        of_h = split(either.matmul(states[0], invariants[1]), 3)
        z, r = (either.sigmoid(either.add(of_x[at], of_h[at])) for at in range(2))
        n = either.tanh(either.add(of_x[2], either.mul(r, of_h[2])))
        following = either.add(n, either.mul(z, either.sub(states[0], n)))
        return [following], [following]

    def constants(x, h):
        from build import constant
        return loop(outside, 5, [(x, forward(0))], [h], [constant(a) for a in (w, r, b)], [(1, 0),
                                                                                         (0, None)])

    yield recurrent(
        "spelled/gru_of_invariant_constants",
        [normal("inx", 5, 6), normal("inh", 1, 10)], constants,
        lambda x, h: run(outside, 5, [(x, forward(0))], [h], [w, r, b], [(1, 0), (0, None)]))


def cases():
    for part in (_lstm, _gru, _rnn, _nearly, _in_loops):
        yield from part()
