# SPDX-License-Identifier: Apache-2.0
"""ROIAlign: regions pooled by samples, in every mode and alignment."""

import numpy as np

from build import node
from casebook import Case, normal


# mode: (before, after) of the transformed corner (corner + before) * scale + after
_MOVES = {"asymmetric": (0, 0), "half_pixel_for_nn": (0, -.5), "half_pixel": (.5, -.5)}


def _samples(start, bin_size, samples):
    count = samples or max(int(np.ceil(bin_size)), 0)
    return [start + bin_size / count * (i + .5) for i in range(count)]


def _sample(plane, y, x):
    height, width = plane.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0.
    y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    top, left = int(y), int(x)
    rows = plane[[top, min(top + 1, height - 1)]]
    rows = rows[0] * (top + 1 - y) + rows[1] * (y - top)
    return rows[left] * (left + 1 - x) + rows[min(left + 1, width - 1)] * (x - left)


def _align(x, rois, batches, given):
    pooled = given["pooled_h"], given["pooled_w"]
    mode = given.get("aligned_mode", "asymmetric")
    before, behind = _MOVES[mode]
    y = np.zeros((len(rois), x.shape[1], *pooled))
    for roi, corners in enumerate((rois.astype(float) + before) * given["spatial_scale"] + behind):
        extents = corners[[3, 2]] - corners[[1, 0]]
        bins = (np.maximum(extents, 1) if mode == "asymmetric" else extents) / pooled
        for channel, i, j in np.ndindex(y.shape[1:]):
            places = [_samples(corners[1 - axis] + at * bins[axis], bins[axis],
                                   given["sampling_ratio"]) for axis, at in enumerate((i, j))]
            values = [_sample(x[batches[roi], channel], row, column)
                      for row in places[0] for column in places[1]]
            y[roi, channel, i, j] = max([0] + values) if given["mode"] == "max" else np.mean(values)
    return y.astype(np.float32)


def _case(path, rois, batches, opset=9, shape=(2, 3, 7, 9), **given):
    given = {"pooled_h": 2, "pooled_w": 3, "sampling_ratio": 2, "spatial_scale": 1., "mode": "avg"
             } | given

    def graph(x, rois, batches):
        return node("ROIAlign", opset, [x, rois, batches], **given)

    return Case(f"roi_align/{path}", [normal(path, *shape), np.array(rois, np.float32),
                                          np.array(batches)], graph,
                reference=lambda x, rois, batches: _align(x, rois, batches, given))


def cases():
    rois = [[.3, .2, 4.7, 3.9], [2.1, 1.4, 8.2, 6.7], [-2.3, -1.2, 3.6, 2.9], [5.2, 3.3, 13.1, 9.8]]
    of = np.array([0, 1, 1, 0], np.int64)
    for mode in ("avg", "max"):
        yield _case(f"first_{mode}", rois, of, 3, mode=mode)
        for aligned in ("asymmetric", "half_pixel_for_nn", "half_pixel"):
            yield _case(f"{aligned}_{mode}", rois, of, mode=mode, aligned_mode=aligned)
    yield _case("as_many_as_needed", rois, of.astype(np.int32), sampling_ratio=0, pooled_w=1)
    yield _case("needed_half_pixel", rois, of, sampling_ratio=0, aligned_mode="half_pixel")
    for kind in (np.uint8, np.int8):
        yield _case(f"batches_{np.dtype(kind).name}", rois, of.astype(kind))
    yield _case("scaled", [[2, 1, 30, 25], [9, 9, 10, 10]], of[:2], spatial_scale=.25,
                    sampling_ratio=0, pooled_h=3)
    yield _case("one_place", rois, np.zeros(4, np.int64), shape=(1, 1, 1, 1), mode="max")
    yield _case("maximum_of_negatives", [[0, 0, 3, 3]], of[:1], shape=(1, 1, 4, 4), mode="max")
