# SPDX-License-Identifier: Apache-2.0
"""Complete models around a sequence that `weft convert --streaming` can convert: layers before and
after it, and states that are already variables. The goldens are those of the original models."""

import numpy as np
from openvino import opset6

from build import constant, finish, node, parameter
from casebook import Case, i64, integers, normal, recurrent
from families.sequences import DEFAULT, GATES, stacked

BATCH, STEPS, INPUTS, HIDDEN = 2, 12, 6, 9


def sequence(kind, label, x, inputs, states=None, steps=STEPS):
    """Returns all hidden states as [batch, steps, hidden], and the node."""
    w, r, b = stacked(label, 1, GATES[kind], inputs, HIDDEN)
    if states is None:
        states = [np.zeros((BATCH, 1, HIDDEN), np.float32)] * (2 if kind == "LSTMSequence" else 1)
    lengths = np.full(BATCH, steps, np.int32)
    made = node(kind, 5, [x, *states, lengths, w, r, b], hidden_size=HIDDEN, direction="forward",
                activations=DEFAULT[kind])
    return node("Squeeze", 1, [made, i64(1)]), made


def _turned(x):
    return node("Transpose", 1, [x, i64(0, 2, 1)])


def _looking_back(x, label, channels, inputs, dilation):
    """A convolution over time that is padded only at the beginning (causal)."""
    return node("Convolution", 1, [x, normal(label, channels, inputs, 3, scale=0.3)], strides=[1],
                pads_begin=[2 * dilation], pads_end=[0], dilations=[dilation], auto_pad="explicit")


def _front_end(x):
    """Two convolutions with a ReLU each, a GRU, a classifier over every step."""
    y = node("Relu", 1, [_looking_back(_turned(x), "fe1", 8, INPUTS, 1)])
    y = node("Relu", 1, [_looking_back(y, "fe2", 7, 8, 2)])
    hidden, _ = sequence("GRUSequence", "feg", _turned(y), 7)
    logits = node("MatMul", 1, [hidden, normal("fed", HIDDEN, 5)], transpose_a=False,
                  transpose_b=False)
    return node("Softmax", 8, [node("Add", 1, [logits, normal("feb", 5)])], axis=-1)


def _flattened(x):
    """Time merged into the batch of a product, as exporters write a layer over every step."""
    hidden, made = sequence("LSTMSequence", "fl", x, INPUTS)
    rows = node("Reshape", 1, [hidden, i64(BATCH * STEPS, HIDDEN)], special_zero=False)
    dense = node("MatMul", 1, [rows, normal("fld", HIDDEN, 4)], transpose_a=False,
                 transpose_b=False)
    shaped = node("Reshape", 1, [node("Tanh", 1, [dense]), i64(BATCH, -1, 4)], special_zero=False)
    last = node("Gather", 8, [hidden, np.array(-1), np.array(1)])
    return [shaped.output(0), last.output(0), made.output(2)]


def _normalised(x):
    """A layer norm between two sequences, and a residual connection."""
    first, _ = sequence("GRUSequence", "n1", x, INPUTS)
    mean = node("ReduceMean", 1, [first, i64(-1)], keep_dims=True)
    centred = node("Subtract", 1, [first, mean])
    variance = node("ReduceMean", 1, [node("Power", 1, [centred, np.float32(2)]), i64(-1)],
                    keep_dims=True)
    scale = node("Sqrt", 1, [node("Add", 1, [variance, np.float32(1e-3)])])
    normed = node("Divide", 1, [centred, scale])
    second, _ = sequence("GRUSequence", "n2", normed, HIDDEN)
    return node("Add", 1, [first, second])


def _scaled(x):
    """A batch normalisation after a convolution, a residual, a bias with a row per step, SiLU."""
    turned = _turned(x)
    factors = np.linspace(0.5, 2, INPUTS).astype(np.float32).reshape(1, INPUTS, 1)
    scaled = node("Multiply", 1, [_looking_back(turned, "sc", INPUTS, INPUTS, 1), factors])
    y = node("Add", 1, [scaled, turned])
    y = node("Multiply", 1, [y, node("Sigmoid", 1, [y])])
    more = node("Divide", 1, [_looking_back(y, "sd", INPUTS, INPUTS, 2), factors])
    stretched = np.broadcast_to(factors, (1, INPUTS, STEPS)).copy()
    hidden, _ = sequence("GRUSequence", "sg", _turned(node("Add", 1, [more, stretched])), INPUTS)
    return hidden


def _upsampled(x):
    """Hidden units form an image row next to time; transposed convolution and resizing widen it."""
    hidden, _ = sequence("GRUSequence", "up", x, INPUTS)
    row = node("Unsqueeze", 1, [_turned(hidden), i64(2)])
    attributes = {
        "strides": [2, 1], "pads_begin": [1, 0], "pads_end": [0, 0], "dilations": [1, 1],
        "output_padding": [0, 0], "auto_pad": "explicit"
    }
    wide = node("ConvolutionBackpropData", 1, [row, normal("upw", HIDDEN, 4, 4, 1, scale=0.3)],
                **attributes)
    resize = {
        "mode": "linear_onnx", "coordinate_transformation_mode": "half_pixel",
        "nearest_mode": "floor", "antialias": False, "pads_begin": [0], "pads_end": [0]
    }
    wider = node("Interpolate", 11, [wide, i64(BATCH, 4, 7, STEPS)],
                 shape_calculation_mode="sizes", **resize)
    return node("Interpolate", 11, [wider, np.array([2, 1], np.float32), i64(2, 3)],
                shape_calculation_mode="scales", **resize | {"mode": "nearest"})


def _volumes(x):
    """Time is the depth axis of volumes; convolutions over three axes look back along it."""
    y = node("Unsqueeze", 1, [_turned(x), i64(3, 4)])
    geometry = {
        "strides": [1] * 3, "pads_end": [0] * 3, "dilations": [1] * 3, "auto_pad": "explicit"
    }
    plain = node("Convolution", 1, [y, normal("vo1", 8, INPUTS, 3, 1, 1, scale=0.3)],
                 pads_begin=[2, 0, 0], **geometry)
    y = node("Relu", 1, [node("Add", 1, [plain, normal("vob", 1, 8, 1, 1, 1)])])
    apart = node("GroupConvolution", 1, [y, normal("vo2", 8, 1, 1, 2, 1, 1)],
                 pads_begin=[1, 0, 0], **geometry)
    y = node("Add", 1, [apart, normal("voc", 1, 8, 1, 1, 1)])
    return sequence("GRUSequence", "vog", _turned(node("Squeeze", 1, [y, i64(3, 4)])), 8)[0]


def _positions(x):
    """Per-step constants after constants common to all steps: sums and products that could be merged."""
    dense = node("MatMul", 1, [x, normal("pow", INPUTS, HIDDEN)], transpose_a=False,
                 transpose_b=False)
    y = node("Add", 1, [node("Add", 1, [dense, normal("pob", 1, 1, HIDDEN)]),
                        normal("pop", 1, STEPS, HIDDEN)])
    y = node("Tanh", 1, [node("Add", 1, [y, normal("poc", 1, 1, HIDDEN)])])
    y = node("Multiply", 1, [node("Multiply", 1, [y, normal("pos", 1, 1, HIDDEN)]),
                             normal("pot", 1, STEPS, HIDDEN)])
    hidden, _ = sequence("GRUSequence", "pog", y, HIDDEN)
    window = np.hanning(STEPS + 2).astype(np.float32)[1:-1].reshape(1, STEPS, 1)
    y = node("Multiply", 1, [node("Multiply", 1, [hidden, window]), np.float32(0.7)])
    return node("Divide", 1, [y, window + np.float32(0.3)])


def _rows(kind, label, x, rows, steps, inputs, direction):
    """A sequence over axis 1 of [rows, steps, inputs], then a product back to `inputs` channels."""
    count = 2 if direction == "bidirectional" else 1
    w, r, b = stacked(label, count, GATES[kind], inputs, HIDDEN)
    state = np.zeros((rows, count, HIDDEN), np.float32)
    states = [state] * (2 if kind == "LSTMSequence" else 1)
    made = node(kind, 5, [x, *states, np.full(rows, steps, np.int32), w, r, b],
                hidden_size=HIDDEN, direction=direction, activations=DEFAULT[kind])
    hidden = node("Transpose", 1, [made, i64(0, 2, 1, 3)])
    hidden = node("Reshape", 1, [hidden, i64(rows, steps, count * HIDDEN)], special_zero=False)
    return node("MatMul", 1, [hidden, normal(label + "o", count * HIDDEN, inputs)],
                transpose_a=False, transpose_b=False)


def _dual_path(x):
    """Bidirectional sequences over frequencies with time in the batch, and sequences over time."""
    channels = 4
    y = node("Unsqueeze", 1, [x, i64(3)])
    y = node("MatMul", 1, [y, normal("dpi", 1, channels)], transpose_a=False, transpose_b=False)
    for index, kind in enumerate(("GRUSequence", "LSTMSequence")):
        rows = node("Reshape", 1, [y, i64(-1, INPUTS, channels)], special_zero=False)
        rows = _rows(kind, f"dpf{index}", rows, BATCH * STEPS, INPUTS, channels, "bidirectional")
        shape = i64(BATCH, STEPS, INPUTS, channels)
        y = node("Add", 1, [y, node("Reshape", 1, [rows, shape], special_zero=False)])
        turned = node("Transpose", 1, [y, i64(0, 2, 1, 3)])
        rows = node("Reshape", 1, [turned, i64(-1, STEPS, channels)], special_zero=False)
        rows = _rows(kind, f"dpt{index}", rows, BATCH * INPUTS, STEPS, channels, "forward")
        shape = i64(BATCH, INPUTS, STEPS, channels)
        back = node("Reshape", 1, [rows, shape], special_zero=False)
        y = node("Add", 1, [y, node("Transpose", 1, [back, i64(0, 2, 1, 3)])])
    return node("ReduceMean", 1, [y, i64(-1)], keep_dims=False)


def _kept():
    """A model whose sequence starts from variables and assigns its last states to them."""
    x = parameter((BATCH, STEPS, INPUTS), np.float32, "x0")
    zero = np.zeros((BATCH, HIDDEN), np.float32)
    reads = [opset6.read_value(constant(zero), name, np.float32, [BATCH, HIDDEN]) for name in "hc"]
    states = [node("Unsqueeze", 1, [read, i64(1)]) for read in reads]
    hidden, made = sequence("LSTMSequence", "kp", x, INPUTS, states)
    sinks = [
        node("Assign", 6, [node("Squeeze", 1, [made.output(1 + index), i64(1)])], variable_id=name)
        for index, name in enumerate("hc")
    ]
    return finish([hidden], [x], "kept", sinks)


def _one_hot_rows(x):
    """A one-hot vector per step times a table, converted to a Gather, before a GRU."""
    classes = np.arange(7, dtype=np.int32).reshape(1, 1, 7)
    one_hot = node("Convert", 1, [node("Equal", 1, [x, classes])], destination_type="f32")
    rows = node("MatMul", 1, [one_hot, normal("oht", 7, INPUTS)], transpose_a=False,
                transpose_b=False)
    return sequence("GRUSequence", "ohg", rows, INPUTS)[0]


def cases():
    yield recurrent("streaming/one_hot_rows", [integers("ohi", -2, 9, BATCH, STEPS, 1)],
                    _one_hot_rows)
    for name, graph in (("convolutions_then_gru", _front_end), ("batch_of_steps", _flattened),
                        ("norm_between_sequences", _normalised), ("scaled_with_residual", _scaled),
                        ("upsampled_rows", _upsampled), ("volumes_then_gru", _volumes),
                        ("dual_path", _dual_path), ("positions", _positions)):
        yield recurrent(f"streaming/{name}", [normal(name, BATCH, STEPS, INPUTS)], graph)
    yield Case("streaming/variables_of_its_own", [normal("kx", 2, BATCH, STEPS, INPUTS)],
               model=_kept, rtol=1e-4, atol=1e-4, calls=2,
               note="No further variables: the states are kept already.")
