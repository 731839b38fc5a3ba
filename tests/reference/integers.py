# SPDX-License-Identifier: Apache-2.0
"""Dense products in integers, as kernels/matrix/dense_i8.h has them: every operation on floats is one
rounded operation of f32, sums are exact."""

import numpy as np

LEAST_EXTENT = 16  # of inputs and outputs; smaller products stay floats
GREATEST_INTEGER, GREATEST_WEIGHT = 32767, 127


def quantized_weights(w):
    """Integers and the scale of each output, of w [outputs, inputs]."""
    greatest = np.abs(w).max(axis=1).astype(np.float64)
    scales = (greatest / GREATEST_WEIGHT).astype(np.float32)
    divisors = np.where(scales == 0, 1, scales).astype(np.float64)[:, None]
    integers = np.rint(w.astype(np.float64) / divisors)
    return np.clip(integers, -GREATEST_WEIGHT, GREATEST_WEIGHT).astype(np.int64), scales


def product(x, w):
    """x [..., inputs] times w [outputs, inputs] transposed."""
    w = np.asarray(w, np.float32)
    if min(w.shape) < LEAST_EXTENT:
        return np.asarray(x, np.float64) @ w.T.astype(np.float64)
    x = np.asarray(x, np.float32)
    most = np.float32(min(GREATEST_INTEGER, (2**31 - 1) // 128 // w.shape[1]))
    greatest = np.abs(x).max(axis=-1, keepdims=True)
    is_number = np.isfinite(x).all(axis=-1, keepdims=True)
    counts = is_number & (greatest >= np.float32(2.0**-100))
    safe = np.where(counts, greatest, np.float32(1))
    integers = np.rint(np.where(counts, x * (most / safe), 0)).astype(np.int64)
    worth = np.where(counts, safe / most, np.where(is_number, np.float32(0), np.float32(np.nan)))
    weights, scales = quantized_weights(w)
    return (integers @ weights.T).astype(np.float32) * worth * scales
