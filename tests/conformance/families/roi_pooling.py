# SPDX-License-Identifier: Apache-2.0
"""ROIPooling and PSROIPooling: regions pooled over elements or over interpolated points."""

import numpy as np

from build import node
from casebook import Case, by_numpy, normal


def _round(x):
    """Rounds to an integer, ties away from zero."""
    return np.sign(x) * np.floor(np.abs(x) + .5)


def _interpolated(plane, y, x):
    height, width = plane.shape
    if not (0 <= y <= height - 1 and 0 <= x <= width - 1):
        return 0.
    top, left = int(y), int(x)
    rows = plane[[top, min(top + 1, height - 1)]]
    rows = rows[0] * (top + 1 - y) + rows[1] * (y - top)
    return rows[left] * (left + 1 - x) + rows[min(left + 1, width - 1)] * (x - left)


def _point(first, last, at, bins, extent):
    if bins == 1:
        return (first + last) / 2 * (extent - 1)
    return (first + (last - first) * at / (bins - 1)) * (extent - 1)


def _existing(begin, end, extent):
    return slice(*(int(min(max(edge, 0), extent)) for edge in (begin, end)))


def _filled(rois, shape, pool):
    """Pools the regions in order; those from the first negative image index on stay 0."""
    y = np.zeros((len(rois), *shape), np.float32)
    for number, roi in enumerate(rois):
        if roi[0] < 0:
            break
        for at in np.ndindex(*shape):
            y[(number, *at)] = pool(int(roi[0]), roi[1:].astype(float), *at)
    return y


def _pooled(x, rois, given):
    pooled = given["pooled_h"], given["pooled_w"]
    extents = x.shape[2:]

    def maximum(batch, corners, channel, *at):
        parts = []
        for axis in range(2):
            first, last = _round(corners[[1 - axis, 3 - axis]] * given["spatial_scale"])
            size = max(last - first + 1, 1)
            edges = size * at[axis] // pooled[axis], -(-size * (at[axis] + 1) // pooled[axis])
            parts.append(_existing(first + edges[0], first + edges[1], extents[axis]))
        places = x[batch, channel][tuple(parts)]
        return places.max() if places.size else 0

    def bilinear(batch, corners, channel, *at):
        return _interpolated(x[batch, channel], *(
            _point(corners[1 - axis], corners[3 - axis], at[axis], pooled[axis], extents[axis])
            for axis in range(2)))

    pool = bilinear if given.get("method") == "bilinear" else maximum
    return _filled(rois, (x.shape[1], *pooled), pool)


def _by_position(x, rois, given):
    group, scale = given.get("group_size", 1), given["spatial_scale"]
    extents = x.shape[2:]
    bins = given.get("spatial_bins_y", 1), given.get("spatial_bins_x", 1)

    def mean(batch, corners, channel, *at):
        parts = []
        for axis in range(2):
            first = _round(corners[1 - axis]) * scale
            size = max(_round(corners[3 - axis] + 1) * scale - first, .1) / group
            parts.append(_existing(np.floor(first + at[axis] * size),
                                   np.ceil(first + (at[axis] + 1) * size), extents[axis]))
        places = x[batch, (channel * group + at[0]) * group + at[1]][tuple(parts)]
        return places.mean() if places.size else 0

    def bilinear(batch, corners, channel, *at):
        values = []
        for part, cell in enumerate(np.ndindex(*bins)):
            points = []
            for axis in range(2):
                first, last = corners[[1 - axis, 3 - axis]] * scale
                size = (last - first) / bins[axis]
                points.append(_point(first + cell[axis] * size, first + (cell[axis] + 1) * size,
                                     at[axis], group, extents[axis]))
            values.append(_interpolated(x[batch, part * given["output_dim"] + channel], *points))
        return np.mean(values)

    pool = bilinear if given.get("mode") == "bilinear" else mean
    return _filled(rois, (given["output_dim"], group, group), pool)


def _case(path, kind, rois, shape, reference, given, **how):
    def graph(x, rois):
        listed = {key: np.array(value, np.int64) if isinstance(value, list) else value
                  for key, value in given.items()}
        return node(kind, 2 if kind == "ROIPooling" else 1, [x, rois], **listed)

    return Case(f"roi_pooling/{path}", [normal(path, *shape), np.array(rois, np.float32)], graph,
                reference=lambda x, rois: reference(x, rois, given), **how)


def _roi_case(path, rois, shape=(2, 3, 7, 9), edit=None, **given):
    given = {"pooled_h": 2, "pooled_w": 3, "spatial_scale": 1., "method": "max"} | given
    how = {key: given.pop(key) for key in ("oracle", "differs") if key in given}
    size = {"output_roi": [given["pooled_h"], given["pooled_w"]]}
    made = _case(path, "ROIPooling", rois, shape,
                 lambda x, rois, _: _pooled(x, rois, given),
                 {key: given[key] for key in ("spatial_scale", "method")} | size, **how)
    made.edit = edit
    return made


def _position_case(path, rois, shape, **given):
    return _case(path, "PSROIPooling", rois, shape, _by_position, given)


def _old_form(xml):
    """The opset1 form: two numbers instead of a list."""
    import re
    data = re.search(r'<data [^>]*output_roi[^>]*/>', xml).group()
    pooled = '<data pooled_h="2" pooled_w="3" spatial_scale="1" method="max" />'
    return xml.replace(data, pooled).replace(
        'type="ROIPooling" version="opset2"', 'type="ROIPooling" version="opset1"')


def cases():
    rois = [[0, 1, 1, 6, 5], [1, 2.5, 1.4, 8.2, 6.5], [1, -2.3, -1.5, 3.6, 2.9],
            [0, 5.2, 3.3, 13.1, 9.8], [1, 4, 4, 2, 1], [0, 30, 30, 40, 40]]
    parts = [[0, .1, .2, .7, .9], [1, 0, 0, 1, 1], [1, .3, .8, .6, .1], [0, .4, .5, 1.3, .9],
             [0, -.2, .2, .5, .5]]
    yield _roi_case("max", rois)
    yield _roi_case("max_first_version", rois, edit=_old_form)
    yield _roi_case("max_one_bin", rois, pooled_h=1, pooled_w=1)
    yield _roi_case("max_many_bins", rois, pooled_h=9, pooled_w=7)
    yield _roi_case("max_scaled", [[0, 3, 5, 60, 44], [1, 0, 9, 17, 16]], spatial_scale=.125,
                    pooled_h=3)
    yield _roi_case("max_of_negatives", [[0, 0, 0, 3, 3]], shape=(1, 1, 4, 4), pooled_w=2)
    yield _roi_case("max_one_place", rois, shape=(2, 1, 1, 1))
    yield _roi_case("max_list_ends", rois[:2] + [[-1, 0, 0, 0, 0]] + rois[:1])
    yield _roi_case("bilinear", parts, method="bilinear")
    yield _roi_case("bilinear_one_bin", parts, method="bilinear", pooled_h=1, pooled_w=1)
    yield _roi_case("bilinear_one_row", parts, method="bilinear", pooled_h=1, pooled_w=5)
    yield _roi_case("bilinear_scale_unused", parts, method="bilinear", spatial_scale=.5)
    yield _roi_case("bilinear_list_ends", parts[:1] + [[-1, 0, 0, 0, 0]] + parts[:2],
                    method="bilinear")
    kept = {"output_dim": 2, "group_size": 3, "spatial_scale": 1., "mode": "average"}
    yield _position_case("average", rois, (2, 18, 7, 9), **kept)
    yield _position_case("average_one_group", rois, (2, 2, 7, 9), **kept | {"group_size": 1})
    yield _position_case("average_scaled", [[0, 3, 5, 60, 44], [1, 0, 9, 17, 16], [1, 9, 9, 9, 9]],
                         (2, 18, 7, 9), **kept | {"spatial_scale": .0625})
    yield _position_case("average_list_ends", rois[:1] + [[-1, 0, 0, 0, 0]] + rois[:2],
                         (2, 8, 7, 9), **kept | {"group_size": 2})
    bilinear = {"output_dim": 3, "group_size": 2, "spatial_scale": 1., "mode": "bilinear"}
    inner = [[0, .1, .2, .7, .9], [1, .05, .05, .95, .95], [1, .3, .8, .6, .1],
             [0, .4, .5, 1.3, .9], [0, -.2, .2, .5, .5]]
    yield _position_case("by_bins", inner, (2, 18, 7, 9), spatial_bins_x=3, spatial_bins_y=2,
                         **bilinear)
    yield _position_case("by_one_bin", inner, (2, 3, 7, 9), spatial_bins_x=1, spatial_bins_y=1,
                         **bilinear)
    yield _position_case("by_bins_of_one_group", inner, (2, 12, 5, 4), spatial_bins_x=2,
                         spatial_bins_y=2, **bilinear | {"group_size": 1})
    yield _position_case("by_bins_scaled", [[0, 2, 3, 9, 12], [1, 0.5, 1, 8, 15]], (2, 12, 6, 5),
                         spatial_bins_x=2, spatial_bins_y=2, **bilinear | {"spatial_scale": .0625})
    yield _position_case("by_bins_list_ends", inner[:1] + [[-1, 0, 0, 0, 0]] + inner[:2],
                         (2, 12, 7, 9), spatial_bins_x=2, spatial_bins_y=2, **bilinear)
