# SPDX-License-Identifier: Apache-2.0
"""Models that use their first step in ways that `weft convert --streaming` must preserve: states that
start as the first step, loops that start at the second step, a first step that is subtracted from all
later ones, steps concatenated before the data, differences between steps. Also loops over bands with
time in their batch."""

import numpy as np

import either
from build import node
from casebook import i64, normal, recurrent
from families.streaming import HIDDEN, INPUTS, STEPS, sequence
from families.traced import ARRAYS, place, stacked


def _both(path, model, *inputs):
    """A case from one function that works on nodes and on arrays."""
    def wide(*arrays):
        return model(*(np.asarray(array, np.float64) for array in arrays))

    return recurrent(f"streaming_first/{path}", list(inputs), model, wide)


def _divided(a, b):
    return a / b if isinstance(a, ARRAYS) else node("Divide", 1, [a, b])


def _pcen(x):
    """Per-channel energy normalisation: a smoother that starts from the first frame."""
    energy = either.mul(x, x)
    smooth, made = place(energy, 0), []
    for step in range(STEPS):
        frame = place(energy, step)
        smooth = either.add(either.mul(smooth, np.float32(0.9)),
                            either.mul(frame, np.float32(0.1)))
        made.append(_divided(frame, either.add(smooth, np.float32(0.1))))
    return stacked(made)


def _from_the_second(x):
    """The first step is computed differently; the loop continues from its result."""
    enter, again = normal("sfe", INPUTS, 3, scale=0.5), normal("sfa", 3, 3, scale=0.5)
    state = either.tanh(either.matmul(place(x, 0), enter))
    made = [state]
    for step in range(1, STEPS):
        drive = either.mul(either.matmul(place(x, step), enter), np.float32(0.5))
        state = either.tanh(either.add(drive, either.matmul(state, again)))
        made.append(state)
    return stacked(made)


def _welford(x):
    """Running mean and squared deviation of the steps so far (Welford)."""
    mean = place(x, 0)
    spread = either.mul(mean, np.float32(0))
    made = [spread]
    for step in range(1, STEPS):
        frame = place(x, step)
        apart = either.sub(frame, mean)
        mean = either.add(mean, _divided(apart, np.float32(step + 1)))
        spread = either.add(spread, either.mul(apart, either.sub(frame, mean)))
        made.append(_divided(apart, either.add(spread, np.float32(0.5))))
    return stacked(made)


def _places(x, begin, end):
    return node("Slice", 8, [x, i64(begin), i64(end), i64(1), i64(1)])


def _first_subtracted(x):
    """The first frame is subtracted from all frames and also controls a gate."""
    first = _places(x, 0, 1)
    hidden = sequence("GRUSequence", "sfs", node("Subtract", 1, [x, first]), INPUTS)[0]
    gate = node("Sigmoid", 1, [
        node("MatMul", 1, [first, normal("sfg", INPUTS, HIDDEN)], transpose_a=False,
             transpose_b=False)
    ])
    return [node("Multiply", 1, [hidden, gate]), first]


def _pre_emphasis(x):
    """Each sample minus 0.97 of the previous one; the first sample is unchanged."""
    before = node("Multiply", 1, [_places(x, 0, -1), np.float32(0.97)])
    apart = node("Subtract", 1, [_places(x, 1, STEPS), before])
    joined = node("Concat", 1, [_places(x, 0, 1), apart], axis=1)
    return sequence("GRUSequence", "sfr", joined, INPUTS)[0]


def _sequence_of_the_rest(x):
    """The first frame gives the initial state and the first output; a sequence computes the rest."""
    first = node("Tanh", 1, [
        node("MatMul", 1, [_places(x, 0, 1), normal("sfu", INPUTS, HIDDEN, scale=0.5)],
             transpose_a=False, transpose_b=False)
    ])
    rest = sequence("GRUSequence", "sfv", _places(x, 1, STEPS), INPUTS, [first], STEPS - 1)[0]
    return node("Concat", 1, [first, rest], axis=1)


def _first_state(x):
    """A layer computes the initial state of a sequence from its first frame."""
    dense = node("MatMul", 1, [_places(x, 0, 1), normal("sfi", INPUTS, HIDDEN, scale=0.5)],
                 transpose_a=False, transpose_b=False)
    return sequence("GRUSequence", "sfq", x, INPUTS, [node("Tanh", 1, [dense])])[0]


def _shifted(x, start):
    """The previous steps, with an input and learned values before the first step."""
    before = node("Concat", 1, [start, _places(x, 0, -2)], axis=1)
    learned = node("Concat", 1, [normal("sfl", 2, 1, INPUTS), _places(x, 0, -1)], axis=1)
    both = node("Concat", 1, [before, learned], axis=2)
    return sequence("GRUSequence", "sft", both, 2 * INPUTS)[0]


def _bands(x):
    """A loop over bands with all time steps in its batch, before a sequence over time."""
    weights, state, made = normal("sfw", 3, 3, scale=0.5), None, []
    bands = node("Reshape", 1, [x, i64(2, STEPS, 7, 3)], special_zero=False)
    state = np.zeros((2, STEPS, 3), np.float32)
    for band in range(7):
        state = either.tanh(either.add(place(bands, band, 2), either.matmul(state, weights)))
        made.append(state)
    rows = node("Reshape", 1, [stacked(made, 2), i64(2, STEPS, 21)], special_zero=False)
    return sequence("GRUSequence", "sfb", rows, 21)[0]


def cases():
    x = normal("sfx", 2, STEPS, INPUTS)
    yield _both("pcen", _pcen, x)
    yield _both("from_the_second", _from_the_second, x)
    yield _both("welford", _welford, x)
    for name, graph in (("first_subtracted", _first_subtracted), ("first_state", _first_state),
                        ("pre_emphasis", _pre_emphasis), ("rest", _sequence_of_the_rest)):
        yield recurrent(f"streaming_first/{name}", [x], graph)
    yield recurrent("streaming_first/shifted", [x, normal("sfp", 2, 2, INPUTS)], _shifted)
    yield recurrent("streaming_first/bands", [normal("sfy", 2, STEPS, 21)], _bands)
