# SPDX-License-Identifier: Apache-2.0
"""Loop-5 whose end is known only at run time: all five forms of its specification, trip counts of
either integer type, zero iterations, scan outputs of a run-time length."""

import dataclasses
from typing import Any, Callable, Optional, Sequence

import numpy as np
import openvino as ov
from openvino import opset1, opset5

import either
from build import constant, outputs_of, parameter
from casebook import by_numpy, counting, exact, normal, recurrent
from families.cells import weights
from reference.repeat import repeat

SCAN = (0, 1, 1, -1)


@dataclasses.dataclass
class Loop:
    """A Loop for the graph and for NumPy. body, carried and the other arguments as for repeat().

    number: NumPy type of the body's current-iteration Parameter, None if it has none; number_shape:
    [] or [1].
    """

    body: Callable
    outputs: Sequence[Any]
    number: Optional[type] = None
    number_shape: Sequence[int] = (1,)

    def node(self, trip, first, sliced=(), carried=(), invariant=()):
        """The outputs of a Loop node; arguments are nodes, or arrays for constants."""
        made = opset5.loop(_node(trip), _node(first))
        slices = []
        for value, axis in sliced:
            shape = list(_node(value).output(0).get_shape())
            shape[axis] = 1
            slices.append(parameter(shape, _node(value).output(0).get_element_type().to_dtype()))
        states, invariants = ([_parameter(value) for value in values]
                              for values in (carried, invariant))
        number = [parameter(self.number_shape, self.number)] if self.number else []
        following, results, condition = self.body(number[0] if number else None, slices, states,
                                                  invariants)
        ends = outputs_of([_node(value) for value in list(following) + list(results) + [condition]])
        results = [opset1.result(value) for value in ends]
        made.set_function(ov.Model(results, number + slices + states + invariants, "body"))
        made.set_special_body_ports([0 if number else -1, len(results) - 1])
        for port, (value, axis) in zip(slices, sliced):
            made.set_sliced_input(port, _node(value).output(0), 0, 1, 1, -1, axis)
        for port, value, end in zip(states, carried, results):
            made.set_merged_input(port, _node(value).output(0), end.output(0))
        for port, value in zip(invariants, invariant):
            made.set_invariant_input(port, _node(value).output(0))
        return [
            made.get_concatenated_slices(results[index].output(0), *SCAN, axis)
            if axis is not None else made.get_iter_value(results[index].output(0), -1)
            for index, axis in self.outputs
        ]

    def run(self, trip, first, sliced=(), carried=(), invariant=()):
        """The outputs of the Loop, computed by NumPy."""
        def numbered(number, slices, states, invariants):
            given = None if self.number is None else number.astype(self.number).reshape(
                self.number_shape)
            return self.body(given, slices, states, invariants)

        trip = int(np.asarray(trip).reshape(-1)[0])
        return repeat(numbered, trip, first, sliced, carried, invariant, self.outputs)


def _node(value):
    return value if hasattr(value, "get_type_info") or hasattr(value, "get_node") else constant(
        np.asarray(value))


def _parameter(value):
    port = _node(value).output(0)
    return parameter(port.get_shape(), port.get_element_type().to_dtype())


TRUE = np.array(True)
BOUND = {"convert": ("--max-iterations", "9")}
SEQUENTIAL = by_numpy(
    "OpenVINO's CPU device copies back edges one after another; they are simultaneous.")
UNSAID = by_numpy("What OpenVINO returns for a value that no iteration made is not specified.")


def doubles(number, slices, states, invariants):
    return [either.add(states[0], states[0])], [either.sub(states[0], invariants[0])], TRUE


def _counts():
    """for (i < trip), where the trip count is an input of the model."""
    loop = Loop(doubles, [(0, None), (1, 0)])
    for count, kind, shape in ((5, np.int64, (1,)), (1, np.int64, ()), (6, np.int32, (1,)),
                               (0, np.int32, ()), (0, np.int64, (1,))):
        trip = np.full(shape, count, kind)
        name = f"{np.dtype(kind).name}_{'one' if shape else 'scalar'}_{count}"
        yield exact(f"loop_run/trip_{name}",
                    [trip, counting(1, 3), counting(3)],
                    lambda n, s, i: loop.node(n, TRUE, [], [s], [i]),
                    lambda n, s, i: loop.run(n, TRUE, [], [s], [i]), **BOUND)

    def counts(number, slices, states, invariants):
        real = either.cast(number, np.float32)
        return [either.add(states[0], real)], [either.mul(invariants[0], real)], TRUE

    for kind in (np.int32, np.int64):
        for shape in ((), (1,)):
            numbered = Loop(counts, [(0, None), (1, 0)], kind, shape)
            yield exact(f"loop_run/number_{np.dtype(kind).name}_{'one' if shape else 'scalar'}",
                        [np.array([4], np.int64),
                         counting(1, 3), counting(1, 3)],
                        lambda n, s, i, numbered=numbered: numbered.node(n, TRUE, [], [s], [i]),
                        lambda n, s, i, numbered=numbered: numbered.run(n, TRUE, [], [s], [i]),
                        **BOUND)


def _conditions():
    """while loops, do-while loops and for loops with a condition."""
    def grows(number, slices, states, invariants):
        following = either.add(states[0], invariants[0])
        return [following], [either.sub(following,
                                        states[0])], either.less(either.total(following),
                                                                 np.float32(30))

    loop = Loop(grows, [(0, None), (1, 0)])
    step = np.array([[1, 2, 3]], np.float32)
    for name, first, start in (("while", True, 0), ("while_not_at_all", False, 0), ("once", True,
                                                                                    100)):
        start = np.full((1, 3), start, np.float32)
        yield exact(f"loop_run/{name}", [np.array([first]), start, step],
                    lambda c, s, i: loop.node(np.array([-1]), c, [], [s], [i]),
                    lambda c, s, i: loop.run(-1, c, [], [s], [i]), **BOUND)
    start = np.zeros((1, 3), np.float32)
    yield exact("loop_run/do_while", [start, step],
                lambda s, i: loop.node(np.array([-1]), TRUE, [], [s], [i]),
                lambda s, i: loop.run(-1, True, [], [s], [i]), **BOUND)
    for count in (0, 3, 8, -1):
        yield exact(f"loop_run/for_with_condition_{count}".replace("-", "m"),
                    [np.array([count]), np.array(True), start, step],
                    lambda n, c, s, i: loop.node(n, c, [], [s], [i]),
                    lambda n, c, s, i: loop.run(n, c, [], [s], [i]), **BOUND)
    yield exact("loop_run/constant_count_and_condition", [start, step],
                lambda s, i: loop.node(np.array([4]), TRUE, [], [s], [i]),
                lambda s, i: loop.run(4, True, [], [s], [i]), note="Needs no --max-iterations.")

    wide = Loop(grows, [(1, 1), (1, -2)])
    yield exact(
        "loop_run/scan_on_an_inner_axis", [start, step],
        lambda s, i: wide.node(np.array([-1]), TRUE, [], [s], [i]),
        lambda s, i: wide.run(-1, True, [], [s], [i]), **BOUND,
        **by_numpy("OpenVINO's CPU device loses scan outputs on inner axes of run-time "
                   "length."))

    def flagged(number, slices, states, invariants):
        following = either.add(states[0], invariants[0])
        return [following, either.less(either.total(following), np.float32(30))], [], states[1]

    carried = Loop(flagged, [(0, None)])
    yield exact("loop_run/condition_is_a_state", [start, np.array(True), step],
                lambda s, c, i: carried.node(np.array(-1), TRUE, [], [s, c], [i]),
                lambda s, c, i: carried.run(-1, True, [], [s, c], [i]),
                note="The condition of an iteration is what the one before it computed.", **BOUND)
    first = Loop(
        lambda number, slices, states, invariants:
        ([either.add(states[0], states[0])], [], np.array(False)), [(0, None), (0, 0)])
    yield exact("loop_run/condition_is_false", [counting(1, 3)],
                lambda s: first.node(np.array(7), TRUE, [], [s]),
                lambda s: first.run(7, True, [], [s]))
    for name, trip, start in (("count_is_0", 0, True), ("first_condition_is_false", 7, False)):
        never = Loop(doubles, [(0, None)])
        yield exact(
            f"loop_run/{name}", [counting(1, 3), counting(3)],
            lambda s, i, trip=trip, start=start: never.node(np.array(trip), np.array(start), [
            ], [s], [i]), lambda s, i, trip=trip, start=start: never.run(trip, start, [], [s], [i]),
            **by_numpy("OpenVINO gives the output an extent of 0."))


def _states():
    """States that alternate between buffers: the final buffer depends on the iteration count."""
    mix = normal("runmix", 16, 16, scale=0.3)

    def mixes(number, slices, states, invariants):
        return [either.tanh(either.matmul(states[0], mix))], [], TRUE

    def fibonacci(number, slices, states, invariants):
        return [states[1], either.add(states[0], states[1])], [], TRUE

    def swaps(number, slices, states, invariants):
        return [states[1], states[0]], [either.add(states[0], invariants[0])], TRUE

    def delays(number, slices, states, invariants):
        young = either.add(either.add(states[0], states[2]), invariants[0])
        return [young, states[0], states[1]], [], TRUE

    shuttle = Loop(mixes, [(0, None)])
    sums = Loop(fibonacci, [(0, None), (1, None), (0, 0)])
    swap = Loop(swaps, [(0, None), (1, None), (2, 0)])
    delay = Loop(delays, [(0, None), (1, None), (2, None)])
    tall = Loop(delays, [(2, 1), (0, 1), (1, None)])
    a, b, c = (np.float32(10**k) + counting(2, 3) for k in range(3))
    for count in (0, 1, 2, 3, 7):
        trip = np.array([count])
        yield recurrent(f"loop_run/shuttle_{count}", [trip, normal("rs", 2, 16)],
                        lambda n, s: shuttle.node(n, TRUE, [], [s]),
                        lambda n, s: shuttle.run(n, TRUE, [], [s]), **BOUND)
        yield exact(f"loop_run/fibonacci_{count}", [trip, a, b],
                    lambda n, s, t: sums.node(n, TRUE, [], [s, t]),
                    lambda n, s, t: sums.run(n, TRUE, [], [s, t]), **BOUND, **SEQUENTIAL)
        yield exact(f"loop_run/swap_{count}", [trip, a, b, c],
                    lambda n, s, t, i: swap.node(n, TRUE, [], [s, t], [i]),
                    lambda n, s, t, i: swap.run(n, TRUE, [], [s, t], [i]), **BOUND, **SEQUENTIAL)
        for name, loop in (("delay", delay), ("delay_gathered", tall)):
            yield exact(f"loop_run/{name}_{count}", [trip, a, b, c, counting(2, 3)],
                        lambda n, s, t, u, i, loop=loop: loop.node(n, TRUE, [], [s, t, u], [i]),
                        lambda n, s, t, u, i, loop=loop: loop.run(n, TRUE, [], [s, t, u], [i]),
                        **BOUND, **SEQUENTIAL)
    unmade = Loop(doubles, [(1, None), (0, None)])
    yield exact("loop_run/last_value_of_no_iteration",
                [np.array([0]), counting(1, 3), counting(3)],
                lambda n, s, i: unmade.node(n, TRUE, [], [s], [i]),
                lambda n, s, i: unmade.run(n, TRUE, [], [s], [i]), **BOUND, **UNSAID)


def _slices():
    """A run-time trip count, which may be lower than the number of slices."""
    w, r, b = weights("runlstm", 4, 5, 9)

    def lstm(number, slices, states, invariants):
        hidden, cell = either.lstm(either.squeeze(slices[0], 1), states[0], states[1], w, r, b)
        return [hidden, cell], [either.unsqueeze(hidden, 1)], TRUE

    loop = Loop(lstm, [(2, 1), (0, None), (1, None)])
    for batch in (1, 2):
        for count in (0, 3, 6):
            yield recurrent(f"loop_run/lstm_batch_{batch}_steps_{count}", [
                np.array([count]),
                normal("rlx", batch, 6, 5),
                normal("rlh", batch, 9),
                normal("rlc", batch, 9)
            ], lambda n, x, h, c: loop.node(n, TRUE, [(x, 1)], [h, c]),
                            lambda n, x, h, c: loop.run(n, TRUE, [(x, 1)], [h, c]),
                            note="Bounded by its slices.")


def _nested():
    """An inner loop whose trip count the outer loop computes."""
    def inner(number, slices, states, invariants):
        return [either.add(states[0], invariants[0])], [], TRUE

    adds = Loop(inner, [(0, None)])

    def outer(step):
        def body(number, slices, states, invariants):
            last = step(number, TRUE, [], [states[0]], [slices[0]])[0]
            return [last], [], either.less(either.total(last), np.float32(200))

        return body

    graph = Loop(outer(adds.node), [(0, None), (0, 0)], np.int64)
    own = Loop(outer(adds.run), [(0, None), (0, 0)], np.int64)
    for count in (0, 4, 6):
        yield exact(f"loop_run/nested_{count}",
                    [np.array([count]), counting(6, 3),
                     counting(1, 3)], lambda n, x, s: graph.node(n, TRUE, [(x, 0)], [s]),
                    lambda n, x, s: own.run(n, TRUE, [(x, 0)], [s]), **BOUND)


def cases():
    for part in (_counts, _conditions, _states, _slices, _nested):
        yield from part()
