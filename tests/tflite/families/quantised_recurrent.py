# SPDX-License-Identifier: Apache-2.0
"""Integer LSTM and SVDF. Plain layers have the answers of tflite-micro, whose bits boards compute; the
other variants are LiteRT's only."""
import micro
import numpy as np
from casebook import Case, source
from writer import RELU, TANH, Model

INPUTS, CELLS, CALLS, BATCH, TIME = 6, 9, 3, 2, 4
STATES = {"i8": np.int8, "i16": np.int16}


class _Layer:
    """A model of one layer with random codes and scales."""

    def __init__(self, path):
        self.path, self.random, self.model = path, source(path), Model()
        self.graph = self.model.graph()

    def codes(self, kind, *shape, top=None):
        """Random codes of a type."""
        info = np.iinfo(STATES.get(kind, np.int32))
        low, high = (info.min, info.max) if top is None else (-top, top)
        return self.random.integers(low, high + 1, shape)

    def weights(self, *shape, kind="i8", low=0.002, high=0.02):
        """A constant of symmetric codes."""
        top = np.iinfo(STATES[kind]).max
        return self.graph.tensor(kind, data=self.codes(kind, *shape, top=top),
                                 scale=np.float32(self.random.uniform(low, high)))

    def case(self, name, tensors, x, y, is_micro, **options):
        """The case; x and y are the ports."""
        self.graph.op(name, tensors, [y], **options)
        self.graph.inputs, self.graph.outputs = [x], [y]
        shape = (CALLS, *x.shape)
        inputs = [self.codes(x.kind, *shape).astype(STATES[x.kind])]
        answers = micro.run(self.model.bytes(), inputs, CALLS) if is_micro else None
        return Case(self.path, self.model, inputs, rtol=0, atol=0, calls=CALLS, answers=answers)


def _lstm(path, kind="i8", cifg=False, peephole=False, norm=False, power=-11, time=TIME,
          outputs=CELLS, **options):
    layer = _Layer(path)
    graph, uniform = layer.graph, layer.random.uniform
    is_wide, time_major = kind == "i16", options.get("time_major", False)
    x_scale = uniform(2e-5, 2e-4) if is_wide else uniform(0.005, 0.05)
    h_scale = uniform(0.8, 1.2) / 32768 if is_wide else uniform(0.004, 0.01)
    h_zero = 0 if is_wide else int(layer.codes("i8", top=40))

    def gates(make):
        return [None if cifg and gate == 0 else make(gate) for gate in range(4)]

    def bias(_):
        wide = "i64" if is_wide else "i32"
        return graph.tensor(wide, data=layer.codes(wide, CELLS, top=3000), scale=np.float32(1e-4))

    def shape(size):
        return [time, BATCH, size] if time_major else [BATCH, time, size]

    x = graph.tensor(kind, shape(INPUTS), name="x0", scale=np.float32(x_scale),
                     zero=0 if is_wide else int(layer.codes("i8", top=100)))
    tensors = [x, *gates(lambda _: layer.weights(CELLS, INPUTS)),
               *gates(lambda _: layer.weights(CELLS, outputs))]
    peepholes = [layer.weights(CELLS, kind="i16", low=1e-5, high=5e-5) if peephole else None
                 for _ in range(3)]
    tensors += [None if cifg else peepholes[0], *peepholes[1:]] + gates(bias)
    is_projected = outputs != CELLS
    tensors += [layer.weights(outputs, CELLS), graph.tensor(
        "i32", data=layer.codes("i32", outputs, top=3000), scale=np.float32(1e-4))
                ] if is_projected else [None, None]
    tensors.append(graph.tensor(kind, [BATCH, outputs], variable=True, scale=np.float32(h_scale),
                                zero=h_zero))
    tensors.append(graph.tensor("i16", [BATCH, CELLS], variable=True,
                                scale=np.float32(2.0 ** power)))
    tensors += gates(lambda _: layer.weights(CELLS, kind="i16", low=1e-5, high=6e-5)
                     if norm else None)
    middle = [graph.tensor("i16", [0], scale=np.float32(uniform(1e-3, 5e-3) if norm else 2.0 ** -12))
              for _ in range(4)]
    hidden = (uniform(0.004, 0.01), 11) if is_projected else (h_scale, h_zero)
    middle.append(graph.tensor(kind, [0], scale=np.float32(hidden[0]), zero=hidden[1]))
    y = graph.tensor(kind, shape(outputs), name="y0", scale=np.float32(h_scale), zero=h_zero)
    return layer.case("UNIDIRECTIONAL_SEQUENCE_LSTM", tensors, x, y,
                      not (cifg or peephole or norm or is_projected), intermediates=middle, act=TANH, **options)


def _svdf(path, kind, rank, biased):
    layer = _Layer(path)
    graph, units, memory, top = layer.graph, 5, 6, np.iinfo(STATES[kind]).max
    uniform, filters = layer.random.uniform, units * rank
    x = graph.tensor("i8", [BATCH, INPUTS], name="x0", scale=np.float32(uniform(0.01, 0.05)),
                     zero=int(layer.codes("i8", top=100)))
    time = layer.weights(filters, memory, kind=kind, low=0.5 / top, high=2 / top)
    state_scale = np.float32(uniform(2, 20) / top)
    bias = None
    if biased:
        scale = np.float32(state_scale * time.scale)
        values = np.rint(layer.random.normal(0, 1, units) / scale)
        bias = graph.tensor("i32", data=np.clip(values, -2e9, 2e9).astype(np.int32), scale=scale)
    state = graph.tensor(kind, [BATCH, filters * memory], variable=True, scale=state_scale)
    y = graph.tensor("i8", [BATCH, units], name="y0", scale=np.float32(uniform(0.02, 0.2)),
                     zero=int(layer.codes("i8", top=100)))
    tensors = [x, layer.weights(filters, INPUTS), time, bias, state]
    return layer.case("SVDF", tensors, x, y, biased, rank=rank, act=RELU)


def cases():
    """All cases."""
    yield _lstm("lstm")
    yield _lstm("lstm_one_step", time=1, power=-12)
    yield _lstm("lstm_time_major", time_major=True, cell_clip=1.5)
    yield _lstm("lstm_coupled", cifg=True)
    yield _lstm("lstm_peepholes", peephole=True, cell_clip=2.0)
    yield _lstm("lstm_peepholes_coupled", peephole=True, cifg=True, power=-13)
    yield _lstm("lstm_normalised", norm=True)
    yield _lstm("lstm_projection", outputs=4)
    yield _lstm("lstm_i16", kind="i16")
    yield _svdf("svdf", "i16", 2, True)
    yield _svdf("svdf_unbiased", "i16", 1, False)
    yield _svdf("svdf_i8_state", "i8", 2, True)
