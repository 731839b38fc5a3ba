# SPDX-License-Identifier: Apache-2.0
"""Fused recurrent layers in f32. Their states persist from call to call."""
from casebook import Case, normal
from writer import RELU, TANH, Model

INPUTS, CELLS, PROJECTED = 4, 5, 3
CALLS, BATCH, TIME = 2, 2, 3


class _Layer:
    """A model of one recurrent layer."""

    def __init__(self, path):
        self.path, self.model = path, Model()
        self.graph = self.model.graph()

    def weights(self, *shape, scale=0.4):
        """A constant that depends on its position in the file."""
        label = f"{self.path}{len(self.graph.tensors)}"
        return self.graph.tensor("f32", data=normal(label, *shape, scale=scale))

    def state(self, size):
        """A variable tensor."""
        return self.graph.tensor("f32", [BATCH, size], variable=True)

    def gates(self, *shape, without_input=False):
        """Four constants, for the gates i, f, c, o."""
        made = [self.weights(*shape) for _ in range(4)]
        return [None, *made[1:]] if without_input else made

    def case(self, x_shape, y_shapes, name, inputs, tolerance=1e-5, **options):
        """The case; `inputs` makes the operator's inputs from x."""
        x = self.graph.tensor("f32", x_shape, name="x0")
        made = [self.graph.tensor("f32", shape, name=f"y{index}")
                for index, shape in enumerate(y_shapes)]
        self.graph.op(name, inputs(x), made, **options)
        self.graph.inputs, self.graph.outputs = [x], made
        return Case(self.path, self.model, [normal(self.path, CALLS, *x_shape)], rtol=tolerance,
                    atol=tolerance, calls=CALLS)


def _lstm(path, cifg=False, peephole=False, projection=False, time_major=False, **options):
    layer = _Layer(path)
    outputs = PROJECTED if projection else CELLS

    def inputs(x):
        made = [x, *layer.gates(CELLS, INPUTS, without_input=cifg),
                *layer.gates(CELLS, outputs, without_input=cifg)]
        peepholes = [layer.weights(CELLS) for _ in range(3)] if peephole else [None] * 3
        if cifg:
            peepholes[0] = None
        made += peepholes + layer.gates(CELLS, without_input=cifg)
        made += [layer.weights(outputs, CELLS), layer.weights(outputs)] if projection else [None] * 2
        return made + [layer.state(outputs), layer.state(CELLS)] + [None] * 4

    shape = [TIME, BATCH] if time_major else [BATCH, TIME]
    return layer.case([*shape, INPUTS], [[*shape, outputs]], "UNIDIRECTIONAL_SEQUENCE_LSTM", inputs,
                      **{"act": TANH, "time_major": time_major, **options})


def _lstm_cell(path):
    """One step."""
    layer = _Layer(path)

    def inputs(x):
        made = [x, *layer.gates(CELLS, INPUTS), *layer.gates(CELLS, CELLS)] + [None] * 3
        made += layer.gates(CELLS) + [None] * 2
        return made + [layer.state(CELLS), layer.state(CELLS)]

    return layer.case([BATCH, INPUTS], [[BATCH, CELLS]], "LSTM", inputs, act=TANH)


def _bidirectional_lstm(path, merge, time_major):
    layer = _Layer(path)

    def inputs(x):
        made = [x]
        for _ in range(2):
            made += layer.gates(CELLS, INPUTS) + layer.gates(CELLS, CELLS) + [None] * 3
            made += layer.gates(CELLS) + [None] * 2
        return made + [layer.state(CELLS) for _ in range(4)] + [None] * 9

    shape = [TIME, BATCH] if time_major else [BATCH, TIME]
    outputs = [[*shape, 2 * CELLS]] if merge else [[*shape, CELLS]] * 2
    return layer.case([*shape, INPUTS], outputs, "BIDIRECTIONAL_SEQUENCE_LSTM", inputs,
                      act=TANH, merge_outputs=merge, time_major=time_major)


def _rnn(path, act, time_major=None):
    layer = _Layer(path)

    def inputs(x):
        return [x, layer.weights(CELLS, INPUTS), layer.weights(CELLS, CELLS), layer.weights(CELLS),
                layer.state(CELLS)]

    if time_major is None:
        return layer.case([BATCH, INPUTS], [[BATCH, CELLS]], "RNN", inputs, act=act)
    shape = [TIME, BATCH] if time_major else [BATCH, TIME]
    return layer.case([*shape, INPUTS], [[*shape, CELLS]], "UNIDIRECTIONAL_SEQUENCE_RNN", inputs,
                      act=act, time_major=time_major)


def _bidirectional_rnn(path, merge):
    layer = _Layer(path)

    def inputs(x):
        made = [x]
        for _ in range(2):
            made += [layer.weights(CELLS, INPUTS), layer.weights(CELLS, CELLS),
                     layer.weights(CELLS), layer.state(CELLS)]
        return made + [None] * 3

    outputs = [[BATCH, TIME, 2 * CELLS]] if merge else [[BATCH, TIME, CELLS]] * 2
    return layer.case([BATCH, TIME, INPUTS], outputs, "BIDIRECTIONAL_SEQUENCE_RNN", inputs,
                      act=TANH, merge_outputs=merge)


def cases():
    yield _lstm("lstm")
    yield _lstm("lstm_time_major", time_major=True)
    yield _lstm("lstm_cifg", cifg=True)
    yield _lstm("lstm_peephole", peephole=True)
    yield _lstm("lstm_relu", act=RELU)
    yield _lstm("lstm_clip", cell_clip=0.3)
    yield _lstm("lstm_projection", projection=True)
    yield _lstm("lstm_projection_clip", projection=True, proj_clip=0.2)
    yield _lstm_cell("lstm_cell")
    yield _bidirectional_lstm("bidirectional_lstm", False, False)
    yield _bidirectional_lstm("bidirectional_lstm_merged", True, True)
    yield _rnn("rnn", TANH, False)
    yield _rnn("rnn_time_major", RELU, True)
    yield _rnn("rnn_cell", TANH)
    yield _bidirectional_rnn("bidirectional_rnn", False)
    yield _bidirectional_rnn("bidirectional_rnn_merged", True)
