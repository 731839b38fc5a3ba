# SPDX-License-Identifier: Apache-2.0
"""More steps than any plan unrolls: 2049, 4096 and 16000 in sequences, TensorIterator and Loop, with
outputs gathered along outer and inner axes, forwards and backwards."""

import numpy as np

import either
from casebook import counting, exact, normal, recurrent
from families.loop import loop, run
from families.sequences import sequence_case
from loops import both
from reference.iterate import backward, forward


def _sequences():
    yield sequence_case("long/lstm_forward_2049", "LSTMSequence", 1, 2049, 1, 2)
    yield sequence_case("long/lstm_bidirectional_2049", "LSTMSequence", 1, 2049, 2, 1,
                        "bidirectional")
    yield sequence_case("long/gru_reverse_4096", "GRUSequence", 1, 4096, 1, 1, "reverse")
    yield sequence_case("long/rnn_two_rows_2049", "RNNSequence", 2, 2049, 1, 1)


def _leaky(_number, slices, states, _):
    following = either.add(either.mul(states[0], np.float32(0.5)), slices[0])
    return [following], [either.mul(following, slices[0])]


def _iterators():
    def leaky(slices, states, invariants):
        return _leaky(None, slices, states, invariants)

    def double(slices, _, __):
        return [], [either.add(slices[0], slices[0])]

    yield recurrent("long/ti_leaky_sum_4096",
                    [normal("longti", 4096, 1), normal("longts", 1, 1)],
                    *both(leaky, [forward(0)], 1, [(1, forward(0)), (0, forward(0)), (0, None)]))
    yield exact("long/ti_inner_axis_backward_2049", [counting(2, 2049)],
                *both(double, [forward(1)], 0, [(0, backward(1))]))


def _loops():
    for count in (2049, 16000):
        yield recurrent(
            f"long/loop_leaky_sum_{count}",
            [normal("longl", count, 1), normal("longs", 1, 1)],
            lambda x, s, count=count: loop(_leaky, count, [(x, forward(0))], [s], [],
                                           [(1, 0), (0, None)]),
            lambda x, s, count=count: run(_leaky, count, [(x, forward(0))], [s], [],
                                          [(1, 0), (0, None)]))


def cases():
    yield from _sequences()
    yield from _iterators()
    yield from _loops()
