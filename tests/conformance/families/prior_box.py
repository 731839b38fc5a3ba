# SPDX-License-Identifier: Apache-2.0
"""Prior boxes: constants computed from two sizes and lists of sizes and ratios."""

import numpy as np

from build import node
from casebook import Case, i64, normal


def _size_of(x):
    """Height and width of an image, as exporters compute them."""
    shape = node("ShapeOf", 3, [x], output_type="i64")
    return node("Slice", 8, [shape, i64(2), i64(4), i64(1), i64(0)])


def _ratios(given):
    ratios = [1.0]
    for ratio in given.get("aspect_ratio", []):
        if min(abs(ratio - known) for known in ratios) < 1e-6:
            continue
        ratios += [ratio, 1 / ratio] if given.get("flip") else [ratio]
    return ratios


def _fixed_shapes(given):
    """(x, y, half width, half height, cut at the edges) of the boxes of fixed size."""
    for size, density in zip(given.get("fixed_size", []), given.get("density", [])):
        halves = [(size / 2 * ratio**.5, size / 2 / ratio**.5) for ratio in given.get(
            "fixed_ratio", [ratio for ratio in _ratios(given) if ratio != 1])]
        if "fixed_ratio" not in given:
            halves.insert(0, (int(size) / 2, int(size) / 2))
        shift = int(size / density)
        for half_width, half_height in halves:
            for row, column in np.ndindex(int(density), int(density)):
                first = shift / 2 - int(size) // 2
                yield first + column * shift, first + row * shift, half_width, half_height, True


def _sized_shapes(given, scale):
    sizes = [size * scale for size in given.get("min_size", [])]
    for i, size in enumerate(sizes):
        square = [(size, size)]
        largest = [((size * most)**.5,) * 2 for most in given.get("max_size", [])[i:i + 1]]
        base = size if scale == 1 else sizes[0]
        ratios = [(base * ratio**.5, base / ratio**.5) for ratio in _ratios(given) if ratio != 1]
        if scale != 1 and i + 1 < len(sizes):
            ratios = []
        if given.get("min_max_aspect_ratios_order", True):
            square += largest + ratios
        else:
            square += ratios + largest
        for width, height in square:
            yield 0, 0, width / 2, height / 2, False


def _boxes(shapes, grid, image, steps, offset):
    corners = []
    for row, column in np.ndindex(*grid):
        for x, y, half_width, half_height, is_cut in shapes:
            x, y = x + (column + offset) * steps[1], y + (row + offset) * steps[0]
            box = [(x - half_width) / image[1], (y - half_height) / image[0],
                   (x + half_width) / image[1], (y + half_height) / image[0]]
            corners += [max(box[0], 0), max(box[1], 0), min(box[2], 1), min(box[3], 1)
                        ] if is_cut else box
    return np.array(corners)


def _with_variances(corners, given, clip):
    corners = np.clip(corners, 0, 1) if given.get("clip", clip) else corners
    variance = given.get("variance") or [.1]
    return np.stack([corners, np.resize(variance, corners.shape)]).astype(np.float32)


def _priors(given, grid, image):
    scale = 1 if given.get("scale_all_sizes", True) else image[0]
    step, offset = given.get("step", 0.), given.get("offset", 0.)
    if scale != 1:
        step = image[0] / grid[0] if step == -1 else step * image[0]
    steps = (step, step) if step else (image[0] / grid[0], image[1] / grid[1])
    shapes = list(_fixed_shapes(given)) + list(_sized_shapes(given, scale))
    return _with_variances(_boxes(shapes, grid, image, steps, offset if step else .5), given, False)


def _clustered(given, grid, image):
    step = [given.get(name, 0.) or given.get("step", 0.) for name in ("step_h", "step_w")]
    steps = step if any(step) else (image[0] / grid[0], image[1] / grid[1])
    shapes = [(0, 0, width / 2, height / 2, False)
              for width, height in zip(given["width"], given["height"])]
    corners = _boxes(shapes, grid, image, steps, given.get("offset", 0.))
    return _with_variances(corners, given, True)


def _case(path, given, kind="PriorBox", opset=8, grid=(2, 3), image=(24, 33)):
    x, picture = normal(path, 1, 2, *grid), normal(path + "_image", 1, 1, *image)
    answer = _priors if kind == "PriorBox" else _clustered

    def graph(x, picture):
        listed = {key: np.array(value, np.float32) if isinstance(value, list) else value
                  for key, value in given.items()}
        return node(kind, opset, [_size_of(x), _size_of(picture)], **listed)

    return Case(f"prior_box/{path}", [x, picture], graph,
                reference=lambda x, picture: answer(given, x.shape[2:], picture.shape[2:]))


def cases():
    sized = {"min_size": [4., 7.], "max_size": [9., 15.], "aspect_ratio": [2., 3.], "flip": True}
    spread = {"variance": [.1, .1, .2, .2], "offset": .5}
    yield _case("sizes", sized | {"variance": [.1, .1, .2, .2]})
    yield _case("first_version", sized | spread | {"step": 8.}, opset=1)
    yield _case("order", sized | {"min_max_aspect_ratios_order": False, "clip": True})
    yield _case("few_sizes", {"min_size": [4., 7.], "max_size": [9.],
                              "aspect_ratio": [1.]})
    yield _case("same_ratio", {"min_size": [5.], "aspect_ratio": [2., .5, 2.], "flip": True,
                               "variance": [.3]})
    yield _case("density", {"fixed_size": [9.5, 16.], "density": [2., 3.], "aspect_ratio": [2.]})
    yield _case("fixed_ratio", {"fixed_size": [8.], "density": [2.], "fixed_ratio": [3.],
                                "aspect_ratio": [1.]})
    scaled = {"min_size": [.2, .3], "aspect_ratio": [2.], "scale_all_sizes": False, "offset": .5}
    yield _case("scaled", scaled | {"step": -1.})
    yield _case("scaled_step", scaled | {"step": .25})
    widths = {"width": [4., 9.5, 30.], "height": [7., 2., 40.]}
    for path, given in (("plain", {}), ("open", {"clip": False, "offset": .5}),
                        ("step", {"step": 5.}), ("steps", {"step_w": 5., "step_h": 4.}),
                        ("variance", {"variance": [.1, .1, .2, .2]})):
        yield _case(f"clustered_{path}", widths | given, "PriorBoxClustered", 1)
