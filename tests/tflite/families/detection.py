# SPDX-License-Identifier: Apache-2.0
"""TFLite_Detection_PostProcess, the head of SSD, with the answers of tflite-micro; LiteRT's for quantised
inputs, which tflite-micro refuses. The fast mode leaves unused results undefined; weft's are 0."""
import litert
import micro
import numpy as np
from casebook import Case, codes, range_of, source
from writer import Model

SCALES = {"y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0}


def _boxes(random, count, numbers=4):
    """Codes of boxes around anchors on a grid, so that neighbours overlap."""
    side = int(np.ceil(count**0.5))
    centres = np.array([(y, x) for y in range(side) for x in range(side)][:count]) / side
    anchors = np.concatenate([centres, random.uniform(0.15, 0.4, (count, 2))], 1)
    return random.normal(0, 1.5, (1, count, numbers)).astype(np.float32), anchors.astype(np.float32)


def _case(path, boxes, scores, anchors, quantised=False, anchors_are_input=False, **options):
    """`scores` are [n, classes and background]."""
    model = Model()
    graph = model.graph()
    arrays = [boxes, scores[None], anchors]
    tensors = []
    for index, array in enumerate(arrays):
        more = {}
        if quantised:
            q = range_of(array, "u8")
            arrays[index] = codes(array, "u8", q)
            more = {"scale": q[0], "zero": q[1]}
        kind = "u8" if quantised else "f32"
        if index == 2 and not anchors_are_input:
            tensors.append(graph.tensor(kind, data=arrays[2], name="anchors", **more))
        else:
            tensors.append(graph.tensor(kind, list(array.shape), name=f"x{index}", **more))
            graph.inputs.append(tensors[-1])
    count = options["max_detections"]
    graph.outputs = [graph.tensor("f32", shape, name=f"y{index}")
                     for index, shape in enumerate(([1, count, 4], [1, count], [1, count], [1]))]
    graph.op("CUSTOM", tensors, graph.outputs, custom="TFLite_Detection_PostProcess", **SCALES, **options)
    inputs = arrays if anchors_are_input else arrays[:2]
    if quantised:
        answers = litert.run(model.bytes(), inputs)
    else:
        answers = micro.run(model.bytes(), inputs, 0, 4)
    used = int(answers[3][0])
    for array in answers[:3]:
        array[:, used:] = 0
    return Case(path, model, inputs, answers=answers)


def _options(regular, classes, most, score, overlap, per_class=None):
    options = {"max_detections": most, "num_classes": classes, "nms_score_threshold": score,
               "nms_iou_threshold": overlap, "max_classes_per_detection": 1, "use_regular_nms": regular}
    return options if per_class is None else {**options, "detections_per_class": per_class}


def cases():
    """All cases."""
    for regular in (False, True):
        mode = "regular" if regular else "fast"
        for name, count, classes, background, most, score, overlap, per_class in (
                ("plain", 36, 3, 1, 10, 0.4, 0.5, None), ("no_background", 49, 4, 0, 8, 0.3, 0.3, None),
                ("few_boxes", 5, 2, 1, 20, 0.2, 0.6, None), ("one_class", 30, 1, 1, 6, 0.5, 0.4, None),
                ("none", 16, 2, 1, 4, 1.5, 0.5, None), ("all", 25, 2, 1, 25, 0.0, 1.0, None),
                ("per_class", 64, 5, 1, 12, 0.1, 0.45, 2)):
            random = source(f"{mode} {name}")
            boxes, anchors = _boxes(random, count)
            scores = random.uniform(0, 1, (count, classes + background)).astype(np.float32)
            yield _case(f"{mode}_{name}", boxes, scores, anchors,
                        **_options(regular, classes, most, score, overlap, per_class))
        # Many equal scores, and some equal to the threshold.
        random = source(f"{mode} ties")
        boxes, anchors = _boxes(random, 49, 6)
        scores = (random.integers(0, 9, (49, 4)) / 8).astype(np.float32)
        yield _case(f"{mode}_ties", boxes, scores, anchors, anchors_are_input=True,
                    **_options(regular, 3, 20, 0.5, 0.35))
        yield _case(f"{mode}_u8", boxes, scores, anchors, quantised=True, **_options(regular, 3, 15, 0.3, 0.4))
