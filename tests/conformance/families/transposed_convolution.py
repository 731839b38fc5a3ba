# SPDX-License-Identifier: Apache-2.0
"""ConvolutionBackpropData and GroupConvolutionBackpropData in 1D to 3D: kernels, strides, dilations,
pads, auto_pad, output_padding, output_shape, groups."""

import numpy as np

from build import node
from casebook import NARROW, Case, by_numpy, counting, exact, i64, integers, normal

# Kernels are [in, out, ...]. Defaults: strides and dilations 1, pads and output_padding 0, explicit.
ROWS = [
    ("1d_k3_pad", (1, 4, 7), (4, 17, 3), {"pads_begin": [1], "pads_end": [1]}),
    ("1d_k1", (2, 3, 5), (3, 4, 1), {}),
    ("1d_cut_beyond_the_window", (1, 2, 9), (2, 3, 3), {"pads_begin": [4], "pads_end": [5]}),
    ("1d_stride2_k3_pad_output_padding", (2, 3, 7), (3, 16, 3), {
        "strides": [2], "pads_begin": [1], "pads_end": [1], "output_padding": [1]}),
    ("1d_kernel_is_stride", (2, 3, 5), (3, 4, 3), {"strides": [3]}),
    ("1d_kernel_below_stride", (2, 3, 5), (3, 4, 2), {"strides": [4]}),
    ("1d_output_padding_beyond_stride", (1, 2, 3), (2, 2, 2), {
        "strides": [3], "output_padding": [5]}),
    ("1d_stride2_dilation2", (1, 3, 7), (3, 5, 3), {
        "strides": [2], "dilations": [2], "pads_begin": [1]}),
    ("1d_stride4_dilation2", (1, 3, 5), (3, 5, 5), {
        "strides": [4], "dilations": [2], "pads_begin": [3], "pads_end": [1]}),
    ("1d_one_place_out", (1, 2, 2), (2, 3, 3), {
        "strides": [2], "pads_begin": [2], "pads_end": [2]}),
    ("1d_vocoder", (1, 32, 9), (32, 16, 16), {
        "strides": [8], "pads_begin": [4], "pads_end": [4]}),
    ("1d_vocoder_few_channels", (1, 7, 9), (7, 2, 16), {
        "strides": [8], "pads_begin": [4], "pads_end": [4]}),
    ("1d_stride20", (1, 2, 3), (2, 16, 40), {
        "strides": [20], "pads_begin": [10], "pads_end": [10]}),
    ("1d_same_upper_alone", (1, 2, 5), (2, 3, 4), {
        "strides": [2], "auto_pad": "same_upper", "pads_begin": [1], "pads_end": [1]}),
    ("1d_valid", (1, 2, 5), (2, 3, 4), {
        "strides": [3], "auto_pad": "valid", "pads_begin": [2], "pads_end": [1],
        "output_padding": [1]}),
    ("2d_stride2_k4_pad", (1, 3, 5, 3), (3, 16, 4, 4), {
        "strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1]}),
    ("2d_stride2_k4_few_channels", (2, 5, 3, 5), (5, 3, 4, 4), {
        "strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1]}),
    ("2d_mixed", (2, 3, 4, 5), (3, 5, 2, 5), {
        "strides": [3, 2], "dilations": [1, 2], "pads_begin": [0, 3], "pads_end": [1, 2],
        "output_padding": [2, 0]}),
    ("2d_kernel_is_stride", (1, 3, 4, 5), (3, 5, 2, 3), {"strides": [2, 3]}),
    ("2d_one_place", (2, 9, 1, 1), (9, 5, 4, 4), {}),
    ("3d_k3_pad", (1, 3, 4, 5, 3), (3, 17, 3, 3, 3), {
        "pads_begin": [1, 1, 1], "pads_end": [1, 1, 1]}),
    ("3d_stride2_k4_pad", (1, 3, 3, 4, 5), (3, 4, 4, 4, 4), {
        "strides": [2, 2, 2], "pads_begin": [1, 1, 1], "pads_end": [1, 1, 1]}),
    ("3d_kernel_is_stride", (2, 3, 3, 2, 4), (3, 2, 2, 2, 2), {"strides": [2, 2, 2]}),
    ("3d_mixed", (2, 3, 4, 3, 5), (3, 5, 3, 2, 3), {
        "strides": [3, 1, 2], "dilations": [2, 1, 3], "pads_begin": [1, 0, 2],
        "pads_end": [2, 1, 0], "output_padding": [2, 0, 1]}),
    ("3d_depth_below_stride", (1, 2, 3, 3, 2), (2, 3, 2, 1, 1), {"strides": [4, 1, 1]}),
    ("3d_flat", (1, 4, 3, 5, 6), (4, 3, 1, 3, 3), {
        "strides": [1, 2, 2], "pads_begin": [0, 1, 1], "pads_end": [0, 1, 1]}),
    ("3d_one_place_out", (1, 2, 2, 1, 1), (2, 3, 3, 1, 1), {
        "strides": [2, 1, 1], "pads_begin": [2, 0, 0], "pads_end": [2, 0, 0]}),
    ("3d_far_dilation", (1, 2, 2, 2, 3), (2, 3, 2, 2, 2), {
        "strides": [2, 1, 1], "dilations": [5, 1, 1], "pads_end": [4, 0, 0]}),
]
# Kernels are [groups, in, out, ...].
GROUPED = [
    ("1d_two_groups", (2, 6, 5), (2, 3, 4, 3), {"strides": [2], "pads_begin": [1]}),
    ("1d_depthwise", (2, 5, 7), (5, 1, 1, 4), {
        "strides": [2], "pads_begin": [1], "pads_end": [1]}),
    ("1d_depthwise_multiplier", (1, 3, 5), (3, 1, 2, 5), {"strides": [3], "pads_end": [1]}),
    ("2d_two_groups", (1, 4, 3, 5), (2, 2, 3, 3, 4), {
        "strides": [2, 2], "dilations": [2, 1], "pads_begin": [1, 1], "pads_end": [0, 1]}),
    ("2d_depthwise", (1, 5, 4, 3), (5, 1, 1, 4, 4), {
        "strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1]}),
    ("3d_two_groups", (1, 4, 3, 3, 2), (2, 2, 3, 3, 2, 3), {
        "strides": [2, 1, 2], "pads_begin": [1, 0, 1], "pads_end": [1, 1, 0]}),
    ("3d_depthwise", (1, 5, 3, 4, 3), (5, 1, 1, 3, 4, 3), {
        "strides": [2, 2, 1], "pads_begin": [1, 1, 1], "pads_end": [0, 1, 1]}),
]
# name: data, kernel, output_shape, attributes
SHAPED = [
    ("1d_explicit", (1, 2, 5), (2, 3, 3), [9], {
        "strides": [2], "pads_begin": [1], "pads_end": [2]}),
    ("1d_explicit_longer", (1, 2, 3), (2, 3, 3), [12], {"strides": [2]}),
    ("1d_explicit_output_padding", (1, 2, 5), (2, 3, 3), [10], {
        "strides": [2], "pads_begin": [1], "output_padding": [1]}),
    ("1d_same_upper", (1, 2, 5), (2, 3, 4), [9], {"strides": [2], "auto_pad": "same_upper"}),
    ("1d_same_lower", (1, 2, 5), (2, 3, 4), [9], {"strides": [2], "auto_pad": "same_lower"}),
    ("1d_same_upper_output_padding", (1, 2, 3), (2, 3, 3), [6], {
        "strides": [2], "auto_pad": "same_upper", "output_padding": [1]}),
    ("1d_valid", (1, 2, 5), (2, 3, 4), [9], {
        "strides": [2], "auto_pad": "valid", "pads_begin": [1]}),
    ("2d_same_lower", (2, 3, 4, 3), (3, 5, 3, 3), [8, 6], {
        "strides": [2, 2], "auto_pad": "same_lower"}),
    ("3d_same_upper", (1, 3, 3, 2, 4), (3, 2, 3, 3, 2), [5, 4, 9], {
        "strides": [2, 2, 2], "auto_pad": "same_upper"}),
]


def _whole(given, axes):
    return {
        "strides": [1] * axes, "dilations": [1] * axes, "pads_begin": [0] * axes,
        "pads_end": [0] * axes, "auto_pad": "explicit", "output_padding": [0] * axes
    } | given


def _full(x, w, strides, dilations):
    """The full output before cropping, in float64; w is [groups, in, out, ...]."""
    x, w = np.asarray(x, np.float64), np.asarray(w, np.float64)
    groups, ins, outs, sizes = w.shape[0], w.shape[1], w.shape[2], w.shape[3:]
    walks = [stride * (count - 1) + 1 for stride, count in zip(strides, x.shape[2:])]
    extents = [walk + dilation * (size - 1) for walk, dilation, size in zip(walks, dilations, sizes)]
    full = np.zeros((x.shape[0], groups * outs, *extents))
    x = x.reshape(x.shape[0], groups, ins, *x.shape[2:])
    for tap in np.ndindex(*sizes):
        places = tuple(
            slice(at * dilation, at * dilation + walk, stride)
            for at, dilation, walk, stride in zip(tap, dilations, walks, strides))
        product = np.einsum("ngi...,gio->ngo...", x, w[(Ellipsis,) + tap])
        full[(slice(None), slice(None)) + places] += product.reshape(full.shape[:2] + x.shape[3:])
    return full


def _extent(axis, full, given, shape):
    """For one axis: the number of elements cropped at the beginning, and the output's extent."""
    begin, auto_pad = given["pads_begin"][axis], given["auto_pad"]
    longest = full + given["output_padding"][axis]
    if shape is None:
        if auto_pad != "explicit":
            return 0, longest
        return begin, longest - begin - given["pads_end"][axis]
    excess = max(longest - shape[axis], 0)
    cuts = {
        "explicit": begin, "valid": 0, "same_lower": excess // 2,
        "same_upper": excess - excess // 2
    }
    return cuts[auto_pad], shape[axis]


def transposed(x, w, given, shape=None):
    """The transposed convolution; w is [groups, in, out, ...]."""
    full = _full(x, w, given["strides"], given["dilations"])
    for axis in range(x.ndim - 2):
        cut, extent = _extent(axis, full.shape[axis + 2], given, shape)
        rest = full.take(range(cut, min(cut + extent, full.shape[axis + 2])), axis + 2)
        tail = [(0, 0)] * x.ndim
        tail[axis + 2] = (0, extent - rest.shape[axis + 2])
        full = np.pad(rest, tail)
    return full


def _case(kind, name, data, kernel, given, shape=None, **more):
    grouped = kind.startswith("Group")
    given = _whole(given, len(data) - 2)
    w = normal(kind + name, *kernel, scale=1 / np.sqrt(np.prod(kernel) / kernel[1 + grouped]))
    control = [] if shape is None else [i64(*shape)]
    return Case(f"transposed_convolution/{'group_' if grouped else ''}{name}",
                [normal(name, *data)], lambda x: node(kind, 1, [x, w, *control], **given),
                reference=lambda x: transposed(x, w if grouped else w[None], given, shape), **more)


def _weights_are_inputs():
    rows = [  # name, data, kernel, attributes
        ("1d", (2, 3, 7), (3, 18, 4), {"strides": [2], "pads_begin": [1], "pads_end": [1]}),
        ("1d_dilated", (1, 3, 5), (3, 5, 5), {"strides": [4], "dilations": [2]}),
        ("2d", (1, 3, 4, 5), (3, 5, 3, 4), {"strides": [2, 3], "output_padding": [1, 0]}),
        ("3d", (1, 2, 3, 2, 4), (2, 17, 3, 2, 3), {"strides": [2, 1, 2], "pads_begin": [1, 0, 1]}),
        ("group_1d", (1, 4, 6), (2, 2, 3, 3), {"strides": [2]}),
        ("depthwise_2d", (1, 3, 4, 3), (3, 1, 2, 4, 3), {"strides": [2, 1], "pads_end": [1, 1]}),
        ("depthwise_3d", (1, 3, 2, 4, 3), (3, 1, 1, 2, 2, 3), {"strides": [1, 2, 1]}),
    ]
    for name, data, kernel, given in rows:
        grouped = len(kernel) > len(data)
        kind = "GroupConvolutionBackpropData" if grouped else "ConvolutionBackpropData"
        given = _whole(given, len(data) - 2)
        yield Case(
            f"transposed_convolution/weights_are_inputs_{name}",
            [normal("twx" + name, *data), normal("tww" + name, *kernel, scale=0.4)],
            lambda x, w, kind=kind, given=given: node(kind, 1, [x, w], **given),
            reference=lambda x, w, given=given, grouped=grouped: transposed(
                x, w if grouped else w[None], given))


INTEGERS = ("1d_k3_pad", "1d_kernel_below_stride", "1d_stride2_dilation2", "1d_one_place_out",
            "2d_stride2_k4_pad", "2d_mixed", "2d_one_place", "1d_two_groups",
            "1d_depthwise_multiplier", "2d_two_groups", "2d_depthwise")


def _integers():
    """Rows of ROWS and GROUPED as integers: narrow types whose sums wrap, i64 beyond 32 bits."""
    for row in ROWS + GROUPED:
        if row[0] in INTEGERS:
            yield _integer("i32_", *row)
    row = next(row for row in ROWS if row[0] == "2d_mixed")
    yield _integer("i32_weights_are_inputs_", *row, weights_are_inputs=True)
    for kind in (np.int8, np.uint8, np.int16):
        yield _integer(f"{np.dtype(kind).name}_", *row, kind=kind,
                       **by_numpy("OpenVINO's CPU device does not let sums of bytes wrap around."))
    yield _integer("int64_", *row, kind=np.int64, shift=31, **NARROW)


def _integer(label, name, data, kernel, given, kind=np.int32, shift=0, weights_are_inputs=False,
             **more):
    grouped = len(kernel) > len(data)
    given = _whole(given, len(data) - 2)
    operation = "GroupConvolutionBackpropData" if grouped else "ConvolutionBackpropData"
    least = 0 if kind == np.uint8 else -100
    x = integers("tix" + label + name, least, 100, *data, dtype=kind)
    w = integers("tiw" + label + name, least, 100, *kernel, dtype=kind) << shift

    def reference(x, w=w):
        sums = transposed(x, (w >> shift) if grouped else (w >> shift)[None], given)
        return (np.rint(sums).astype(np.int64) << shift).astype(kind)

    path = f"transposed_convolution/{label}{'group_' if grouped else ''}{name}"
    if weights_are_inputs:
        return exact(path, [x, w], lambda x, w: node(operation, 1, [x, w], **given), reference,
                     **more)
    return exact(path, [x], lambda x: node(operation, 1, [x, w], **given), reference, **more)


def _more():
    given = _whole({"pads_begin": [1, 1], "pads_end": [1, 1]}, 2)
    doubled = given | {"strides": [2, 2], "output_padding": [1, 1]}
    w, b = normal("tw", 3, 4, 3, 3, scale=0.3), normal("tb", 1, 4, 1, 1)
    for name, attributes in (("2d_bias_relu", given), ("2d_stride2_bias_relu", doubled)):

        def bias_relu(x, attributes=attributes):
            y = node("ConvolutionBackpropData", 1, [x, w], **attributes)
            return node("Relu", 1, [node("Add", 1, [y, b])])

        yield Case(
            f"transposed_convolution/{name}", [normal(name, 1, 3, 5, 4)], bias_relu,
            reference=lambda x, attributes=attributes: np.maximum(
                transposed(x, w[None], attributes) + b, 0))
    infinite = counting(1, 1, 5) + 1
    infinite[0, 0, 2] = np.inf
    row = _whole({"strides": [2], "pads_begin": [1], "pads_end": [1]}, 1)
    one = np.array([[[1, 2, 3]]], np.float32)
    yield Case("transposed_convolution/1d_infinity", [infinite],
               lambda x: node("ConvolutionBackpropData", 1, [x, one], **row),
               reference=lambda x: transposed(x, one[None], row),
               note="A place that is infinite shows in the outputs that its taps reach alone.")


def cases():
    for name, data, kernel, given in ROWS:
        yield _case("ConvolutionBackpropData", name, data, kernel, given)
    for name, data, kernel, given in GROUPED:
        yield _case("GroupConvolutionBackpropData", name, data, kernel, given)
    for name, data, kernel, shape, given in SHAPED:
        yield _case("ConvolutionBackpropData", f"shaped_{name}", data, kernel, given, shape)
    yield _case("GroupConvolutionBackpropData", "shaped_2d_same_upper", (1, 4, 3, 4),
                (2, 2, 3, 3, 3), {"strides": [2, 2], "auto_pad": "same_upper"}, [6, 8])
    yield from _weights_are_inputs()
    yield from _integers()
    yield from _more()
