# SPDX-License-Identifier: Apache-2.0
"""Weights stored as integers and followed by a conversion chain, as compression tools write them.
Products are computed with the integers; rows gathered from tables equal the chain's results exactly."""

import numpy as np
import openvino as ov

from build import node
from casebook import EXACT, SINGLE, Case, by_numpy, exact, integers, normal, recurrent
from families.sequences import DEFAULT, DIRECTIONS, GATES, REFERENCES
from reference import integers as products
from reference import windows

INTEGERS = by_numpy("OpenVINO multiplies floats; weft multiplies the integers of the file.")
AS_FLOATS = dict(convert=["--precision", "f32"])


def to(kind, source):
    return node("Convert", 1, [source], destination_type=kind)


def four_bits(numbers, kind):
    """A Constant of u4 or i4."""
    return ov.op.Constant(
        getattr(ov.Type, kind), ov.Shape(numbers.shape),
        numbers.astype(np.int64).flatten().tolist())


def halves(label, *shape):
    """Scales of both signs."""
    scales = normal(label, *shape, scale=0.01)
    return (scales + np.copysign(0.002, scales)).astype(np.float16)


def chain(numbers, zero, scale, shape=None, kind="f16", stored=lambda numbers: numbers):
    """(numbers - zero) * scale as a graph, and its NumPy value."""
    y = to(kind, stored(numbers))
    if zero is not None:
        y = node("Subtract", 1, [y, to(kind, stored(zero))])
    y = node("Multiply", 1, [y, scale])
    if shape is not None:
        y = node("Reshape", 1, [y, np.array(shape, np.int64)], special_zero=False)
    return to("f32", y) if kind != "f32" else y


def floats(numbers, zero, scale, shape=None):
    differences = numbers.astype(np.float64) - (0 if zero is None else zero.astype(np.float64))
    return (differences * scale.astype(np.float64)).astype(np.float32).reshape(shape or
                                                                               numbers.shape)


def differences(numbers, zero):
    return numbers.astype(np.int64) - (0 if zero is None else zero.astype(np.int64))


class Asymmetric:
    """u8 [outputs, inputs] over the full range, with a zero point for each output."""
    def __init__(self, label, outputs, inputs):
        self.numbers = integers(label, 0, 256, outputs, inputs, dtype=np.uint8)
        self.numbers[:, 3], self.numbers[:, 5] = 0, 255
        self.zero = integers(label + "z", 0, 256, outputs, 1, dtype=np.uint8)
        self.scale = halves(label + "s", outputs, 1)


class Symmetric:
    """i8 [outputs, inputs] without zero points, with scales of both signs."""
    def __init__(self, label, outputs, inputs):
        self.numbers = integers(label, -128, 128, outputs, inputs, dtype=np.int8)
        self.numbers[::3, 3] = -128
        self.numbers[:, 4], self.numbers[:, 5] = 1, 127
        self.zero = None
        self.scale = halves(label + "s", outputs, 1)


def matmul(w):
    return lambda x: node("MatMul", 1, [x, chain(w.numbers, w.zero, w.scale)], transpose_b=True)


def answer(w):
    return lambda x: products.kept(x, differences(w.numbers, w.zero), w.scale[:, 0])


def _dense(name, w, x, graph=None, reference=None, tolerance=None, **how):
    if tolerance is None:
        tolerance = EXACT if w.zero is None else SINGLE
    return Case(f"compressed_weights/{name}", [x], graph or matmul(w),
                reference=reference or answer(w), rtol=tolerance, atol=tolerance,
                **(how or INTEGERS))


def _eight_bits():
    for rows, inputs, outputs in ((1, 37, 45), (3, 64, 17), (2, 600, 16)):
        shape = f"{rows}x{inputs}x{outputs}"
        x = normal("cx" + shape, rows, inputs)
        yield _dense("u8_" + shape, Asymmetric("cu" + shape, outputs, inputs), x)
        yield _dense("i8_" + shape, Symmetric("ci" + shape, outputs, inputs), x)
    w, x = Asymmetric("cu", 45, 37), normal("cx", 2, 3, 37)
    plain = floats(w.numbers, w.zero, w.scale)
    yield _dense("u8_as_floats", w, x, reference=lambda x: x @ plain.T, tolerance=1e-4,
                 **AS_FLOATS)
    b = normal("cub", 45)
    yield _dense(
        "u8_bias_relu", w, x,
        lambda x: node("Relu", 1, [node("Add", 1, [matmul(w)(x), b])]),
        lambda x: np.maximum(answer(w)(x) + b, 0))
    inputs_first = [part.T.copy() for part in (w.numbers, w.zero, w.scale)]
    yield _dense("u8_inputs_first", w, x,
                 lambda x: node("MatMul", 1, [x, chain(*inputs_first)]))
    yield _dense(
        "u8_turned", w, x, lambda x: node("MatMul", 1, [
            x, node("Transpose", 1, [chain(w.numbers, w.zero, w.scale), np.array([1, 0])])]))
    inner = Asymmetric("cui", 45, 37)
    inner.numbers, inner.zero = np.maximum(inner.numbers, 1), np.full((45, 1), 128, np.uint8)
    yield _dense("u8_within_i8", inner, x, tolerance=EXACT)
    signed = Symmetric("cis", 45, 37)
    signed.numbers[7], signed.numbers[9], signed.numbers[11, 1:] = 0, 5, 0
    yield _dense("i8_rows_of_one_number", signed, x, tolerance=SINGLE)
    single = Symmetric("cif", 45, 37)
    single.scale = np.abs(normal("cifs", 45, 1, scale=0.01)) + np.float32(0.001)
    yield _dense(
        "i8_scales_of_f32", single, x, lambda x: node("MatMul", 1, [
            x, chain(single.numbers, None, single.scale, kind="f32")], transpose_b=True),
        tolerance=SINGLE)
    few = Symmetric("cit", 15, 37)
    yield _dense("i8_too_few_outputs", few, x,
                 reference=lambda x: x @ floats(few.numbers, None, few.scale).T, tolerance=1e-4,
                 convert=[])


def _four_bits():
    for name, kind, asymmetric, group in (
        ("i4", "i4", False, 64), ("u4", "u4", True, 64), ("i4_groups", "i4", False, 32),
        ("u4_groups", "u4", True, 32), ("i4_long_groups", "i4", False, 128)):
        outputs, inputs = 20, 64 if group <= 64 else 384
        low, high = (0, 16) if asymmetric else (-8, 8)
        shape = (outputs, inputs // group, group)
        numbers = integers(name + "n", low, high, *shape)
        numbers[..., 2], numbers[..., 3] = low, high - 1
        zero = integers(name + "z", low, high, *shape[:2], 1) if asymmetric else None
        scale = halves(name + "s", *shape[:2], 1)
        if group == inputs:
            numbers, scale = numbers[:, 0], scale[:, 0]
            zero = None if zero is None else zero[:, 0]

        def graph(x, kind=kind, numbers=numbers, zero=zero, scale=scale, group=group,
                  inputs=inputs, outputs=outputs):
            shape = None if group == inputs else [outputs, inputs]
            return node("MatMul", 1, [
                x, chain(numbers, zero, scale, shape, stored=lambda part: four_bits(part, kind))],
                        transpose_b=True)

        def reference(x, numbers=numbers, zero=zero, scale=scale, group=group, inputs=inputs,
                      outputs=outputs):
            integers_of = differences(numbers, zero).reshape(outputs, -1, group)
            return products.in_groups(x, integers_of.reshape(outputs, inputs),
                                      scale.reshape(outputs, -1), group)

        x = normal(name + "x", 3, inputs)
        yield Case(f"compressed_weights/{name}", [x], graph, reference=reference, rtol=EXACT,
                   atol=EXACT, **INTEGERS)
        plain = floats(numbers, zero, scale, (outputs, inputs))
        yield Case(f"compressed_weights/{name}_as_floats", [x], graph,
                   reference=lambda x, plain=plain: x @ plain.T, rtol=1e-4, atol=1e-4, **AS_FLOATS)


def _convolutions():
    """Convolutions: each window is a row of a matrix product, per group where there are groups."""
    w = Asymmetric("cpw", 33, 37)
    four = [part.reshape(*part.shape, 1, 1) for part in (w.numbers, w.zero, w.scale)]

    def convolved(x, filters, pad=0):
        return node("Convolution", 1, [x, filters], strides=[1, 1], dilations=[1, 1],
                    pads_begin=[pad, pad], pads_end=[pad, pad], auto_pad="explicit")

    yield _dense(
        "u8_pointwise", w, normal("cpx", 2, 37, 5, 4),
        lambda x: convolved(x, chain(*four)),
        lambda x: np.moveaxis(answer(w)(np.moveaxis(x, 1, -1)), -1, 1))
    taps = [integers("ct", 0, 256, 17, 9, 3, 3, dtype=np.uint8),
            integers("ctz", 100, 140, 17, 1, 1, 1, dtype=np.uint8), halves("cts", 17, 1, 1, 1)]
    x = normal("ctx", 1, 9, 6, 5)
    yield Case("compressed_weights/u8_taps_as_floats", [x],
               lambda x: convolved(x, chain(*taps), 1), rtol=1e-4, atol=1e-3, **AS_FLOATS)
    b = normal("ctb", 1, 17, 1, 1)
    for name, last in (("planes", 0), ("last", 1)):

        def graph(x, last=last):
            x = node("Transpose", 1, [x, np.array([0, 3, 1, 2])]) if last else x
            y = node("Relu", 1, [node("Add", 1, [convolved(x, chain(*taps), 1), b])])
            return node("Transpose", 1, [y, np.array([0, 2, 3, 1])]) if last else y

        def reference(x, last=last):
            x = np.moveaxis(x, -1, 1) if last else x
            y = np.maximum(windows_of(x, *(part[None] for part in taps), 1) + b, 0)
            return np.moveaxis(y, 1, -1) if last else y

        yield Case(f"compressed_weights/u8_taps_beyond_i8_{name}",
                   [np.moveaxis(x, 1, -1).copy() if last else x], graph, reference=reference,
                   rtol=SINGLE, atol=SINGLE, **INTEGERS)
    # With one step a run it is a dense product, which could start from the residual.
    line = [integers("ck", 0, 256, 17, 17, 3, dtype=np.uint8),
            integers("ckz", 60, 90, 17, 1, 1, dtype=np.uint8), halves("cks", 17, 1, 1)]

    def residual(x):
        y = node("Convolution", 1, [x, chain(*line)], strides=[1], dilations=[1], pads_begin=[2],
                 pads_end=[0], auto_pad="explicit")
        return node("Relu", 1, [node("Add", 1, [y, x])])

    def residual_reference(x):
        padded = np.pad(x, [(0, 0), (0, 0), (2, 0)])
        y = windows_of(padded[..., None], *(part[None, ..., None] for part in line), 0)[..., 0]
        return np.maximum(y + x, 0)

    yield Case("compressed_weights/u8_taps_residual", [normal("ckx", 1, 17, 9)], residual,
               reference=residual_reference, rtol=SINGLE, atol=SINGLE, **INTEGERS)
    within = [np.maximum(taps[0], 1), np.full((17, 1, 1, 1), 128, np.uint8), taps[2]]
    yield Case("compressed_weights/u8_taps", [x], lambda x: convolved(x, chain(*within), 1),
               reference=lambda x: windows_of(x, *(part[None] for part in within), 1), rtol=EXACT,
               atol=EXACT, **INTEGERS)
    grouped = [integers("cg", -127, 128, 2, 17, 5, 3, 3, dtype=np.int8), None,
               halves("cgs", 2, 1, 1, 1, 1)]
    grouped[0][:, :, 0, 0] = [126, -127, 5]
    yield Case("compressed_weights/i8_groups", [normal("cgx", 2, 10, 4, 5)],
               lambda x: grouped_convolved(x, chain(*grouped), 0),
               reference=lambda x: windows_of(x, *grouped, 0), rtol=EXACT, atol=EXACT, **INTEGERS)


def _groups():
    """Grouped: the sum of each group's window is an additional output of the group."""
    wide = [integers("cgw", 0, 256, 2, 17, 5, 3, 3, dtype=np.uint8),
            integers("cgwz", 60, 200, 2, 1, 1, 1, 1, dtype=np.uint8), halves("cgws", 2, 1, 1, 1, 1)]
    bias = normal("cgwb", 1, 34, 1, 1)
    for name, last in (("planes", 0), ("last", 1)):

        def graph_of_groups(x, last=last):
            x = node("Transpose", 1, [x, np.array([0, 3, 1, 2])]) if last else x
            y = node("Relu", 1, [node("Add", 1, [grouped_convolved(x, chain(*wide), 1), bias])])
            return node("Transpose", 1, [y, np.array([0, 2, 3, 1])]) if last else y

        def reference_of_groups(x, last=last):
            y = windows_of(np.moveaxis(x, -1, 1) if last else x, *wide, 1) + bias
            return np.moveaxis(np.maximum(y, 0), 1, -1) if last else np.maximum(y, 0)

        x = normal("cgwx", 2, 10, 4, 5)
        yield Case(f"compressed_weights/u8_groups_beyond_i8_{name}",
                   [np.moveaxis(x, 1, -1).copy() if last else x], graph_of_groups,
                   reference=reference_of_groups, rtol=SINGLE, atol=SINGLE, **INTEGERS)


def grouped_convolved(x, filters, pad):
    return node("GroupConvolution", 1, [x, filters], strides=[1, 1], dilations=[1, 1],
                pads_begin=[pad, pad], pads_end=[pad, pad], auto_pad="explicit")


def windows_of(x, numbers, zero, scale, pad):
    """Integer convolution with weights [groups, outputs, inputs, taps...] and scales per group."""
    weights = differences(numbers, zero)
    scales = np.broadcast_to(scale.reshape(*scale.shape[:2]), weights.shape[:2])
    parts = zip(np.split(x, len(weights), axis=1), weights, scales)
    return np.concatenate([
        products.convolution(part, group[None], [1, 1], [1, 1], [pad, pad],
                             lambda rows, filters, own=own: products.kept(
                                 rows, filters.astype(np.int64), own, is_window=True))
        for part, group, own in parts], axis=1)


def _depthwise():
    """Bit-identical to a convolution with the dequantised weights."""
    for name, outputs, inputs, low, high, zeros in (
        ("i8_depthwise", 35, 35, -128, 128, None), ("u8_depthwise", 20, 20, 0, 256, (20, 1, 1, 1, 1)),
        ("u4_depthwise", 18, 18, 0, 16, (18, 1, 1, 1, 1)),
        ("u8_depthwise_multiplier", 24, 8, 0, 256, (8, 1, 1, 1, 1))):
        kind = np.int8 if low < 0 else np.uint8
        numbers = integers(name, low, high, inputs, outputs // inputs, 1, 3, 3, dtype=kind)
        numbers[..., 0, 0], numbers[..., 0, 1] = low, high - 1
        zero = None if zeros is None else integers(name + "z", 0, high, *zeros, dtype=np.uint8)
        scale = halves(name + "s", inputs, 1, 1, 1, 1)
        stored = (lambda part: four_bits(part, "u4")) if high == 16 else (lambda part: part)
        plain = floats(numbers, zero, scale)

        def graph(x, numbers=numbers, zero=zero, scale=scale, stored=stored):
            return grouped_convolved(x, chain(numbers, zero, scale, stored=stored), 1)

        def reference(x, plain=plain):
            return windows.convolution(x, plain, [1, 1], [1, 1], [1, 1], [1, 1], "explicit")

        x = normal(name + "x", 1, inputs, 6, 5)
        yield Case(f"compressed_weights/{name}", [x], graph, reference=reference, rtol=1e-5,
                   atol=1e-5, convert=[])
    deep = [integers("cd", -128, 128, 35, 1, 1, 3, 3, dtype=np.int8), None,
            halves("cds", 35, 1, 1, 1, 1)]
    yield Case("compressed_weights/i8_depthwise_as_floats", [normal("cdx", 1, 35, 6, 5)],
               lambda x: grouped_convolved(x, chain(*deep), 1), rtol=1e-4, atol=1e-3, **AS_FLOATS)


def _tables():
    indices = np.array([[0, 69, 3], [17, 17, 1]], np.int32)
    for name, zero_shape in (("u8_table", (70, 1)), ("i8_table", None), ("i8_small_table", None)):
        rows = 3 if "small" in name else 70
        kind, low = (np.uint8, 0) if zero_shape else (np.int8, -128)
        numbers = integers(name, low, low + 256, rows, 24, dtype=kind)
        zero = integers(name + "z", 0, 256, *zero_shape, dtype=np.uint8) if zero_shape else None
        scale = halves(name + "s", rows, 1)
        table = floats(numbers, zero, scale)
        yield exact(
            f"compressed_weights/{name}", [indices % rows],
            lambda x, numbers=numbers, zero=zero, scale=scale: node(
                "Gather", 8, [chain(numbers, zero, scale), x, np.array(0, np.int64)],
                batch_dims=0),
            lambda x, table=table: table[x])


def _sequences():
    for kind, direction, linear, inputs, hidden in (
        ("LSTMSequence", "forward", False, 19, 16), ("LSTMSequence", "bidirectional", False, 32, 17),
        ("GRUSequence", "forward", True, 16, 32), ("RNNSequence", "reverse", False, 17, 31)):
        count, gates = DIRECTIONS[direction], GATES[kind]
        name = f"{kind[:-8].lower()}{'_linear' if linear else ''}_{direction}"
        scale = np.float16(0.003 / np.sqrt(inputs + hidden))
        parts = [(integers(name + "c" + side, -127, 128, count, gates * hidden, width,
                           dtype=np.int8),
                  (scale * (1 + integers(name + side, 0, 3, count, gates * hidden, 1))).astype(
                      np.float16)) for side, width in (("w", inputs), ("r", hidden))]
        b = normal(name + "cb", count, (4 if linear else gates) * hidden, scale=0.3)
        batch = 1 if hidden == 16 else 2  # one row of full blocks would be a separate step
        arrays = [normal(name + "c", batch, 6, inputs)]
        for part in range(2 if kind == "LSTMSequence" else 1):
            arrays.append(normal(f"{name}c{part}", batch, count, hidden, scale=0.5))
        steps = np.array([6] * batch, np.int32)
        how = {"linear_before_reset": linear} if kind == "GRUSequence" else {}

        def graph(*ports, parts=parts, b=b, steps=steps, kind=kind, hidden=hidden,
                  direction=direction, how=how):
            w, r = (chain(numbers, None, scales) for numbers, scales in parts)
            return node(kind, 5, [*ports, steps, w, r, b], hidden_size=hidden, direction=direction,
                        activations=DEFAULT[kind], **how)

        def reference(*ports, parts=parts, b=b, steps=steps, kind=kind, direction=direction,
                      how=how):
            w, r = (floats(numbers, None, scales) for numbers, scales in parts)
            return REFERENCES[kind](*ports, steps, w, r, b, direction=direction,
                                    product=products.recovered, **how)

        yield recurrent(f"compressed_weights/{name}", arrays, graph, reference, **INTEGERS)


def cases():
    for part in (_eight_bits, _four_bits, _convolutions, _groups, _depthwise, _tables, _sequences):
        yield from part()
