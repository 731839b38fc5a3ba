# SPDX-License-Identifier: Apache-2.0
"""Quantised models whose products read the integers of an earlier quantiser: 16-bit values, as in
TFLite's int8x16, and the operands of recurrent cells."""

import numpy as np

from build import node
from casebook import Case, by_numpy, normal, recurrent
from families.quantised import Weights, bias, convolve, fake, matmul, relu
from families.sequences import DEFAULT
from loops import tensor_iterator
from reference import cells
from reference import integers as products
from reference import levels as q8
from reference.iterate import forward

F = np.float32
TOLERANCE = {"oracle": "numpy", "rtol": 2e-6, "atol": 2e-6}
EXACT_CHAIN = by_numpy("OpenVINO's f32 arithmetic of 65536 levels rounds to others here and there.")


def shorts(x, scale, count=65536, **more):
    """FakeQuantize to multiples of `scale` with int16 factors and zero point 0."""
    low = -(count // 2)
    return fake(x, low * scale, (low + count - 1) * scale, count=count, **more)


def short_levels(scale, count=65536):
    low, high = F(-(count // 2) * scale), F((count - 1 - count // 2) * scale)
    return q8.Levels((float(high) - float(low)) / (count - 1), 0, -(count // 2),
                     count - 1 - count // 2)


def product(x, w, scales, start=0):
    """Exact sums of 16-bit integer products, times the scale product, which is rounded to f32 first."""
    sums = x.integers @ np.asarray(w, np.int64).T
    factors = (np.asarray(scales, np.float64) * float(F(x.levels.scale))).astype(F)
    return sums.astype(F) * factors + np.asarray(start, F)


def convolution(x, w, strides, pads, start):
    """Convolution of one group; the result has its channels in axis 1."""
    outputs, inputs, *window = w.integers.shape
    taken = q8.patches(x.integers, window, strides, pads, 0)
    taken = taken.reshape(*taken.shape[:1 + len(window)], -1)
    made = product(q8.Bytes(taken, x.levels), w.integers.reshape(outputs, -1), w.scales, start)
    return np.moveaxis(made, -1, 1)


def _case(name, inputs, graph, reference, **more):
    return Case(f"quantised_data/{name}", inputs, graph, reference=reference,
                **{**TOLERANCE, **EXACT_CHAIN, **more})


def _mlps():
    for name, rows, inputs, hidden, outputs, count in (("i16", 5, 40, 33, 17, 65536),
                                                       ("i16_of_65535", 1, 17, 16, 31, 65535),
                                                       ("i16_of_many", 3, 600, 16, 48, 65536)):
        a, b = Weights("qsa" + name, hidden, inputs), Weights("qsb" + name, outputs, hidden)
        ba, bb = bias("qsba" + name, hidden), bias("qsbb" + name, outputs)
        first, second = 4 / 32768, 1.7 / 32768

        def graph(x, a=a, b=b, ba=ba, bb=bb, count=count, first=first, second=second):
            y = relu(matmul(shorts(x, first, count), a, ba))
            return matmul(shorts(y, second, count), b, bb)

        def reference(x, a=a, b=b, ba=ba, bb=bb, count=count, first=first, second=second):
            x = q8.quantised(x, short_levels(first, count))
            y = np.maximum(product(x, a.integers, a.scales, ba), 0)
            y = q8.quantised(y, short_levels(second, count))
            return product(y, b.integers, b.scales, bb)

        yield _case(name, [normal("qsx" + name, rows, inputs)], graph, reference)


def _convolutions():
    for name, data, window, stride, pad, outputs in (
        ("conv_i16", (2, 3, 9, 7), (3, 3), 1, 1, 17), ("conv_1d_i16", (1, 5, 21), (4,), 2, 2, 19),
        ("conv_pointwise_i16", (1, 19, 3, 4), (1, 1), 1, 0, 33),
        ("conv_whole_i16", (2, 6, 3, 4), (3, 4), 1, 0, 16)):
        w = Weights("qsw" + name, outputs, data[1], *window)
        second = Weights("qsv" + name, 18, outputs, *[1] * len(window))
        b, c = bias("qswb" + name, outputs), bias("qsvb" + name, 18)
        first, hidden = 4 / 32768, 2 / 32768

        def graph(x, w=w, second=second, b=b, c=c, stride=stride, pad=pad, first=first,
                  hidden=hidden):
            y = relu(convolve(shorts(x, first), w, b, stride, pad))
            return convolve(shorts(y, hidden), second, c)

        def reference(x, w=w, second=second, b=b, c=c, stride=stride, pad=pad, first=first,
                      hidden=hidden):
            rank = x.ndim - 2
            x = q8.quantised(x, short_levels(first))
            y = np.maximum(convolution(x, w, [stride] * rank, [(pad, pad)] * rank, b), 0)
            y = q8.quantised(y, short_levels(hidden))
            return convolution(y, second, [1] * rank, [(0, 0)] * rank, c)

        yield _case(name, [normal("qsd" + name, *data)], graph, reference)


def _between():
    """Operations other than products read the float values; data that does not fit int16 stays f32."""
    w, v = Weights("qta", 24, 20), Weights("qtb", 24, 24)
    scale, sum_scale = 4 / 32768, 8 / 32768

    def graph(x):
        y = shorts(matmul(shorts(x, scale), w), scale)
        y = node("Transpose", 1, [y, np.array([1, 0, 2])])
        return matmul(shorts(node("Add", 1, [y, relu(y)]), sum_scale), v)

    def reference(x):
        levels = short_levels(scale)
        y = q8.quantised(product(q8.quantised(x, levels), w.integers, w.scales), levels)
        y = np.transpose(y.numbers(), (1, 0, 2))
        return product(q8.quantised(y + np.maximum(y, 0), short_levels(sum_scale)), v.integers,
                       v.scales)

    yield _case("i16_between", [normal("qtx", 2, 3, 20)], graph, reference)

    def unsigned(x):
        return matmul(fake(x, 0, 65535 * scale, count=65536), w)

    def of_unsigned(x):
        whole = np.rint(np.clip(x.astype(np.float64) / scale, 0, 65535))
        return whole * scale @ (w.integers * w.scales.reshape(w.along).astype(np.float64)).T

    yield _case("u16", [np.abs(normal("qtu", 3, 20))], unsigned, of_unsigned, rtol=1e-4, atol=1e-4)


def _loops():
    """Cells in a loop; the state is quantised only before its product."""
    for name, kind, levels, inputs, hidden, batch in (
        ("lstm_loop", "LSTMCell", 256, 20, 17, 2), ("lstm_loop_i16", "LSTMCell", 65536, 33, 16, 1),
        ("gru_loop", "GRUCell", 256, 17, 32, 1), ("gru_loop_i16", "GRUCell", 65536, 16, 19, 2)):
        gates, is_lstm = (4, True) if kind == "LSTMCell" else (3, False)
        w, r = (Weights(f"ql{name}{side}", gates * hidden, size, size=2)
                for side, size in (("w", inputs), ("r", hidden)))
        b = normal(f"ql{name}b", (4 if not is_lstm else gates) * hidden, scale=0.3)
        how = {} if is_lstm else {"linear_before_reset": True}
        half = levels // 2
        ends = (-(half - 20) * 3 / half, (half + 19) * 3 / half) if levels == 256 else (
            -3.0, (half - 1) * 3 / half)
        state = (-1.0, (half - 1) / half)

        def graph(x, *states, kind=kind, levels=levels, w=w, r=r, b=b, how=how, ends=ends,
                  state=state, hidden=hidden):
            def body(slices, carried, invariants):
                now = node("Squeeze", 1, [slices[0], np.array([1])])
                rounded = fake(carried[0], *state, count=levels)
                if kind == "LSTMCell":
                    made = node(kind, 4, [now, rounded, carried[1], w.node(), r.node(), b],
                                hidden_size=hidden)
                    states = [made.output(0), made.output(1)]
                else:
                    made = node(kind, 3, [now, rounded, w.node(), r.node(), b], hidden_size=hidden,
                                **how)
                    states = [made.output(0)]
                return states, [node("Unsqueeze", 1, [states[0], np.array([1])])]

            return tensor_iterator(body, [(fake(x, *ends, count=levels), forward(1))],
                                   list(states), [], [(len(states), forward(1)), (0, None)])

        def reference(x, *states, kind=kind, levels=levels, w=w, r=r, b=b, how=how, ends=ends,
                      state=state):
            of = (lambda low, high: q8.levels_of(low, high)) if levels == 256 else (
                lambda low, high: short_levels(-low / (levels // 2)))
            x = q8.quantised(x, of(*ends)).numbers()
            wide = [each.integers * each.scales.reshape(each.along).astype(np.float64)
                    for each in (w, r)]
            states, rows = list(states), []
            for step in range(x.shape[1]):
                rounded = q8.quantised(np.asarray(states[0], F), of(*state)).numbers()
                if kind == "LSTMCell":
                    states = list(cells.lstm_cell(x[:, step], rounded, states[1], *wide, b))
                else:
                    states = [cells.gru_cell(x[:, step], rounded, *wide, b, **how)]
                rows.append(states[0])
            return np.stack(rows, axis=1), states[0]

        arrays = [normal(f"ql{name}x", batch, 6, inputs), normal(f"ql{name}h", batch, hidden,
                                                                scale=0.4)]
        if is_lstm:
            arrays.append(normal(f"ql{name}c", batch, hidden, scale=0.5))
        yield recurrent(f"quantised_data/{name}", arrays, graph, reference,
                        **by_numpy("OpenVINO rounds the state to other levels here and there."))


def _sequences():
    """A sequence over quantised data; its float state is quantised at run time."""
    for name, kind, inputs, hidden, batch in (("lstm", "LSTMSequence", 20, 17, 2),
                                              ("gru", "GRUSequence", 16, 24, 1)):
        gates = 4 if kind == "LSTMSequence" else 3
        w, r = (Weights(f"qm{name}{side}", 1, gates * hidden, size, axis=1, size=2)
                for side, size in (("w", inputs), ("r", hidden)))
        b = normal(f"qm{name}b", 1, gates * hidden, scale=0.3)
        ends, length = (-93 * 0.025, 162 * 0.025), np.array([6] * batch, np.int32)

        def graph(x, *states, kind=kind, w=w, r=r, b=b, hidden=hidden, ends=ends, length=length):
            made = node(kind, 5, [fake(x, *ends), *states, length, w.node(), r.node(), b],
                        hidden_size=hidden, direction="forward", activations=DEFAULT[kind])
            return made.output(0)

        def reference(x, *states, kind=kind, w=w, r=r, b=b, ends=ends, length=length):
            def multiply(numbers, matrix):
                exact = matrix.shape[-1] == x.shape[-1]
                return cells.float_product(numbers, matrix) if exact else products.recovered(
                    numbers, matrix)

            run = cells.lstm_sequence if kind == "LSTMSequence" else cells.gru_sequence
            wide = [each.integers * each.scales.reshape(each.along).astype(np.float64)
                    for each in (w, r)]
            rounded = q8.quantised(x, q8.levels_of(*ends)).numbers()
            return run(rounded, *states, length, *wide, b, direction="forward",
                       activations=DEFAULT[kind], product=multiply)[0]

        arrays = [normal(f"qm{name}x", batch, 6, inputs), normal(f"qm{name}h", batch, 1, hidden,
                                                                scale=0.4)]
        if kind == "LSTMSequence":
            arrays.append(normal(f"qm{name}c", batch, 1, hidden, scale=0.5))
        yield recurrent(f"quantised_data/{name}", arrays, graph, reference,
                        **by_numpy("OpenVINO multiplies the state by floats."))


def cases():
    for part in (_mlps, _convolutions, _between, _loops, _sequences):
        yield from part()
