# SPDX-License-Identifier: Apache-2.0
"""MaxPool and AvgPool in 1D and 2D: pads, rounding of the output size, divisors."""

import itertools

import numpy as np

from build import node
from casebook import Case, by_numpy, exact, integers, normal
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


def _found(x, kernel, strides, begin, dilations, counts, axis):
    """The flat index of each maximum in the axes from `axis` on; the first of equal maxima."""
    numbers = np.arange(x.size).reshape(x.shape) % int(np.prod(x.shape[axis:]))
    y = np.zeros((*x.shape[:2], *counts), np.int64)
    for at in np.ndindex(*y.shape):
        best = None
        for tap in itertools.product(*map(range, kernel)):
            place = tuple(a * s + t * d - b for a, s, t, d, b in zip(at[2:], strides, tap, dilations,
                                                                     begin))
            if any(p < 0 or p >= n for p, n in zip(place, x.shape[2:])):
                continue
            if best is None or x[at[:2] + place] > x[best]:
                best = at[:2] + place
        y[at] = numbers[best]
    return y


def _indices():
    rows = [  # name, opset, data, kernel, strides, pads_begin, pads_end, dilations, axis, type
        ("1d", 8, (2, 3, 17), [3], [2], [1], [1], [1], 0, "i64"),
        ("2d", 14, (2, 3, 7, 6), [3, 2], [2, 2], [1, 0], [1, 1], [1, 2], 0, "i32"),
        ("2d_of_a_batch", 8, (2, 3, 7, 6), [2, 2], [2, 2], [0, 0], [0, 0], [1, 1], 1, "i64"),
        ("2d_of_a_plane", 8, (2, 3, 7, 6), [3, 3], [1, 2], [1, 1], [1, 1], [1, 1], 2, "i64"),
        ("3d_of_a_plane", 14, (1, 2, 4, 5, 6), [2, 3, 2], [2, 1, 2], [1, 1, 0], [0, 1, 1], [1] * 3,
         -3, "i32"),
    ]
    for name, opset, data, kernel, strides, begin, end, dilations, axis, index_type in rows:
        attributes = {"kernel": kernel, "strides": strides, "pads_begin": begin, "pads_end": end,
                      "dilations": dilations, "axis": axis, "index_element_type": index_type,
                      "rounding_type": "floor", "auto_pad": "explicit"}
        geometry = [kernel, strides, begin, end, "floor", "explicit"]

        def reference(x, geometry=geometry, dilations=dilations, axis=axis, index_type=index_type):
            values = windows.max_pool(x, *geometry, dilations=dilations)
            found = _found(x, geometry[0], geometry[1], geometry[2], dilations, values.shape[2:],
                           axis)
            return [values, found.astype(np.int32 if index_type == "i32" else np.int64)]

        for kind in ("", "_ties"):
            x = normal("found" + name, *data)
            x = np.round(x) if kind else x - 9
            yield exact(f"pooling/indices_{name}{kind}", [x],
                        lambda x, opset=opset, attributes=attributes: list(
                            node("MaxPool", opset, [x], **attributes).outputs()), reference)
    attributes = {"kernel": [2], "strides": [1], "pads_begin": [0], "pads_end": [0],
                  "dilations": [1], "axis": 0, "index_element_type": "i64",
                  "rounding_type": "floor", "auto_pad": "explicit"}
    yield exact("pooling/indices_u8", [integers("found_u8", 0, 255, 1, 2, 9, dtype=np.uint8)],
                lambda x: list(node("MaxPool", 8, [x], **attributes).outputs()),
                lambda x: [windows.max_pool(x, [2], [1], [0], [0], "floor", "explicit"),
                           _found(x, [2], [1], [0], [1], [8], 0)])


def _indices_of_integers():
    """With padding, also where all elements of a window are the type's lowest value."""
    rows = [  # name, type, data, kernel, strides, pads_begin, pads_end, dilations, axis
        ("i32", np.int32, (1, 2, 9), [3], [2], [1], [1], [1], 0),
        ("i32_dilated", np.int32, (2, 2, 7, 6), [3, 2], [2, 1], [2, 1], [1, 1], [2, 1], 2),
        ("i64", np.int64, (2, 3, 5, 4), [3, 3], [1, 2], [1, 1], [1, 1], [1, 1], 0),
        ("i8", np.int8, (1, 2, 9), [2], [1], [1], [1], [1], 0),
    ]
    for name, kind, data, kernel, strides, begin, end, dilations, axis in rows:
        attributes = {"kernel": kernel, "strides": strides, "pads_begin": begin, "pads_end": end,
                      "dilations": dilations, "axis": axis, "index_element_type": "i64",
                      "rounding_type": "floor", "auto_pad": "explicit"}
        geometry = [kernel, strides, begin, end, "floor", "explicit"]

        def reference(x, geometry=geometry, dilations=dilations, axis=axis, kind=kind):
            low = np.where(x == np.iinfo(kind).min, -np.inf, x)
            values = windows.max_pool(low, *geometry, dilations=dilations)
            values = np.where(np.isinf(values), np.iinfo(kind).min, values).astype(kind)
            return [values, _found(x, geometry[0], geometry[1], geometry[2], dilations,
                                   values.shape[2:], axis)]

        for lowest in (False, True):
            x = integers("padded" + name, -9, 9, *data, dtype=kind)
            if lowest:
                x[(0, 0)] = np.iinfo(kind).min
            yield exact(f"pooling/indices_padded_{name}{'_lowest' if lowest else ''}", [x],
                        lambda x, attributes=attributes: list(
                            node("MaxPool", 14, [x], **attributes).outputs()), reference,
                        **(by_numpy("OpenVINO numbers a window of the lowest numbers 0, wherever "
                                    "it lies.") if lowest else {}))


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


def _of_padding_alone():
    """A window that contains only padding: its maximum is the type's lowest value (-inf for floats),
    its mean is 0."""
    attributes = {"kernel": [2], "strides": [1], "pads_begin": [2], "pads_end": [2],
                  "dilations": [2], "axis": 0, "index_element_type": "i64",
                  "rounding_type": "floor", "auto_pad": "explicit"}
    why = by_numpy("OpenVINO gives the lowest finite float as maximum and NaN as mean, and differs "
                   "between its kernels.")
    for kind in (np.float32, np.int8, np.uint8, np.int32, np.int64):
        lowest = -np.inf if kind == np.float32 else np.iinfo(kind).min

        def reference(x, lowest=lowest):
            return np.concatenate([x, np.full_like(x, lowest), x], 2)

        yield exact(f"pooling/max_of_padding_alone_{np.dtype(kind).name}",
                    [integers("alone", 1, 9, 1, 3, 1).astype(kind)],
                    lambda x: node("MaxPool", 8, [x], **attributes).output(0), reference, **why)
    yield exact("pooling/average_of_padding_alone", [normal("alone", 1, 3, 3)],
                lambda x: node("AvgPool", 1, [x], **{
                    "kernel": [2], "strides": [3], "pads_begin": [0], "pads_end": [1],
                    "exclude-pad": True, "rounding_type": "ceil", "auto_pad": "explicit"}),
                lambda x: np.stack([(x[:, :, 0] + x[:, :, 1]) / 2, 0 * x[:, :, 0]], 2), **why)


def cases():
    yield from _max()
    yield from _average()
    yield from _indices()
    yield from _of_padding_alone()
    yield from _indices_of_integers()
