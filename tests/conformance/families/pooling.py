# SPDX-License-Identifier: Apache-2.0
"""MaxPool and AvgPool in 1D and 2D: pads, rounding of the output size, what counts as a divisor."""

from build import node
from casebook import Case, exact, integers, normal
from reference import windows

# name, data, kernel, strides, pads_begin, pads_end, rounding_type, auto_pad
ROWS = [
    ("1d", (1, 3, 17), [2], [2], [0], [0], "floor", "explicit"),
    ("1d_ceil", (1, 3, 17), [2], [2], [0], [0], "ceil", "explicit"),
    ("1d_pad", (2, 16, 15), [3], [1], [1], [1], "floor", "explicit"),
    ("1d_same_upper", (1, 5, 17), [4], [3], [0], [0], "floor", "same_upper"),
    ("2d", (1, 3, 8, 6), [2, 2], [2, 2], [0, 0], [0, 0], "floor", "explicit"),
    ("2d_ceil", (1, 3, 7, 9), [2, 3], [2, 2], [0, 0], [0, 0], "ceil", "explicit"),
    ("2d_pad", (1, 17, 7, 5), [3, 3], [2, 2], [1, 1], [1, 1], "floor", "explicit"),
    ("2d_pad_ceil", (2, 2, 8, 7), [3, 2], [3, 2], [1, 0], [0, 1], "ceil", "explicit"),
    ("2d_same_upper", (1, 4, 7, 6), [3, 2], [2, 2], [0, 0], [0, 0], "floor", "same_upper"),
    ("2d_same_lower", (1, 4, 7, 6), [3, 2], [2, 2], [0, 0], [0, 0], "floor", "same_lower"),
    ("2d_valid", (1, 4, 7, 6), [3, 2], [2, 2], [0, 0], [0, 0], "floor", "valid"),
    ("2d_whole_window", (1, 33, 4, 4), [4, 4], [1, 1], [0, 0], [0, 0], "floor", "explicit"),
]
NAMES = ("kernel", "strides", "pads_begin", "pads_end", "rounding_type", "auto_pad")


def _max():
    for name, data, *geometry in ROWS:
        attributes = dict(zip(NAMES, geometry))
        yield exact(f"pooling/max_{name}", [normal("max" + name, *data) - 2],
                    lambda x, attributes=attributes: node("MaxPool", 1, [x], **attributes),
                    lambda x, geometry=geometry: windows.max_pool(x, *geometry))
    for opset in (8, 14):
        for name, data, dilations, kernel in (("1d_dilation", (1, 3, 17), [2], [3]),
                                              ("2d_dilation", (1, 2, 9, 8), [2, 1], [2, 3])):
            rank = len(kernel)
            geometry = [kernel, [2] * rank, [1] * rank, [0] * rank, "floor", "explicit"]
            attributes = dict(zip(NAMES, geometry), dilations=dilations, index_element_type="i64",
                              axis=0)
            yield exact(
                f"pooling/max{opset}_{name}", [normal(f"m{opset}{name}", *data) - 1],
                lambda x, opset=opset, attributes=attributes: node("MaxPool", opset, [x], **
                                                                   attributes).output(0),
                lambda x, geometry=geometry, dilations=dilations: windows.max_pool(
                    x, *geometry, dilations=dilations),
                note="Only the values are an output; the indices are not.")
    geometry = [[2, 2], [2, 2], [1, 1], [1, 1], "ceil_torch", "explicit"]
    attributes = dict(zip(NAMES, geometry), dilations=[1, 1], index_element_type="i64", axis=0)
    yield exact("pooling/max14_ceil_torch", [normal("torch", 1, 2, 5, 6)],
                lambda x: node("MaxPool", 14, [x], **attributes).output(0),
                lambda x: windows.max_pool(x, *geometry))
    plain = dict(zip(NAMES, [[3], [2], [1], [1], "ceil", "explicit"]))
    yield exact("pooling/max_i32", [integers("mi", -99, 0, 1, 2, 16)],
                lambda x: node("MaxPool", 1, [x], **plain),
                lambda x: windows.max_pool(x, [3], [2], [1], [1], "ceil", "explicit"))


def _average():
    for name, data, *geometry in ROWS:
        padded = any(geometry[2] +
                     geometry[3]) or geometry[5].startswith("same") or geometry[4] == "ceil"
        for exclude in (True, False) if padded else (True,):
            attributes = {"exclude-pad": exclude, **dict(zip(NAMES, geometry))}
            yield Case(
                f"pooling/average_{name}{'' if exclude else '_pads_count'}",
                [normal("avg" + name, *data)],
                lambda x, attributes=attributes: node("AvgPool", 1, [x], **attributes),
                reference=lambda x, geometry=geometry, exclude=exclude: windows.average_pool(
                    x, *geometry, exclude_pad=exclude))
    for exclude, kernel in ((True, [3, 2]), (False, [2, 2])):
        geometry = [kernel, [2, 2], [1, 1], [1, 1], "ceil_torch", "explicit"]
        attributes = {"exclude-pad": exclude, **dict(zip(NAMES, geometry))}
        yield Case(
            f"pooling/average14_ceil_torch{'' if exclude else '_pads_count'}",
            [normal("avg14", 1, 3, 5, 6)],
            lambda x, attributes=attributes: node("AvgPool", 14, [x], **attributes),
            reference=lambda x, geometry=geometry, exclude=exclude: windows.average_pool(
                x, *geometry, exclude_pad=exclude))


def cases():
    yield from _max()
    yield from _average()
