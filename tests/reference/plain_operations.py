# SPDX-License-Identifier: Apache-2.0
"""The operations without bodies, in NumPy, from their specifications.

A function takes the layer and its input arrays and returns the list of its outputs. Arithmetic uses
the inputs' type; recurrent cells are computed in float64 and rounded once.
"""

import numpy as np

from reference import cells
from reference.functions import FUNCTIONS
from reference.ir_file import TYPES
from reference.layers import LAYERS
from reference.movements import MOVEMENTS
from reference.transforms import TRANSFORMS


def _words(text):
    return [word.strip() for word in text.split(",") if word.strip()]


def _axes(array):
    return tuple(int(axis) for axis in np.atleast_1d(array))


def _one(formula):
    return lambda layer, inputs: [formula(*inputs)]


def _convert(layer, inputs):
    return [inputs[0].astype(TYPES[layer.data["destination_type"]])]


def _clamp(layer, inputs):
    low, high = (inputs[0].dtype.type(float(layer.data[key])) for key in ("min", "max"))
    return [np.clip(inputs[0], low, high)]


def _matmul(layer, inputs):
    a, b = (np.swapaxes(array, -1, -2) if layer.data.get(key, "false") == "true" else array
            for array, key in zip(inputs, ("transpose_a", "transpose_b")))
    return [a @ b]


def _concat(layer, inputs):
    return [np.concatenate(inputs, int(layer.data["axis"]))]


def _split(layer, inputs):
    return np.split(inputs[0], int(layer.data["num_splits"]), int(inputs[1]))


def _variadic_split(layer, inputs):
    array, axis, lengths = inputs
    return np.split(array, np.cumsum(lengths)[:-1], int(axis))


def _reshape(layer, inputs):
    array, target = inputs
    special = layer.data.get("special_zero", "false") == "true"
    return [
        array.reshape([
            array.shape[place] if special and dim == 0 else int(dim)
            for place, dim in enumerate(np.atleast_1d(target))
        ])
    ]


def _squeeze(layer, inputs):
    return [np.squeeze(inputs[0], _axes(inputs[1]) if len(inputs) > 1 else None)]


def _slice(layer, inputs):
    array, starts, stops, steps = inputs[:4]
    axes = inputs[4] if len(inputs) > 4 else range(len(starts))
    cut = [slice(None)] * array.ndim
    for axis, start, stop, step in zip(axes, starts, stops, steps):
        cut[axis] = slice(int(start), int(stop), int(step))
    return [array[tuple(cut)]]


def _strided_slice(layer, inputs):
    array, begins, ends = inputs[:3]
    steps = inputs[3] if len(inputs) > 3 else np.ones_like(begins)
    masks = {
        name: [int(bit) for bit in _words(layer.data.get(f"{name}_mask", ""))]
        for name in ("begin", "end", "new_axis", "shrink_axis")
    }

    def set_at(name, place):
        return place < len(masks[name]) and masks[name][place] == 1

    cut = []
    for place, (begin, end, step) in enumerate(zip(begins, ends, steps)):
        if set_at("new_axis", place):
            cut.append(np.newaxis)
        elif set_at("shrink_axis", place):
            cut.append(int(begin))
        else:
            cut.append(
                slice(None if set_at("begin", place) else int(begin),
                      None if set_at("end", place) else int(end), int(step)))
    return [array[tuple(cut)]]


def _reduce(formula):
    def apply(layer, inputs):
        keep = layer.data.get("keep_dims", "false") == "true"
        answer = formula(inputs[0], axis=_axes(inputs[1]), keepdims=keep)
        return [np.asarray(answer, inputs[0].dtype)]

    return apply


def _broadcast(layer, inputs):
    if layer.data.get("mode") == "explicit":
        target, axes = inputs[1], [int(axis) for axis in inputs[2]]
        dims = [1] * len(target)
        for axis, dim in zip(axes, inputs[0].shape):
            dims[axis] = dim
        return [np.broadcast_to(inputs[0].reshape(dims), tuple(target))]
    # bidirectional broadcast: the result has the larger extent of both shapes
    shape = np.broadcast_shapes(inputs[0].shape, tuple(inputs[1]))
    return [np.broadcast_to(inputs[0], shape)]


def _cell(formula):
    def apply(layer, inputs):
        how = {"clip": float(layer.data.get("clip", 0))}
        if "activations" in layer.data:
            how["activations"] = _words(layer.data["activations"])
        if "linear_before_reset" in layer.data:
            how["linear_before_reset"] = layer.data["linear_before_reset"] == "true"
        answer = formula(*inputs, **how)
        parts = answer if isinstance(answer, tuple) else [answer]
        return [np.asarray(part, np.float32) for part in parts]

    return apply


_ONE = np.float32(1)

OPERATIONS = {
    **FUNCTIONS,
    **LAYERS,
    **MOVEMENTS,
    **TRANSFORMS,
    "Abs": _one(np.abs),
    "Add": _one(np.add),
    "Broadcast": _broadcast,
    "Clamp": _clamp,
    "Concat": _concat,
    "Convert": _convert,
    "Equal": _one(np.equal),
    "GRUCell": _cell(cells.gru_cell),
    "Greater": _one(np.greater),
    "GreaterEqual": _one(np.greater_equal),
    "LSTMCell": _cell(cells.lstm_cell),
    "Less": _one(np.less),
    "LessEqual": _one(np.less_equal),
    "LogicalAnd": _one(np.logical_and),
    "LogicalNot": _one(np.logical_not),
    "LogicalOr": _one(np.logical_or),
    "MatMul": _matmul,
    "Maximum": _one(np.maximum),
    "Minimum": _one(np.minimum),
    "Multiply": _one(np.multiply),
    "Negative": _one(np.negative),
    "NotEqual": _one(np.not_equal),
    "RNNCell": _cell(cells.rnn_cell),
    "ReduceMax": _reduce(np.max),
    "ReduceSum": _reduce(np.sum),
    "Relu": _one(lambda x: np.maximum(x, x.dtype.type(0))),
    "Reshape": _reshape,
    "Select": _one(np.where),
    "Sigmoid": _one(lambda x: _ONE / (_ONE + np.exp(-x))),
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "StridedSlice": _strided_slice,
    "Subtract": _one(np.subtract),
    "Tanh": _one(np.tanh),
    "Transpose": _one(lambda x, order: np.transpose(x, order)),
    "Unsqueeze": _one(lambda x, axes: np.expand_dims(x, _axes(axes))),
    "VariadicSplit": _variadic_split,
}
