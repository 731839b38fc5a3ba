# SPDX-License-Identifier: Apache-2.0
"""Models with batch 1 whose constants have the batch: states and lengths of sequences, shapes, bounds and
indices. `weft convert --streams` widens them, or refuses them by name. The goldens are those of one
stream."""

import numpy as np

from build import constant, node
from casebook import i64, normal, recurrent
from families.sequences import DEFAULT, GATES, stacked
from loops import tensor_iterator
from reference.iterate import forward

BATCH, STEPS, INPUTS, HIDDEN = 1, 6, 5, 4


def _weights(kind, label, inputs=INPUTS):
    return stacked(label, 1, GATES[kind], inputs, HIDDEN)


def _sequence(kind, x, label, lengths=None, state=None, inputs=INPUTS):
    """The hidden states [1, STEPS, HIDDEN] of a sequence with constant lengths and states."""
    states = [normal(f"{label}h", BATCH, 1, HIDDEN) if state is None else state]
    if kind == "LSTMSequence":
        states.append(normal(f"{label}c", BATCH, 1, HIDDEN))
    lengths = i64(STEPS) if lengths is None else lengths
    y = node(kind, 5, [x, *states, lengths, *_weights(kind, label, inputs)], hidden_size=HIDDEN,
             direction="forward", activations=DEFAULT[kind])
    return node("Squeeze", 1, [y.output(0), i64(1)])


def _lengths(kind):
    return lambda x: _sequence(kind, x, f"streams/{kind}").output(0)


def _batch_of(x):
    """The extents of the batch and of time, each i64[1], computed from the shape."""
    shape = node("ShapeOf", 3, [x], output_type="i64")
    return [node("Gather", 8, [shape, i64(axis), np.int64(0)]) for axis in (0, 1)]


def _shapes(x):
    """States, lengths and a reshape that are computed from the shape of the input."""
    batch, steps = _batch_of(x)
    state = node("Broadcast", 3, [np.float32(0.25), node("Concat", 1, [batch, i64(1, HIDDEN)], axis=0)])
    rows = node("Reshape", 1, [x, i64(-1, INPUTS)], special_zero=False)
    rows = node("Relu", 1, [node("MatMul", 1, [rows, normal("streams/rows", INPUTS, INPUTS)])])
    back = node("Concat", 1, [batch, steps, i64(INPUTS)], axis=0)
    x = node("Reshape", 1, [rows, back], special_zero=False)
    y = _sequence("GRUSequence", x, "streams/shapes", node("Broadcast", 3, [steps, batch]), state)
    return node("Reshape", 1, [y, i64(1, -1, HIDDEN)], special_zero=False).output(0)


def _layers_first(x):
    """States of zeros [layers, batch, hidden size], as exports of PyTorch have for one layer."""
    batch, steps = _batch_of(x)
    shape = node("Concat", 1, [i64(1), batch, i64(HIDDEN)], axis=0)
    states = [node("Broadcast", 3, [np.float32(number), shape]) for number in (0, 0.25)]
    y = node("LSTMSequence", 5, [x, *states, node("Broadcast", 3, [steps, batch]),
                                 *_weights("LSTMSequence", "streams/layers")],
             hidden_size=HIDDEN, direction="forward", activations=DEFAULT["LSTMSequence"])
    return node("Squeeze", 1, [y.output(0), i64(1)]).output(0)


def _bands(x):
    """A sequence over time for each channel: the channels of each stream are rows of its batch."""
    x = node("Transpose", 1, [node("Unsqueeze", 1, [x, i64(3)]), i64(0, 2, 1, 3)])
    x = node("Reshape", 1, [x, i64(INPUTS, STEPS, 1)], special_zero=False)
    y = node("GRUSequence", 5, [x, normal("streams/bands", INPUTS, 1, HIDDEN), i64(*[STEPS] * INPUTS),
                                *_weights("GRUSequence", "streams/bands", 1)],
             hidden_size=HIDDEN, direction="forward", activations=DEFAULT["GRUSequence"])
    return node("Reshape", 1, [y.output(0), i64(1, INPUTS, STEPS, HIDDEN)], special_zero=False).output(0)


def _unrolled(x):
    """A cell that was traced step by step: the products of its zero state are constants."""
    w, r = normal("streams/unrolled/w", 2 * HIDDEN, INPUTS), normal("streams/unrolled/r", 2 * HIDDEN, HIDDEN)
    state, all_states = constant(np.zeros((BATCH, HIDDEN), np.float32)), []
    for step in range(STEPS):
        parts = []
        for operand, weights, bias in ((node("Gather", 8, [x, np.int64(step), np.int64(1)]), w, "bx"),
                                       (state, r, "bh")):
            product = node("MatMul", 1, [operand, weights], transpose_a=False, transpose_b=True)
            product = node("Add", 1, [product, normal(f"streams/unrolled/{bias}", 1, 2 * HIDDEN)])
            parts.append(node("Split", 1, [product, np.int64(1)], num_splits=2))
        gate, value = (node("Add", 1, [parts[0].output(i), parts[1].output(i)]) for i in (0, 1))
        state = node("Multiply", 1, [node("Sigmoid", 1, [gate]), node("Tanh", 1, [value])])
        all_states.append(node("Unsqueeze", 1, [state, i64(1)]))
    return node("Concat", 1, all_states, axis=1).output(0)


def _without_batch(x):
    """Layers without a batch axis: rows of all streams follow each other, also in a constant."""
    x = node("Squeeze", 1, [x, i64(0)])
    x = node("Tanh", 1, [node("Add", 1, [x, normal("streams/table", 1, INPUTS)])])
    x = node("Unsqueeze", 1, [x, i64(0)])
    y = _sequence("GRUSequence", x, "streams/without")
    y = node("Gather", 8, [y, np.int64(0), np.int64(0)])
    return node("Reshape", 1, [y, i64(-1, STEPS, HIDDEN)], special_zero=False).output(0)


def _selected(x):
    """The only element of the batch is selected, and added again."""
    y = _sequence("RNNSequence", x, "streams/selected")
    y = node("Gather", 8, [y, np.int64(0), np.int64(0)])
    y = node("MatMul", 1, [y, normal("streams/selected", HIDDEN, 3)])
    return node("Unsqueeze", 1, [y, i64(0)]).output(0)


def _bounds(x):
    """Slices with bounds of the batch, and constants joined to the channels."""
    masks = {"begin_mask": [0, 0, 0], "end_mask": [0, 0, 0]}
    part = node("StridedSlice", 1, [x, i64(0, 0, 1), i64(1, STEPS, 4), i64(1, 1, 1)], **masks)
    other = node("Slice", 8, [x, i64(0, 0), i64(1, 1), i64(1, 1), i64(0, 2)])
    table = node("Broadcast", 3, [normal("streams/bounds", 1, 1, 1), i64(1, STEPS, 1)])
    x = node("Concat", 1, [part, table, other], axis=2)
    return _sequence("LSTMSequence", x, "streams/bounds").output(0)


def _squeezed(x):
    """A Squeeze without axes removes the batch in a body, as in exports of Keras."""
    feedback, out = normal("streams/feedback", HIDDEN, INPUTS), normal("streams/out", INPUTS, HIDDEN)

    def body(slices, states, _):
        row = node("Squeeze", 1, [node("MatMul", 1, [states[0], feedback])])
        step = node("Add", 1, [node("Squeeze", 1, [slices[0], i64(1)]), row])
        state = node("Tanh", 1, [node("MatMul", 1, [step, out])])
        return [state], [node("Unsqueeze", 1, [state, i64(1)])]

    state = constant(normal("streams/state", 1, HIDDEN))
    return tensor_iterator(body, [(x, forward(1))], [state], [], [(1, forward(1))])[0]


def _body(x):
    """A loop over time with a constant state and a body that reshapes to batch 1."""
    w, r, b = (part[0] for part in _weights("GRUSequence", "streams/body"))

    def body(slices, states, _):
        step = node("Reshape", 1, [slices[0], i64(1, INPUTS)], special_zero=False)
        state = node("GRUCell", 3, [step, states[0], w, r, b], hidden_size=HIDDEN)
        return [state], [node("Reshape", 1, [state, i64(1, 1, HIDDEN)], special_zero=False)]

    state = node("Broadcast", 3, [np.float32(0.5), i64(1, HIDDEN)])
    return tensor_iterator(body, [(x, forward(1))], [state], [], [(1, forward(1))])[0]


def _turned(x):
    """Time first, as recurrent layers of PyTorch and TensorFlow, and a convolution over time."""
    x = node("Transpose", 1, [x, i64(0, 2, 1)])
    x = node("Convolution", 1, [x, normal("streams/turned", INPUTS, INPUTS, 3, scale=0.4)],
             strides=[1], dilations=[1], pads_begin=[2], pads_end=[0])
    x = node("Transpose", 1, [x, i64(2, 0, 1)])
    y = _sequence("GRUSequence", node("Transpose", 1, [x, i64(1, 0, 2)]), "streams/turned")
    return node("Transpose", 1, [node("Transpose", 1, [y, i64(1, 0, 2)]), i64(1, 0, 2)]).output(0)


def _mean(y):
    """The mean of all streams."""
    return node("Subtract", 1, [y, node("ReduceMean", 1, [y, i64(0)], keep_dims=True)]).output(0)


def _sum(y):
    """A running sum over the streams."""
    return node("CumSum", 3, [y, np.int64(0)]).output(0)


def _over_batch(y):
    """A sequence whose time axis is the batch."""
    y = node("Transpose", 1, [y, i64(1, 0, 2)])
    y = node("GRUSequence", 5, [y, np.zeros((STEPS, 1, HIDDEN), np.float32), np.ones(STEPS, np.int64),
                                *_weights("GRUSequence", "streams/over", HIDDEN)],
             hidden_size=HIDDEN, direction="forward", activations=DEFAULT["GRUSequence"])
    y = node("Squeeze", 1, [y.output(0), i64(1)])
    return node("Transpose", 1, [y, i64(1, 0, 2)]).output(0)


def cases():
    graphs = [(f"lengths_of_{kind[:-8].lower()}", _lengths(kind))
              for kind in ("GRUSequence", "LSTMSequence", "RNNSequence")]
    graphs += [("shapes", _shapes), ("layers_first", _layers_first), ("bands", _bands),
               ("without_batch", _without_batch), ("selected", _selected), ("bounds", _bounds),
               ("squeezed", _squeezed), ("body", _body), ("turned", _turned),
               ("unrolled", _unrolled)]
    for name, combine in (("mean_of_batch", _mean), ("sum_over_batch", _sum),
                          ("sequence_over_batch", _over_batch)):
        graphs.append((name, lambda x, combine=combine, name=name: combine(
            _sequence("GRUSequence", x, f"streams/{name}"))))
    for name, graph in graphs:
        yield recurrent(f"streams/{name}", [normal(name, BATCH, STEPS, INPUTS)], graph)
