# SPDX-License-Identifier: Apache-2.0
"""Loops with a small constant trip count, in which the iteration number is an index, a bound or a
branch condition: a converter can resolve it by unrolling the loop."""

import numpy as np
import openvino as ov
from openvino import opset1, opset8

import either
from build import constant, finish, node, outputs_of, parameter_like
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
    """The first iteration uses the input unchanged, the others mix it with the state."""
    def choose(first, slices, state):
        if isinstance(first, ARRAYS):
            return slices if first[0] else either.add(either.mul(state, np.float32(0.5)), slices)
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


def _grown():
    """All states, appended by Concat to a list that starts empty, as exporters without scan outputs
    write it."""
    def model(front):
        x, first = (opset8.parameter(shape, np.float32, name) for name, shape in
                    (("x0", [5, 3]), ("x1", [1, 3])))
        made = opset8.loop(constant(np.array(5)), constant(np.array(True)))
        row, state = (opset8.parameter([1, 3], np.float32) for _ in range(2))
        rows = opset8.parameter(ov.PartialShape([-1, 3]), np.float32)
        following = either.tanh(either.add(state, row))
        grown = node("Concat", 1, [following, rows] if front else [rows, following], axis=0)
        ends = [opset8.result(end) for end in (following, grown, constant(np.array(True)))]
        made.set_function(ov.Model(ends, [row, state, rows], "body"))
        made.set_special_body_ports([-1, 2])
        made.set_sliced_input(row, x.output(0), 0, 1, 1, -1, 0)
        made.set_merged_input(state, first.output(0), ends[0].output(0))
        empty = constant(np.zeros((0, 3), np.float32))
        made.set_merged_input(rows, empty.output(0), ends[1].output(0))
        outputs = [made.get_iter_value(end.output(0), -1) for end in ends[1::-1]]
        return finish(outputs, [x, first], "grown")

    def reference(x, state, front):
        every = []
        for row in x.astype(np.float64):
            state = np.tanh(state + row)
            every.append(state[0])
        return [np.stack(every[::-1] if front else every), state]

    for front in (False, True):
        yield recurrent(f"flat/grown_list{'_from_the_front' if front else ''}",
                        [normal("gr", 5, 3), normal("grs", 1, 3)], None,
                        lambda x, s, front=front: reference(x, s, front),
                        model=lambda front=front: model(front))


def cases():
    for part in (_index, _bounds, _branch, _grown):
        yield from part()
