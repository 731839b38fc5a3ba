# SPDX-License-Identifier: Apache-2.0
"""Broadcast, Tile and Pad."""

import numpy as np

from build import node
from casebook import counting, exact, i64, integers, sizes

# shape, target, axes mapping
EXPLICIT = [((3,), [2, 3, 4], [1]), ((2, 4), [2, 3, 4], [0, 2]), ((16,), [16, 50], [0]),
            ((1,), [4, 3], [0])]
BIDIRECTIONAL = [((16, 1, 1), [2, 1, 50, 1]), ((4, 1), [1, 5]), ((2, 3), [1]), ((1,), [3, 2]),
                 ((3, 1, 5), [4, 1])]
# shape, repeats
TILES = [((3,), [4]), ((2, 3), [2, 1]), ((2, 3), [1, 3]), ((2, 3), [2, 3]), ((2, 3), [2, 2, 2]),
         ((2, 3, 4), [2]), ((1, 17), [3, 1]), ((2, 1, 3), [1, 5, 2]), ((16,), [1]),
         ((2, 3, 1, 2), [1, 2, 3, 1])]
# shape, pads before, pads after
PADS = [((17,), [3], [2]), ((4, 5), [0, 2], [1, 3]), ((2, 3, 4, 5), [0, 1, 2, 0], [0, 0, 1, 4]),
        ((3, 15), [2, 0], [0, 0])]


def _broadcast():
    rows = [((3, 1), [3, 5]), ((5,), [2, 3, 5]), ((), [3, 17]), ((1, 3, 1), [2, 3, 4]),
            ((1,), [33]), ((2, 1, 1, 3), [2, 4, 5, 3])]
    for opset in (1, 3):
        for shape, target in rows if opset == 3 else rows[:2]:
            yield exact(
                f"filling/broadcast{opset}_{sizes(shape)}_to_{sizes(target)}",
                [np.asarray(counting(*shape))], lambda x, opset=opset, target=target: node(
                    "Broadcast", opset, [x, i64(*target)], mode="numpy"),
                lambda x, target=target: np.broadcast_to(x, target))
        for shape, target, mapping in EXPLICIT:
            view = [
                shape[mapping.index(axis)] if axis in mapping else 1 for axis in range(len(target))
            ]
            if shape == (1,) and opset == 1:
                continue
            yield exact(
                f"filling/broadcast{opset}_explicit_{sizes(shape)}_to_{sizes(target)}",
                [counting(*shape)], lambda x, opset=opset, target=target, mapping=mapping: node(
                    "Broadcast", opset, [x, i64(*target), i64(*mapping)], mode="explicit"),
                lambda x, view=view, target=target: np.broadcast_to(x.reshape(view), target))
    for opset in (1, 3):
        yield exact(
            f"filling/broadcast{opset}_explicit_scalar_with_axis",
            [np.asarray(counting(1)[0] + 7)],
            lambda x, opset=opset: node("Broadcast", opset, [x, i64(2, 1), i64(1)], mode="explicit"
                                        ), lambda x: np.broadcast_to(x, (2, 1)),
            note="A scalar has no axis to map; OpenVINO takes one element for it as for [1].")
    for shape, target in BIDIRECTIONAL:
        result = np.broadcast_shapes(shape, tuple(target))
        yield exact(
            f"filling/broadcast3_bidirectional_{sizes(shape)}_to_{sizes(target)}",
            [counting(*shape)],
            lambda x, target=target: node("Broadcast", 3, [x, i64(*target)], mode="bidirectional"),
            lambda x, result=result: np.broadcast_to(x, result))
    yield exact("filling/broadcast3_i32", [integers("bi", -9, 9, 3, 1)],
                lambda x: node("Broadcast", 3, [x, np.array([3, 4], np.int32)], mode="numpy"),
                lambda x: np.broadcast_to(x, (3, 4)))
    yield exact("filling/broadcast3_boolean", [np.array([[True], [False], [True]])],
                lambda x: node("Broadcast", 3, [x, i64(3, 5)], mode="numpy"),
                lambda x: np.broadcast_to(x, (3, 5)))


def _tile():
    for shape, repeats in TILES:
        yield exact(f"filling/tile_{sizes(shape)}_by_{sizes(repeats)}", [counting(*shape)],
                    lambda x, repeats=repeats: node("Tile", 1, [x, i64(*repeats)]),
                    lambda x, repeats=repeats: np.tile(x, repeats))
    yield exact("filling/tile_i32", [integers("ti", -9, 9, 2, 3)],
                lambda x: node("Tile", 1, [x, np.array([2, 2], np.int32)]),
                lambda x: np.tile(x, [2, 2]))


def _pad():
    for mode in ("constant", "edge", "reflect", "symmetric"):
        for shape, begin, end in PADS:
            yield exact(
                f"filling/pad_{mode}_{sizes(shape)}",
                [counting(*shape)], lambda x, mode=mode, begin=begin, end=end: node(
                    "Pad", 1, [x, i64(*begin), i64(*end)], pad_mode=mode),
                lambda x, mode=mode, begin=begin, end=end: np.pad(x, list(zip(begin, end)), mode))
    for opset in (1, 12):
        yield exact(
            f"filling/pad{opset}_value", [counting(3, 4)], lambda x, opset=opset: node(
                "Pad", opset, [x, i64(1, 2), i64(0, 1), np.float32(-7.5)], pad_mode="constant"),
            lambda x: np.pad(x, [(1, 0), (2, 1)], constant_values=-7.5))
    crops = [("constant", [-1, 2], [0,
                                    -3], lambda x: np.pad(x[1:, :-3], [(0, 0),
                                                                       (2, 0)], constant_values=9)),
             ("edge", [-1, 1], [2, -2], lambda x: np.pad(x, [(0, 2), (1, 0)], "edge")[1:, :-2]),
             ("constant_only_crops", [-2, -1], [-1, -2], lambda x: x[2:-1, 1:-2])]
    for name, begin, end, reference in crops:
        yield exact(
            f"filling/pad12_negative_{name}",
            [counting(5, 6)], lambda x, name=name, begin=begin, end=end: node(
                "Pad", 12, [x, i64(*begin), i64(*end), np.float32(9)], pad_mode=name.split("_")[0]),
            reference)
    yield exact(
        "filling/pad_i32", [integers("pi", -9, 9, 2, 3)],
        lambda x: node("Pad", 1, [x, i64(1, 0), i64(0, 2), np.int32(5)], pad_mode="constant"),
        lambda x: np.pad(x, [(1, 0), (0, 2)], constant_values=5))
    yield exact("filling/pad_nothing", [counting(2, 3)],
                lambda x: node("Pad", 1, [x, i64(0, 0), i64(0, 0)], pad_mode="constant"),
                lambda x: x)
    yield exact(
        "filling/pad_feeds_pad", [counting(2, 3)], lambda x: node("Pad", 1, [
            node("Pad", 1, [x, i64(0, 1), i64(0, 1)], pad_mode="edge"),
            i64(1, 0),
            i64(1, 0)
        ], pad_mode="constant"), lambda x: np.pad(np.pad(x, [(0, 0), (1, 1)], "edge"), [(1, 1),
                                                                                        (0, 0)]))


def cases():
    for part in (_broadcast, _tile, _pad):
        yield from part()
