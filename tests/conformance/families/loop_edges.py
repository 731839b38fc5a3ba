# SPDX-License-Identifier: Apache-2.0
"""Loops from random models that once exposed a bug, each reduced to a minimal case."""

import numpy as np

import either
from build import node
from casebook import by_numpy, counting, exact
from families.loop_run import BOUND, TRUE, UNSAID, Loop
from loops import both
from reference.iterate import Slicing, backward


def _first_row(a):
    if isinstance(a, np.ndarray):
        return a[:1]
    return node("Split", 1, [a, np.array(0, np.int64)], num_splits=2).output(0)


def _unfinished_slices():
    """Slices in reverse order and fewer iterations than slices: the first slices are not read."""
    def sums(number, slices, states, invariants):
        return [either.add(states[0], slices[0])], [slices[0]], TRUE

    loop = Loop(sums, [(0, None), (1, 0)])

    def backwards(text):
        whole = 'start="0" end="-1" stride="1"'
        assert whole in text
        return text.replace(whole, 'start="-1" end="0" stride="-1"', 1)

    answers = by_numpy("OpenVINO's implementations differ on slices that a Loop leaves over.")
    for name, trip in (("constant", np.array([4])), ("run_time", None)):
        count = [] if trip is not None else [np.array([4])]
        yield exact(f"loop_edges/last_slices_first_{name}_count",
                    count + [counting(6, 3), counting(1, 3)],
                    lambda *p, trip=trip: loop.node(trip if trip is not None else p[0], TRUE,
                                                    [(p[-2], 0)], [p[-1]]),
                    lambda *p, trip=trip: loop.run(trip if trip is not None else p[0], TRUE,
                                                   [(p[-2][::-1], 0)], [p[-1]]), edit=backwards,
                    **answers)


def _part_of_a_state():
    """A leading part of a state has the same start as the state but is another value."""
    def doubles(_, states, __):
        return [either.add(states[0], states[0])], [_first_row(states[0])]

    yield exact("loop_edges/first_row_of_the_old_state", [counting(2, 3)],
                *both(doubles, [], 1, [(0, None), (1, Slicing(0, 0, 5, 1)), (1, None)], count=5))
    yield exact("loop_edges/first_row_of_the_old_state_backward",
                [counting(4, 1), counting(2, 3)],
                *both(doubles, [backward(0)], 1, [(1, backward(0)), (0, None)]),
                **by_numpy("OpenVINO drops slices that are not read, and their count with them."))


def _ends():
    """Partly constant end conditions, and the outputs of a loop with zero iterations."""
    def once(number, slices, states, invariants):
        return [either.add(states[0], states[0])], [states[0]], np.array(False)

    loop = Loop(once, [(0, None), (1, None)])
    for count in (5, 1, 0, -1):
        yield exact(f"loop_edges/false_condition_after_count_{count}".replace("-", "minus_"),
                    [np.array([count]), 1 + counting(1, 3)],
                    lambda n, s: loop.node(n, TRUE, [], [s]),
                    lambda n, s: loop.run(n, TRUE, [], [s]), **BOUND, **UNSAID)

    def two_results(number, slices, states, invariants):
        following = either.add(states[0], invariants[0])
        return [following], [following], TRUE

    loop_two = Loop(two_results, [(0, None), (1, None)])
    for count in (0, 3):
        yield exact(f"loop_edges/carried_and_not_carried_result_{count}",
                    [np.array([count]), 1 + counting(1, 3), counting(1, 3)],
                    lambda n, s, i: loop_two.node(n, TRUE, [], [s], [i]),
                    lambda n, s, i: loop_two.run(n, TRUE, [], [s], [i]), **BOUND, **UNSAID)

    def passed_on(number, slices, states, invariants):
        return [states[0], either.add(states[1], states[0])], [], TRUE

    unchanged = Loop(passed_on, [(0, None), (1, None)])
    for name, first in (("input", ()), ("constant", (2 + counting(1, 3), ))):
        for count in (0, 3):
            yield exact(f"loop_edges/unchanged_state_of_{name}_{count}",
                        [np.array([count]), 7 + counting(1, 3)] + [1 + counting(1, 3)] * (not first),
                        lambda n, t, *s, first=first: unchanged.node(n, TRUE, [], [*(first or s), t]),
                        lambda n, t, *s, first=first: unchanged.run(n, TRUE, [], [*(first or s), t]),
                        **BOUND, **UNSAID)

    def delay(number, slices, states, invariants):
        following = either.add(states[2], np.int64(1))
        return [either.add(states[0], states[0]), states[0],
                following], [], either.less(following, np.int64(4))

    shown = Loop(delay, [(1, None)])
    for first in (True, False):
        yield exact(f"loop_edges/state_that_only_an_output_reads_{str(first).lower()}",
                    [np.array([first]), 1 + counting(1, 3), 100 + counting(1, 3)],
                    lambda c, s, t: shown.node(np.array([-1]), c, [], [s, t, np.array(0)]),
                    lambda c, s, t: shown.run(-1, c, [], [s, t, np.array(0)]), **BOUND, **UNSAID)


def cases():
    for part in (_unfinished_slices, _part_of_a_state, _ends):
        yield from part()
