# SPDX-License-Identifier: Apache-2.0
"""Integer products, as in kernels/matrix/dense_i8.h and dense_i4.h: sums are exact, and every float operation
is one rounded f32 operation."""

import numpy as np

from reference import windows

LEAST_EXTENT = 16  # of inputs and outputs; smaller products stay floats
LEAST_TAPS = 3  # of depthwise
GREATEST_INTEGER, GREATEST_WEIGHT, GREATEST_NIBBLE = 32767, 127, 7
GREATEST_BYTE = 127


def quantized_weights(w):
    """Quantises w [outputs, inputs] to integers and a scale per output. Candidate scales map the maximum to
    119 to 135 in steps of a half, 127 first; the first one with the minimum squared error is chosen."""
    w = w.astype(np.float64)
    greatest = np.abs(w).max(axis=1)
    least = np.full(len(w), np.inf)
    integers, scales = np.zeros(w.shape, np.int64), np.zeros(len(w), np.float32)
    for most in (GREATEST_WEIGHT, *np.arange(119, 135.5, 0.5)):
        tried = (greatest / most).astype(np.float32)
        steps = np.where(tried == 0, 1, tried).astype(np.float64)[:, None]
        nearest = np.clip(np.rint(w / steps), -GREATEST_WEIGHT, GREATEST_WEIGHT)
        errors = np.cumsum((w - nearest * tried[:, None].astype(np.float64))**2, axis=1)[:, -1]
        is_less = errors < least
        least[is_less], scales[is_less] = errors[is_less], tried[is_less]
        integers[is_less] = nearest[is_less]
    return integers, scales


def product(x, w, greatest=GREATEST_INTEGER):
    """x [..., inputs] times transposed w [outputs, inputs]; rows of x are quantised to at most `greatest`."""
    w = np.asarray(w, np.float32)
    if min(w.shape) < LEAST_EXTENT:
        return np.asarray(x, np.float64) @ w.T.astype(np.float64)
    weights, scales = quantized_weights(w)
    return sums(x, weights, greatest) * scales


def convolution(x, w, strides, dilations, pads, product=product):
    """Convolution with w [groups, outputs, inputs, taps...]: each window is a row of a product. Depthwise
    convolutions multiply floats by dequantised weights, for volumes separately for each depth tap."""
    is_depthwise = w.shape[0] > 1 and w.shape[2] == 1
    rows = w.reshape(-1, np.prod(w.shape[-2:] if w.ndim == 6 else w.shape[3:]))
    if is_depthwise and rows.shape[1] >= LEAST_TAPS:
        integers, scales = quantized_weights(rows)
        w = (integers * scales.astype(np.float64)[:, None]).astype(np.float32).reshape(w.shape)
    how = {} if is_depthwise else {"product": product}
    return windows.convolution(x, w, strides, dilations, pads, pads, "explicit", **how)


def product_of_bytes(x, w):
    """product(x, w) with rows of x quantised to 8 bits (i8x8)."""
    return product(x, w, GREATEST_BYTE)


def sums(x, weights, greatest=GREATEST_INTEGER):
    """x [..., inputs] with quantised rows, times integers [outputs, inputs]."""
    integers, worth = integer_rows(x, min(greatest, (2**31 - 1) // 128 // weights.shape[1]))
    return (integers @ weights.T).astype(np.float32) * worth


def integer_rows(x, most):
    """Quantises the rows of x [..., inputs]; returns integers and a scale per row."""
    x = np.asarray(x, np.float32)
    most = np.float32(min(GREATEST_INTEGER, most))
    greatest = np.abs(x).max(axis=-1, keepdims=True)
    is_number = np.isfinite(x).all(axis=-1, keepdims=True)
    counts = is_number & (greatest >= np.float32(2.0**-100))
    safe = np.where(counts, greatest, np.float32(1))
    integers = np.rint(np.where(counts, x * (most / safe), 0)).astype(np.int64)
    worth = np.where(counts, safe / most, np.where(is_number, np.float32(0), np.float32(np.nan)))
    return integers, worth


def in_groups(x, weights, scales, group):
    """x times 4-bit integers [outputs, inputs]; `group` inputs share a scale of [outputs, groups]."""
    inputs = weights.shape[1]
    integers, worth = integer_rows(x, (2**31 - 1) // 15 // min(group, -(-inputs // 16) * 16))
    total = np.zeros((*integers.shape[:-1], len(weights)), np.float32)
    for index, first in enumerate(range(0, inputs, group)):
        part = slice(first, first + group)
        sums_of_group = (integers[..., part] @ weights[:, part].T).astype(np.float32)
        total = total + sums_of_group * np.asarray(scales, np.float32)[:, index]
    return total * worth


def nearest_nibbles(w):
    """Quantises w (one output, one group) to integers from -7 to 7 and a scale."""
    greatest = np.abs(w).max().astype(np.float64)
    scale = np.float32(np.float16(np.float32(greatest / GREATEST_NIBBLE)))
    divisor = np.float64(scale) if scale else 1.0
    return np.clip(np.rint(w / divisor), -GREATEST_NIBBLE, GREATEST_NIBBLE).astype(np.int64), scale


def product_in_groups(group):
    """product(x, w) with weights quantised to 4 bits and f16 scales."""
    def of(x, w):
        w = np.asarray(w, np.float32)
        if min(w.shape) < LEAST_EXTENT:
            return np.asarray(x, np.float64) @ w.T.astype(np.float64)
        weights = np.zeros(w.shape, np.int64)
        scales = np.zeros((len(w), -(-w.shape[1] // group)), np.float32)
        for output, row in enumerate(w):
            for index, first in enumerate(range(0, len(row), group)):
                part = slice(first, first + group)
                weights[output, part], scales[output, index] = nearest_nibbles(row[part].astype(np.float64))
        return in_groups(x, weights, scales, group)
    return of


def kept(x, weights, scales, is_window=False):
    """x times (weights * scales[:, None]) for integer weights of up to 9 bits. If the weights of an output
    do not fit 8 bits with either sign of the scale, they have an offset, and the result includes the sum
    of x times that offset. For windows, x is quantised before its sum."""
    least, greatest = weights.min(axis=1), weights.max(axis=1)
    turns = ((least < -128) | (greatest > 127)) & (greatest <= 128) & (least >= -127)
    signs = np.where(turns, -1, 1)
    weights, scales = weights * signs[:, None], np.asarray(scales, np.float32) * signs
    least, greatest = weights.min(axis=1), weights.max(axis=1)
    offsets = np.minimum(127 - greatest, 0) + np.maximum(-128 - least, 0)
    y = sums(x, weights + offsets[:, None]) * scales.astype(np.float32)
    if not offsets.any():
        return y
    of_sums = np.asarray(x, np.float64).sum(axis=-1, keepdims=True)
    if is_window:
        of_sums = sums(x, np.ones((1, weights.shape[1]), np.int64)).astype(np.float64)
    return y.astype(np.float64) + of_sums * (-offsets * scales.astype(np.float64))


def recovered(x, w):
    """x times transposed w [outputs, inputs], where the weights of each output are multiples of a scale."""
    w = np.asarray(w, np.float64)
    weights, scales = np.zeros(w.shape, np.int64), np.zeros(len(w), np.float32)
    for row, (numbers, greatest) in enumerate(zip(w, np.abs(w).max(axis=1))):
        for steps in range(1, 256):
            multiples = numbers / (greatest / steps)
            if np.abs(multiples - np.rint(multiples)).max() < 1e-6:
                weights[row], scales[row] = np.rint(multiples), greatest / steps
                break
        else:
            raise ValueError("no multiples of a scale")
    return kept(x, weights, scales)
