# SPDX-License-Identifier: Apache-2.0
"""Convolution, pooling, attention and recurrent sequences of an IR file, in float64 from their
specifications and rounded once.

An entry of LAYERS takes the layer and its input arrays and returns the list of its outputs.
"""

import numpy as np

from reference import cells, windows


def _numbers(layer, key, default=""):
    return [int(word) for word in layer.data.get(key, default).split(",") if word.strip()]


def _convolution(grouped):
    def apply(layer, inputs):
        x, kernel = inputs
        answer = windows.convolution(x, kernel if grouped else kernel[np.newaxis],
                                     _numbers(layer, "strides"), _numbers(layer, "dilations"),
                                     _numbers(layer, "pads_begin"), _numbers(layer, "pads_end"),
                                     layer.data.get("auto_pad", "explicit"))
        return [answer.astype(x.dtype)]

    return apply


def _backprop(grouped):
    """Each input element adds its kernel to the output; explicit pads are cut off."""
    def apply(layer, inputs):
        x, kernel = (np.asarray(array, np.float64) for array in inputs[:2])
        kernel = kernel if grouped else kernel[np.newaxis]
        groups, ins, outs, *sizes = kernel.shape
        strides, dilations = _numbers(layer, "strides"), _numbers(layer, "dilations")
        begin, end = _numbers(layer, "pads_begin"), _numbers(layer, "pads_end")
        extra = _numbers(layer, "output_padding") or [0] * len(sizes)
        wide = [(size - 1) * stride + (taps - 1) * dilation + 1 + more
                for size, stride, taps, dilation, more in zip(x.shape[2:], strides, sizes, dilations,
                                                              extra)]
        answer = np.zeros((x.shape[0], groups, outs, *wide))
        data = x.reshape(x.shape[0], groups, ins, *x.shape[2:])
        for at in np.ndindex(*x.shape[2:]):
            for tap in np.ndindex(*sizes):
                place = tuple(a * s + t * d for a, s, t, d in zip(at, strides, tap, dilations))
                answer[(..., *place)] += np.einsum("bgi,gio->bgo", data[(..., *at)],
                                                   kernel[(..., *tap)])
        cut = tuple(slice(a, size - b) for a, b, size in zip(begin, end, wide))
        answer = answer.reshape(x.shape[0], groups * outs, *wide)
        return [answer[(slice(None), slice(None), *cut)].astype(inputs[0].dtype)]

    return apply


def _pool_words(layer):
    return (_numbers(layer, "kernel"), _numbers(layer, "strides"), _numbers(layer, "pads_begin"),
            _numbers(layer, "pads_end"), layer.data.get("rounding_type", "floor"),
            layer.data.get("auto_pad", "explicit"))


def _max_pool(layer, inputs):
    return [windows.max_pool(inputs[0], *_pool_words(layer), _numbers(layer, "dilations") or None)]


def _avg_pool(layer, inputs):
    exclude = layer.data["exclude-pad"] == "true"
    return [windows.average_pool(inputs[0], *_pool_words(layer), exclude).astype(inputs[0].dtype)]


def _attention(layer, inputs):
    query, key, value = (np.asarray(array, np.float64) for array in inputs[:3])
    scores = query @ np.swapaxes(key, -1, -2)
    scores *= float(inputs[4].item()) if len(inputs) > 4 else 1 / np.sqrt(query.shape[-1])
    if layer.data.get("causal", "false") == "true":
        rows, columns = scores.shape[-2:]
        scores = np.where(np.tri(rows, columns, dtype=bool), scores, -np.inf)
    elif len(inputs) > 3 and inputs[3].ndim:
        mask = inputs[3]
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return [(weights @ value).astype(inputs[0].dtype)]


def _sequence(formula):
    def apply(layer, inputs):
        how = {"direction": layer.data.get("direction", "forward")}
        if layer.data.get("linear_before_reset") == "true":
            how["linear_before_reset"] = True
        return [np.asarray(part, np.float32) for part in formula(*inputs, **how)]

    return apply


def _einsum(layer, inputs):
    wide = [np.asarray(array, np.float64) for array in inputs]
    return [np.einsum(layer.data["equation"], *wide).astype(inputs[0].dtype)]


LAYERS = {
    "AvgPool": _avg_pool,
    "Convolution": _convolution(False),
    "ConvolutionBackpropData": _backprop(False),
    "Einsum": _einsum,
    "GRUSequence": _sequence(cells.gru_sequence),
    "GroupConvolution": _convolution(True),
    "GroupConvolutionBackpropData": _backprop(True),
    "LSTMSequence": _sequence(cells.lstm_sequence),
    "MaxPool": _max_pool,
    "RNNSequence": _sequence(cells.rnn_sequence),
    "ScaledDotProductAttention": _attention,
}
