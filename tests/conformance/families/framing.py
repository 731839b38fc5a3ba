# SPDX-License-Identifier: Apache-2.0
"""Overlapping frames of samples as TensorFlow's signal.frame makes them: the samples become blocks as
long as the greatest common divisor of frame and hop, and a Gather selects the blocks of each frame."""

import numpy as np

from build import node
from casebook import i64, normal, recurrent

# Name, blocks, samples of a block, blocks of a frame, blocks of a hop.
FRAMINGS = (("hop_1", 12, 4, 2, 1), ("hop_1_of_3", 9, 3, 3, 1), ("hop_2_of_5", 16, 2, 5, 2),
            ("hop_3_of_4", 15, 2, 4, 3), ("hop_2_of_4", 14, 3, 4, 2), ("short_of_rows", 15, 2, 4, 2))


def _indices(blocks, positions, hop):
    """[frames, positions]"""
    frames = (blocks - positions) // hop + 1
    return np.arange(frames)[:, None] * hop + np.arange(positions)


def _running(frames, label, size):
    """A running sum of a projection, which makes the frames time steps."""
    y = node("MatMul", 1, [frames, normal(label + "w", size, 3, scale=0.3)], transpose_a=False,
             transpose_b=False)
    return node("CumSum", 3, [y, np.array(1, np.int64)], exclusive=False, reverse=False)


def _framed(name, blocks, samples, positions, hop, flat=False):
    indices = _indices(blocks, positions, hop)

    def graph(x):
        y = node("Reshape", 1, [x, i64(1, blocks, samples)], special_zero=False)
        taken = indices.ravel() if flat else indices
        y = node("Gather", 8, [y, taken.astype(np.int32), np.array(1, np.int64)], batch_dims=0)
        size = positions * samples
        y = node("Reshape", 1, [y, i64(1, len(indices), size)], special_zero=False)
        y = node("Multiply", 1, [y, normal(name + "window", size)])
        return _running(y, name, size)

    def reference(x):
        frames = np.asarray(x, np.float64).reshape(1, blocks, samples)[:, indices]
        frames = frames.reshape(1, len(indices), -1) * normal(name + "window", positions * samples)
        return np.cumsum(frames @ normal(name + "w", positions * samples, 3, scale=0.3), 1)

    return recurrent(f"framing/{name}{'_flat' if flat else ''}",
                     [normal(name, 1, blocks * samples)], graph, reference)


def cases():
    for name, *numbers in FRAMINGS:
        yield _framed(name, *numbers)
    yield _framed(*FRAMINGS[2], flat=True)
