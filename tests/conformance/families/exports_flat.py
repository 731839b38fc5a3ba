# SPDX-License-Identifier: Apache-2.0
"""Loops with a small constant trip count whose current iteration is an index, a bound or the choice
between two branches: what a converter decides ahead of time by laying the loop flat."""

import numpy as np
from openvino import opset8

import either
from build import constant, node, outputs_of, parameter_like
from casebook import by_numpy, exact, normal, recurrent
from families.loop import loop, run
from reference.iterate import forward

ARRAYS = (np.ndarray, np.generic)
BOUNDS = by_numpy("OpenVINO's CPU device has no executor for slices with computed bounds in a Loop.")


def gather(a, at):
    if isinstance(a, ARRAYS):
        return np.take(a, at, 0)
    return node("Gather", 8, [a, at, np.int64(0)], batch_dims=0)


def window(a, first, count):
    """Rows [first, first + count); first has one element."""
    if isinstance(a, ARRAYS):
        return a[int(first[0]):int(first[0]) + count]
    last = node("Add", 1, [first, np.array([count], np.int64)])
    return node("Slice", 8,
                [a, first, last, np.array([1], np.int64), np.array([0], np.int64)])


def _index():
    def every_other(number, slices, states, invariants):
        row = gather(invariants[0], either.mul(number, np.array([2], np.int64)))
        return [either.add(states[0], row)], [either.mul(row, slices[0])]

    arrays = [normal("fi", 4, 3), normal("fis", 1, 3), normal("fit", 8, 3)]
    both = [(lambda x, s, t, make=make: make(every_other, 4, [(x, forward(0))], [s], [t],
                                             [(0, None), (1, 0)], numbered=True))
            for make in (loop, run)]
    yield recurrent("flat/every_other_row", arrays, *both)

    def table(number, slices, states, invariants):
        gain = gather(constant(GAINS) if not isinstance(number, ARRAYS) else GAINS, number)
        return [either.tanh(either.mul(states[0], gain))], [either.unsqueeze(states[0], 0)]

    both = [(lambda s, make=make: make(table, 5, [], [s], [], [(0, None), (1, 0)], numbered=True))
            for make in (loop, run)]
    yield recurrent("flat/row_of_a_table", [normal("ft", 1, 3)], *both)


GAINS = normal("ftg", 5, 3)


def _bounds():
    kernel = normal("fw", 2, 4, scale=0.5)

    def slide(number, slices, states, invariants):
        rows = either.matmul(window(invariants[0], number, 3), kernel)
        return [either.add(states[0], rows)], [rows]

    both = [(lambda s, x, make=make: make(slide, 6, [], [s], [x], [(0, None), (1, 0)],
                                          numbered=True)) for make in (loop, run)]
    yield recurrent("flat/sliding_window", [normal("fws", 3, 4), normal("fwx", 8, 2)], *both,
                    **BOUNDS)


def _branch():
    """The first iteration takes the input as it is, the others mix it with the state."""
    def choose(first, slices, state):
        if isinstance(first, ARRAYS):
            return slices if first[0] else either.add(either.mul(state, np.float32(0.5)), slices)
        import openvino as ov
        from openvino import opset1
        branches = []
        for keeps in (True, False):
            a, b = (parameter_like(np.zeros((1, 3), np.float32)) for _ in range(2))
            half = either.mul(b, np.float32(0.5))
            result = opset1.result(a if keeps else outputs_of(either.add(half, a))[0])
            branches.append((ov.Model([result], [a] if keeps else [a, b], "branch"), a,
                             None if keeps else b, result))
        made = opset8.if_op(outputs_of(first)[0])
        made.set_then_body(branches[0][0])
        made.set_else_body(branches[1][0])
        made.set_input(outputs_of(slices)[0], branches[0][1], branches[1][1])
        made.set_input(outputs_of(state)[0], None, branches[1][2])
        return made.set_output(branches[0][3], branches[1][3])

    def mix(number, slices, states, invariants):
        if isinstance(number, ARRAYS):
            first = number == 0
        else:
            first = node("Equal", 1, [number, np.array([0], np.int64)])
        following = choose(first, slices[0], states[0])
        return [following], [following]

    both = [(lambda x, s, make=make: make(mix, 5, [(x, forward(0))], [s], [], [(1, 0), (0, None)],
                                          numbered=True)) for make in (loop, run)]
    yield exact("flat/first_iteration_differs",
                [np.round(normal("fb", 5, 3) * 8), np.round(normal("fbs", 1, 3) * 8)], *both)


def cases():
    for part in (_index, _bounds, _branch):
        yield from part()
