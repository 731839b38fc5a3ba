# SPDX-License-Identifier: Apache-2.0
"""DetectionOutput: boxes are decoded from priors and selected per class; each image keeps its best."""

import numpy as np

from build import node
from casebook import Case, uniform

_DEFAULTS = {"background_label_id": 0, "top_k": -1, "variance_encoded_in_target": False,
             "keep_top_k": [5], "code_type": "caffe.PriorBoxParameter.CENTER_SIZE",
             "share_location": True, "nms_threshold": .4, "confidence_threshold": .1,
             "clip_after_nms": False, "clip_before_nms": False, "decrease_label_id": False,
             "normalized": True, "input_height": 1, "input_width": 1, "objectness_score": 0.}


def _decoded(priors, variances, logits, given):
    """Boxes [images, priors, classes, 4] from logits [images, priors, 1 or classes, 4]."""
    if not given["normalized"]:
        sides = np.array([given["input_width"], given["input_height"]] * 2, np.float32)
        priors = priors / sides
    moves = logits if given["variance_encoded_in_target"] else variances * logits
    boxes = priors + moves
    if given["code_type"].endswith("CENTER_SIZE"):
        first, last = priors[..., :2], priors[..., 2:]
        size, middle = last - first, (first + last) / np.float32(2)
        centre, half = moves[..., :2] * size + middle, np.exp(moves[..., 2:]) * size / np.float32(2)
        boxes = np.concatenate([centre - half, centre + half], -1)
    return np.clip(boxes, 0, 1) if given["clip_before_nms"] else boxes


def _all_boxes(logits, proposals, arms, given, count, classes):
    floats = 4 if given["normalized"] else 5
    rows = proposals.reshape(len(proposals), -1, count * floats)
    priors = rows[:, 0].reshape(-1, count, 1, floats)[..., floats - 4:]
    variances = None if rows.shape[1] < 2 else rows[:, 1, :4 * count].reshape(-1, count, 1, 4)
    shape = len(logits), count, 1 if given["share_location"] else classes, 4
    for numbers in arms + [logits]:
        priors = _decoded(priors, variances, numbers.reshape(shape), given)
    return priors


def _overlap(a, b):
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if not (width > 0 and height > 0):
        return 0
    common = width * height
    return common / sum([(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)], -common)


def _lists(scores, given):
    """Lists of (prior, class) by descending score; scores are [priors, classes]."""
    least = np.float32(given["confidence_threshold"])
    classes = [c for c in range(scores.shape[1]) if c != given["background_label_id"]]
    if given["decrease_label_id"]:
        best = [max([c for c in classes if c > 0], key=lambda c: (row[c], -c)) for row in scores]
        lists = [[(p, c) for p, c in enumerate(best) if scores[p, c] >= least]]
    else:
        lists = [[(p, c) for p in range(len(scores)) if scores[p, c] > least] for c in classes]
    for boxes in lists:
        ordered = sorted(boxes, key=lambda at: (-scores[at], at))
        yield ordered if given["top_k"] < 0 else ordered[:given["top_k"]]


def _image(boxes, scores, given):
    found = []
    for candidates in _lists(scores, given):
        for prior, label in candidates:
            of = (lambda at: boxes[at[0], 0 if given["share_location"] else at[1]])
            if not any(label == q[1] and _overlap(of((prior, label)), of(q)) > np.float32(
                    given["nms_threshold"]) for q in found):
                found.append((prior, label))
    found.sort(key=lambda at: (-scores[at], at))
    keep = given["keep_top_k"][0]
    found = found if keep < 0 else found[:keep]
    return sorted(found, key=lambda at: at[1])


def _detections(logits, predictions, proposals, arms, given):
    count = proposals.shape[2] // (4 if given["normalized"] else 5)
    images, classes = len(logits), predictions.shape[1] // count
    scores = predictions.reshape(images, count, classes)
    if arms:
        is_none = arms[0].reshape(images, count, 2)[..., 1] < np.float32(given["objectness_score"])
        background = np.float32(np.arange(classes) == given["background_label_id"])
        scores = np.where(is_none[..., None], background, scores)
    if not given["normalized"]:  # an image of -1 ends the priors
        ended = np.cumsum(proposals[:, 0].reshape(-1, count, 5)[..., 0] == -1, 1) > 0
        scores = np.where(ended[..., None], np.float32(-np.inf), scores)
    boxes = _all_boxes(logits, proposals, list(arms[1:]), given, count, classes)
    boxes = np.broadcast_to(boxes, (images,) + boxes.shape[1:])
    rows = []
    for image in range(images):
        for prior, label in _image(boxes[image], scores[image], given):
            box = boxes[image, prior, 0 if given["share_location"] else label]
            box = np.clip(box, 0, 1) if given["clip_after_nms"] else box
            rows.append([image, label - given["decrease_label_id"], scores[image, prior, label],
                         *box])
    keep, top = given["keep_top_k"][0], given["top_k"]
    most = keep if keep > 0 else classes * (top if keep < 0 < top else count)
    y = np.zeros((1, 1, images * most, 7), np.float32)
    y[0, 0, :len(rows)] = np.array(rows).reshape(-1, 7)
    if len(rows) < images * most:
        y[0, 0, len(rows), 0] = -1
    return y


def _priors(label, given, count, images):
    """Proposals around a grid, with variances unless the logits include them."""
    centres, sizes = uniform(label, .2, .8, images, count, 2), uniform(label + "_s", .1, .5,
                                                                       images, count, 2)
    boxes = np.concatenate([centres - sizes / 2, centres + sizes / 2], -1)
    if not given["normalized"]:
        sides = np.array([given["input_width"], given["input_height"]] * 2, np.float32)
        boxes = np.concatenate([uniform(label + "_i", 0, 1, images, count, 1), boxes * sides], -1)
    rows = [boxes.reshape(images, -1)]
    if not given["variance_encoded_in_target"]:
        rows.append(uniform(label + "_v", .1, .3, *rows[0].shape))
    return np.stack(rows, 1).astype(np.float32)


def _case(path, opset=8, images=1, classes=3, count=13, prior_images=1, arm=False, steps=32,
          edit_inputs=None, is_fixed=False, note="", **given):
    given = _DEFAULTS | given
    if opset == 1:
        given = given | {"num_classes": classes}
    boxes = 4 * count * (1 if given["share_location"] else classes)
    scores = np.round(uniform(path + "_score", 0, 1, images, count * classes) * steps) / steps
    inputs = [uniform(path, -1, 1, images, boxes), scores.astype(np.float32),
              _priors(path + "_prior", given, count, prior_images)]
    if arm:
        inputs += [uniform(path + "_arm", 0, 1, images, 2 * count),
                   uniform(path + "_arm_box", -.5, .5, images, boxes)]
    if edit_inputs:
        edit_inputs(inputs)

    fixed = inputs.pop(2) if is_fixed else None

    def with_fixed(ports):
        return list(ports) if fixed is None else [*ports[:2], fixed, *ports[2:]]

    def answer(*arrays):
        arrays = with_fixed(arrays)
        return _detections(*arrays[:3], arrays[3:], given)

    def graph(*ports):
        listed = {key: np.array(value, np.int64) if isinstance(value, list) else value
                  for key, value in given.items()}
        return node("DetectionOutput", opset, with_fixed(ports), **listed)

    return Case(f"detection/{path}", inputs, graph, reference=answer, note=note)


def _end_list(inputs):
    inputs[2][0, 0, 5 * 7] = -1


def _end_at_once(inputs):
    inputs[2][:, 0, 0] = -1


def _spoil(inputs):
    inputs[0][0, 8:10] = np.nan
    inputs[1][0, 2::5] = np.nan


def cases():
    corner = {"code_type": "caffe.PriorBoxParameter.CORNER"}
    encoded = {"variance_encoded_in_target": True}
    sized = {"normalized": False, "input_height": 24, "input_width": 40}
    for opset in (1, 8):
        yield _case(f"version_{opset}", opset, images=2)
    yield _case("corner", images=2, **corner)
    yield _case("corner_encoded", **corner, **encoded)
    yield _case("encoded", images=3, prior_images=3, **encoded)
    yield _case("priors_of_each_image", images=2, prior_images=2)
    yield _case("in_pixels", images=2, **sized)
    yield _case("in_pixels_encoded", **sized, **encoded, **corner)
    yield _case("boxes_of_each_class", images=2, classes=4, share_location=False)
    yield _case("boxes_of_each_class_corner", share_location=False, steps=4096, **corner, **sized)
    yield _case("clip_before", images=2, clip_before_nms=True)
    yield _case("clip_after", images=2, clip_after_nms=True)
    yield _case("best_class", images=2, classes=5, decrease_label_id=True)
    yield _case("best_class_by_class", classes=5, decrease_label_id=True, share_location=False,
                confidence_threshold=.5, top_k=6)
    yield _case("no_background", images=2, background_label_id=-1)
    yield _case("background_behind", background_label_id=2, keep_top_k=[40])
    yield _case("few_candidates", images=2, top_k=3, keep_top_k=[4])
    yield _case("keep_all_of_few", images=2, top_k=3, keep_top_k=[-1])
    yield _case("keep_all", images=2, keep_top_k=[-1])
    yield _case("keep_none", keep_top_k=[0])
    yield _case("keep_more_than_there_are", keep_top_k=[50])
    yield _case("none_above", confidence_threshold=1.5)
    yield _case("all_above", confidence_threshold=-1., keep_top_k=[9], nms_threshold=1.)
    yield _case("many_equal_scores", images=2, count=40, classes=2, steps=3)
    yield _case("one_prior", count=1, classes=2, keep_top_k=[1], confidence_threshold=0.)
    yield _case("one_class", classes=1, background_label_id=-1)
    yield _case("long", count=211, classes=6, keep_top_k=[30], top_k=50, steps=4096)
    yield _case("refined", images=2, prior_images=2, arm=True, objectness_score=.3)
    yield _case("refined_corner", images=1, arm=True, objectness_score=.5, clip_before_nms=True,
                **corner)
    yield _case("refined_in_pixels", arm=True, **sized, **encoded)
    yield _case("refined_best_class", images=2, prior_images=2, arm=True, objectness_score=.4,
                decrease_label_id=True)
    yield _case("refined_by_class", arm=True, share_location=False, objectness_score=.4,
                background_label_id=-1, **encoded)
    yield _case("nan", edit_inputs=_spoil)
    end = {"note": "OpenVINO's CPU device ends the priors at the first one of image -1."}
    yield _case("priors_end", images=2, edit_inputs=_end_list, **sized, **end)
    yield _case("priors_end_at_once", edit_inputs=_end_at_once, **sized, **encoded)
    yield _case("priors_end_of_each_image", images=2, prior_images=2, edit_inputs=_end_list, **sized)
    yield _case("priors_end_by_best_class", edit_inputs=_end_list, decrease_label_id=True,
                is_fixed=True, **sized)
    yield _case("refined_priors_end", arm=True, edit_inputs=_end_list, objectness_score=.3, **sized)
    yield _case("fixed_priors", images=2, is_fixed=True)
    yield _case("fixed_priors_in_pixels", is_fixed=True, **sized)
