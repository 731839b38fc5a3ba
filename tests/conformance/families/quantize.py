# SPDX-License-Identifier: Apache-2.0
"""FakeQuantize: ranges of every shape, level counts, ties, limits that are swapped or equal.

The stored outputs are NumPy's: the formula in f32, in the order of the specification. OpenVINO
precomputes factors, which changes the last bits."""

import numpy as np
from onnx import helper

from build import node
from casebook import Case, by_numpy, exact, normal, sizes, uniform
from families.from_onnx import converted

FEW = np.array([-1, -.1, 0, .1, .125, .25, .375, .5, .625, .874, .875, .9, 1, 2], np.float32)


def _quantized(x, low, high, out_low, out_high, levels):
    x, low, high, out_low, out_high = (
        np.asarray(value, np.float32) for value in (x, low, high, out_low, out_high))
    steps = np.float32(levels - 1)
    inside = np.round((x - low) / (high - low) * steps) / steps * (out_high - out_low) + out_low
    return np.where(x <= np.minimum(low, high), out_low,
                    np.where(x > np.maximum(low, high), out_high, inside)).astype(np.float32)


def _limits(limits):
    return [np.asarray(limit, np.float32) for limit in limits]


def _case(path, x, limits, levels, line_up=lambda limit: limit, attributes=None, **more):
    """`line_up` reshapes a limit so that NumPy broadcasts it as the case does."""
    limits = _limits(limits)
    return Case(
        f"quantize/{path}", [x], lambda x: node("FakeQuantize", 1, [x, *limits], levels=levels,
                                                **(attributes or {})),
        reference=lambda x: _quantized(x, *map(line_up, limits), levels),
        **{"oracle": "numpy", "rtol": 1e-6, "atol": 1e-6, **more})


def _one_range():
    yield _case("few_levels", FEW, [0, 1, 0, 1], 5)
    yield _case("ties", np.array([-0.5, 0, 0.5, 1, 1.5, 2, 2.5], np.float32), [0, 2, 0, 2], 3,
                note="Halves go to the even level.")
    yield _case("two_levels", FEW, [0, 1, -3, 5], 2)
    yield _case("range_swapped", FEW, [1, 0, 0, 1], 5)
    yield _case("outputs_swapped", FEW, [0, 1, 4, -4], 5)
    yield _case("both_swapped", FEW, [1, 0, 4, -4], 9)
    yield _case("range_of_one_number", FEW, [0.25, 0.25, -1, 2], 2,
                note="The comparisons alone decide.")
    yield _case("ends_that_formula_misses", np.array([-2, -1, 0, 1, 2, 3], np.float32),
                [-1, 2, -16777216, 1], 4,
                **by_numpy("Above input_high the document has output_high itself, not the number "
                           "that the formula rounds to."))
    yield _case("not_finite", np.array([np.nan, np.inf, -np.inf, 0.3], np.float32), [0, 1, 0, 1], 5,
                **by_numpy("A NaN is in no range, so the formula makes it a NaN; OpenVINO's CPU "
                           "device gives output_low."))
    yield _case("infinite", np.array([np.inf, -np.inf, 0.3], np.float32), [0, 1, -1, 2], 5)
    yield _case("far_range", np.array([-2e30, -1e30, -4e29, 0, 3e29, 1e30, 3e38], np.float32),
                [-1e30, 1e30, -2, 2], 9)
    yield _case("constant_output", FEW, [0, 1, 3, 3], 5)
    for shape, levels, limits in (((), 256, (-1, 2, -1, 2)), ((3, 33), 16, (-2, 1, 5, 7)),
                                  ((2, 3, 4, 5), 256, (-2.5, 2.4, -2.5, 2.4)),
                                  ((3, 15), 1000, (-3, 3, -3, 3)), ((0, 3), 256, (0, 1, 0, 1))):
        label = f"tensor_{sizes(shape)}_of_{levels}"
        yield _case(label, np.asarray(normal(label, *shape)), limits, levels)


# OpenVINO's reference implementation (Model.evaluate) is bit-identical to NumPy on all of these.
MIXED = by_numpy("Limits of different shapes: OpenVINO's CPU device takes other limits for some "
                 "places than its reference implementation and NumPy do.")
RANK = by_numpy("The output has the shape of x by OpenVINO's shape rule too; its CPU device gives it "
                "the rank of the limits.")

# shape of x, shapes of the four limits
SHAPES = [
    ((2, 3, 4, 5), [(1, 3, 1, 1)] * 4),
    ((2, 3, 4, 5), [(), (1, 3, 1, 1), (1, 1, 1, 1), (3, 1, 1)]),
    ((2, 3, 4, 5), [(1,), (1,), (1, 3, 1, 1), (1, 3, 1, 1)]),
    ((2, 3, 4, 5), [(5,), (4, 1), (2, 1, 1, 1), (1, 3, 1, 5)]),
    ((3, 17), [(3, 1), (3, 1), (), ()]),
    ((3, 17), [(17,)] * 4),
    ((3, 17), [(3, 17)] * 4),
    ((5, 16), [(1, 1, 1, 1)] * 4),
    ((7,), [(7,), (1,), (1,), (7,)]),
]


def _range(label, shapes):
    """Limits that differ between elements; the lower ones can be 0."""
    low = -np.round(uniform(label + "low", 0, 2, *shapes[0]), 1)
    high = np.round(uniform(label + "high", 1, 3, *shapes[1]), 1)
    return [low, high, normal(label + "from", *shapes[2]), normal(label + "to", *shapes[3])]


def _ranges():
    for turn, (shape, shapes) in enumerate(SHAPES):
        label = f"range_{turn}_{sizes(shape)}"
        one = all(int(np.prod(limit)) == 1 for limit in shapes)
        yield _case(f"{label}_{'_'.join(map(sizes, shapes[:3:2]))}", normal(label, *shape),
                    _range(label, shapes), (256, 255, 16)[turn % 3],
                    line_up=(lambda limit: limit.reshape(())) if one else (lambda limit: limit),
                    **{1: MIXED, 3: MIXED, 7: RANK, 8: MIXED}.get(turn, {}))
    yield _case("channels_swapped", normal("cs", 2, 3, 7), [[[0], [1], [-1]], [[1], [0], [-1]],
                                                            [[0], [5], [2]], [[2], [1], [1]]], 5,
                **by_numpy("OpenVINO's CPU device makes NaN of the last channel, whose range is one "
                           "number, and has other levels in the swapped one; its reference "
                           "implementation gives NumPy's bits."))
    yield _case("broadcast_none", normal("fqn", 3, 5), _range("fqn", [(3, 5)] * 4), 16,
                attributes={"auto_broadcast": "none"},
                **by_numpy("OpenVINO's CPU device refuses it: its own rewriting makes scalars of the "
                           "limits."))
    yield _case("broadcast_pdpd", normal("fqp", 2, 3, 5), _range("fqp", [(1, 3, 1)] * 4), 16,
                attributes={"auto_broadcast": "pdpd"})


def _computed():
    """Some or all limits are computed at run time."""
    rows = [  # name, shape of x, shapes of the limits, which of them are inputs
        ("all", (2, 3, 5), [()] * 4, (0, 1, 2, 3)),
        ("channels", (2, 3, 5), [(1, 3, 1)] * 4, (0, 1, 2, 3)),
        ("inner", (3, 17), [(17,)] * 4, (0, 1, 2, 3)),
        ("input_range", (5, 16), [(1,)] * 4, (0, 1)),
        ("output_range", (5, 16), [(), (), (5, 1), (5, 1)], (2, 3)),
        ("high_alone", (7,), [(), (), (), ()], (1,)),
    ]
    for name, shape, shapes, given in rows:
        limits = _range("computed" + name, shapes)

        def quantized(x, *some, limits=limits, given=given):
            all_limits = list(limits)
            for place, limit in zip(given, some):
                all_limits[place] = limit
            return all_limits

        yield Case(
            f"quantize/computed_{name}",
            [normal("computed" + name, *shape), *(limits[place] for place in given)],
            lambda x, *some, quantized=quantized: node(
                "FakeQuantize", 1, [x, *quantized(x, *some)], levels=16),
            reference=lambda x, *some, quantized=quantized: _quantized(x, *quantized(x, *some), 16),
            rtol=1e-6, atol=1e-6, **by_numpy(
                "OpenVINO's CPU device computes the formula with factors made beforehand."))
    for name, limits in (("swapped", (1, 0, 4, -4)), ("one_number", (0.25, 0.25, -1, 2))):
        yield Case(f"quantize/computed_{name}", [FEW, *_limits(limits)],
                   lambda x, *limits: node("FakeQuantize", 1, [x, *limits], levels=5),
                   reference=lambda x, *limits: _quantized(x, *limits, 5), rtol=1e-6, atol=1e-6,
                   **by_numpy("OpenVINO's CPU device takes constant limits alone."))


def _models():
    limits = _limits([-0.5, 0.5, -0.5, 0.5])

    def weights(x):
        w = node("FakeQuantize", 1, [normal("fqw", 5, 7), *limits], levels=255)
        return node("MatMul", 1, [x, w], transpose_a=False, transpose_b=True)

    yield Case("quantize/weights_fold", [normal("fqwx", 3, 7)], weights,
               reference=lambda x: x @ _quantized(normal("fqw", 5, 7), *limits, 255).T)

    channels = _limits([-np.ones((4, 1, 1, 1)), np.ones((4, 1, 1, 1)),
                        -np.arange(1, 5).reshape(4, 1, 1, 1), np.arange(1, 5).reshape(4, 1, 1, 1)])

    def convolution(x):
        kernel = node("FakeQuantize", 1, [normal("fqk", 4, 3, 3, scale=0.5)[..., None], *channels],
                      levels=255)
        quantized = node("FakeQuantize", 1, [x, *_limits([-2, 2, -2, 2])], levels=5)
        return node("Convolution", 1, [quantized, kernel], strides=[1, 1], pads_begin=[0, 0],
                    pads_end=[0, 0], dilations=[1, 1], auto_pad="explicit")

    def reference(x):
        kernel = _quantized(normal("fqk", 4, 3, 3, scale=0.5)[..., None], *channels, 255)[..., 0]
        x = _quantized(x, -2, 2, -2, 2, 5)[..., 0]
        taps = np.stack([x[:, :, k:k + x.shape[2] - 2] for k in range(3)], -1)
        return np.einsum("bctk,ock->bot", taps, kernel)[..., None]

    yield Case("quantize/convolution", [normal("fqc", 1, 3, 9, 1)], convolution,
               reference=reference)

    scale, zero = np.float32(0.03125), np.uint8(118)

    def exported():
        x = normal("qdq", 2, 3, 5)
        return converted([
            helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"]),
            helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"])
        ], {"x": x}, {"y": x}, {"scale": scale, "zero": zero})

    yield Case("quantize/onnx_quantize_dequantize", [normal("qdq", 2, 3, 5, scale=3)],
               model=exported,
               reference=lambda x: ((np.clip(np.round(x / scale) + zero, 0, 255) - zero) *
                                    scale).astype(np.float32))
    yield exact("quantize/twice", [np.round(normal("fqt", 3, 7), 2)],
                lambda x: node("FakeQuantize", 1, [
                    node("FakeQuantize", 1, [x, *_limits([-2, 2, -2, 2])], levels=257),
                    *_limits([-1, 1, -1, 1])
                ], levels=3),
                lambda x: _quantized(_quantized(x, -2, 2, -2, 2, 257), -1, 1, -1, 1, 3))


def cases():
    for part in (_one_range, _ranges, _computed, _models):
        yield from part()
