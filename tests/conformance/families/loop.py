# SPDX-License-Identifier: Apache-2.0
"""Loop-5 with a constant trip count and a condition that stays true, also nested with
TensorIterator."""

import numpy as np
import openvino as ov
from openvino import opset1, opset5

import either
from build import constant, node, outputs_of, parameter
from casebook import by_numpy, counting, exact, normal, recurrent
from families.cells import weights
from loops import tensor_iterator
from reference.iterate import Slicing, forward, iterate

SCAN = (0, 1, 1, -1)


def loop(body, count, sliced, carried, invariant, outputs, numbered=False, count_type=np.int64):
    """Returns the outputs of a Loop. Arguments as for loops.tensor_iterator, except that the body is
    body(iteration, slices, states, invariants).

    numbered: whether the body has a Parameter for the current iteration (i64, one element).
    """
    made = opset5.loop(constant(np.array(count, count_type)), constant(np.array(True)))
    slices = []
    for value, slicing in sliced:
        shape = list(_output(value).get_shape())
        shape[slicing.axis] = 1
        slices.append(parameter(shape, _output(value).get_element_type().to_dtype()))
    states, invariants = ([
        parameter(_output(value).get_shape(),
                  _output(value).get_element_type().to_dtype()) for value in values
    ] for values in (carried, invariant))
    number = [parameter([1], np.int64)] if numbered else []
    next_states, results = body(number[0] if numbered else None, slices, states, invariants)
    values = outputs_of([_output(value) for value in list(next_states) + list(results)
                        ]) + [constant(np.array(True)).output(0)]
    ends = [opset1.result(value) for value in values]
    made.set_function(ov.Model(ends, number + slices + states + invariants, "body"))
    made.set_special_body_ports([0 if numbered else -1, len(ends) - 1])
    for port, (value, slicing) in zip(slices, sliced):
        made.set_sliced_input(port, _output(value), slicing.start, slicing.stride,
                              abs(slicing.stride), slicing.end, slicing.axis)
    for port, value, end in zip(states, carried, ends):
        made.set_merged_input(port, _output(value), end.output(0))
    for port, value in zip(invariants, invariant):
        made.set_invariant_input(port, _output(value))
    return [
        made.get_concatenated_slices(ends[index].output(0), *SCAN, axis)
        if axis is not None else made.get_iter_value(ends[index].output(0), -1)
        for index, axis in outputs
    ]


def _output(value):
    return value.output(0) if hasattr(value, "get_type_info") else value


def run(body, count, sliced, carried, invariant, outputs, numbered=False):
    """The outputs of loop(), computed by NumPy."""
    steps = np.arange(count, dtype=np.int64)

    def step(slices, states, invariants):
        return body(slices[0] if numbered else None, slices[1:], states, invariants)

    cut = [(array[:count] if slicing.axis == 0 else array, slicing) for array, slicing in sliced]
    return iterate(step, [(steps, forward(0)), *cut], carried, invariant,
                   [(index, None if axis is None else Slicing(axis)) for index, axis in outputs])


def _plain():
    def doubles(number, slices, states, invariants):
        return [either.add(states[0], states[0])], [either.sub(states[0], invariants[0])]

    for count in (1, 2, 5):
        yield exact(
            f"loop_const/doubling_{count}", [counting(1, 3), counting(3)],
            lambda s, i, count=count: loop(doubles, count, [], [s], [i], [(0, None), (1, 0)]),
            lambda s, i, count=count: run(doubles, count, [], [s], [i], [(0, None), (1, 0)]))
    yield exact(
        "loop_const/trip_count_is_i32", [counting(1, 3), counting(3)],
        lambda s, i: loop(doubles, [4], [], [s], [i], [(0, None), (1, 0)], count_type=np.int32),
        lambda s, i: run(doubles, 4, [], [s], [i], [(0, None),
                                                    (1, 0)]), note="The trip count is [4], i32.")

    def numbers(number, slices, states, invariants):
        real = number.astype(np.float32) if isinstance(number, np.ndarray) else node(
            "Convert", 1, [number], destination_type="f32")
        scaled = either.mul(invariants[0], real)
        return [either.add(states[0], scaled)], [scaled]

    yield exact("loop_const/current_iteration", [counting(1, 4), counting(1, 4)],
                lambda s, i: loop(numbers, 6, [], [s], [i], [(0, None), (1, 0)], numbered=True),
                lambda s, i: run(numbers, 6, [], [s], [i], [(0, None), (1, 0)], numbered=True))

    def sums(number, slices, states, invariants):
        return [either.add(states[0], slices[0])], []

    for count in (5, 3):
        yield exact(
            f"loop_const/sliced_5_run_{count}", [counting(5, 3), counting(1, 3)],
            lambda x, s, count=count: loop(sums, count, [(x, forward(0))], [s], [], [(0, 0),
                                                                                     (0, None)]),
            lambda x, s, count=count: run(sums, count, [(x, forward(0))], [s], [], [(0, 0),
                                                                                    (0, None)]),
            note="Fewer iterations than slices." if count < 5 else "")

    def swaps(number, slices, states, invariants):
        return [states[1], states[0]], [either.add(states[0], invariants[0])]

    for count in (3, 4):
        yield exact(
            f"loop_const/swapped_states_{count}",
            [counting(1, 3), 100 + counting(1, 3),
             counting(1, 3)],
            lambda a, b, i, count=count: loop(swaps, count, [], [a, b], [i], [(0, None), (1, None),
                                                                              (2, 0)]),
            lambda a, b, i, count=count: run(swaps, count, [], [a, b], [i], [(0, None), (1, None),
                                                                             (2, 0)]),
            **by_numpy(
                "OpenVINO's CPU device copies back edges one after another; they are simultaneous."
            ))


def _recurrent():
    w, r, b = weights("loopg", 3, 9, 17)

    def gru(number, slices, states, invariants):
        following = either.gru(either.squeeze(slices[0], 1), states[0], w, r, b)
        return [following], [either.unsqueeze(following, 1)]

    yield recurrent("loop_const/gru",
                    [normal("lgx", 1, 7, 9), normal("lgh", 1, 17)],
                    lambda x, s: loop(gru, 7, [(x, forward(1))], [s], [], [(1, 1), (0, None)]),
                    lambda x, s: run(gru, 7, [(x, forward(1))], [s], [], [(1, 1), (0, None)]))
    mix = normal("refine", 16, 16, scale=0.2)

    def refine(number, slices, states, invariants):
        return [either.tanh(either.add(either.matmul(states[0], mix), invariants[0]))], []

    yield recurrent("loop_const/fixed_point",
                    [normal("fp", 2, 16), normal("fpx", 2, 16)],
                    lambda s, i: loop(refine, 9, [], [s], [i], [(0, None)]),
                    lambda s, i: run(refine, 9, [], [s], [i], [(0, None)]))


def _nested():
    """The outer loop runs over rows, the inner one three times on each."""
    def inner(number, slices, states, invariants):
        return [either.add(either.mul(states[0], np.float32(2)), invariants[0])], []

    def outer(run_inner):
        def body(number, slices, states, invariants):
            last = run_inner(inner, 3, [], [states[0]], [slices[0]], [(0, None)])[0]
            return [last], []

        return body

    small = np.round(normal("nest", 4, 3) * 3)
    yield exact("loop_nested/loop_in_loop", [small, np.round(normal("nests", 1, 3) * 3)],
                lambda x, s: loop(outer(loop), 4, [(x, forward(0))], [s], [], [(0, 0), (0, None)]),
                lambda x, s: run(outer(run), 4, [(x, forward(0))], [s], [], [(0, 0), (0, None)]))

    def unnumbered(run_inner):
        return lambda slices, states, invariants: outer(run_inner)(None, slices, states, invariants)

    yield exact(
        "loop_nested/loop_in_tensor_iterator", [small, np.round(normal("nests", 1, 3) * 3)],
        lambda x, s: tensor_iterator(unnumbered(loop), [(x, forward(0))], [s], [], [(0, forward(0)),
                                                                                    (0, None)]),
        lambda x, s: iterate(unnumbered(run), [(x, forward(0))], [s], [], [(0, forward(0)),
                                                                           (0, None)]))

    def rows(run_inner):
        def body(number, slices, states, invariants):
            def step(pieces, sums, _):
                return [either.add(sums[0], pieces[0])], []

            last = run_inner(step, [(invariants[0], forward(0))], [states[0]], [], [(0, None)])[0]
            return [last], []

        return body

    yield exact("loop_nested/tensor_iterator_in_loop", [np.round(normal("nests", 1, 3) * 3), small],
                lambda s, x: loop(rows(tensor_iterator), 3, [], [s], [x], [(0, 0), (0, None)]),
                lambda s, x: run(rows(iterate), 3, [], [s], [x], [(0, 0), (0, None)]))


def cases():
    for part in (_plain, _recurrent, _nested):
        yield from part()
