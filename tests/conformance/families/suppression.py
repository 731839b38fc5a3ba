# SPDX-License-Identifier: Apache-2.0
"""Non-maximum suppression: the outputs have a run-time number of rows."""

import numpy as np

from build import node
from casebook import Case, by_numpy, exact, uniform


def _corners(box, encoding):
    if encoding == "center":
        x, y, width, height = box
        half_width, half_height = np.float32(.5) * width, np.float32(.5) * height
        return y - half_height, x - half_width, y + half_height, x + half_width
    return min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])


def _overlap(a, b):
    area_a, area_b = ((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    if area_a <= 0 or area_b <= 0:
        return np.float32(0)
    height = max(min(a[2], b[2]) - max(a[0], b[0]), np.float32(0))
    width = max(min(a[3], b[3]) - max(a[1], b[1]), np.float32(0))
    return height * width / (area_a + area_b - height * width)


def _suppressed(boxes, scores, most, iou, least, encoding, descending):
    """Rows of batch, class, box."""
    rows = []
    for batch, of_class in np.ndindex(*scores.shape[:2]):
        line, kept = scores[batch, of_class], []
        for box in sorted(np.flatnonzero(line > np.float32(least)), key=lambda i: (-line[i], i)):
            corners = [_corners(boxes[batch, i], encoding) for i in [box] + kept]
            if len(kept) < most and all(
                    not _overlap(corners[0], other) > np.float32(iou) for other in corners[1:]):
                kept.append(box)
        rows += [(batch, of_class, box) for box in kept]
    return sorted(rows, key=lambda row: (-scores[row], row)) if descending else rows


def _lowered(boxes, scores, most, iou, least, sigma, encoding, descending):
    """Rows of batch, class, box and reduced score (soft suppression)."""
    rows = []
    for batch, of_class in np.ndindex(*scores.shape[:2]):
        left = {box: score for box, score in enumerate(scores[batch, of_class].astype(float))
                if score > least}
        for _ in range(most):
            if not left:
                break
            best = min(left, key=lambda box: (-left[box], box))
            rows.append((batch, of_class, best, left.pop(best)))
            overlaps = {box: _overlap(*(_corners(boxes[batch, i], encoding) for i in (box, best)))
                        for box in left}
            left = {box: score * np.exp(-.5 / sigma * overlaps[box]**2)
                    for box, score in left.items() if not overlaps[box] > iou}
            left = {box: score for box, score in left.items() if score > least}
    return sorted(rows, key=lambda row: (-row[3], row)) if descending else rows


def _numbers(boxes, scores, dtype, sigma=0, **given):
    if sigma:
        rows = _lowered(boxes, scores, sigma=sigma, **given)
    else:
        rows = [(*row, scores[row]) for row in _suppressed(boxes, scores, **given)]
    selected = np.array(rows, np.float32).reshape(-1, 4)[:, [0, 1, 3]]
    places = np.array([row[:3] for row in rows], dtype).reshape(-1, 3)
    return places, selected, np.array([len(rows)], dtype)


def _case(path, boxes, scores, inputs=(3, .3, .25), opset=9, encoding="corner",
                   descending=True, output_type="i64", **more):
    limits = [np.array(value, np.int64 if i == 0 else np.float32)
              for i, value in enumerate(inputs)]
    attributes = {"box_encoding": encoding, "sort_result_descending": descending}
    if opset > 1:
        attributes["output_type"] = output_type

    def graph(boxes, scores):
        made = node("NonMaxSuppression", opset, [boxes, scores] + limits, **attributes)
        return [made.output(i) for i in range(3 if opset >= 5 else 1)]

    def reference(boxes, scores):
        most, iou, least, sigma = [value.item() for value in limits] + [0] * (4 - len(limits))
        if sigma and opset >= 9:  # only version 5 applies the threshold to reduced scores
            iou = np.inf
        answers = _numbers(boxes, scores, np.int32 if output_type == "i32" else np.int64, most=most,
                           iou=iou, least=least, sigma=sigma, encoding=encoding,
                           descending=descending)
        return answers if opset >= 5 else answers[0]

    made = Case if len(limits) > 3 and limits[3] > 0 else exact
    return made(f"suppression/{path}", [boxes, scores], graph, reference=reference, **more)


def _crowd(label, batch, classes, boxes):
    """Partly overlapping boxes as corners in any order, and scores with some ties."""
    centres = uniform(label, 0, 8, batch, boxes, 2)
    sizes = uniform(label + "_s", 1, 5, batch, boxes, 2)
    flip = np.where(uniform(label + "_f", 0, 1, batch, boxes, 2) < .5, 1, -1).astype(np.float32)
    corners = np.concatenate([centres - flip * sizes / 2, centres + flip * sizes / 2], -1)
    scores = np.round(uniform(label + "_score", 0, 1, batch, classes, boxes) * 16) / 16
    return corners.astype(np.float32), scores.astype(np.float32)


def cases():
    boxes, scores = _crowd("crowd", 2, 3, 17)
    for opset in (1, 3, 4, 5, 9):
        yield _case(f"version_{opset}", boxes, scores, opset=opset)
    yield _case("by_class", boxes, scores, descending=False, output_type="i32")
    centred = np.abs(boxes)
    yield _case("centred", centred, scores, encoding="center", descending=False)
    yield _case("all", boxes, scores, inputs=(100, 1., -1.))
    yield _case("one_box", boxes[:1, :1], scores[:1, :, :1], inputs=(1, .5, 0.))
    yield _case("none_above", boxes, scores, inputs=(2, .5, 2.))
    yield _case("no_limit_given", boxes, scores, inputs=(),
                **by_numpy("OpenVINO counts what its memory happens to hold."))
    flat = boxes.copy()
    flat[:, ::2, 2] = flat[:, ::2, 0]
    yield _case("without_area", flat, scores, inputs=(9, .1, .1))
    unordered = scores.copy()
    unordered[:, :, ::4] = np.nan
    unordered[:, 0, 1] = np.inf
    yield _case("nan", boxes, unordered)
    half = np.array([[[0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 1, 2]]], np.float32)
    yield _case("overlap_at_threshold", half, np.array([[[.9, .8, .7]]], np.float32),
                         inputs=(3, .5, 0.), **by_numpy(
                             "The document keeps a box that overlaps by the threshold itself."))

    distinct = uniform("lowered", 0, 1, *scores.shape)
    yield _case("lowered", boxes, distinct, inputs=(9, .5, .1, .3))
    yield _case("lowered_by_class", boxes, distinct, inputs=(17, .5, .05, 1.5), descending=False)
    yield _case("lowered_little", boxes, distinct, inputs=(17, .1, 0., 30.), output_type="i32")
    yield _case("lowered_centred", centred, distinct, inputs=(5, .5, .2, .2), encoding="center")
    yield _case("lowered_below_threshold", boxes, distinct, inputs=(17, 0., .6, .02))
    yield _case("lowered_and_removed", boxes, distinct, inputs=(17, .05, .1, .3), opset=5, **by_numpy(
        "The document of version 5 removes what overlaps by more than the threshold; OpenVINO's CPU "
        "device runs it as version 9, which does not."))
    yield _case("lowered_sigma_0", boxes, distinct, inputs=(9, .3, .1, 0.))

    def shifted(boxes, scores):
        made = node("NonMaxSuppression", 9, [boxes, scores, np.int64(4), np.float32(.4)])
        places = node("Convert", 1, [made.output(0)], destination_type="f32")
        return node("Multiply", 1, [places, made.output(1)])

    def products(boxes, scores):
        places, selected, _ = _numbers(boxes, scores, np.int64, most=4, iou=.4, least=0,
                                       encoding="corner", descending=True)
        return places.astype(np.float32) * selected

    yield exact("suppression/then_pointwise", [boxes, scores], shifted, products)
