# SPDX-License-Identifier: Apache-2.0
"""Convolution and GroupConvolution in 1D and 2D: stride, dilation, pads, auto_pad, groups."""

import numpy as np
from onnx import helper

from build import node
from casebook import NARROW, Case, exact, integers, normal
from families.from_onnx import converted
from reference import windows

# name: data, kernel [out, in, ...], then strides, dilations, pads_begin, pads_end, auto_pad
ROWS = [
    ("1d_k3", (1, 1, 17), (1, 1, 3), [1], [1], [0], [0], "explicit"),
    ("1d_k3_pad", (1, 16, 33), (15, 16, 3), [1], [1], [1], [1], "explicit"),
    ("1d_k5_stride2", (1, 3, 33), (17, 3, 5), [2], [1], [2], [1], "explicit"),
    ("1d_k3_dilation2_causal", (1, 8, 16), (16, 8, 3), [1], [2], [4], [0], "explicit"),
    ("1d_k1", (2, 17, 15), (16, 17, 1), [1], [1], [0], [0], "explicit"),
    ("1d_batch", (3, 4, 9), (5, 4, 4), [3], [1], [1], [2], "explicit"),
    ("1d_same_upper", (1, 4, 17), (6, 4, 4), [2], [1], [0], [0], "same_upper"),
    ("1d_same_lower", (1, 4, 17), (6, 4, 4), [2], [1], [0], [0], "same_lower"),
    ("1d_valid", (1, 4, 17), (6, 4, 4), [2], [1], [5], [5], "valid"),
    ("1d_kernel_covers_all", (1, 5, 7), (33, 5, 7), [1], [1], [0], [0], "explicit"),
    ("2d_k1", (1, 16, 5, 3), (17, 16, 1, 1), [1, 1], [1, 1], [0, 0], [0, 0], "explicit"),
    ("2d_k3_pad", (1, 3, 9, 7), (16, 3, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1], "explicit"),
    ("2d_stride2", (1, 3, 15, 16), (8, 3, 3, 3), [2, 2], [1, 1], [1, 1], [1, 1], "explicit"),
    ("2d_mixed", (2, 5, 11, 13), (7, 5, 2, 4), [2, 3], [2, 1], [1, 0], [0, 2], "explicit"),
    ("2d_dilation", (1, 2, 9, 9), (3, 2, 3, 3), [1, 1], [2, 3], [2, 3], [2, 3], "explicit"),
    ("2d_same_upper", (1, 3, 8, 7), (4, 3, 3, 2), [2, 2], [1, 1], [0, 0], [0, 0], "same_upper"),
    ("2d_same_lower", (1, 3, 8, 7), (4, 3, 3, 2), [2, 2], [1, 1], [0, 0], [0, 0], "same_lower"),
    ("2d_same_upper_dilation", (1, 3, 8, 7), (4, 3, 3, 3), [1, 2], [2, 2], [0,
                                                                            0], [0,
                                                                                 0], "same_upper"),
    ("2d_valid", (1, 3, 8, 7), (4, 3, 3, 2), [1, 2], [1, 1], [0, 0], [0, 0], "valid"),
    ("2d_row_kernel", (1, 4, 6, 17), (5, 4, 1, 9), [1, 1], [1, 1], [0, 4], [0, 4], "explicit"),
    ("2d_33_channels", (1, 33, 4, 4), (33, 33, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1], "explicit"),
]
# name: data, kernel [groups, out, in, ...], ...
GROUPED = [
    ("1d_depthwise", (1, 16, 17), (16, 1, 1, 3), [1], [1], [1], [1], "explicit"),
    ("1d_depthwise_dilation_causal", (1, 17, 15), (17, 1, 1, 3), [1], [4], [8], [0], "explicit"),
    ("1d_groups", (2, 6, 15), (3, 4, 2, 5), [2], [1], [2], [2], "explicit"),
    ("1d_one_group", (1, 5, 9), (1, 7, 5, 3), [1], [1], [0], [0], "explicit"),
    ("2d_depthwise", (1, 33, 5, 6), (33, 1, 1, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1], "explicit"),
    ("2d_depthwise_multiplier", (1, 5, 8, 7), (5, 2, 1, 3, 3), [2, 2], [1,
                                                                        1], [0,
                                                                             0], [0,
                                                                                  0], "same_upper"),
    ("2d_groups", (2, 8, 7, 5), (2, 3, 4, 3, 2), [1, 2], [1, 1], [1, 0], [1, 1], "explicit"),
    ("2d_depthwise_same_lower", (1, 15, 6, 6), (15, 1, 1, 2, 2), [1, 1], [1, 1], [0, 0], [0, 0],
     "same_lower"),
]


def _attributes(strides, dilations, begin, end, auto_pad):
    return {
        "strides": strides, "dilations": dilations, "pads_begin": begin, "pads_end": end,
        "auto_pad": auto_pad
    }


def _plain(kind, rows, grouped):
    for name, data, kernel, *geometry in rows:
        w = normal(kind + name, *kernel,
                   scale=1 / np.sqrt(np.prod(kernel[2 + grouped:]) * kernel[1 + grouped]))
        attributes = _attributes(*geometry)
        yield Case(
            f"convolution/{'group_' if grouped else ''}{name}", [normal(name, *data)],
            lambda x, w=w, attributes=attributes: node(kind, 1, [x, w], **attributes),
            reference=lambda x, w=w, geometry=geometry: windows.convolution(
                x, w if grouped else w[None], *geometry))


def _more():
    attributes = _attributes([1, 1], [1, 1], [1, 1], [1, 1], "explicit")
    geometry = [
        attributes[key] for key in ("strides", "dilations", "pads_begin", "pads_end", "auto_pad")
    ]
    x, w, b = normal("mx", 1, 3, 6, 5), normal("mw", 4, 3, 3, 3,
                                               scale=0.3), normal("mb", 1, 4, 1, 1)
    yield Case("convolution/2d_weights_are_inputs", [x, w],
               lambda x, w: node("Convolution", 1, [x, w], **attributes),
               reference=lambda x, w: windows.convolution(x, w[None], *geometry))

    def bias_relu(x):
        return node("Relu", 1, [node("Add", 1, [node("Convolution", 1, [x, w], **attributes), b])])

    yield Case("convolution/2d_bias_relu", [x], bias_relu,
               reference=lambda x: np.maximum(windows.convolution(x, w[None], *geometry) + b, 0))
    yield Case("convolution/2d_bias_relu_f16_weights", [x], bias_relu, compress=True, rtol=1e-4,
               atol=1e-4, note="The weights are stored as f16 behind a decompression Convert.")
    chosen = _attributes([1], [1], [2], [0], "explicit")
    w1, w2 = normal("c1", 8, 3, 3, scale=0.3), normal("c2", 8, 1, 1, 3, scale=0.5)

    def causal(x):
        first = node("Tanh", 1, [node("Convolution", 1, [x, w1], **chosen)])
        return node("GroupConvolution", 1, [first, w2], **chosen)

    row = [chosen[key] for key in ("strides", "dilations", "pads_begin", "pads_end", "auto_pad")]
    yield Case(
        "convolution/1d_causal_pair", [normal("cp", 1, 3, 17)],
        causal, reference=lambda x: windows.convolution(
            np.tanh(windows.convolution(x, w1[None], *row)), w2, *row))


# Rows of ROWS and GROUPED, and one whose last elements no window reads.
INTEGERS = ("1d_k5_stride2", "1d_k3_dilation2_causal", "1d_kernel_covers_all", "2d_k1", "2d_mixed",
            "2d_dilation", "2d_same_lower", "1d_depthwise", "2d_groups", "2d_depthwise_multiplier")


def _integers():
    """As exported from quantised models: values minus their zero points, in i32."""
    unseen = ("2d_unseen", (1, 2, 6, 8), (3, 2, 2, 3), [2, 3], [1, 1], [0, 0], [0, 0], "explicit")
    for rows, kind, grouped in ((ROWS + [unseen], "Convolution", 0),
                                (GROUPED, "GroupConvolution", 1)):
        for name, data, kernel, *geometry in rows:
            if name not in (*INTEGERS, "2d_unseen"):
                continue
            w = integers(kind + name, -128, 128, *kernel)
            attributes = _attributes(*geometry)
            yield exact(f"convolution/i32_{'group_' if grouped else ''}{name}",
                        [integers(name, -255, 256, *data)],
                        lambda x, w=w, kind=kind, attributes=attributes: node(
                            kind, 1, [x, w], **attributes),
                        lambda x, w=w, grouped=grouped, geometry=geometry: np.rint(
                            windows.convolution(x, w if grouped else w[None], *geometry)).astype(
                                np.int32))
    attributes = _attributes([1], [1], [1], [1], "explicit")
    w = integers("cl", -9, 9, 2, 3, 3, dtype=np.int64) << 31
    yield exact("convolution/i64", [integers("clx", -9, 9, 1, 3, 7, dtype=np.int64)],
                lambda x: node("Convolution", 1, [x, w], **attributes),
                lambda x: (np.rint(windows.convolution(x, (w >> 31)[None], [1], [1], [1], [1],
                                                       "explicit")).astype(np.int64) << 31),
                **NARROW)

    def exported():
        x, w = integers("civ", 0, 256, 1, 3, 6, 5, dtype=np.uint8), CONV_INTEGER
        return converted([helper.make_node("ConvInteger", ["x", "w", "x_zero", "w_zero"], ["y"],
                                           pads=[1, 1, 1, 1])], {"x": x},
                         {"y": np.zeros((1, 4, 6, 5), np.int32)},
                         {"w": w, "x_zero": np.uint8(121), "w_zero": np.uint8(130)})

    x = integers("civ", 0, 256, 1, 3, 6, 5, dtype=np.uint8)
    yield exact("convolution/onnx_conv_integer", [x], None, lambda x: np.rint(windows.convolution(
        x.astype(np.int64) - 121, (CONV_INTEGER.astype(np.int64) - 130)[None], [1, 1], [1, 1],
        [1, 1], [1, 1], "explicit")).astype(np.int32), model=exported)


CONV_INTEGER = integers("ciw", 0, 256, 4, 3, 3, 3, dtype=np.uint8)


def cases():
    yield from _integers()
    yield from _plain("Convolution", ROWS, 0)
    yield from _plain("GroupConvolution", GROUPED, 1)
    yield from _more()
