# SPDX-License-Identifier: Apache-2.0
"""Loops over time that a tracer has unrolled: one copy of the body per step, which reads its time step
of the inputs by a constant index; the results are concatenated at the end. The converter restores the
loop."""

import numpy as np

import either
from build import node
from casebook import counting, normal, recurrent

ARRAYS = (np.ndarray, np.generic)


def place(a, step, axis=1):
    """Selects one index of an axis and removes the axis."""
    if isinstance(a, ARRAYS):
        return a.take(step, axis)
    return node("Gather", 8, [a, np.int64(step), np.int64(axis)], batch_dims=0)


def joined(parts, axis):
    if isinstance(parts[0], ARRAYS):
        return np.concatenate(parts, axis)
    return node("Concat", 1, parts, axis=axis)


def stacked(parts, axis=1):
    return joined([either.unsqueeze(part, axis) for part in parts], axis)


def divided(a, parts, axis):
    if isinstance(a, ARRAYS):
        return np.split(a, parts, axis)
    return node("Split", 1, [a, np.int64(axis)], num_splits=parts).outputs()


def zeros(*shape):
    return np.zeros(shape, np.float32)


def traced(path, inputs, model):
    """A case from one function that works on nodes and on arrays; axis 1 of input 0 is time."""
    def wide(*arrays):
        return model(*(np.asarray(array, np.float64) for array in arrays))

    return recurrent(f"traced/{path}", inputs, model, wide)


class Elman:
    """tanh(x W + h R + b); the first step omits the product with the zero state, as in exports."""
    def __init__(self, label, inputs, width):
        self.w, self.r = normal(label + "w", inputs, width), normal(label + "r", width, width)
        self.b = normal(label + "b", 1, width)

    def __call__(self, x, h):
        sum_ = either.matmul(x, self.w)
        if h is not None:
            sum_ = either.add(sum_, either.matmul(h, self.r))
        return either.tanh(either.add(sum_, self.b))


def walk(cell, x, h, steps):
    made = []
    for step in steps:
        h = cell(place(x, step), h)
        made.append(h)
    return made


def _directions():
    cell, other = Elman("te", 3, 5), Elman("to", 3, 5)
    x, h = normal("tx", 2, 6, 3), normal("th", 2, 5)
    yield traced("forward", [x, h], lambda x, h: stacked(walk(cell, x, h, range(6))))
    yield traced("begins_with_zeros", [x], lambda x: stacked(walk(cell, x, None, range(6))))
    yield traced("last_alone", [x, h], lambda x, h: walk(cell, x, h, range(6))[-1])
    yield traced("backward", [x], lambda x: stacked(walk(cell, x, None, range(5, -1, -1))[::-1]))

    def both(x):
        there = walk(cell, x, None, range(6))
        back = walk(other, x, None, range(5, -1, -1))[::-1]
        return stacked([joined([a, b], 1) for a, b in zip(there, back)])

    yield traced("both_directions", [x], both)


def _layers():
    below, above = Elman("tlb", 3, 4), Elman("tla", 4, 5)
    x = normal("tlx", 1, 7, 3)
    yield traced("layer_by_layer", [x], lambda x: stacked(
        walk(above, stacked(walk(below, x, None, range(7))), None, range(7))))

    def by_steps(x):
        low, high, made = zeros(1, 4), zeros(1, 5), []
        for step in range(7):
            low = below(place(x, step), low)
            high = above(low, high)
            made.append(high)
        return stacked(made)

    yield traced("step_by_step", [x], by_steps)


def _states():
    def biquad(x):
        first = second = None
        made = []
        for step in range(9):
            sample = place(x, step)
            y = either.mul(sample, np.float32(0.3))
            y = y if first is None else either.add(y, first)
            new = either.sub(either.mul(sample, np.float32(0.4)), either.mul(y, np.float32(-0.5)))
            first = new if second is None else either.add(new, second)
            second = either.sub(either.mul(sample, np.float32(0.2)),
                                either.mul(y, np.float32(0.25)))
            made.append(y)
        return stacked(made)

    yield traced("biquad", [normal("tb", 2, 9)], biquad)

    turn, keep = normal("tct", 1, 4, scale=0.5), normal("tck", 1, 4, scale=0.5)

    def turned(u, v):
        """A complex state, real and imaginary part."""
        a, b = zeros(2, 4), zeros(2, 4)
        made = []
        for step in range(6):
            a, b = (either.add(either.sub(either.mul(keep, a), either.mul(turn, b)), place(u, step)),
                    either.add(either.add(either.mul(keep, b), either.mul(turn, a)), place(v, step)))
            made.append(joined([a, b], 1))
        return stacked(made)

    yield traced("complex_state", [normal("tcu", 2, 6, 4), normal("tcv", 2, 6, 4)], turned)

    w, r = normal("tgw", 3, 20), normal("tgr", 5, 20)
    b = normal("tgb", 1, 20)

    def gates(x):
        hidden = cell = zeros(1, 5)
        made = []
        for step in range(5):
            sum_ = either.add(either.add(either.matmul(place(x, step), w),
                                         either.matmul(hidden, r)), b)
            i, f, g, o = divided(sum_, 4, 1)
            cell = either.add(either.mul(either.sigmoid(f), cell),
                              either.mul(either.sigmoid(i), either.tanh(g)))
            hidden = either.mul(either.sigmoid(o), either.tanh(cell))
            made.append(hidden)
        return [stacked(made), cell]

    yield traced("lstm_and_its_last_cell", [normal("tgx", 1, 5, 3)], gates)


def _places():
    cell = Elman("tp", 6, 4)

    def parts(x):
        h, made = zeros(2, 4), []
        for part in divided(x, 4, 1):
            h = cell(either.reshape(part, 2, 6), h)
            made.append(h)
        return joined(made, 1)

    yield traced("two_places_at_once", [normal("tpx", 2, 8, 3)], parts)

    small = Elman("tps", 3, 4)

    def marked(x):
        h, made = zeros(1, 4), []
        for step in range(5):
            row = counting(1, 3) * np.float32(0.25) + np.float32(step)
            h = small(either.add(place(x, step), row), h)
            made.append(h)
        return stacked(made)

    yield traced("constants_that_differ", [normal("tpm", 1, 5, 3)], marked)

    def chosen(x):
        states = walk(small, x, None, range(8))
        return [either.add(states[2], states[7]), stacked(states[3:6])]

    yield traced("some_steps_alone", [normal("tpc", 1, 8, 3)], chosen)


def cases():
    for part in (_directions, _layers, _states, _places):
        yield from part()
