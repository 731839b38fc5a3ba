# SPDX-License-Identifier: Apache-2.0
"""MVN, NormalizeL2, GRN, GroupNormalization and BatchNormInference."""

import numpy as np

from build import node
from casebook import Case, by_numpy, i64, listed, normal, sizes, uniform

# shape, axes: one line, interleaved lines, axes at both ends, axes that are not adjacent
LAYOUTS = [
    ((33,), [0]),
    ((3, 17), [-1]),
    ((17, 3), [0]),
    ((2, 15, 3), [1]),
    ((2, 5, 16), [1, 2]),
    ((2, 3, 4, 5), [2, 3]),
    ((2, 3, 4, 5), [0, 2]),
    ((2, 3, 4, 5), [-1, 1]),
    ((2, 1, 3, 1, 2), [1, 4]),
    ((4, 1), [1]),
    ((1,), [0]),
]


def _mvn_of(x, axes, eps, mode="inside_sqrt", variance=True):
    x = np.asarray(x, np.float64)
    axes = {axis % x.ndim for axis in axes}
    centred = x - x.mean(tuple(axes), keepdims=True)
    if not variance:
        return centred
    square = (centred**2).mean(tuple(axes), keepdims=True)
    return centred / (np.sqrt(square + eps) if mode == "inside_sqrt" else np.sqrt(square) + eps)


def _mvn(path, x, axes, eps=1e-5, mode="inside_sqrt", variance=True, **more):
    return Case(f"normalize/{path}", [x],
                lambda x: node("MVN", 6, [x, i64(*axes)], eps=eps, eps_mode=mode,
                               normalize_variance=variance),
                reference=lambda x: _mvn_of(x, axes, eps, mode, variance), **more)


def _mvns():
    for turn, (shape, axes) in enumerate(LAYOUTS):
        label = f"mvn_{sizes(shape)}_axes_{listed(axes)}"
        mode = "outside_sqrt" if turn % 3 == 1 else "inside_sqrt"
        yield _mvn(f"{label}_{mode[:-5]}", normal(label, *shape), axes, 1e-3, mode)
    yield _mvn("mvn_centred", normal("mvn_centred", 3, 17), [1], variance=False)
    yield _mvn("mvn_centred_columns", normal("mvn_centred_columns", 5, 7, 3), [0],
               variance=False)
    yield _mvn("mvn_axis_named_twice", normal("mvn_twice", 3, 5), [1, -1])
    yield _mvn("mvn_1000", normal("mvn_1000", 2, 1000) + np.float32(3), [1])
    far = np.arange(8, dtype=np.float32)[None] + np.array([[1e4], [1e6]], np.float32)
    yield _mvn("mvn_far_from_zero", far, [1], 1e-9, note="The variance of large numbers.")
    flat = np.array([[5, 5, 5], [0.1, 0.1, 0.1], [0, 0, 0]], np.float32)
    yield _mvn("mvn_constant_lines", flat, [1], 1e-12, "outside_sqrt",
               **by_numpy("OpenVINO divides the rounding error of a mean by a smaller epsilon."))
    spoilt = normal("mvn_nan", 3, 17)
    spoilt[1, 4] = np.nan
    yield _mvn("mvn_nan_in_one_line", spoilt, [1])
    yield Case("normalize/mvn_scalar_axis", [normal("mvn_scalar", 3, 4)],
               lambda x: node("MVN", 6, [x, i64(1)], eps=1e-5, eps_mode="inside_sqrt",
                              normalize_variance=True),
               edit=lambda xml: xml.replace("INSIDE_SQRT", "Inside_Sqrt"),
               reference=lambda x: _mvn_of(x, [1], 1e-5), note="The case of letters is free.")


def _first_mvns():
    for shape in ((2, 3, 17), (2, 3, 4, 5)):
        for across in (False, True):
            for variance in (True, False):
                axes = list(range(1 if across else 2, len(shape)))
                label = f"mvn2_{sizes(shape)}{'_across' * across}{'_centred' * (not variance)}"
                yield Case(f"normalize/{label}", [normal(label, *shape)],
                           lambda x, across=across, variance=variance:
                           node("MVN", 2, [x], eps=1e-3, across_channels=across,
                                normalize_variance=variance),
                           reference=lambda x, axes=axes, variance=variance:
                           _mvn_of(x, axes, 1e-3, variance=variance))


def _l2_of(x, axes, eps, mode):
    x = np.asarray(x, np.float64)
    square = (x * x).sum(tuple(axes), keepdims=True)
    return x / np.sqrt(square + eps if mode == "add" else np.maximum(square, eps))


def _l2s():
    for turn, (shape, axes) in enumerate(LAYOUTS):
        mode = ("add", "max")[turn % 2]
        label = f"l2_{sizes(shape)}_axes_{listed(axes)}_{mode}"
        yield Case(f"normalize/{label}", [normal(label, *shape)],
                   lambda x, axes=axes: node("NormalizeL2", 1, [x, i64(*axes)], eps=0.7,
                                             eps_mode="add"),
                   edit=None if mode == "add" else lambda xml: xml.replace('"add"', '"max"'),
                   reference=lambda x, axes=axes, mode=mode: _l2_of(x, axes, np.float32(0.7), mode))
    yield Case("normalize/l2_no_axes", [np.array([[3, -4, 0], [0.5, -1e30, 1e30]], np.float32)],
               lambda x: node("NormalizeL2", 1, [x, i64()], eps=0.7, eps_mode="add"),
               reference=lambda x: np.abs(np.sign(x)), note="Every element over itself.")
    yield Case("normalize/l2_of_zeros", [np.zeros((2, 5), np.float32)],
               lambda x: node("NormalizeL2", 1, [x, i64(1)], eps=1e-9, eps_mode="add"),
               reference=lambda x: x)
    for shape in ((2, 5), (2, 5, 3), (2, 17, 3, 4)):
        label = f"grn_{sizes(shape)}"
        yield Case(f"normalize/{label}", [normal(label, *shape)],
                   lambda x: node("GRN", 1, [x], bias=0.5),
                   reference=lambda x: _l2_of(x, [1], 0.5, "add"))


def _group_of(x, scale, shift, groups, eps):
    parts = np.asarray(x, np.float64).reshape(x.shape[0], groups, -1)
    channels = (-1,) + (1,) * (x.ndim - 2)
    return (_mvn_of(parts, [2], eps).reshape(x.shape) * scale.reshape(channels) +
            shift.reshape(channels))


def _groups():
    for shape, groups in (((1, 4, 3), 2), ((2, 6, 17), 3), ((2, 6, 3, 5), 1), ((2, 6, 3, 5), 6),
                          ((3, 8), 2), ((1, 4, 2, 3, 2), 2)):
        label = f"group_{sizes(shape)}_by_{groups}"
        yield Case(f"normalize/{label}",
                   [normal(label, *shape), normal(label + "s", shape[1]),
                    normal(label + "b", shape[1])],
                   lambda x, scale, shift, groups=groups: node(
                       "GroupNormalization", 12, [x, scale, shift], num_groups=groups,
                       epsilon=1e-3),
                   reference=lambda x, scale, shift, groups=groups: _group_of(
                       x, scale, shift, groups, 1e-3))


def _batch_of(x, gamma, beta, mean, variance, eps):
    channels = (-1,) + (1,) * (x.ndim - 2)
    factor = gamma / np.sqrt(variance.astype(np.float64) + eps)
    return ((x - mean.reshape(channels)) * factor.reshape(channels) + beta.reshape(channels))


def _batches():
    for opset in (1, 5):
        for shape in ((3, 5), (2, 7, 4), (2, 3, 4, 5)):
            label = f"batch{opset}_{sizes(shape)}"
            count = shape[1]
            numbers = [normal(label + name, count) for name in ("gamma", "beta", "mean")]
            numbers.append(uniform(label + "variance", 0.1, 4, count))

            def fixed(x, opset=opset, numbers=numbers):
                gamma, beta, mean, variance = numbers
                order = [gamma, beta, x] if opset == 1 else [x, gamma, beta]
                return node("BatchNormInference", opset, order + [mean, variance], epsilon=1e-3)

            yield Case(f"normalize/{label}", [normal(label, *shape)], fixed,
                       reference=lambda x, numbers=numbers: _batch_of(x, *numbers, 1e-3))

    def computed(x, gamma, beta, mean, variance):
        return node("BatchNormInference", 5, [x, gamma, beta, mean, variance], epsilon=1.0)

    label = "batch_computed"
    yield Case(f"normalize/{label}",
               [normal(label, 2, 3, 5)] + [normal(label + name, 3) for name in "gbm"] +
               [uniform(label + "v", 0.1, 4, 3)], computed,
               reference=lambda *numbers: _batch_of(*numbers, 1.0))


def _layers():
    def layer_norm(x):
        made = node("MVN", 6, [x, i64(-1)], eps=1e-5, eps_mode="inside_sqrt",
                    normalize_variance=True)
        gamma, beta = normal("ln_gamma", 1, 1, 33), normal("ln_beta", 1, 1, 33)
        return node("Add", 1, [node("Multiply", 1, [made, gamma]), beta])

    yield Case("normalize/layer_norm", [normal("ln", 2, 3, 33)], layer_norm,
               reference=lambda x: _mvn_of(x, [2], 1e-5) * normal("ln_gamma", 1, 1, 33) +
               normal("ln_beta", 1, 1, 33))


def cases():
    for part in (_mvns, _first_mvns, _l2s, _groups, _batches, _layers):
        yield from part()
