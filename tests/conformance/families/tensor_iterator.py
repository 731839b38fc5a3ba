# SPDX-License-Identifier: Apache-2.0
"""TensorIterator with recurrent cells, and with plain operations that test back edges."""

import numpy as np

import either
from casebook import by_numpy, counting, exact, integers, normal, recurrent
from families.cells import weights
from loops import both, tensor_iterator
from reference.iterate import Slicing, backward, forward, iterate

SEQUENTIAL = by_numpy(
    "OpenVINO's CPU device copies back edges one after another; the document's are simultaneous.")
ANY_RANGE = by_numpy(
    "OpenVINO moves data from the start of the axis whatever the range says; the document's range "
    "is honoured.")


def _cell_body(kind, label, axis, inputs, hidden):
    """A body with one cell: slice with axis kept -> squeeze -> cell -> states; the result is the
    unsqueezed hidden state."""
    gates = {"lstm": 4, "gru": 3, "gru_linear": 3, "rnn": 1}[kind]
    w, r, b = weights(label, gates, inputs, hidden, 4 if kind == "gru_linear" else None)

    def body(slices, states, _):
        x = either.squeeze(slices[0], axis)
        if kind == "lstm":
            following = list(either.lstm(x, *states, w, r, b))
        elif kind == "rnn":
            following = [either.rnn(x, *states, w, r, b)]
        else:
            following = [either.gru(x, *states, w, r, b, linear_before_reset=kind == "gru_linear")]
        return following, [either.unsqueeze(following[0], axis)]

    return body, 2 if kind == "lstm" else 1


def _cells():
    rows = [  # kind, axis, batch, time, input size, hidden size, backward
        ("lstm", 1, 1, 7, 9, 16, False),
        ("lstm", 1, 1, 7, 9, 16, True),
        ("lstm", 0, 1, 6, 17, 15, False),
        ("lstm", 0, 2, 5, 3, 17, True),
        ("lstm", 1, 2, 4, 16, 33, False),
        ("lstm", 1, 1, 1, 5, 1, False),
        ("lstm", 1, 1, 2, 1, 3, False),
        ("gru", 1, 1, 7, 9, 16, False),
        ("gru", 0, 1, 8, 9, 17, True),
        ("gru_linear", 1, 1, 5, 15, 16, False),
        ("gru_linear", 0, 2, 6, 15, 1, True),
        ("rnn", 1, 1, 7, 9, 33, False),
        ("rnn", 0, 2, 3, 9, 15, True),
    ]
    for kind, axis, batch, time, inputs, hidden, reverse in rows:
        way = "backward" if reverse else "forward"
        label = f"{kind}_{way}_axis{axis}_b{batch}_t{time}_i{inputs}_h{hidden}"
        body, states = _cell_body(kind, label, axis, inputs, hidden)
        slicing = backward(axis) if reverse else forward(axis)
        shape = (batch, time, inputs) if axis else (time, batch, inputs)
        arrays = [normal(label, *shape)
                 ] + [normal(f"{label}{part}", batch, hidden, scale=0.5) for part in range(states)]
        outputs = [(states, slicing)] + [(part, None) for part in range(states)]
        yield recurrent(f"ti/{label}", arrays, *both(body, [slicing], states, outputs))


def _bidirectional():
    """Two iterators over one input, concatenated along the last axis; constant initial states."""
    sides = [(_cell_body("gru", f"bi{side}", 1, 6, 8)[0], slicing)
             for side, slicing in enumerate((forward(1), backward(1)))]
    zero = np.zeros((1, 8), np.float32)

    def graph(x):
        from build import constant, node
        ends = [
            tensor_iterator(body, [(x, slicing)], [constant(zero)], [], [(1, slicing)])[0]
            for body, slicing in sides
        ]
        return node("Concat", 1, ends, axis=-1)

    def reference(x):
        return np.concatenate([
            iterate(body, [(x, slicing)], [zero], [], [(1, slicing)])[0] for body, slicing in sides
        ], -1)

    yield recurrent("ti/bidirectional_gru", [normal("bi", 1, 9, 6)], graph, reference)


def _stacked():
    """Two layers over the same time axis, LSTM then RNN."""
    first, second = _cell_body("lstm", "st1", 0, 5, 12)[0], _cell_body("rnn", "st2", 0, 12, 7)[0]
    arrays = [
        normal("st", 6, 1, 5),
        np.zeros((1, 12), np.float32),
        np.zeros((1, 12), np.float32),
        normal("sth", 1, 7)
    ]

    def chain(run):
        def apply(x, hidden, cell, other):
            middle = run(first, [(x, forward(0))], [hidden, cell], [], [(2, forward(0))])[0]
            return run(second, [(middle, forward(0))], [other], [], [(1, forward(0)), (0, None)])

        return apply

    yield recurrent("ti/stacked_lstm_rnn", arrays, chain(tensor_iterator), chain(iterate))


def _plain():
    """An Elman step of plain operations, with weights inside the body and as invariant inputs."""
    w, u, b = normal("pw", 9, 16, scale=0.3), normal("pu", 16, 16, scale=0.3), normal("pb", 16)

    def step(x, state, w, u, b):
        return either.tanh(either.add(either.add(either.matmul(x, w), either.matmul(state, u)), b))

    def inside(slices, states, _):
        following = step(either.reshape(slices[0], 1, 9), states[0], w, u, b)
        return [following], [either.reshape(following, 1, 1, 16)]

    def outside(slices, states, invariants):
        following = step(either.squeeze(slices[0], 0), states[0], *invariants)
        return [following], [either.unsqueeze(following, 0)]

    yield recurrent("ti/plain_elman",
                    [normal("px", 1, 8, 9), normal("ph", 1, 16)],
                    *both(inside, [forward(1)], 1, [(1, forward(1)), (0, None)]))
    yield recurrent("ti/plain_elman_invariant_weights",
                    [normal("px2", 5, 2, 9), normal("ph2", 2, 16), w, u, b],
                    *both(outside, [forward(0)], 1, [(0, None), (1, forward(0))]))

    def invariant_bias(slices, states, invariants):
        following = either.add(either.mul(states[0], np.float32(0.5)),
                               either.mul(slices[0], invariants[0]))
        return [following], []

    yield recurrent(
        "ti/leaky_sum_invariant_gain",
        [normal("lx", 33, 17), normal("lh", 1, 17),
         normal("lg", 17)], *both(invariant_bias, [forward(0)], 1, [(0, forward(0)), (0, None)]))


def _shapes_of_io():
    """All forms of sliced inputs and outputs, mostly without rounding arithmetic."""
    def double(slices, _, __):
        return [], [either.add(slices[0], slices[0])]

    for name, into, out in (("forward", forward(0), forward(0)), ("backward_in", backward(0),
                                                                  forward(0)),
                            ("backward_out", forward(0), backward(0)), ("backward_both",
                                                                        backward(0), backward(0))):
        yield exact(f"ti/map_{name}", [counting(5, 3)], *both(double, [into], 0, [(0, out)]))
    yield exact("ti/map_inner_axis", [counting(2, 5, 3)],
                *both(double, [forward(2)], 0, [(0, forward(2))]))
    yield exact(
        "ti/map_axis_changes", [counting(2, 5, 3)],
        *both(lambda slices, _, __: ([], [either.reshape(slices[0], 2, 3, 1)]), [forward(1)], 0,
              [(0, forward(2))]))
    yield exact("ti/map_last_value_only", [counting(5, 3)],
                *both(double, [backward(0)], 0, [(0, None)]))
    pairs = Slicing(1, 0, -1, 2)
    yield exact("ti/chunks_of_two", [counting(3, 8)], *both(double, [pairs], 0, [(0, pairs)]))
    back = Slicing(0, -1, 0, -3)
    yield exact("ti/chunks_of_three_backward", [counting(9, 2)],
                *both(double, [back], 0, [(0, back)]))
    yield exact(
        "ti/chunk_in_row_out", [counting(8, 3)],
        *both(lambda slices, _, __: ([], [either.reshape(slices[0], 1, 6)]), [Slicing(0, 0, -1, 2)],
              0, [(0, forward(0))]))

    def three(slices, _, __):
        a, b, c = slices
        total = either.add(either.add(either.reshape(a, 3), either.reshape(b, 3)),
                           either.reshape(c, 3))
        return [], [either.reshape(total, 1, 3), either.sub(a, a)]

    yield exact(
        "ti/three_sliced_inputs",
        [counting(4, 3), counting(3, 4) * 100,
         counting(3, 1, 4) * 10000],
        *both(three, [forward(0), backward(1), forward(2)], 0, [(0, forward(0)), (1, backward(0)),
                                                                (0, None)]))
    yield exact("ti/one_input_sliced_twice", [counting(6, 2)], *_twice())


def _twice():
    """The same tensor forward and backward: a palindrome sum."""
    def body(slices, _, __):
        return [], [either.sub(slices[0], slices[1])]

    return (lambda x: tensor_iterator(body, [(x, forward(0)),
                                             (x, backward(0))], [], [], [(0, forward(0))]),
            lambda x: iterate(body, [(x, forward(0)), (x, backward(0))], [], [], [(0, forward(0))]))


def _back_edges():
    """States whose old value is read late, or that move between Parameters without arithmetic."""
    half = np.float32(0.5)

    def late(slices, states, _):
        following = either.add(either.mul(states[0], half), slices[0])
        return [following], [either.sub(following, states[0])]

    yield recurrent("ti/old_state_read_after_new",
                    [normal("lr", 7, 5), normal("lrs", 1, 5)],
                    *both(late, [forward(0)], 1, [(1, forward(0)), (0, None)]))

    def reduction(slices, states, _):
        wide = either.matmul(states[0], normal("mix", 5, 5, scale=0.4))
        return [either.tanh(either.add(wide, slices[0]))], []

    for time in (3, 4):
        yield recurrent(
            f"ti/new_state_needs_whole_old_t{time}",
            [normal(f"nw{time}", time, 5), normal("nws", 1, 5)],
            *both(reduction, [forward(0)], 1, [(0, None)]))

    def delay(slices, states, _):
        return [slices[0], states[0], states[1]], [states[2]]

    yield exact("ti/delay_line_of_three",
                [counting(7, 2), -counting(1, 2), -10 - counting(1, 2), -20 - counting(1, 2)],
                *both(delay, [forward(0)], 3, [(3, forward(0)), (0, None), (1, None),
                                               (2, None)]), **SEQUENTIAL)

    def emits_old(slices, states, _):
        return [either.add(states[0], slices[0])], [states[0]]

    yield exact("ti/scan_of_the_old_state", [counting(5, 3), counting(1, 3)],
                *both(emits_old, [forward(0)], 1, [(1, forward(0)), (0, None)]))

    def fans_out(slices, states, _):
        total = either.add(either.add(states[0], states[1]), slices[0])
        return [total, total], [total]

    yield exact("ti/one_result_two_back_edges",
                [counting(5, 3), counting(1, 3), counting(1, 3)],
                *both(fans_out, [forward(0)], 2, [(0, forward(0)), (1, None), (0, None)]))

    def counter(slices, states, _):
        return [either.add(states[0], np.int32(3)), either.add(states[1], slices[0])], []

    yield exact("ti/integer_states",
                [integers("ic", -9, 9, 6, 4),
                 np.zeros((1,), np.int32),
                 np.zeros((1, 4), np.int32)],
                *both(counter, [forward(0)], 2, [(0, None), (1, forward(0))]))

    def keeps(slices, states, _):
        return [states[0]], [either.add(slices[0], states[0])]

    yield exact("ti/state_never_changes", [counting(4, 3), counting(1, 3)],
                *both(keeps, [forward(0)], 1, [(1, forward(0)), (0, None)]))


def _swaps():
    """States that are swapped: back edges are simultaneous."""
    def swap(slices, states, _):
        return [states[1], states[0]], [either.add(states[0], slices[0])]

    def rotate(slices, states, _):
        return [states[1], states[2], states[0]], [either.add(states[0], slices[0])]

    def crossed(slices, states, _):
        return [either.add(states[1], slices[0]), states[0]], []

    first, second, third = counting(1, 3), 100 + counting(1, 3), 1000 + counting(1, 3)
    for time in (4, 5):
        yield exact(f"ti/swapped_states_t{time}", [counting(time, 3), first, second],
                    *both(swap, [forward(0)], 2, [(2, forward(0)), (0, None), (1, None)]),
                    **SEQUENTIAL)
        yield exact(
            f"ti/rotated_states_t{time}", [counting(time, 3), first, second, third],
            *both(rotate, [forward(0)], 3, [(3, forward(0)), (0, None), (1, None), (2, None)]),
            **SEQUENTIAL)
    yield exact("ti/crossed_states", [counting(5, 3), first, second],
                *both(crossed, [forward(0)], 2, [(0, forward(0)), (0, None), (1, None)]),
                **SEQUENTIAL)


def _ranges():
    """Parts of an axis for which both interpretations of `end` agree."""
    def running(slices, states, _):
        total = either.add(states[0], slices[0])
        return [total], []

    ranges = {
        "from_2": Slicing(0, 2, -1, 1), "until_last_but_one": Slicing(0, 0, -3, 1),
        "backward_from_last_but_one": Slicing(0, -2, 0,
                                              -1), "backward_until_1": Slicing(0, -1, 1, -1)
    }
    for name, slicing in ranges.items():
        out = backward(0) if slicing.stride < 0 else forward(0)
        yield exact(f"ti/range_{name}", [counting(7, 2), 100 * counting(1, 2)],
                    *both(running, [slicing], 1, [(0, out), (0, None)]), **ANY_RANGE)


def _without_slices():
    """The trip count follows only from the concatenated output."""
    def grow(_, states, __):
        return [either.add(states[0], states[0])], []

    out = Slicing(0, 0, 5, 1)
    yield exact("ti/count_from_the_output", [counting(1, 3)], *both(grow, [], 1, [(0, out)],
                                                                    count=5))


def _spelled(old, new):
    """An edit of the XML text, which must contain `old`."""
    def edit(text):
        if old not in text:
            raise AssertionError(f"the model has no {old}")
        return text.replace(old, new, 1)

    return edit


def _partial_chunks():
    """Ranges in chunks that omit elements, and ambiguous bounds."""
    def difference(slices, states, _):
        total = either.add(slices[0], either.mul(states[0], np.float32(2)))
        return [total], [either.sub(total, slices[0])]

    for name, slicing in (("forward", Slicing(0, 1, -1, 2)), ("backward", Slicing(0, -2, 0, -2))):
        out = Slicing(0, -1, 0, -2) if slicing.stride < 0 else Slicing(0, 0, -1, 2)
        yield exact(f"ti/partial_chunks_{name}", [counting(7, 2), 100 * counting(2, 2)],
                    *both(difference, [slicing], 1, [(1, out), (0, None)]), **ANY_RANGE)

    def running(slices, states, _):
        return [either.add(states[0], slices[0])], []

    for name, end in (("exclusive", 5), ("inclusive", 4)):
        yield exact(f"ti/upper_bound_{name}", [counting(7, 2), counting(1, 2)],
                    *both(running, [Slicing(0, 0, -3, 1)], 1, [(0, forward(0))]),
                    edit=_spelled('end="-3"', f'end="{end}"'), **by_numpy(
                        "OpenVINO's implementations read a bound that is not negative in two ways; "
                        "the output's extent tells which is meant."))


def _wiring():
    """Unusual port maps."""
    def join(slices, _, __):
        return [], [either.sub(slices[0], either.add(slices[1], slices[1]))]

    _, twice = both(join, [forward(0), backward(0)], 0, [(0, forward(0))])
    yield exact(
        "ti/one_port_feeds_two_parameters", [counting(5, 2)],
        lambda x: tensor_iterator(join, [(x, forward(0)), (x, backward(0))], [], [],
                                  [(0, forward(0))]), lambda x: twice(x, x),
        edit=_spelled('external_port_id="1" internal_layer_id="1"',
                      'external_port_id="0" internal_layer_id="1"'),
        **by_numpy("OpenVINO keeps the first entry of an external_port_id and drops the others."))

    def emits_old(slices, states, _):
        return [either.add(states[0], slices[0])], [states[0]]

    yield exact("ti/slices_win_over_back_edge", [counting(5, 3), counting(1, 3)],
                *both(emits_old, [forward(0)], 1, [(1, forward(0)), (0, None)]),
                edit=_spelled('<edge from-layer="3" to-layer="1" />',
                              '<edge from-layer="3" to-layer="1" />'
                              '<edge from-layer="3" to-layer="0" />'))
    unread = ('<layers><layer id="99" name="unread" type="Parameter" version="opset1">'
              '<data shape="4" element_type="f32" /><output><port id="0" precision="FP32">'
              '<dim>4</dim></port></output></layer>')
    yield exact("ti/unread_parameter_without_source", [counting(5, 3), counting(1, 3)],
                *both(emits_old, [forward(0)], 1, [(1, forward(0)), (0, None)]),
                edit=_in_body("<layers>", unread),
                **by_numpy("OpenVINO wants a source for every Parameter, read or not."))

    def passes(slices, states, invariants):
        return [slices[0]], [slices[0], states[0], invariants[0]]

    yield exact("ti/parameters_wired_to_results",
                [counting(5, 3), 100 + counting(1, 3), 1000 + counting(1)],
                *both(passes, [forward(0)], 1, [(1, backward(0)), (2, forward(0)), (2, None),
                                                (3, forward(0)), (3, None), (0, None)]),
                **by_numpy("OpenVINO's CPU device crashes on it."))

    def single(slices, states, _):
        return [either.add(states[0], slices[0])], []

    yield exact("ti/one_result_many_outputs", [counting(5, 3), counting(1, 3)],
                *both(single, [forward(0)], 1, [(0, forward(0)), (0, backward(0)), (0, None),
                                                (0, Slicing(1, 0, -1, 3)), (0, None)]))
    yield exact("ti/scan_axis_from_the_end", [counting(5, 3), counting(1, 3)],
                *both(single, [forward(0)], 1, [(0, Slicing(-1, 0, -1, 3))]),
                **by_numpy("OpenVINO's CPU device leaves the output of a negative axis unwritten."))
    yield exact("ti/runs_once_when_nothing_counts", [counting(1, 3), counting(1, 3)],
                *both(lambda _, states, __: ([either.sub(states[1], states[0]), states[0]], []), [],
                      2, [(0, None), (1, None)], count=1),
                **by_numpy("OpenVINO cannot tell how often this runs."))


def _in_body(old, new):
    """An edit of the first `old` inside the first body."""
    def edit(text):
        head, body = text.split("<body>", 1)
        return head + "<body>" + _spelled(old, new)(body)

    return edit


def _convolution():
    """A small convolutional recurrence; the kernel is constant in the body."""
    from build import node
    kernel = normal("ck", 4, 4, 3, scale=0.3)

    def convolve(a):
        if not isinstance(a, np.ndarray):
            return node("Convolution", 1, [a, kernel], strides=[1], pads_begin=[1], pads_end=[1],
                        dilations=[1], auto_pad="explicit")
        padded = np.pad(a, ((0, 0), (0, 0), (1, 1)))
        windows = np.stack([padded[:, :, at:at + 3] for at in range(a.shape[2])], 2)
        return np.einsum("nclk,ock->nol", windows, kernel)

    def body(slices, states, _):
        following = either.relu(either.add(convolve(states[0]), slices[0]))
        return [following], []

    yield recurrent("ti/convolution_in_body",
                    [normal("cx", 4, 4, 9), normal("ch", 1, 4, 9)],
                    *both(body, [forward(0)], 1, [(0, forward(0)), (0, None)]))


def cases():
    for part in (_cells, _bidirectional, _stacked, _plain, _shapes_of_io, _back_edges, _swaps,
                 _ranges, _without_slices, _partial_chunks, _wiring, _convolution):
        yield from part()
