# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pools over three spatial axes."""

import numpy as np

from build import node
from casebook import Case, counting, exact, integers, normal
from reference import windows

# name: data, kernel [out, in, ...], strides, dilations, pads_begin, pads_end, auto_pad
PLAIN = [
    ("counting", (1, 1, 3, 3, 3), (1, 1, 2, 2, 2), [1] * 3, [1] * 3, [0] * 3, [0] * 3, "explicit"),
    ("pads", (1, 3, 5, 6, 7), (17, 3, 3, 3, 3), [1] * 3, [1] * 3, [1] * 3, [1] * 3, "explicit"),
    ("mixed", (2, 3, 7, 6, 5), (4, 3, 3, 2, 1), [2, 1, 2], [2, 1, 1], [1, 0, 0], [2, 1, 0],
     "explicit"),
    ("flat_kernel", (1, 4, 5, 6, 3), (5, 4, 1, 3, 3), [1] * 3, [1] * 3, [0, 1, 1], [0, 1, 1],
     "explicit"),
    ("deep_kernel", (1, 4, 9, 2, 3), (3, 4, 3, 1, 1), [1] * 3, [2, 1, 1], [4, 0, 0], [0, 0, 0],
     "explicit"),
    ("all_depth", (2, 3, 4, 5, 5), (6, 3, 4, 3, 3), [1] * 3, [1] * 3, [0] * 3, [0] * 3, "explicit"),
    ("covers_all", (3, 2, 3, 2, 4), (5, 2, 3, 2, 4), [1] * 3, [1] * 3, [0] * 3, [0] * 3, "explicit"),
    ("same_upper", (1, 2, 5, 6, 7), (3, 2, 2, 3, 4), [2, 2, 3], [1] * 3, [0] * 3, [0] * 3,
     "same_upper"),
    ("one_channel", (1, 1, 4, 5, 6), (1, 1, 1, 2, 3), [1] * 3, [1] * 3, [0] * 3, [0] * 3, "valid"),
]
# name: data, kernel [groups, out, in, ...], ...
GROUPED = [
    ("groups", (1, 6, 5, 4, 6), (3, 2, 2, 2, 3, 3), [1, 1, 2], [1] * 3, [1, 1, 0], [0, 1, 1],
     "explicit"),
    ("depthwise", (2, 5, 6, 5, 4), (5, 1, 1, 3, 3, 3), [1] * 3, [1] * 3, [1] * 3, [1] * 3,
     "explicit"),
    ("depthwise_multiplier", (1, 3, 5, 6, 5), (3, 2, 1, 2, 1, 3), [2, 1, 1], [2, 1, 1], [1, 0, 1],
     [1, 0, 1], "explicit"),
]
KEYS = ("strides", "dilations", "pads_begin", "pads_end", "auto_pad")
# name, data, kernel, strides, pads_begin, pads_end, rounding_type, auto_pad
POOLS = [
    ("cube", (1, 1, 3, 3, 3), [2, 2, 2], [1, 1, 1], [0] * 3, [0] * 3, "floor", "explicit"),
    ("pads", (2, 3, 5, 6, 7), [3, 3, 2], [2, 2, 2], [1, 1, 0], [1, 1, 1], "floor", "explicit"),
    ("flat", (1, 3, 4, 7, 6), [1, 2, 2], [1, 2, 2], [0] * 3, [0] * 3, "floor", "explicit"),
    ("deep", (1, 3, 7, 2, 3), [3, 1, 1], [2, 1, 1], [1, 0, 0], [1, 0, 0], "floor", "explicit"),
    ("ceil", (1, 2, 6, 5, 8), [3, 2, 3], [2, 2, 2], [1, 0, 1], [1, 0, 0], "ceil", "explicit"),
    ("same_lower", (1, 2, 5, 6, 7), [2, 3, 2], [2, 2, 1], [0] * 3, [0] * 3, "floor", "same_lower"),
    ("nothing", (1, 2, 2, 3, 3), [1, 1, 1], [1, 1, 1], [0] * 3, [0] * 3, "floor", "explicit"),
]
NAMES = ("kernel", "strides", "pads_begin", "pads_end", "rounding_type", "auto_pad")


def _convolutions(kind, rows, grouped):
    for name, data, kernel, *geometry in rows:
        x = counting(*data) if name == "counting" else normal("volume" + name, *data)
        w = normal("volume" + kind + name, *kernel,
                   scale=1 / np.sqrt(np.prod(kernel[2 + grouped:]) * kernel[1 + grouped]))
        attributes = dict(zip(KEYS, geometry))
        yield Case(f"volumes/{'group_' if grouped else ''}convolution_{name}", [x],
                   lambda x, w=w, attributes=attributes: node(kind, 1, [x, w], **attributes),
                   reference=lambda x, w=w, geometry=geometry: windows.convolution(
                       x, w if grouped else w[None], *geometry))


def _weights_are_inputs():
    geometry = [[1] * 3, [1] * 3, [1, 0, 1], [0, 1, 1], "explicit"]
    attributes = dict(zip(KEYS, geometry))
    for kind, kernel in (("Convolution", (18, 2, 2, 3, 2)), ("GroupConvolution", (2, 1, 1, 2, 3, 2))):
        w = normal("volume_w" + kind, *kernel, scale=0.4)
        grouped = kind.startswith("Group")
        yield Case(f"volumes/{kind.lower()}_weights_are_inputs",
                   [normal("volume_x" + kind, 1, 2, 4, 5, 4), w],
                   lambda x, w, kind=kind: node(kind, 1, [x, w], **attributes),
                   reference=lambda x, w, grouped=grouped: windows.convolution(
                       x, w if grouped else w[None], *geometry))


def _pools():
    for name, data, *geometry in POOLS:
        attributes = dict(zip(NAMES, geometry))
        x = normal("volume_pool" + name, *data) - 1
        yield exact(f"volumes/max_{name}", [x],
                    lambda x, attributes=attributes: node("MaxPool", 1, [x], **attributes),
                    lambda x, geometry=geometry: windows.max_pool(x, *geometry))
        for exclude in (True, False):
            both = {"exclude-pad": exclude, **attributes}
            known = exclude or geometry[4] != "ceil"
            yield Case(f"volumes/average_{name}{'' if exclude else '_pads_count'}", [x],
                       lambda x, both=both: node("AvgPool", 1, [x], **both),
                       reference=(lambda x, geometry=geometry, exclude=exclude: windows.
                                  average_pool(x, *geometry, exclude_pad=exclude)) if known else
                       None, note="" if known else "By what the last window is divided that ends "
                       "beyond the pads the document leaves open; OpenVINO counts all of it, as it "
                       "does with two axes of space.")
    geometry = POOLS[1][2:]
    attributes = dict(zip(NAMES, geometry))
    yield exact("volumes/max_i32", [integers("volume_i32", -99, 0, 1, 2, 5, 6, 7)],
                lambda x: node("MaxPool", 1, [x], **attributes),
                lambda x: windows.max_pool(x, *geometry))


def cases():
    yield from _convolutions("Convolution", PLAIN, 0)
    yield from _convolutions("GroupConvolution", GROUPED, 1)
    yield from _weights_are_inputs()
    yield from _pools()
