# SPDX-License-Identifier: Apache-2.0
"""Interpolate: sizes or scales, coordinates, rounding modes, pads, axes, versions. Most cases have
one output for each setting."""

import numpy as np

from build import node
from casebook import NARROW, Case, by_numpy, counting, exact, i64, integers, normal

COORDINATES = ("half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn",
               "align_corners")
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple")
F32 = np.float32


def _coordinate(place, scale, extent, out, kind):
    """The padded input coordinate of output index `place`; in f32, which decides ties."""
    if scale == 1 or extent == out:
        return F32(place)
    if kind == "asymmetric":
        return F32(place) / scale
    if kind == "tf_half_pixel_for_nn":
        return (F32(place) + F32(0.5)) / scale
    if kind == "align_corners":
        return F32(0) if out == 1 else F32(place) * F32(extent - 1) / F32(out - 1)
    if kind == "pytorch_half_pixel" and out == 1:
        return F32(0)
    return (F32(place) + F32(0.5)) / scale - F32(0.5)


def _rounded(x, kind, shrinks):
    if kind == "simple":
        return int(np.ceil(x)) if shrinks else int(x)
    if kind in ("floor", "ceil"):
        return int(getattr(np, kind)(x))
    x = float(x)
    half = x - np.floor(x) == 0.5
    return int(np.floor(x)) if half and kind == "round_prefer_floor" else int(np.floor(x + 0.5))


def _cubic(a, distance):
    """The specification's cubic kernel, by distance."""
    d = abs(distance)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def _pillow(extent, out, given):
    """[out, extent]: the filter, as wide as one output element when downsampling, normalised over
    the taps inside of the axis."""
    width = max(extent / out, 1)
    centres = (np.arange(out)[:, None] + 0.5) * extent / out
    distance = np.abs(np.arange(extent)[None, :] + 0.5 - centres) / width
    a = given["cube_coeff"]
    shares = (np.maximum(0, 1 - distance) if given["mode"] == "bilinear_pillow" else
              np.vectorize(lambda d: _cubic(a, d))(distance))
    return shares / shares.sum(1, keepdims=True)


def _triangle(extent, out, scale, given):
    """[out, extent]: linear with antialiasing, by the specification's formula."""
    weights = np.zeros((out, extent))
    reach = 2 if scale > 1 else int(np.ceil(F32(2) / scale))
    for place in range(out):
        x = _coordinate(place, scale, extent, out, given["coordinate_transformation_mode"])
        centre = _rounded(x, "round_prefer_ceil", False) if x >= 0 else -_rounded(
            -x, "round_prefer_ceil", False)
        for at in range(max(centre - reach, 0), min(centre + reach + 1, extent)):
            weights[place, at] = max(0.0, 1 - abs(float(scale) * (float(x) - at)))
    sums = weights.sum(1, keepdims=True)
    return np.divide(weights, sums, out=np.zeros_like(weights), where=sums != 0)


def _weights(extent, out, scale, given, shrinks):
    """[out, extent] in float64: the weight of each element of the padded axis."""
    if given["mode"] == "linear" and given["antialias"] and shrinks:
        return np.eye(extent) if extent == out else _triangle(extent, out, scale, given)
    if given["mode"].endswith("_pillow"):
        return np.eye(extent) if extent == out else _pillow(extent, out, given)
    weights = np.zeros((out, extent))
    for place in range(out):
        x = _coordinate(place, scale, extent, out, given["coordinate_transformation_mode"])
        if given["mode"] == "nearest":
            at = _rounded(x, given["nearest_mode"], scale < 1)
            weights[place, np.clip(at, 0, extent - 1)] = 1
            continue
        first = int(np.floor(x))
        for at in range(first - 1, first + 3):
            share = (_cubic(given["cube_coeff"], float(x) - at)
                     if given["mode"] == "cubic" else max(0.0, 1 - abs(float(x) - at)))
            weights[place, np.clip(at, 0, extent - 1)] += share
    return weights


def resized(x, sizes, scales, axes, given):
    """Interpolate-11 of the padded data, axis by axis. Scales default to the ratio of sizes."""
    pads = [
        list(given[key]) + [0] * (x.ndim - len(given[key])) for key in ("pads_begin", "pads_end")
    ]
    x = np.pad(x, list(zip(*pads)))
    shrinks = any(s < 1 for s in scales) if scales is not None else any(
        size < x.shape[axis] for size, axis in zip(sizes, axes))
    for index, axis in enumerate(axes):
        extent = x.shape[axis]
        if scales is None:
            out, scale = sizes[index], F32(sizes[index]) / F32(extent)
        else:
            scale = F32(scales[index])
            out = int(np.floor(F32(extent) * scale))
        weights = _weights(extent, out, scale, given, shrinks)
        if given["mode"] == "nearest":
            x = x.take(weights.argmax(1), axis)
        else:
            places = np.moveaxis(x.astype(np.float64), axis, -1)[..., None, :]
            terms = np.where(weights == 0, 0, places * weights)  # skip 0 * infinity
            x = np.moveaxis(terms.sum(-1), -1, axis)
    return x


def _whole(given, by_scales):
    return {
        "mode": "nearest", "shape_calculation_mode": "scales" if by_scales else "sizes",
        "coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_floor",
        "antialias": False, "pads_begin": [0], "pads_end": [0], "cube_coeff": -0.75
    } | given


def _made(x, sizes, scales, axes, given, opset):
    controls = [np.array(axes, np.int64)]
    wanted = i64(*sizes) if scales is None else np.array(scales, F32)
    if opset == 4:
        ratios = [float(s) / x.get_output_shape(0)[a] for s, a in zip(sizes or (), axes)]
        both = [i64(*sizes), np.array(ratios, F32)] if scales is None else [
            i64(*[1] * len(axes)), wanted]
        return node("Interpolate", 4, [x, *both, *controls], **given)
    return node("Interpolate", opset, [x, wanted, *controls], **given)


def _case(name, x, settings, make=exact, opset=11, **more):
    """One output for each setting: (axes, sizes, scales, attributes), sizes or scales None."""
    settings = [(axes, sizes, scales, _whole(given, scales is not None))
                for axes, sizes, scales, given in settings]

    def graph(x):
        return [_made(x, sizes, scales, axes, given, opset)
                for axes, sizes, scales, given in settings]

    def reference(x):
        return [resized(x, sizes, scales, axes, given) for axes, sizes, scales, given in settings]

    return make(f"interpolate/{name}", [x], graph, reference=reference, **more)


def _nearest():
    for coordinates in COORDINATES:
        settings = [((2, 3), sizes, None, {
            "coordinate_transformation_mode": coordinates, "nearest_mode": rounding})
                    for rounding in ROUNDINGS for sizes in ((13, 3), (4, 10), (1, 17))]
        yield _case(f"nearest_{coordinates}", counting(1, 2, 6, 5), settings)
    floor = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    yield _case("nearest_whole_factors", normal("factors", 2, 3, 4, 5), [
        ((2, 3), None, (2, 2), floor), ((2, 3), None, (3, 1), floor), ((2, 3), None, (1, 4), {}),
        ((2, 3), None, (0.5, 0.2), floor), ((0, 1, 2, 3), None, (1, 1, 2, 3), {})])
    yield _case("nearest_given_scales", counting(1, 1, 4, 5), [
        ((2, 3), None, (1.6, 2.3), {}), ((3, 2), None, (0.7, 0.7), floor),
        ((2, 3), None, (1.1, 1.3), floor)],
                note="The scale that is given counts, not the ratio of the extents.")
    yield _case("nearest_pads", counting(2, 3, 4) + 1, [
        ((2,), (8,), None, {"pads_begin": [0, 0, 2], "pads_end": [0, 0, 2]}),
        ((1, 2), (7, 9), None, {"pads_begin": [0, 1, 0], "pads_end": [1, 0, 3]}),
        ((2,), (4,), None, floor | {"pads_begin": [0, 0, 1], "pads_end": [0, 0, 1]}),
        ((2,), None, (1.5,), {"pads_begin": [0, 2], "pads_end": [0, 0, 1]})])
    yield _case("nearest_axes", counting(2, 5, 4, 3), [
        ((1, 2), (9, 7), None, {}), ((2, 1), (7, 9), None, {}), ((0,), (5,), None, {}),
        ((0, 1, 2, 3), (2, 5, 4, 3), None, {})])
    yield _case("nearest_one_place", counting(2, 3, 1, 1), [
        ((2, 3), (5, 4), None, {"coordinate_transformation_mode": coordinates})
        for coordinates in COORDINATES])
    yield _case("nearest_infinite", np.array([[[np.inf, 1, np.nan, -np.inf]]], F32),
                [((2,), (7,), None, {}), ((2,), None, (2,), {})])
    for dtype in (np.int32, np.uint8):
        name = np.dtype(dtype).name
        yield _case(f"nearest_{name}", integers(name, 0, 99, 1, 2, 5, 3, dtype=dtype),
                    [((2, 3), (8, 6), None, floor), ((2, 3), (3, 7), None, {})])
    yield _case("nearest_i64", integers("wide", -2**62, 2**62, 1, 1, 5, 3, dtype=np.int64),
                [((2, 3), (8, 6), None, floor)], **NARROW)
    yield _case("nearest_version_4", normal("four", 1, 3, 4, 5), [
        ((2, 3), (8, 10), None, floor), ((2, 3), None, (1.5, 2.1), {}),
        ((2, 3), (3, 7), None, {"nearest_mode": "ceil"})], opset=4)


def _weighted():
    for mode in ("linear_onnx", "linear", "cubic"):
        settings = [((2, 3), sizes, None, {
            "mode": mode, "coordinate_transformation_mode": coordinates})
                    for coordinates in COORDINATES for sizes in ((8, 3), (3, 10), (1, 17))]
        yield _case(mode, normal(mode, 2, 3, 4, 5), settings, Case)
    linear = {"mode": "linear_onnx"}
    yield _case("linear_given_scales", normal("given", 1, 2, 4, 5), [
        ((2, 3), None, (1.6, 2.3), linear), ((2, 3), None, (2, 0.7), linear),
        ((0, 1, 2, 3), None, (1, 1, 2, 2), linear)], Case)
    yield _case("linear_version_4", normal("fourth", 1, 2, 4, 5), [
        ((2, 3), None, (1.6, 2.3), linear), ((2, 3), (3, 10), None, {"mode": "cubic"})], Case,
                opset=4)
    yield _case("linear_last_axes", normal("nhwc", 2, 5, 4, 3), [
        ((1, 2), (9, 7), None, linear), ((1, 2), None, (2, 2), linear)], Case)
    wide = {"mode": "linear", "antialias": True}
    yield _case("linear_antialias", normal("antialias", 1, 2, 7, 9), [
        ((2, 3), sizes, None, wide | {"coordinate_transformation_mode": coordinates})
        for coordinates in COORDINATES for sizes in ((3, 4), (7, 2), (1, 9), (5, 17), (14, 20))],
                Case, **by_numpy(
                    "OpenVINO's CPU device takes no notice of antialias; its reference "
                    "implementation gives NumPy's numbers, which are the document's."))
    yield _case("linear_antialias_scales", normal("antialias_s", 1, 1, 6, 8), [
        ((2, 3), None, (0.5, 0.3), wide), ((2, 3), None, (0.7, 2.0), wide),
        ((2,), None, (0.4,), wide | {"pads_begin": [0, 0, 1]})], Case, **by_numpy(
            "OpenVINO's CPU device takes no notice of antialias."))
    for mode in ("bilinear_pillow", "bicubic_pillow"):
        yield _case(mode, normal(mode, 2, 3, 7, 9), [
            ((2, 3), sizes, None, {"mode": mode, "cube_coeff": -0.5})
            for sizes in ((14, 3), (3, 10), (1, 17), (5, 9), (2, 2))], Case)
    yield _case("pillow_coefficient", normal("pillow", 1, 1, 4, 6), [
        ((2, 3), (8, 3), None, {"mode": "bicubic_pillow", "cube_coeff": -1.0})], Case, **by_numpy(
            "OpenVINO's CPU takes -0.5 whatever cube_coeff says; the document names it for both "
            "cubic modes."))
    pads = {"pads_begin": [0, 0, 1, 0], "pads_end": [0, 0, 0, 2]}
    yield _case("linear_pads", normal("padded", 1, 2, 4, 5), [
        ((2, 3), (8, 3), None, {"mode": mode} | pads) for mode in ("linear", "cubic")], Case)
    yield _case("cubic_coefficient", normal("coefficient", 1, 1, 4, 6), [
        ((2, 3), (8, 3), None, {"mode": "cubic", "cube_coeff": a}) for a in (-0.5, -1.0)], Case)
    row = np.array([[[[1, np.inf, 3, 4, -np.inf, 6]]]], F32)
    yield _case("linear_infinite", row, [((2, 3), (1, 12), None, linear)], Case, **by_numpy(
        "OpenVINO multiplies an infinite neighbour by its share of 0, which is no number; a place "
        "without a share adds nothing here."))


def _first():
    """Version 1, whose coordinates depend on the data if corners are not aligned."""
    rows = [  # name, data, axes, sizes, attributes, equivalent attributes of version 11
        ("nearest", (1, 2, 5, 4), [2, 3], (8, 7), "nearest", False, "asymmetric"),
        ("nearest_shrinks", (1, 2, 5, 4), [2, 3], (3, 2), "nearest", False, "asymmetric"),
        ("nearest_corners", (1, 2, 5, 4), [2, 3], (8, 7), "nearest", True, "align_corners"),
        ("linear_of_images", (1, 2, 5, 4), [2, 3], (8, 7), "linear", False, "asymmetric"),
        ("linear_of_rows", (2, 3, 4), [2], (7,), "linear", False, "half_pixel"),
        ("linear_corners", (1, 2, 5, 4), [2, 3], (8, 3), "linear", True, "align_corners"),
        ("cubic", (1, 2, 5, 4), [2, 3], (8, 3), "cubic", False, "asymmetric"),
    ]
    for name, shape, axes, sizes, mode, corners, coordinates in rows:
        attributes = {
            "axes": axes, "mode": mode, "align_corners": corners, "antialias": False,
            "pads_begin": [0], "pads_end": [0]
        }
        given = _whole({
            "mode": mode, "coordinate_transformation_mode": coordinates, "nearest_mode": "simple"
        }, False)
        yield Case(f"interpolate/version_1_{name}", [normal(name, *shape)],
                   lambda x, sizes=sizes, attributes=attributes: node(
                       "Interpolate", 1, [x, i64(*sizes)], **attributes),
                   reference=lambda x, sizes=sizes, axes=axes, given=given: resized(
                       x, sizes, None, axes, given))


def cases():
    yield from _nearest()
    yield from _weighted()
    yield from _first()
